"""Compare values and run-time shapes with the oracle's expectation."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import BFLOAT16, holds_more, is_floating, limits
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding, Judgement
from conformance.engine.judging.opened import opened, overflows
from conformance.engine.judging.promotions import promotions
from conformance.engine.judging.readings import (
    Allowance,
    AllowedAnswers,
    demanded_shape,
    is_rank_alone,
    of_anything,
    of_misfit,
    of_nothing,
    of_readings,
    shapes_read,
)
from conformance.generators.structure import Structure, accepted_dtypes, refusable
from conformance.observations import Returned, Value
from conformance.oracle import Expectation, agrees, worst
from conformance.oracle.compare import (
    CONDITIONED,
    EXACT,
    HALF,
    OF_NUMBERS,
    Slack,
    rounded_once_more,
)
from conformance.oracle.freedom import concerned
from conformance.oracle.ranges import Range, range_of
from conformance.oracle.rounding import name_of
from conformance.oracle.variants import NARROWED, VARIANTS, WIDER, Readings
from conformance.results import Aspect, FindingKind
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import taken
from conformance.specs.load import load, ruled_out
from conformance.specs.model import Exact, Ulp

Array = npt.NDArray[Any]


def only_value(returned: Returned) -> Value | None:
    """The value of the program's result; None if there is not exactly one."""
    found = returned.values.get("result", ())
    return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class Drawn:
    """One draw of a structure, the conventions that it rests on, and the dtypes of parameters whose
    tensors the implementation made with another dtype than it was asked for."""

    prepared: Prepared
    number: int
    conventions: tuple[str, ...]
    other: dict[str, str]
    container: str = "tensor"
    """What came back before it was evaluated: a tensor, or a list or tuple."""
    came: str | None = None
    """The dtype of the result, where its array does not say it."""
    closed: Container[str] = ()
    """Conventions of which the target takes the suite's own reading."""

    @property
    def arrays(self) -> Mapping[str, Array]:
        """The arrays that were fed, by input name."""
        return self.prepared.arrays[self.number]

    def concerned(self, convention: str, expectation: Expectation) -> Array:
        """The elements of the result that rest on a convention."""
        structure = self.prepared.structure
        arguments = self.prepared.oracle_arguments(self.number)
        return concerned(convention, structure.oracle, arguments, expectation)

    @property
    def range(self) -> Range:
        """Which numbers the elements of the result may be, whatever a convention leaves open."""
        arguments = self.prepared.oracle_arguments(self.number)
        return range_of(self.prepared.structure.oracle, arguments)


def judge(case: Drawn, returned: Returned, judgement: Judgement) -> Iterator[Finding]:
    """Findings on one draw that returned a result."""
    value = only_value(returned)
    if value is None or value.array is None:
        unsent = None if value is None else value.shape
        known = unsent is not None and unsent != case.prepared.shape
        yield _unsent(case, unsent) if unsent and known else _no_array(case, value)
        return
    got = value.array
    if value.dtype == BFLOAT16:
        case = replace(case, came=value.dtype)
    if got.shape == case.prepared.shape:
        expectation = _expectation(case, got)
        if agrees(got, expectation).all():
            if not case.conventions and got.dtype.kind == "f":
                error = worst(got, expectation)
                judgement.note_error(error.ulp, error.limit_ulp)
            if case.conventions:
                shown = _allowed(case, got).choices(got, partial(_value, case, got))
                judgement.readings.update((Aspect.VALUE, reading) for reading in shown)
            return
    finding = _otherwise(case, got)
    judgement.readings.update((Aspect.VALUE, reading) for reading in finding.readings)
    yield finding


def _otherwise(case: Drawn, got: Array) -> Finding:
    """The finding on a result that is not the suite's own: a reading of a convention, or wrong."""
    answer = _allowed(_with_opened(case, got), got)
    found = answer.taken(got)
    if found is not None:
        return _other_reading(case, got, found)
    if got.shape == case.prepared.shape:
        return _wrong(case, got, answer)
    readings = answer.shaped(got.shape, partial(case.prepared.shape_under, case.number))
    return _other_shape(case, got) if readings is None else _wrong_under(case, got, readings)


