"""Whether the gradient of a call of a failing program fails by itself.

Each call is differentiated alone, with the weights that its result has in the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.adapters.session import Session as Worker
from conformance.fuzz.bounds.gradients import contributions
from conformance.fuzz.bounds.running import Course
from conformance.fuzz.bounds.second import differentiated, name_of
from conformance.fuzz.calls import MEMBER, Call, Special
from conformance.fuzz.judging import Difference, Question, in_one_line
from conformance.fuzz.programs import references
from conformance.fuzz.single_second import blamed_second
from conformance.fuzz.single_steps import WEIGHTS, Blame, input_of, steps_of
from conformance.generators.gradients import resolved
from conformance.observations import DrawObservation, Raised, Returned
from conformance.oracle.gradient_bounds import WeightedGradient
from conformance.program import Binding, Input, Program, Ref, Step

Array = npt.NDArray[Any]


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
            if isinstance(call, Call) and call.result in shares and call.spec.differentiable:
                found = _alone(worker, question, right, call, shares[call.result][0])
                if found is not None:
                    return found
    return blamed_second(worker, question, right)


def _lacking(worker: Worker, question: Question, right: Course) -> Blame | None:
    """Whether not even the gradient of a sum can be had, or the gradient of that of a square."""
    x = Input("x", (2,), "float32", Binding.PLACEHOLDER)
    steps = (Step("s", "sum", (Ref("x"),)), Step("g", "gradients", (Ref("s"), [Ref("x")])))
    program = Program((x,), steps, ("g",))
    if any(differentiated(right, shares) for shares in right.sweeps.values()):
        program = Program((x,), _TWICE, ("g",))
    one = replace(
        question,
        program=program,
        arrays=[{"x": np.ones(2, "float32")}],
        cuts=frozenset(),
        courses=(),
    )
    for draw in worker.run_batch(one.batch).draws:
        if isinstance(draw.outcome, Raised):
            says = f"raises {draw.outcome.type}: {in_one_line(draw.outcome.message)}"
            return Blame("gradients", Difference("gradient", "g", 0, says), one)
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
    worker: Worker, question: Question, right: Course, call: Call, weights: Array
) -> Blame | None:
    dtype = right.types[call.result].dtype
    weights = weights.astype(dtype)
    asked = _program(question.program, right, call, weights)
    names = [i.name for i in asked.inputs]
    arrays = {n: right.known[n].value for n in names if n != WEIGHTS} | {WEIGHTS: weights}
    one = replace(question, program=asked, arrays=[arrays], cuts=frozenset(), courses=())
    for draw in worker.run_batch(one.batch).draws:
        says = next(_faults(draw, right, call, weights), None)
        if says is not None:
            return Blame(call.spec.name, Difference("gradient", "gradients", 0, says), one)
    return None


def _program(program: Program, right: Course, call: Call, weights: Array) -> Program:
    steps = steps_of(program, call)
    made = {s.result for s in steps}
    needed = [n for n in dict.fromkeys(r for s in steps for r in references(s)) if n not in made]
    inputs = [input_of(program, name, right) for name in needed]
    weight = Input(WEIGHTS, weights.shape, weights.dtype.name, Binding.PLACEHOLDER)
    wanted = [Ref(n) for n in dict.fromkeys(_floating(right, call))]
    ends = (
        Step("weighted", "operator.mul", (Ref(call.result), Ref(WEIGHTS))),
        Step("loss", "sum", (Ref("weighted"),)),
        Step("gradients", "gradients", (Ref("loss"), wanted)),
    )
    return Program((*inputs, weight), (*steps, *ends), ("gradients",))


def _floating(right: Course, call: Call) -> Iterator[str]:
    return (n for n in call.references() if right.types[n].dtype.startswith("float"))


def _faults(draw: DrawObservation, right: Course, call: Call, weights: Array) -> Iterator[str]:
    """What is wrong with the gradients that came."""
    outcome = draw.outcome
    if not isinstance(outcome, Returned):
        said = outcome.message if isinstance(outcome, Raised) else "it ends the process"
        yield f"its gradient raises: {said[:200]}"
        return
    values = outcome.values["gradients"]
    arguments = resolved(call.arguments, {n: right.known[n].value for n in call.references()})
    exact = WeightedGradient(call.oracle, arguments, weights, call.accuracy)
    places: dict[str, list[Any]] = {}
    for place in exact.slopes:
        places.setdefault(name_of(call, place), []).append(place)
    for name, value in zip(dict.fromkeys(_floating(right, call)), values, strict=False):
        got = value.array
        if got is None or got.shape != right.known[name].value.shape:
            yield f"its gradient by {name} is no array of that shape"
        elif len(places[name]) == 1 and bool(np.any(exact.outside(places[name][0], got))):
            yield f"its gradient by {name} is wrong"
