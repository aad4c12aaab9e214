"""Judge the observation of a call: value, dtype, static shape, purity, documented errors."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial

from conformance.editions import Document, open_inputs_of, symbols_of
from conformance.engine.judging import metadata, values
from conformance.engine.judging.answers import CallAnswer, only_value
from conformance.engine.judging.cases import Prepared, is_symbolic
from conformance.engine.judging.findings import (
    RESULT_OF,
    Finding,
    Judgement,
)
from conformance.engine.judging.invalid_input import invalid_input
from conformance.engine.judging.losses import could_not_bind, loss
from conformance.engine.judging.messages import raised, without_stack
from conformance.engine.judging.readings import (
    computed,
    demanded_shape,
    explaining,
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
from conformance.generators.structure import Structure
from conformance.observations import (
    Crashed,
    DrawObservation,
    Garbled,
    NotRun,
    Outcome,
    Raised,
    Returned,
    StructureObservation,
    TensorMetadata,
    TimedOut,
)
from conformance.program import Binding, Ref
from conformance.results import Aspect, FindingKind, Verdict
from conformance.specs.convention_names import ConventionName

ASKED = (
    ConventionName.COMPILED_CALL,
    ConventionName.INPUT_DTYPE,
    ConventionName.LIST_BESIDE_SYMBOLS,
)
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
        judgement.findings += invalid_input(prepared, observed.draws[0])
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
    structure = prepared.structure
    named = [_with_lists(c, structure) for c in _conventions(prepared, observed.draws)]
    reported = _reported(prepared, observed) if observed.outputs else None
    for number, draw in enumerate(observed.draws):
        if isinstance(draw.outcome, NotRun):
            continue
        conventions = with_input_dtype(named[number], structure, draw.outcome, other=other)
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
_SEEN_BY_SYMBOLS = frozenset(
    {
        ConventionName.LIST_BESIDE_SYMBOLS,
        ConventionName.MIXED_DTYPES,
        ConventionName.NEGATIVE_AXIS,
        ConventionName.SEVERAL_AXES,
    }
)
"""Conventions on the form of an argument, or on two dtypes, which a symbolic call sees as well as a
computation."""


def _with_lists(conventions: tuple[str, ...], structure: Structure) -> tuple[str, ...]:
    """The conventions in order, with `list-beside-symbols` where the documents leave open whether
    lists are taken and the call has both."""
    inputs = structure.program.inputs
    lists = any(item.binding is Binding.PYTHON and item.shape for item in inputs)
    open_points = open_inputs_of(structure.edition).get(Binding.PYTHON) in conventions
    if not (lists and open_points and is_symbolic(structure)):
        return conventions
    return tuple(sorted({*conventions, ConventionName.LIST_BESIDE_SYMBOLS}))


def _without_accepted(
    conventions: tuple[str, ...], prepared: Prepared, outcome: Outcome
) -> tuple[str, ...]:
    """The conventions without those on arguments that the symbolic call accepted.

    Where symbolic tensors are documented, they promise what the computation gives. A call that
    accepts an argument and raises when the result is computed refuses neither its form nor its
    dtype beside another.
    """
    late = isinstance(outcome, Raised) and outcome.stage in _LATE_STAGES
    if not late or not is_symbolic(prepared.structure) or refuses_by_name(outcome):
        return conventions
    return tuple(name for name in conventions if name not in _SEEN_BY_SYMBOLS)


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
    return loss(prepared, outcome, conventions, number)


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
    structure, unmade = prepared.structure, could_not_bind(prepared, outcome)
    named = refuses_by_name(outcome) and not unmade
    allowed = of_exception(outcome, conventions, structure.edition)
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
        at=_promise(structure, outcome, conventions),
        verdict=Verdict.UNSUPPORTED if refused else None,
    )


def _promise(
    structure: Structure, outcome: Raised, conventions: tuple[str, ...]
) -> Mapping[Document, int | str]:
    """Where a document promises that a call is computed: symbolic tensors of two dtypes that were
    accepted do, and inputs of some forms."""
    spec, edition = structure.spec, structure.edition
    if {*structure.unsettled} - {*conventions} >= {ConventionName.MIXED_DTYPES}:
        return {spec.editions[edition]: symbols_of(edition)}
    return promised_inputs(structure.program.inputs, spec, edition, outcome.message)


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