def _allowed(case: Drawn, got: Array) -> AllowedAnswers:
    structure = case.prepared.structure
    return AllowedAnswers(
        case.conventions,
        partial(_expectation, case, got),
        case.concerned,
        ruled_out(structure.spec, structure.edition),
        _slack(case),
        elementwise=isinstance(structure.accuracy, Ulp),
        range=case.range,
    )


PLAIN = ("ordinary", "integers", "halves")
"""Profiles of numbers that are of one size."""
OF_PRODUCTS = frozenset(
    {"convolution", "linear algebra", "convolutions of keras.ops", "linear algebra of keras.ops"}
    | {"products of keras.ops", "rows in keras.ops"}
)
"""Themes of functions that are, or are made of, products of matrices."""


def _slack(case: Drawn) -> Slack:
    """What the result may lose: among numbers of one size no digits cancel."""
    spec, accuracy = case.prepared.structure.spec, case.prepared.structure.accuracy
    if isinstance(accuracy, Exact):
        return EXACT
    if load().theme(spec.name) in OF_PRODUCTS:
        return HALF
    plain = isinstance(accuracy, Ulp) or case.prepared.profiles[case.number] in PLAIN
    return OF_NUMBERS if plain else CONDITIONED


def _with_opened(case: Drawn, got: Array) -> Drawn:
    """The case with the conventions that the answer opens, and with `extremes` if it rests on no
    other and finite inputs have a result beyond the dtype's range."""
    found = [*case.conventions, *opened(case.prepared, case.arrays, got, case.other.values())]
    if not case.conventions and got.shape == case.prepared.shape:
        beyond = overflows(_expectation(case, got).value, case.arrays)
        found += [ConventionName.EXTREMES] if beyond else []
    return replace(case, conventions=tuple(found))


def _expectation(case: Drawn, got: Array, readings: Readings = ()) -> Expectation:
    """The expectation, with no more precision than the result itself has.

    A wrong dtype is a finding of its own. A result of a narrower dtype may be the right one rounded
    to it, half an ULP off even if nothing is computed. Floats that come of integers may have been
    computed as such, if a wider dtype is a reading, and integers with fewer bits. A result of a
    dtype that holds more, and that a convention allows, may have the numbers of that dtype.
    """
    came = case.came or name_of(got.dtype)
    if WIDER in readings and came in _FLOATS:
        return case.prepared.expectation(case.number, came, readings)
    accepted = _accepted(case)
    if NARROWED in readings and got.dtype.kind in "iu" and not is_floating(accepted):
        accepted = came
    if _keeps_fractions(case, accepted, came):
        return case.prepared.expectation(case.number, came, readings)
    dtype = _narrower(accepted, came)
    expectation = case.prepared.expectation(case.number, dtype, readings)
    own = expectation if dtype == accepted else rounded_once_more(expectation)
    if _is_promoted(case, accepted, came):
        promoted = case.prepared.expectation(case.number, came, readings)
        fits = promoted.value.shape == got.shape and bool(agrees(got, promoted).all())
        return promoted if fits else own
    return own


def _value(case: Drawn, got: Array, readings: Readings) -> Array:
    """The value alone, where nothing of the expectation depends on the dtype of the result."""
    accepted, came = _accepted(case), case.came or name_of(got.dtype)
    if WIDER in readings or _is_promoted(case, accepted, came):
        return _expectation(case, got, readings).value
    return case.prepared.value(case.number, _narrower(accepted, came), readings)


def _accepted(case: Drawn) -> str:
    """The dtype in which the result is expected: that of the result if it is accepted."""
    prepared, other = case.prepared, case.other
    return accepted_dtypes(prepared.structure, other)[0] if other else prepared.dtypes[0]


def _is_promoted(case: Drawn, accepted: str, came: str) -> bool:
    """Whether the result has a dtype that holds more than the accepted one, and a convention
    allows it.

    Where the convention on overflow is open, its readings say what wider integers hold.
    """
    if not holds_more(came, accepted) or ConventionName.INTEGER_OVERFLOW in case.conventions:
        return False
    return came in promotions(case.prepared, case.other)


