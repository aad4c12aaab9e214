"""The answers of targets to an expression, and groups of equal answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.adapters.session import Session, WorkerStartError
from conformance.adapters.target_records import Target
from conformance.cli.try_expression.expected import Expected
from conformance.editions import Edition
from conformance.engine.judging.judge import judge
from conformance.engine.judging.losses import without_answer
from conformance.engine.judging.messages import ABSENT, lacking, raised
from conformance.engine.judging.refusals import refuses_by_name
from conformance.observations import Batch, NotRun, Raised, Returned, StructureObservation, Value
from conformance.oracle import Expectation, agrees
from conformance.program import Program
from conformance.results import Aspect, Verdict

Array = npt.NDArray[Any]
Open = Callable[[Target], Session]

_ULPS = 4.0
"""The largest distance of two equal answers, where the oracle has none."""


@dataclass(frozen=True, slots=True, eq=False)
class TargetAnswer:
    """The answer of one target."""

    target: Target
    gives: str
    """In words that follow the target's name."""
    arrays: tuple[Array, ...] = ()
    """Its results, if there are some: one, or the parts of a list."""
    agrees: bool | None = None
    """Whether its numbers are the oracle's, or others that are allowed; None if there are none."""
    readings: tuple[str, ...] = ()
    """The readings of conventions that it takes."""
    differences: tuple[str, ...] = ()
    """The differences from the expectation in words, including dtype and static shape."""
    ran: bool = True
    lacks: bool = False
    """Whether it lacks the function, or says that it does not support the call."""


@dataclass(slots=True)
class Alike:
    """Targets with one answer."""

    first: TargetAnswer
    others: list[TargetAnswer] = field(default_factory=list)

    @property
    def members(self) -> list[TargetAnswer]:
        """All of them."""
        return [self.first, *self.others]


def answers(
    program: Program,
    targets: Sequence[Target],
    expectations: Mapping[Edition, Expected],
    jobs: int,
    opened: Open,
) -> Iterator[TargetAnswer]:
    """The answers in the order of the targets; so many workers run at a time."""

    def ask(target: Target) -> TargetAnswer:
        return _ask(target, program, expectations[target.edition], opened)

    with ThreadPoolExecutor(jobs) as workers:
        yield from workers.map(ask, targets)


def _ask(target: Target, program: Program, expected: Expected, opened: Open) -> TargetAnswer:
    try:
        with opened(target) as session:
            observed = session.run_batch(Batch(program, {}, 1))
            if _lacks_array(observed) and (otherwise := _without_array(program)) != program:
                observed = session.run_batch(Batch(otherwise, {}, 1))
    except WorkerStartError as error:
        last = str(error).strip().splitlines()[-1]
        return TargetAnswer(target, f"cannot be run: {last}", ran=False)
    return answer(target, program, expected, observed)


_ARRAY = "keras.ops.array"
"""The function that makes a tensor in most expressions; a small package may lack it."""
_MAKER = "constant"
"""The step that makes a tensor by other means of the target, if it has some, or by NumPy."""


def _lacks_array(observed: StructureObservation) -> bool:
    outcome = observed.draws[0].outcome
    return isinstance(outcome, Raised) and outcome.type == ABSENT and _ARRAY in outcome.message


def _without_array(program: Program) -> Program:
    """The program whose arguments are made by other means: not its result, which is on trial."""
    steps = (
        replace(step, function=_MAKER)
        if step.function == _ARRAY and step.result not in program.outputs
        else step
        for step in program.steps
    )
    return replace(program, steps=tuple(steps))


def answer(
    target: Target, program: Program, expected: Expected, observed: StructureObservation
) -> TargetAnswer:
    """The observed answer, compared with the expected one."""
    outcome = observed.draws[0].outcome
    if isinstance(outcome, NotRun):
        return TargetAnswer(target, f"was not run: {outcome.reason}", ran=False)
    known = None if expected.answer is None else False
    if isinstance(outcome, Raised):
        return _refusal(TargetAnswer(target, "", agrees=known), outcome)
    if not isinstance(outcome, Returned):
        return TargetAnswer(target, without_answer(outcome, program)[2], agrees=known)
    values = outcome.values[program.outputs[0]]
    arrays = tuple(value.array for value in values if value.array is not None)
    gives = ", ".join(map(_described, values)) or "nothing"
    return _held(TargetAnswer(target, gives, arrays, known), expected, observed)


def _refusal(answer: TargetAnswer, outcome: Raised) -> TargetAnswer:
    """An exception. If a library thereby reports a lack, the answer counts as missing."""
    if outcome.type == ABSENT:
        return replace(answer, gives=lacking(outcome.message), agrees=None, lacks=True)
    gives, lacks = raised(outcome), refuses_by_name(outcome)
    return replace(answer, gives=gives, agrees=None if lacks else answer.agrees, lacks=lacks)


def _held(answer: TargetAnswer, expected: Expected, observed: StructureObservation) -> TargetAnswer:
    if expected.answer is None:
        return answer
    if expected.prepared is None:
        return _compared(answer, expected.answer)
    judgement = judge(expected.prepared, observed)
    wrong = [f for f in judgement.findings if f.verdict is not Verdict.DIVERGES]
    readings = {name for _, name in judgement.readings} | {
        name for finding in judgement.findings for name in finding.readings
    }
    return TargetAnswer(
        answer.target,
        answer.gives,
        answer.arrays,
        all(f.aspect is not Aspect.VALUE for f in wrong),
        tuple(sorted(readings)),
        tuple(f"{f.aspect}: {f.gives}; expected {f.demands}".strip() for f in wrong),
    )


def _compared(answer: TargetAnswer, expectation: Expectation) -> TargetAnswer:
    """The comparison with the oracle's answer by shape and numbers alone."""
    shape = np.shape(expectation.value)
    if len(answer.arrays) != 1 or answer.arrays[0].shape != shape:
        problem = f"value: gives {answer.gives}; expected {expectation.dtype} {shape}"
        return TargetAnswer(answer.target, answer.gives, answer.arrays, False, (), (problem,))
    near = bool(agrees(answer.arrays[0], expectation).all())
    problem = "value: other numbers than the oracle's"
    differences = () if near else (problem,)
    return TargetAnswer(answer.target, answer.gives, answer.arrays, near, (), differences)


def _described(value: Value) -> str:
    if value.array is not None:
        return f"{value.dtype} {value.array.shape}"
    return value.python_type if value.text is None else repr(value.text)


def alike(all_answers: Sequence[TargetAnswer]) -> list[Alike]:
    """The answers in groups that agree up to rounding, the largest group first."""
    groups: list[Alike] = []
    for answer in all_answers:
        group = next((g for g in groups if _same(g.first, answer)), None)
        if group is None:
            groups.append(Alike(answer))
        else:
            group.others.append(answer)
    return sorted(groups, key=lambda group: -len(group.members))


def _same(a: TargetAnswer, b: TargetAnswer) -> bool:
    if not (a.arrays and b.arrays):
        return not a.arrays and not b.arrays and _kind(a) == _kind(b)
    if len(a.arrays) != len(b.arrays) or a.agrees is not b.agrees:
        return False
    return all(map(_near, a.arrays, b.arrays))


def _kind(answer: TargetAnswer) -> str:
    """The kind of outcome, without the message."""
    return answer.gives.partition(":")[0]


def _near(a: Array, b: Array) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind != "f":
        return bool((a == b).all())
    step = _ULPS * np.finfo(a.dtype).eps
    return bool(np.allclose(a, b, rtol=step, atol=step, equal_nan=True))
