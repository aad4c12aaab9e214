"""Judge the observation of a call: value, dtype, static shape, purity, documented errors."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial

from conformance.editions import Document, open_inputs_of, symbols_of
from conformance.engine.judging import metadata, values
from conformance.engine.judging.answers import CallAnswer, only_value
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import (
    RESULT_OF,
    Finding,
    Judgement,
)
from conformance.engine.judging.messages import raised, without_stack
from conformance.engine.judging.readings import (
    computed,
    demanded_shape,
    explaining,
    of_anything,
    of_exception,
    of_misfit,
    refused_by_choice,
    shapes_read,
)
from conformance.engine.judging.refusals import (
    is_mistaken_code,
    lacked,
    refused_type,
    refuses_by_name,
    stumbles,
    with_input_dtype,
)
from conformance.generators.forms import iterable_parameter
from conformance.generators.open_inputs import promised_inputs
from conformance.observations import (
    Crashed,
    DrawObservation,
    Fault,
    Garbled,
    NotRun,
    Outcome,
    Raised,
    Returned,
    Stage,
    StructureObservation,
    TensorMetadata,
    TimedOut,
)
from conformance.program import Binding, Program, Ref, call_text
from conformance.results import Aspect, FindingKind, Verdict
from conformance.specs.convention_names import ConventionName
from conformance.specs.model import ErrorCase

LATE = "late"
"""The detail of a finding on symbolic tensors that are accepted, and whose values are refused."""
ASKED = (ConventionName.INPUT_DTYPE, ConventionName.COMPILED_CALL)
"""Conventions of what can be asked for, besides the inputs that an edition leaves open: to refuse
it is no other answer, but none."""


def judge(
    prepared: Prepared, observed: StructureObservation, closed: Container[str] = ()
) -> Judgement:
    """Judge the observation of a structure, on a target that takes the suite's own reading of the
    conventions in `closed`."""
    judgement = Judgement()
    if prepared.structure.error is not None:
        judgement.count(Aspect.ERROR)
        judgement.findings += _refused(prepared, observed.draws[0])
    elif _wrong_input_shape(prepared, observed):
        judgement.findings.append(_wrong_input(prepared))
    else:
        for answer in _answers(prepared, observed, closed):
            for step in STEPS:
                if not step(answer, judgement):
                    break
        judgement.findings = explaining(judgement.findings)
    return judgement


def _answers(
    prepared: Prepared, observed: StructureObservation, closed: Container[str]
) -> Iterator[CallAnswer]:
    """The answer of each draw that was run. The first with a value has the metadata, too, which
    the draws of a structure share."""
    other, container = _other_dtypes(prepared, observed), _container(observed)
    named = _conventions(prepared, observed.draws)
    reported = _reported(prepared, observed) if observed.outputs else None
    for number, draw in enumerate(observed.draws):
        if isinstance(draw.outcome, NotRun):
            continue
        conventions = with_input_dtype(named[number], prepared.structure, draw.outcome, other=other)
        conventions = _without_accepted(conventions, prepared, draw.outcome)
        yield CallAnswer(
            prepared,
            number,
            draw,
            conventions,
            other,
            container,
            closed=closed,
            reported=reported if isinstance(draw.outcome, Returned) else None,
        )
        if isinstance(draw.outcome, Returned):
            reported = None


def _conventions(prepared: Prepared, draws: Sequence[DrawObservation]) -> list[tuple[str, ...]]:
    """The conventions that each draw rests on.

    If all raise an exception of one type, none that not all have: then it is not for their numbers.
    """
    named = [prepared.structure.conventions(profile) for profile in prepared.profiles]
    raised = {d.outcome.type if isinstance(d.outcome, Raised) else None for d in draws}
    if len(raised) != 1 or None in raised:
        return named
    return [tuple(c for c in named[0] if all(c in others for others in named))] * len(named)


_LATE_STAGES = ("compile", "call", "read")
_SYMBOLS = (Binding.PLACEHOLDER, Binding.PLACEHOLDER_NONE)
_FORMS = frozenset({ConventionName.NEGATIVE_AXIS, ConventionName.SEVERAL_AXES})
"""Conventions on the form of an argument, which a symbolic call sees as well as a computation."""


def _without_accepted(
    conventions: tuple[str, ...], prepared: Prepared, outcome: Outcome
) -> tuple[str, ...]:
    """The conventions without those on forms of arguments that the symbolic call accepted.

    Where symbolic tensors are documented, they promise what the computation gives. A call that
    accepts an argument and raises when the result is computed does not refuse its form.
    """
    program, edition = prepared.structure.program, prepared.structure.edition
    late = isinstance(outcome, Raised) and outcome.stage in _LATE_STAGES
    symbolic = any(item.binding in _SYMBOLS for item in program.inputs) and symbols_of(edition)
    if not late or not symbolic or refuses_by_name(outcome):
        return conventions
    return tuple(name for name in conventions if name not in _FORMS)


def _container(observed: StructureObservation) -> str:
    return observed.outputs[0].container if observed.outputs else "tensor"


def _judge_refusal(answer: CallAnswer, judgement: Judgement) -> bool:
    """An answer without a value: a reading that refuses, an exception, a lost process."""
    outcome = answer.observed.outcome
    judgement.count(Aspect.VALUE)
    if readings := refused_by_choice(outcome, answer.conventions):
        judgement.readings.update((Aspect.VALUE, reading) for reading in readings)
        return False
    if isinstance(outcome, Returned):
        return True
    assert not isinstance(outcome, NotRun)
    prepared, number = answer.prepared, answer.number
    fault = _fault(prepared, outcome, answer.conventions, number, answer.closed)
    judgement.findings.append(fault)
    return False


def _judge_value(answer: CallAnswer, judgement: Judgement) -> bool:
    assert isinstance(answer.observed.outcome, Returned)
    judgement.findings += values.judge(answer, answer.observed.outcome, judgement)
    return True


def _judge_metadata(answer: CallAnswer, judgement: Judgement) -> bool:
    if answer.reported is not None:
        assert isinstance(answer.observed.outcome, Returned)
        judgement.count(Aspect.DTYPE)
        judgement.count(Aspect.STATIC_SHAPE)
        value, prepared = only_value(answer.observed.outcome), answer.prepared
        judgement.findings += metadata.dtype(prepared, answer.reported, value, answer.other)
        judgement.findings += metadata.static_shape(prepared, answer.reported, value)
    return True


def _judge_purity(answer: CallAnswer, judgement: Judgement) -> bool:
    if answer.prepared.structure.program.inputs:
        judgement.count(Aspect.PURITY)
    if answer.observed.changed:
        judgement.findings.append(_impure(answer.observed.changed, answer.number))
    return True


STEPS: tuple[Callable[[CallAnswer, Judgement], bool], ...] = (
    _judge_refusal,
    _judge_value,
    _judge_metadata,
    _judge_purity,
)
"""The way of an answer to its verdict. A step adds findings, and says whether the next has anything
to judge."""


def _reported(prepared: Prepared, observed: StructureObservation) -> TensorMetadata:
    name = prepared.structure.claimed
    for item in observed.inputs:
        if item.name == name:
            return item.metadata
    return observed.outputs[0].metadata[0] if observed.outputs[0].metadata else TensorMetadata()


def _other_dtypes(prepared: Prepared, observed: StructureObservation) -> dict[str, str]:
    """Parameters whose tensors the implementation made with another dtype than it was asked for.

    The function that made them is to blame; the function under test is judged by the dtypes that it
    was given.
    """
    if prepared.structure.claimed != "result":
        return {}
    reported = {i.name: metadata.plain_dtype(i.dtype) for i in observed.inputs}
    asked = {i.name: i.dtype for i in prepared.structure.program.inputs}
    other = {}
    for name, value in prepared.structure.arguments.items():
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, Ref) and reported.get(first.name) not in (None, asked[first.name]):
            other[name] = str(reported[first.name])
    return {n: d for n, d in other.items() if n in prepared.structure.runtime.dtypes}


def _wrong_input_shape(prepared: Prepared, observed: StructureObservation) -> bool:
    """Whether the implementation reports a wrong static shape for an input that it made.

    Then the function that made the input is to blame for whatever follows.
    """
    if prepared.structure.claimed != "result":
        return False
    shapes = {i.name: i.shape for i in prepared.structure.program.inputs}
    return any(
        item.metadata.shape is not None
        and not metadata.compatible(item.metadata.shape, shapes[item.name])
        for item in observed.inputs
    )


def _wrong_input(prepared: Prepared) -> Finding:
    return Finding(
        Aspect.VALUE,
        Verdict.UNSUPPORTED,
        FindingKind.UNMADE_INPUT,
        gives="gets an input whose static shape is wrong from the start",
        demands=f"{RESULT_OF}shape {prepared.shape}",
    )


def _fault(
    prepared: Prepared,
    outcome: Raised | Crashed | TimedOut | Garbled,
    conventions: tuple[str, ...],
    number: int,
    closed: Container[str] = (),
) -> Finding:
    if isinstance(outcome, Raised):
        return _raised(prepared, outcome, conventions, number, closed)
    # the rule for the shape may have no answer for invalid input
    demands = "" if prepared.structure.error else f"{RESULT_OF}shape {prepared.shape}"
    verdict, kind, gives, detail = without_answer(outcome, prepared.structure.program)
    if _could_not_bind(prepared, outcome):
        verdict, kind = Verdict.UNSUPPORTED, FindingKind.UNMADE_INPUT
    return Finding(
        Aspect.VALUE,
        verdict,
        kind,
        gives=gives,
        demands=demands,
        detail=detail,
        conventions=conventions,
        draw=number,
        got=without_stack(outcome.tail),
    )


_DURING: Mapping[Stage, str] = {
    "import": "in the import",
    "session": "in clear_session",
    "bind": "while its inputs are made",
    "step": "when it is called",
    "claim": "in dtype or int_shape",
    "compile": "in function",
    "call": "while it is computed",
    "read": "while it is read",
}
"""What the process was doing when it was lost."""


def _during(outcome: TimedOut | Crashed, program: Program) -> str:
    """What the process was doing, if that is known; the step, if the program has several."""
    if outcome.step is not None and 1 < len(program.steps) > outcome.step:
        return f" in {call_text(program.steps[outcome.step])}"
    return "" if outcome.stage is None else f" {_DURING[outcome.stage]}"


def without_answer(outcome: Outcome, program: Program) -> tuple[Verdict, str, str, str]:
    """Verdict, kind, message and detail of an outcome without an answer.

    Raises:
        TypeError: the outcome is an answer.
    """
    match outcome:
        case TimedOut():
            gives = f"gives no answer within {outcome.limit:g} s{_during(outcome, program)}"
            return Verdict.TIMED_OUT, FindingKind.TIME_OUT, gives, ""
        case Garbled():
            gives = f"makes the worker answer garbage ({outcome.reason})"
            return Verdict.CRASHED, FindingKind.GARBAGE, gives, ""
        case Crashed(limit=str(limit)):
            gives = f"takes more than {limit} and is ended{_during(outcome, program)}"
            return Verdict.CRASHED, FindingKind.LIMIT, gives, limit
        case Crashed():
            how = fault_name(outcome)
            gives = f"ends the process ({how}){_during(outcome, program)}"
            return Verdict.CRASHED, FindingKind.CRASH, gives, how
    raise TypeError(f"{type(outcome).__name__} is an answer")


def fault_name(fault: Fault) -> str:
    """Why a worker was lost, in a few words."""
    match fault:
        case TimedOut():
            return f"no answer within {fault.limit:g} s"
        case Garbled():
            return "a garbled answer"
        case Crashed(limit=str(limit)):
            return f"more than {limit}"
        case Crashed(signal=int(number)) if number:
            return f"signal {number}"
    return f"exit status {fault.exit_code}"


def _points_with_answers(
    prepared: Prepared, number: int, points: tuple[str, ...]
) -> dict[str, set[tuple[int, ...]]]:
    """Those open points under whose other readings the call has an answer, too, with the shapes
    that it has.

    Where it has none, it may not be said that an answer is expected whatever the reading.
    """
    found = shapes_read(points, partial(prepared.shape_under, number))
    return {name: shapes for name, shapes in found.items() if shapes or not computed(name)}


def _raised(
    prepared: Prepared,
    outcome: Raised,
    conventions: tuple[str, ...],
    number: int,
    closed: Container[str],
) -> Finding:
    structure, unmade = prepared.structure, _could_not_bind(prepared, outcome)
    named = refuses_by_name(outcome) and not unmade
    allowed = of_exception(outcome, conventions)
    if not allowed.conventions and not stumbles(outcome) and not is_mistaken_code(outcome):
        fits = partial(prepared.fits, number)
        allowed = of_misfit(conventions, fits, refused=True, closed=closed)
    asked = {*ASKED, *open_inputs_of(structure.edition).values()}
    refused = named or unmade or not asked.isdisjoint(allowed.conventions)
    points = _points_with_answers(prepared, number, allowed.open_points)
    shapes = {prepared.shape}.union(*points.values())
    demands = f"{RESULT_OF}{demanded_shape(prepared.shape, allowed.open_points, shapes)}"
    gives = raised(outcome)
    return Finding.under(
        allowed,
        Aspect.VALUE,
        FindingKind.UNMADE_INPUT if unmade else FindingKind.EXCEPTION,
        gives=gives,
        demands=lacked(demands, allowed.conventions, outcome) if named else demands,
        detail=refused_type(outcome) if named else outcome.type,
        draw=number,
        parameter=iterable_parameter(prepared.structure.arguments),
        open_points=tuple(points),
        got=f"{outcome.type}: {without_stack(outcome.message)}",
        place=outcome.place,
        expected=prepared.own_answer(number),
        at=promised_inputs(
            structure.program.inputs, structure.spec, structure.edition, outcome.message
        ),
        verdict=Verdict.UNSUPPORTED if refused else None,
    )


def _could_not_bind(prepared: Prepared, outcome: Outcome) -> bool:
    """Whether an input could not be made, so that the function under test was not called."""
    stage = getattr(outcome, "stage", None)
    return stage == "bind" and prepared.structure.claimed == "result"


def _impure(changed: tuple[str, ...], number: int) -> Finding:
    names = ", ".join(changed)
    return Finding(
        Aspect.PURITY,
        Verdict.DIVERGES,
        FindingKind.CHANGED_INPUT,
        gives=f"changes {names}",
        demands="inputs as they were",
        conventions=(ConventionName.PURITY,),
        draw=number,
    )


def _refused(prepared: Prepared, draw: DrawObservation) -> Iterator[Finding]:
    """A finding if invalid input is not refused with the documented exception."""
    error, outcome = prepared.structure.error, draw.outcome
    assert error is not None
    match outcome:
        case NotRun():
            return
        case Raised() if _could_not_bind(prepared, outcome):
            yield _invalid_input_unmade(error, outcome)
        case Raised() if _is_late(prepared, outcome):
            yield _accepted_symbolically(prepared, error, outcome)
        case Raised() if error.exception in ("any", *outcome.bases):
            return
        case Raised():
            yield _not_refused(
                error,
                gives=raised(outcome),
                detail=refused_type(outcome) if refuses_by_name(outcome) else outcome.type,
                unsupported=refuses_by_name(outcome),
            )
        case Returned():
            value = only_value(outcome)
            shape = None if value is None or value.array is None else value.array.shape
            yield _not_refused(error, gives=f"gives a result of shape {shape}", detail="accepted")
        case _:
            yield _fault_in_place_of(error, prepared, outcome)


def _is_late(prepared: Prepared, outcome: Raised) -> bool:
    """Whether symbolic tensors were accepted whose values are refused."""
    symbols = any(i.binding is Binding.PLACEHOLDER for i in prepared.structure.program.inputs)
    return symbols and bool(symbols_of(prepared.structure.edition)) and outcome.stage != "step"


def _accepted_symbolically(prepared: Prepared, error: ErrorCase, outcome: Raised) -> Finding:
    """The finding on symbolic tensors with a shape that no value has. Where a convention alone
    rules the input out, it contradicts what a symbolic tensor is."""
    edition, says = prepared.structure.edition, error.says
    places: Mapping[Document, int | str] = {**error.at, **error.sections}
    if error.convention:
        says, places = (
            "the tensors are refused",
            {prepared.structure.spec.editions[edition]: str(symbols_of(edition))},
        )
    return Finding(
        Aspect.ERROR,
        Verdict.VIOLATES,
        f"{error.name}, symbolic",
        gives=raised(outcome),
        demands=f"an exception for the symbolic tensors, because {says}",
        detail=LATE,
        at=places,
    )


def _invalid_input_unmade(error: ErrorCase, outcome: Raised) -> Finding:
    return Finding(
        Aspect.ERROR,
        Verdict.UNSUPPORTED,
        FindingKind.UNMADE_INPUT,
        gives=raised(outcome),
        demands=error.says,
        detail=outcome.type,
    )


def _not_refused(
    error: ErrorCase, *, gives: str, detail: str, unsupported: bool = False
) -> Finding:
    allowed = of_anything((error.convention,) if error.convention else ())
    return Finding.under(
        allowed,
        Aspect.ERROR,
        error.name,
        gives=gives,
        demands=f"{_wanted(error)}, because {error.says}",
        detail=detail,
        at={**error.at, **error.sections},
        verdict=Verdict.UNSUPPORTED if unsupported else None,
    )


def _fault_in_place_of(error: ErrorCase, prepared: Prepared, outcome: Fault) -> Finding:
    fault = _fault(prepared, outcome, (), 0)
    return Finding(
        Aspect.ERROR,
        fault.verdict,
        fault.kind,
        gives=fault.gives,
        demands=_wanted(error),
        detail=fault.detail,
    )


def _wanted(error: ErrorCase) -> str:
    return "an exception" if error.exception == "any" else error.exception
