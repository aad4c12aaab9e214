"""Compare values and run-time shapes with the oracle's expectation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import BFLOAT16, held_in, holds_more, is_floating, limits
from conformance.engine.judging.answers import CallAnswer, only_value
from conformance.engine.judging.elements import belonging
from conformance.engine.judging.findings import MOST_NUMBERS, Allowance, Finding, Judgement
from conformance.engine.judging.opened import is_in_32_bits, opened, overflows
from conformance.engine.judging.promotions import is_of_halves, promotions
from conformance.engine.judging.readings import (
    AllowedAnswers,
    demanded_shape,
    is_rank_alone,
    of_anything,
    of_misfit,
    of_nothing,
    of_readings,
    shapes_read,
)
from conformance.engine.judging.slack import limit, slack
from conformance.generators.structure import Structure, accepted_dtypes, refusable
from conformance.observations import Returned, Value
from conformance.oracle import Expectation, agrees, worst
from conformance.oracle.compare import widened_by_rounding
from conformance.oracle.ranges import Range
from conformance.oracle.rounding import name_of
from conformance.oracle.variants import NARROWED, SATURATED, VARIANTS, WIDER, Readings
from conformance.results import IN_32_BITS, Aspect, FindingKind
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import taken
from conformance.specs.load import ruled_out
from conformance.specs.model import Ulp

Array = npt.NDArray[Any]


def judge(case: CallAnswer, returned: Returned, judgement: Judgement) -> Iterator[Finding]:
    """Findings on one draw that returned a result."""
    value = only_value(returned)
    if value is None or value.array is None:
        unsent = None if value is None else value.shape
        known = unsent is not None and unsent != case.prepared.shape
        yield _unsent(case, unsent) if unsent and known else _no_array(case, value)
        return
    got = value.array
    if value.dtype == BFLOAT16:
        case = replace(case, held=value.dtype)
    if got.shape == case.prepared.shape and case.prepared.evidence is not None:
        answer = case.prepared.answer(returned, got)
        if answer is None:
            return
        elements = got if case.prepared.evidence.elementwise else None
        held = case.held or name_of(got.dtype)
        case = replace(case, held=held, accepts=True, elements=elements)
        got = case.prepared.evident(case.number, answer)
    if case.fits(got) and agrees(got, _expectation(case, got)).all():
        _note(case, got, judgement)
        return
    finding = _otherwise(case, got)
    judgement.readings.update((Aspect.VALUE, reading) for reading in finding.readings)
    yield finding


def _note(case: CallAnswer, got: Array, judgement: Judgement) -> None:
    """Note of a right result how exact it is, and which readings it shows."""
    if case.conventions:
        shown = _allowed(case, got).choices(got, partial(_value, case, got))
        judgement.readings.update((Aspect.VALUE, reading) for reading in shown)
    elif got.dtype.kind == "f":
        error = worst(got, _expectation(case, got))
        judgement.note_error(error.ulp, error.limit_ulp)


def _otherwise(case: CallAnswer, got: Array) -> Finding:
    """The finding on a result that is not the suite's own: a reading of a convention, or wrong."""
    answer = _allowed(_with_opened(case, got), got)
    found = answer.taken(got)
    if found is not None:
        return _other_reading(case, got, found)
    if case.fits(got):
        return _wrong(case, got, answer)
    readings = answer.shaped(got.shape, partial(case.prepared.shape_under, case.number))
    return _other_shape(case, got) if readings is None else _wrong_under(case, got, readings)


def _allowed(case: CallAnswer, got: Array) -> AllowedAnswers:
    structure = case.prepared.structure
    return AllowedAnswers(
        case.conventions,
        partial(_expectation, case, got),
        case.concerned,
        ruled_out(structure.spec, structure.edition),
        slack(case.prepared, case.number),
        limit=partial(limit, case.prepared, case.number),
        elementwise=isinstance(structure.accuracy, Ulp) or case.prepared.elementwise,
        range=case.range,
        possible=partial(case.prepared.possible, case.number),
    )


def _with_opened(case: CallAnswer, got: Array) -> CallAnswer:
    """The case with the conventions that the answer opens, and with `extremes` if it rests on no
    other and finite inputs have a result beyond the dtype's range."""
    found = [*case.conventions, *opened(case.prepared, case.number, got, case.other.values())]
    if not case.conventions and got.shape == case.prepared.shape:
        beyond = overflows(_expectation(case, got).value, case.arrays)
        found += [ConventionName.EXTREMES] if beyond else []
    return replace(case, conventions=tuple(found))


