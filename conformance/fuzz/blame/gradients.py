"""Whether the gradient of a call of a failing program fails by itself.

Each call is differentiated alone, with the weights that its result has in the program.

For a second derivative, the gradient of the call's weighted result is multiplied by the shares that
its arguments carry in the program (`bounds.second_derivatives`). The sum of the products is
differentiated by the weights and by the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from conformance.adapters.session import Session as Worker
from conformance.fuzz.blame.steps import WEIGHTS, Blame, input_of, steps_of
from conformance.fuzz.bounds.course import Course
from conformance.fuzz.bounds.gradients import contributions
from conformance.fuzz.bounds.second_derivatives import (
    Bent,
    bent_back,
    carried,
    differentiated,
    name_of,
    pushed,
    with_respect_to,
)
from conformance.fuzz.bounds.tensors import Array, Share, added, exactly
from conformance.fuzz.judging import Mismatch, Question, in_one_line
from conformance.fuzz.programs import MEMBER, ProgramCall, Special, references
from conformance.generators.gradients import resolved
from conformance.observations import DrawObservation, Raised, Returned
from conformance.oracle import Expectation, agrees
from conformance.oracle.gradient_bounds import WeightedGradient
from conformance.program import Binding, Input, Program, Ref, Step

LIKE = "carried_"
"""The prefix of the names of the numbers that arguments carry."""


@dataclass(frozen=True, eq=False)
class Alone:
    """A call with the weights of its result, and with what its arguments carry."""

    right: Course
    call: ProgramCall
    weights: Array
    carried: Mapping[str, Array]

    @property
    def _dtype(self) -> str:
        return self.right.types[self.call.result].dtype

    @cached_property
    def derivatives(self) -> dict[str, Share]:
        """The derivatives by the weights and the arguments, where they are not 0 for certain."""
        arguments = {n: exactly(self.right.known[n].value) for n in self.call.references()}
        call = Bent(self.call, self.weights.shape, self._dtype, arguments)
        shares = {n: _exactly(a) for n, a in self.carried.items()}
        derivatives = {WEIGHTS: pushed(call, shares)}
        for name, share in bent_back(call, _exactly(self.weights), shares):
            derivatives[name] = added(self._dtype, derivatives.get(name), share)
        return {n: s for n, s in derivatives.items() if bool((np.abs(s[0]) > s[1]).any())}

    def arrays(self, program: Program) -> dict[str, Array]:
        """The numbers of the inputs."""
        own = {WEIGHTS: self.weights, **{LIKE + n: a for n, a in self.carried.items()}}
        names = [i.name for i in program.inputs]
        return {n: own[n] if n in own else self.right.known[n].value for n in names}

    def program(self, whole: Program, tensor: str) -> Program:
        """The call, differentiated twice, the second time by the wanted tensor."""
        steps = steps_of(whole, self.call)
        results = {s.result for s in steps}
        needed = dict.fromkeys(r for s in steps for r in references(s))
        inputs = [input_of(whole, name, self.right) for name in needed if name not in results]
        inputs.append(_fed(WEIGHTS, self.weights))
        inputs += [_fed(LIKE + n, a) for n, a in self.carried.items()]
        return Program(tuple(inputs), (*steps, *self._ends(tensor)), ("second",))

    def _ends(self, tensor: str) -> Iterator[Step]:
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
        yield Step("second", "gradients", (Ref(total), [Ref(tensor)]))


def _fed(name: str, array: Array) -> Input:
    return Input(name, array.shape, array.dtype.name, Binding.PLACEHOLDER)


def _exactly(array: Array) -> Share:
    return array.astype(np.longdouble), np.zeros(array.shape)


def blamed_second(worker: Worker, question: Question, right: Course) -> Blame | None:
    """The first call whose second derivative fails by itself; None if none does.
    WorkerStartError."""
    for alone in _each(right):
        for name, share in alone.derivatives.items():
            blame = _fault(worker, question, alone, (name, share))
            if blame is not None:
                return blame
    return None


def _each(right: Course) -> Iterator[Alone]:
    """The calls that gradients of gradients go through."""
    losses = [*right.sweeps]
    for loss in losses:
        shares = contributions(right, loss)
        for call in right.calls:
            if isinstance(call, Special) and call.function == "gradients" and call.result in shares:
                yield from _between(right, call, shares[call.result])


def _between(right: Course, gradients: Special, seed: Share) -> Iterator[Alone]:
    loss = gradients.step.args[0]
    assert isinstance(loss, Ref)
    first = contributions(right, loss.name)
    try:
        moving = carried(right, first, {with_respect_to(gradients): seed})
    except ValueError:
        return
    for call in right.calls:
        if isinstance(call, ProgramCall) and call.result in first:
            held = {n: _narrow(right, n, moving[n][0]) for n in call.references() if n in moving}
            if held:
                yield Alone(right, call, _narrow(right, call.result, first[call.result][0]), held)


def _narrow(right: Course, name: str, value: Array) -> Array:
    return value.astype(right.types[name].dtype)


def _fault(
    worker: Worker, question: Question, alone: Alone, derivative: tuple[str, Share]
) -> Blame | None:
    program = alone.program(question.program, derivative[0])
    asked = replace(
        question, program=program, arrays=[alone.arrays(program)], cuts=frozenset(), courses=()
    )
    for draw in worker.run_batch(asked.batch).draws:
        says = _says(draw, *derivative)
        if says:
            name = alone.call.spec.name
            return Blame(name, Mismatch("gradient", "second", 0, says), asked)
    return None


def _says(draw: DrawObservation, name: str, share: Share) -> str:
    """The fault of the second derivative that the target returned; empty if there is none."""
    outcome = draw.outcome
    if not isinstance(outcome, Returned):
        message = outcome.message if isinstance(outcome, Raised) else "it ends the process"
        return f"its second derivative raises: {message[:200]}"
    values = outcome.values["second"]
    got = values[0].array if len(values) == 1 else None
    if got is None or got.shape != share[0].shape:
        return f"its second derivative by {name} is not an array of that shape"
    right = agrees(got, _expectation(share, got.dtype.name)).all()
    return "" if right else f"its second derivative by {name} is wrong"


def _expectation(share: Share, dtype: str) -> Expectation:
    value = share[0].astype(dtype).astype(np.float64)
    return Expectation(value, share[1] + np.abs(value - share[0]).astype(np.float64), dtype)


def blamed_gradient(worker: Worker, question: Question, right: Course) -> Blame | None:
    """The first call whose gradient fails by itself; None if none does. WorkerStartError."""
    lacking = _lacking(worker, question, right)
    if lacking is not None:
        return lacking
    losses = [c.step.args[0] for c in right.calls if isinstance(c, Special) and c.place == 0]
    losses = [v for v in losses if isinstance(v, Ref) and v.name in right.sweeps]
    for loss in losses:
        assert isinstance(loss, Ref)
        shares = contributions(right, loss.name)
        for call in right.calls:
            if isinstance(call, ProgramCall) and call.result in shares and call.spec.differentiable:
                blame = _alone(worker, question, right, call, shares[call.result][0])
                if blame is not None:
                    return blame
    return blamed_second(worker, question, right)


def _lacking(worker: Worker, question: Question, right: Course) -> Blame | None:
    """Whether not even the gradient of a sum can be had, or the gradient of that of a square."""
    x = Input("x", (2,), "float32", Binding.PLACEHOLDER)
    steps = (Step("s", "sum", (Ref("x"),)), Step("g", "gradients", (Ref("s"), [Ref("x")])))
    program = Program((x,), steps, ("g",))
    if any(differentiated(right, shares) for shares in right.sweeps.values()):
        program = Program((x,), _TWICE, ("g",))
    attempt = replace(
        question,
        program=program,
        arrays=[{"x": np.ones(2, "float32")}],
        cuts=frozenset(),
        courses=(),
    )
    for draw in worker.run_batch(attempt.batch).draws:
        if isinstance(draw.outcome, Raised):
            says = f"raises {draw.outcome.type}: {in_one_line(draw.outcome.message)}"
            return Blame("gradients", Mismatch("gradient", "g", 0, says), attempt)
    return None


_TWICE = (
    Step("y", "square", (Ref("x"),)),
    Step("s", "sum", (Ref("y"),)),
    Step("first", "gradients", (Ref("s"), [Ref("x")])),
    Step("member", MEMBER, (Ref("first"), 0)),
    Step("t", "sum", (Ref("member"),)),
    Step("g", "gradients", (Ref("t"), [Ref("x")])),
)


def _alone(
    worker: Worker, question: Question, right: Course, call: ProgramCall, weights: Array
) -> Blame | None:
    dtype = right.types[call.result].dtype
    weights = weights.astype(dtype)
    asked = _program(question.program, right, call, weights)
    names = [i.name for i in asked.inputs]
    arrays = {n: right.known[n].value for n in names if n != WEIGHTS} | {WEIGHTS: weights}
    attempt = replace(question, program=asked, arrays=[arrays], cuts=frozenset(), courses=())
    for draw in worker.run_batch(attempt.batch).draws:
        says = next(_faults(draw, right, call, weights), None)
        if says is not None:
            return Blame(call.spec.name, Mismatch("gradient", "gradients", 0, says), attempt)
    return None


def _program(program: Program, right: Course, call: ProgramCall, weights: Array) -> Program:
    steps = steps_of(program, call)
    results = {s.result for s in steps}
    needed = [n for n in dict.fromkeys(r for s in steps for r in references(s)) if n not in results]
    inputs = [input_of(program, name, right) for name in needed]
    weight = Input(WEIGHTS, weights.shape, weights.dtype.name, Binding.PLACEHOLDER)
    tensors = [Ref(n) for n in dict.fromkeys(_floating(right, call))]
    ends = (
        Step("weighted", "operator.mul", (Ref(call.result), Ref(WEIGHTS))),
        Step("loss", "sum", (Ref("weighted"),)),
        Step("gradients", "gradients", (Ref("loss"), tensors)),
    )
    return Program((*inputs, weight), (*steps, *ends), ("gradients",))


def _floating(right: Course, call: ProgramCall) -> Iterator[str]:
    return (n for n in call.references() if right.types[n].dtype.startswith("float"))


def _faults(
    draw: DrawObservation, right: Course, call: ProgramCall, weights: Array
) -> Iterator[str]:
    """The faults of the gradients that the target returned."""
    outcome = draw.outcome
    if not isinstance(outcome, Returned):
        message = outcome.message if isinstance(outcome, Raised) else "it ends the process"
        yield f"its gradient raises: {message[:200]}"
        return
    values = outcome.values["gradients"]
    arguments = resolved(call.answered, {n: right.known[n].value for n in call.references()})
    exact = WeightedGradient(call.oracle, arguments, weights, call.accuracy)
    places: dict[str, list[Any]] = {}
    for place in exact.slopes:
        places.setdefault(name_of(call, place), []).append(place)
    for name, value in zip(dict.fromkeys(_floating(right, call)), values, strict=False):
        got = value.array
        if got is None or got.shape != right.known[name].value.shape:
            yield f"its gradient by {name} is not an array of that shape"
        elif len(places[name]) == 1 and bool(np.any(exact.outside(places[name][0], got))):
            yield f"its gradient by {name} is wrong"