def _keeps_fractions(case: Drawn, accepted: str, came: str) -> bool:
    """Whether the result is of a floating dtype where integers are accepted: then a fraction that
    is lost is lost without need."""
    floating = came in _FLOATS and not is_floating(accepted)
    return floating and _is_promoted(case, accepted, came)


@cache
def _narrower(accepted: str, came: str) -> str:
    """The narrower of the dtypes, if both are floating."""
    if came not in _FLOATS or not is_floating(accepted):
        return accepted
    return came if limits(came).nmant < limits(accepted).nmant else accepted


_FLOATS = (BFLOAT16, "float16", "float32", "float64")


def _no_array(case: Drawn, value: Value | None) -> Finding:
    what = "several results" if value is None else f"a {value.python_type} ({value.problem})"
    allowed = of_nothing(case.conventions)
    if case.container != "tensor":
        what = f"a Python {case.container}"
    return Finding(
        Aspect.VALUE,
        allowed.verdict,
        FindingKind.NO_ARRAY,
        gives=f"gives {what}",
        demands=f"one array of shape {case.prepared.shape}",
        conventions=allowed.conventions,
        draw=case.number,
        readings=allowed.readings,
        open_points=allowed.open_points,
    )


def _other_reading(case: Drawn, got: Array, readings: Readings) -> Finding:
    """The finding on a result that readings other than the suite's own allow."""
    own = _expectation(case, got)
    if got.shape != own.value.shape:
        gives, demands = f"gives shape {got.shape}", f"{own.value.shape}"
    else:
        gives, demands = _difference(got, own, inaccurate=False)
    allowed = of_readings(*readings)
    return Finding(
        Aspect.VALUE,
        allowed.verdict,
        FindingKind.VALUE,
        gives=gives,
        demands=demands,
        # what is free tells nothing: it may be another failure seen through special numbers
        detail=", ".join(taken(*r) for r in readings if r in VARIANTS),
        conventions=allowed.conventions,
        draw=case.number,
        got=got,
        came=case.came,
        expected=own.value,
        readings=allowed.readings,
    )


def _wrong_under(case: Drawn, got: Array, readings: Readings) -> Finding:
    """The finding on a result that has the shape of other readings, and no answer of theirs."""
    expected = _expectation(case, got, readings)
    gives, demands = _difference(got, expected, inaccurate=False)
    allowed = of_nothing(case.conventions)
    return Finding(
        Aspect.VALUE,
        allowed.verdict,
        FindingKind.VALUE,
        gives=gives,
        demands=f"{demands} of shape {got.shape} ({', '.join(taken(*r) for r in readings)})",
        conventions=allowed.conventions,
        draw=case.number,
        got=got,
        came=case.came,
        expected=expected.value,
        ulp=worst(got, expected).ulp,
        open_points=allowed.open_points,
    )


def _unsent(case: Drawn, shape: tuple[int, ...]) -> Finding:
    """The finding on a result whose shape alone came, for it was too large to be sent."""
    answer = _allowed(case, np.zeros(0, case.prepared.dtypes[0]))
    readings = answer.shaped(shape, partial(case.prepared.shape_under, case.number))
    allowed = _of_misfit(case) if readings is None else of_readings(*readings)
    return _of_shape(case, shape, allowed)


def _other_shape(case: Drawn, got: Array) -> Finding:
    arrangement = _arrangement(case, got)
    if arrangement is None:
        allowed = _of_misfit(case)
    elif _is_rearranged(case, got):
        allowed = of_anything((arrangement,))
    else:  # other numbers, in whatever shape
        allowed = of_nothing((*case.conventions, arrangement))
    return replace(_of_shape(case, got.shape, allowed), got=got, came=case.came)


def _of_misfit(case: Drawn) -> Allowance:
    """What allows any other shape: a reading that the call does not fit."""
    fits = partial(case.prepared.fits, case.number)
    return of_misfit(case.conventions, fits, refused=False, closed=case.closed)