def _expectation(case: CallAnswer, got: Array, readings: Readings = ()) -> Expectation:
    """The expectation, with no more precision than the result itself has.

    A wrong dtype is a finding of its own. A result of a narrower dtype may be the right one rounded
    to it, half an ULP off even if nothing is computed. Floats that come of integers may have been
    computed as such, if a wider dtype is a reading, and integers with fewer bits. A result of a
    dtype that holds more, and that a convention allows, may have the numbers of that dtype.
    """
    if case.accepts and case.prepared.like is not None:
        return case.prepared.expectation(case.number, case.prepared.like, readings)
    got_dtype = case.held or name_of(got.dtype)
    if WIDER in readings and got_dtype in _FLOATS:
        return case.prepared.expectation(case.number, got_dtype, readings)
    accepted = _accepted(case)
    if NARROWED in readings and got.dtype.kind in "iu" and not is_floating(accepted):
        accepted = got_dtype
    if _keeps_fractions(case, accepted, got_dtype):
        return case.prepared.expectation(case.number, got_dtype, readings)
    dtype = _narrower(accepted, got_dtype)
    expectation = case.prepared.expectation(case.number, dtype, readings)
    own = expectation if dtype == accepted else widened_by_rounding(expectation)
    if _is_promoted(case, accepted, got_dtype):
        promoted = case.prepared.expectation(case.number, got_dtype, readings)
        fits = promoted.value.shape == got.shape and bool(agrees(got, promoted).all())
        return promoted if fits else own
    return own


def _value(case: CallAnswer, got: Array, readings: Readings) -> Array:
    """The value alone, where nothing of the expectation depends on the dtype of the result."""
    accepted, returned = _accepted(case), case.held or name_of(got.dtype)
    beyond = not {WIDER, SATURATED}.isdisjoint(readings)  # the value alone has wrapped integers
    if case.accepts or beyond or _is_promoted(case, accepted, returned):
        return _expectation(case, got, readings).value
    return case.prepared.value(case.number, _narrower(accepted, returned), readings)


def _accepted(case: CallAnswer) -> str:
    """The dtype in which the result is expected: that of the result if it is accepted."""
    prepared, other = case.prepared, case.other
    return accepted_dtypes(prepared.structure, other)[0] if other else prepared.dtypes[0]


def _is_promoted(case: CallAnswer, accepted: str, got_dtype: str) -> bool:
    """Whether the result has a dtype that holds more than the accepted one, and a convention
    allows it.

    Where the convention on overflow is open, its readings say what wider integers hold.
    """
    if not holds_more(got_dtype, accepted) or ConventionName.INTEGER_OVERFLOW in case.conventions:
        return False
    return got_dtype in promotions(case.prepared, case.other)


def _keeps_fractions(case: CallAnswer, accepted: str, got_dtype: str) -> bool:
    """Whether the result is of a floating dtype where integers are accepted: then a fraction that
    is lost is lost without need."""
    floating = got_dtype in _FLOATS and not is_floating(accepted)
    return floating and _is_promoted(case, accepted, got_dtype)


@cache
def _narrower(accepted: str, got_dtype: str) -> str:
    """The narrower of the dtypes, if both are floating."""
    if got_dtype not in _FLOATS or not is_floating(accepted):
        return accepted
    return got_dtype if limits(got_dtype).nmant < limits(accepted).nmant else accepted


_FLOATS = (BFLOAT16, "float16", "float32", "float64")


def _no_array(case: CallAnswer, value: Value | None) -> Finding:
    what = "several results" if value is None else f"a {value.python_type} ({value.problem})"
    allowed = of_nothing(case.conventions)
    if case.container != "tensor":
        what = f"a Python {case.container}"
    return case.finding(
        allowed,
        FindingKind.NO_ARRAY,
        gives=f"gives {what}",
        demands=f"one array of shape {case.prepared.shape}",
    )


