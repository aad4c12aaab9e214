"""Whether the second derivative of a call of a failing program fails by itself.

Each call that a gradient of a gradient goes through is differentiated twice alone: the gradient of
its weighted result is multiplied by what its arguments carry in the program (`bounds.second`), and
the sum of that is differentiated by the weights and by the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from conformance.adapters.session import Session as Worker
from conformance.fuzz.bounds.gradients import contributions
from conformance.fuzz.bounds.known import Array, exactly
from conformance.fuzz.bounds.running import Course
from conformance.fuzz.bounds.second import Bent, bent_back, carried, pushed, with_respect_to
from conformance.fuzz.bounds.shares import Share, added
from conformance.fuzz.calls import MEMBER, Call, Special
from conformance.fuzz.judging import Difference, Question
from conformance.fuzz.programs import references
from conformance.fuzz.single_steps import WEIGHTS, Blame, input_of, steps_of
from conformance.observations import DrawObservation, Raised, Returned
from conformance.oracle import Expectation, agrees
from conformance.program import Binding, Input, Program, Ref, Step

LIKE = "carried_"
"""What the names of the numbers begin with that arguments carry."""


@dataclass(frozen=True, eq=False)
class Alone:
    """A call with the weights of its result, and with what its arguments carry."""

    right: Course
    call: Call
    weights: Array
    carried: Mapping[str, Array]

    @property
    def _dtype(self) -> str:
        return self.right.types[self.call.result].dtype

    @cached_property
    def wanted(self) -> dict[str, Share]:
        """The derivatives by the weights and the arguments, where they are not 0 for certain."""
        given = {n: exactly(self.right.known[n].value) for n in self.call.references()}
        one = Bent(self.call, self.weights.shape, self._dtype, given)
        shares = {n: _exactly(a) for n, a in self.carried.items()}
        found = {WEIGHTS: pushed(one, shares)}
        for name, share in bent_back(one, _exactly(self.weights), shares):
            found[name] = added(self._dtype, found.get(name), share)
        return {n: s for n, s in found.items() if bool((np.abs(s[0]) > s[1]).any())}

    def arrays(self, program: Program) -> dict[str, Array]:
        """The numbers of the inputs."""
        own = {WEIGHTS: self.weights, **{LIKE + n: a for n, a in self.carried.items()}}
        names = [i.name for i in program.inputs]
        return {n: own[n] if n in own else self.right.known[n].value for n in names}

    def program(self, whole: Program, wanted: str) -> Program:
        """The call, differentiated twice, the second time by the wanted tensor."""
        steps = steps_of(whole, self.call)
        made = {s.result for s in steps}
        needed = dict.fromkeys(r for s in steps for r in references(s))
        inputs = [input_of(whole, name, self.right) for name in needed if name not in made]
        inputs.append(_fed(WEIGHTS, self.weights))
        inputs += [_fed(LIKE + n, a) for n, a in self.carried.items()]
        return Program(tuple(inputs), (*steps, *self._ends(wanted)), ("second",))

    def _ends(self, wanted: str) -> Iterator[Step]:
        yield Step("weighted", "operator.mul", (Ref(self.call.result), Ref(WEIGHTS)))
        yield Step("loss", "sum", (Ref("weighted"),))
        yield Step("first", "gradients", (Ref("loss"), [Ref(n) for n in self.carried]))
        for place, name in enumerate(self.carried):
            yield Step(f"first_{place}", MEMBER, (Ref("first"), place))
            factors = (Ref(f"first_{place}"), Ref(LIKE + name))
            yield Step(f"product_{place}", "operator.mul", factors)
            yield Step(f"sum_{place}", "sum", (Ref(f"product_{place}"),))
        total = "sum_0"
        for place in range(1, len(self.carried)):
            before, total = total, f"total_{place}"
            yield Step(total, "operator.add", (Ref(before), Ref(f"sum_{place}")))
        yield Step("second", "gradients", (Ref(total), [Ref(wanted)]))


def _fed(name: str, array: Array) -> Input:
    return Input(name, array.shape, array.dtype.name, Binding.PLACEHOLDER)


def _exactly(array: Array) -> Share:
    return array.astype(np.longdouble), np.zeros(array.shape)


def blamed_second(worker: Worker, question: Question, right: Course) -> Blame | None:
    """The first call whose second derivative fails by itself; None if none does.
    WorkerStartError."""
    for one in _each(right):
        for name, share in one.wanted.items():
            found = _fault(worker, question, one, (name, share))
            if found is not None:
                return found
    return None


def _each(right: Course) -> Iterator[Alone]:
    """The calls that gradients of gradients go through."""
    losses = [*right.sweeps]
    for loss in losses:
        shares = contributions(right, loss)
        for made in right.calls:
            if isinstance(made, Special) and made.function == "gradients" and made.result in shares:
                yield from _between(right, made, shares[made.result])


def _between(right: Course, made: Special, seed: Share) -> Iterator[Alone]:
    loss = made.step.args[0]
    assert isinstance(loss, Ref)
    first = contributions(right, loss.name)
    try:
        moving = carried(right, first, {with_respect_to(made): seed})
    except ValueError:
        return
    for call in right.calls:
        if isinstance(call, Call) and call.result in first:
            held = {n: _narrow(right, n, moving[n][0]) for n in call.references() if n in moving}
            if held:
                yield Alone(right, call, _narrow(right, call.result, first[call.result][0]), held)


def _narrow(right: Course, name: str, value: Array) -> Array:
    return value.astype(right.types[name].dtype)


def _fault(
    worker: Worker, question: Question, one: Alone, wanted: tuple[str, Share]
) -> Blame | None:
    program = one.program(question.program, wanted[0])
    asked = replace(
        question, program=program, arrays=[one.arrays(program)], cuts=frozenset(), courses=()
    )
    for draw in worker.run_batch(asked.batch).draws:
        says = _says(draw, *wanted)
        if says:
            name = one.call.spec.name
            return Blame(name, Difference("gradient", "second", 0, says), asked)
    return None


def _says(draw: DrawObservation, name: str, share: Share) -> str:
    """What is wrong with the second derivative that came; empty if nothing is."""
    outcome = draw.outcome
    if not isinstance(outcome, Returned):
        said = outcome.message if isinstance(outcome, Raised) else "it ends the process"
        return f"its second derivative raises: {said[:200]}"
    values = outcome.values["second"]
    got = values[0].array if len(values) == 1 else None
    if got is None or got.shape != share[0].shape:
        return f"its second derivative by {name} is no array of that shape"
    right = agrees(got, _expectation(share, got.dtype.name)).all()
    return "" if right else f"its second derivative by {name} is wrong"


def _expectation(share: Share, dtype: str) -> Expectation:
    value = share[0].astype(dtype).astype(np.float64)
    return Expectation(value, share[1] + np.abs(value - share[0]).astype(np.float64), dtype)