def _of_shape(case: Drawn, shape: tuple[int, ...], allowed: Allowance) -> Finding:
    """The finding on a result of another shape."""
    whole = case.container == "tensor"
    return Finding(
        Aspect.VALUE,
        allowed.verdict,
        FindingKind.SHAPE,
        gives=f"gives shape {shape}" if whole else f"gives a Python {case.container}",
        demands=_demanded(case, len(shape), allowed.open_points),
        conventions=allowed.conventions,
        draw=case.number,
        expected=case.prepared.expectation(case.number).value,
        parameter=_decides_shape(case.prepared.structure),
        readings=allowed.readings,
        open_points=allowed.open_points,
    )


def _demanded(case: Drawn, rank: int, points: tuple[str, ...]) -> str:
    """The shapes that the result may have at the points that are open, in words; its rank alone, if
    no more follows and that of what came, `rank`, is another."""
    own = case.prepared.shape
    if rank != len(own) and is_rank_alone(points):
        return demanded_shape(own, points)
    read = shapes_read(points, partial(case.prepared.shape_under, case.number))
    return " or ".join(map(str, [own, *sorted({*chain(*read.values())} - {own})]))


def _arrangement(case: Drawn, got: Array) -> str | None:
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


def _is_rearranged(case: Drawn, got: Array) -> bool:
    """Whether the elements are right, in their order."""
    return _allowed(case, got).taken(got.reshape(case.prepared.shape)) is not None


def _decides_shape(structure: Structure) -> str | None:
    """The parameter that the rule for the shape depends on, if the call passed True for it."""
    match structure.spec.shape:
        case ["if", str(name), *_] if structure.arguments.get(name) is True:
            return name
    return None


def _wrong(case: Drawn, got: Array, answer: AllowedAnswers) -> Finding:
    """The finding on a result of the right shape that no reading allows as it is."""
    undocumented = refusable(case.prepared.structure)
    forbidden = answer.forbidden(got, nearly=False)
    found = None if forbidden else answer.nearly(got, single_will_do=undocumented)
    if found is not None:
        return _inaccurate(case, got, found)
    forbidden = forbidden or answer.forbidden(got, nearly=True)
    expectation = _expectation(case, got)
    beyond = answer.beyond(got)
    if beyond.any():
        gives, demands = _beyond(got, beyond, answer.range)
    else:
        gives, demands = _difference(answer.without_excused(got), expectation, inaccurate=False)
    allowed = of_nothing(case.conventions)
    return Finding(
        Aspect.VALUE,
        allowed.verdict,
        FindingKind.VALUE,
        gives=gives if forbidden is None else f"{gives}, as {forbidden} has it",
        demands=demands,
        detail=forbidden or "",
        conventions=allowed.conventions,
        draw=case.number,
        got=got,
        came=case.came,
        expected=expectation.value,
        ulp=worst(got, expectation).ulp,
        open_points=allowed.open_points,
    )


def _inaccurate(case: Drawn, got: Array, readings: Readings) -> Finding:
    """The finding on a result that readings allow but for digits that it may lose."""
    own = _expectation(case, got, tuple(r for r in readings if r in VARIANTS))
    gives, demands = _difference(got, own, inaccurate=True)
    allowed = of_readings(*readings, (ConventionName.ACCURACY, "inaccurate"))
    return Finding(
        Aspect.VALUE,
        allowed.verdict,
        FindingKind.ACCURACY,
        gives=gives,
        demands=demands,
        conventions=allowed.conventions,
        draw=case.number,
        got=got,
        came=case.came,
        expected=own.value,
        ulp=worst(got, own).ulp,
        readings=allowed.readings,
    )


def _difference(got: Array, expectation: Expectation, *, inaccurate: bool) -> tuple[str, str]:
    """The worst element as given and as expected, in words."""
    error = worst(got, expectation)
    index = error.index or ()
    digits = 9 if abs(error.ulp) > 1e6 else 17
    place = f" at {list(index)}" if index else ""
    demands = _number(expectation.value[index], digits)
    limit = f" within {error.limit_ulp:.3g} ULP" if inaccurate else ""
    return f"gives {_number(got[index], digits)}{place}", demands + limit


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