def _other_reading(case: CallAnswer, got: Array, readings: Readings) -> Finding:
    """The finding on a result that readings other than the suite's own allow."""
    own = _expectation(case, got)
    if got.shape != own.value.shape:
        gives, demands = f"gives shape {got.shape}", f"{own.value.shape}"
    else:
        gives, demands = _difference(case, got, own, inaccurate=False)
    allowed = of_readings(*readings)
    return case.finding(
        allowed,
        FindingKind.VALUE,
        gives=gives,
        demands=demands,
        # what is free tells nothing: it may be another failure seen through special numbers
        detail=", ".join(taken(*r) for r in readings if r in VARIANTS),
        got=got,
        expected=own.value,
    )


def _wrong_under(case: CallAnswer, got: Array, readings: Readings) -> Finding:
    """The finding on a result that has the shape of other readings, and no answer of theirs."""
    expected = _expectation(case, got, readings)
    gives, demands = _difference(case, got, expected, inaccurate=False)
    allowed = of_nothing(case.conventions)
    return case.finding(
        allowed,
        FindingKind.VALUE,
        gives=gives,
        demands=f"{demands} of shape {got.shape} ({', '.join(taken(*r) for r in readings)})",
        got=got,
        expected=expected.value,
        ulp=worst(got, expected).ulp,
    )


def _unsent(case: CallAnswer, shape: tuple[int, ...]) -> Finding:
    """The finding on a result whose shape alone came, for it was too large to be sent."""
    answer = _allowed(case, np.zeros(0, held_in(case.prepared.dtypes[0])))
    readings = answer.shaped(shape, partial(case.prepared.shape_under, case.number))
    allowed = _of_misfit(case) if readings is None else of_readings(*readings)
    return _of_shape(case, shape, allowed)


def _other_shape(case: CallAnswer, got: Array) -> Finding:
    arrangement = _arrangement(case, got)
    if arrangement is None:
        allowed = _of_misfit(case)
    elif _is_rearranged(case, got):
        allowed = of_anything((arrangement,))
    else:  # other numbers, in whatever shape
        allowed = of_nothing((*case.conventions, arrangement))
    return replace(_of_shape(case, got.shape, allowed), got=got, got_dtype=case.held)


def _of_misfit(case: CallAnswer) -> Allowance:
    """What allows any other shape: a reading that the call does not fit."""
    fits = partial(case.prepared.fits, case.number)
    return of_misfit(case.conventions, fits, refused=False, closed=case.closed)


def _of_shape(case: CallAnswer, shape: tuple[int, ...], allowed: Allowance) -> Finding:
    """The finding on a result of another shape."""
    whole = case.container == "tensor"
    return case.finding(
        allowed,
        FindingKind.SHAPE,
        gives=f"gives shape {shape}" if whole else f"gives a Python {case.container}",
        demands=_demanded(case, len(shape), allowed.open_points),
        expected=case.prepared.expectation(case.number).value,
        parameter=_decides_shape(case.prepared.structure),
    )


def _demanded(case: CallAnswer, rank: int, points: tuple[str, ...]) -> str:
    """The shapes that the result may have at the points that are open, in words; its rank alone, if
    no more follows and that of what came, `rank`, is another."""
    own = case.prepared.shape
    if rank != len(own) and is_rank_alone(points):
        return demanded_shape(own, points)
    read = shapes_read(points, partial(case.prepared.shape_under, case.number))
    return " or ".join(map(str, [own, *sorted({*chain(*read.values())} - {own})]))


def _arrangement(case: CallAnswer, got: Array) -> str | None:
    """The convention of the shape, if no document settles the shape of as many elements.

    A spec that has the convention among its `unsettled`, too, leaves the shape open in these calls.
    """
    spec = case.prepared.structure.spec
    arrangement = spec.arrangement
    if not arrangement or got.size != math.prod(case.prepared.shape):
        return None
    in_some = any(u.convention == arrangement for u in spec.unsettled)
    if in_some and arrangement not in case.prepared.structure.unsettled:
        return None
    return arrangement


def _is_rearranged(case: CallAnswer, got: Array) -> bool:
    """Whether the elements are right, in their order."""
    return _allowed(case, got).taken(got.reshape(case.prepared.shape)) is not None


def _decides_shape(structure: Structure) -> str | None:
    """The parameter that the rule for the shape depends on, if the call passed True for it."""
    match structure.spec.shape:
        case ["if", str(name), *_] if structure.arguments.get(name) is True:
            return name
    return None


def _wrong(case: CallAnswer, got: Array, answer: AllowedAnswers) -> Finding:
    """The finding on a result of the right shape that no reading allows as it is."""
    undocumented = refusable(case.prepared.structure)
    forbidden = answer.forbidden(got, nearly=False)
    readings = None if forbidden else answer.nearly(got, single_will_do=undocumented)
    if (
        readings is None
        and forbidden is None
        and is_of_halves(case.prepared, case.number, case.conventions, got)
    ):
        readings = ()
    if readings is not None:
        return _inaccurate(case, got, readings)
    forbidden = forbidden or answer.forbidden(got, nearly=True)
    expectation = _expectation(case, got)
    beyond = answer.beyond(got)
    if beyond.any():
        gives, demands = _beyond(got, beyond, answer.range)
    else:
        gives, demands = _difference(
            case, answer.without_excused(got), expectation, inaccurate=False
        )
    allowed = of_nothing(case.conventions)
    narrow = _of_32_bits(case, got)
    return case.finding(
        allowed,
        FindingKind.VALUE,
        gives=gives + narrow if forbidden is None else f"{gives}, as {forbidden} has it",
        demands=demands,
        detail=forbidden or narrow,
        got=got,
        expected=expectation.value,
        ulp=worst(got, expectation).ulp,
    )


def _inaccurate(case: CallAnswer, got: Array, readings: Readings) -> Finding:
    """The finding on a result that readings allow but for digits that it may lose."""
    own = _expectation(case, got, tuple(r for r in readings if r in VARIANTS))
    gives, demands = _difference(case, got, own, inaccurate=True)
    allowed = of_readings(*readings, (ConventionName.ACCURACY, "inaccurate"))
    narrow = _of_32_bits(case, got)
    return case.finding(
        allowed,
        FindingKind.ACCURACY,
        gives=gives + narrow,
        demands=demands,
        detail=narrow,
        got=got,
        expected=own.value,
        ulp=worst(got, own).ulp,
    )


def _of_32_bits(case: CallAnswer, got: Array) -> str:
    """Words for an answer that was computed with 32 bits; empty for another."""
    return IN_32_BITS if is_in_32_bits(case.prepared, case.number, got) else ""


def _difference(
    case: CallAnswer, got: Array, expectation: Expectation, *, inaccurate: bool
) -> tuple[str, str]:
    """The worst element as given and as expected, in words; of evidence, what it is an element
    of."""
    error = worst(got, expectation)
    index = error.index or ()
    digits = 9 if abs(error.ulp) > 1e6 else 17
    place = f" at {list(index)}" if index else ""
    gives, demands = _number(got[index], digits), _number(expectation.value[index], digits)
    limit = f" within {error.limit_ulp:.3g} ULP" if inaccurate else ""
    evidence = case.prepared.evidence if case.accepts else None
    if evidence is not None and evidence.elementwise:
        if evidence.demands is not None and case.elements is not None:
            gives, demands = _number(case.elements[index], 9), evidence.demands
        place += _elements(case, index, got.shape, known=True)
    elif evidence is not None:
        place += f" of {evidence.says}"
    elif got.size > MOST_NUMBERS:
        place += _elements(case, index, got.shape)
    return f"gives {gives}{place}", demands + limit


def _elements(
    case: CallAnswer, index: tuple[int, ...], shape: tuple[int, ...], *, known: bool = False
) -> str:
    """The elements of the arguments that belong to an element of the result: ` for x = 1.5`."""
    elements = belonging(case.prepared, case.number, index, shape, known=known)
    shown = (f"{name} = {_number(element, 9)}" for name, element in elements.items())
    return f" for {' and '.join(shown)}" if elements else ""


def _beyond(got: Array, beyond: Array, within: Range) -> tuple[str, str]:
    """The first of the elements that no reading allows, and the range of the function."""
    index = tuple(int(i) for i in np.argwhere(beyond)[0])
    place = f" at {list(index)}" if index else ""
    least, greatest = within
    demands = f"at least {least:g}" if math.isinf(greatest) else f"from {least:g} to {greatest:g}"
    return f"gives {_number(got[index], 9)}{place}", f"a number {demands}"


def _number(value: Any, digits: int) -> str:
    if isinstance(value, np.floating):
        return f"{float(value):.{digits}g}"
    return str(value.item())
