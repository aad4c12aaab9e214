"""Compare values and run-time shapes with the oracle's expectation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding, Judgement, verdict_if_wrong
from conformance.generators.structure import (
    CONVENTION_OF_PROFILE,
    Structure,
    accepted_dtypes,
    refusable,
)
from conformance.observations import Returned, Value
from conformance.oracle import Expectation, agrees, worst
from conformance.oracle.compare import is_inaccurate, rounded_once_more
from conformance.results import Aspect, FindingKind
from conformance.specs.convention_names import ConventionName

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

    @property
    def arrays(self) -> Mapping[str, Array]:
        """The arrays that were fed, by input name."""
        return self.prepared.arrays[self.number]


def judge(case: Drawn, returned: Returned, judgement: Judgement) -> Iterator[Finding]:
    """Findings on one draw that returned a result."""
    value = only_value(returned)
    if value is None or value.array is None:
        yield _no_array(case, value)
        return
    got = value.array
    if got.shape != case.prepared.shape:
        yield _other_shape(case, got)
        return
    expectation = _expectation(case, got)
    if not case.conventions and _overflows(expectation, case.arrays):
        case = replace(case, conventions=(ConventionName.EXTREMES,))
    inside = agrees(got, expectation)
    if not inside.all():
        yield _wrong(case, got, expectation)
    elif not case.conventions and got.dtype.kind == "f":
        error = worst(got, expectation)
        judgement.note_error(error.ulp, error.limit_ulp)


def _expectation(case: Drawn, got: Array) -> Expectation:
    """The expectation, with no more precision than the result itself has.

    A wrong dtype is a finding of its own. A result of a narrower dtype may be the right one rounded
    to it, half an ULP off even if nothing is computed.
    """
    accepted = _accepted(case)
    dtype = _dtype(accepted, got)
    expectation = case.prepared.expectation(case.number, dtype)
    return expectation if dtype == accepted else rounded_once_more(expectation)


def _accepted(case: Drawn) -> str:
    prepared, other = case.prepared, case.other
    return accepted_dtypes(prepared.structure, other)[0] if other else prepared.dtypes[0]


def _dtype(accepted: str, got: Array) -> str:
    """The narrower of the dtypes, if both are floating."""
    wanted = np.dtype(accepted)
    if got.dtype.kind != "f" or wanted.kind != "f" or got.dtype.name not in _FLOATS:
        return accepted
    return got.dtype.name if np.finfo(got.dtype).nmant < np.finfo(wanted).nmant else accepted


_FLOATS = ("float16", "float32", "float64")


def _overflows(expectation: Expectation, arrays: Any) -> bool:
    """Whether finite inputs have a result beyond the dtype's range."""
    value = expectation.value
    if value.dtype.kind != "f" or np.isfinite(value).all():
        return False
    return all(np.isfinite(a).all() for a in arrays.values() if a.dtype.kind == "f")


def _no_array(case: Drawn, value: Value | None) -> Finding:
    what = "several results" if value is None else f"a {value.python_type} ({value.problem})"
    if case.container != "tensor":
        what = f"a Python {case.container}"
    return Finding(
        Aspect.VALUE,
        verdict_if_wrong(case.conventions),
        FindingKind.NO_ARRAY,
        gives=f"gives {what}",
        demands=f"one array of shape {case.prepared.shape}",
        conventions=case.conventions,
        draw=case.number,
    )


def _other_shape(case: Drawn, got: Array) -> Finding:
    conventions = tuple(sorted({*case.conventions, *_arranged(case, got)}))
    return Finding(
        Aspect.VALUE,
        verdict_if_wrong(conventions),
        FindingKind.SHAPE,
        gives=f"gives shape {got.shape}"
        if case.container == "tensor"
        else f"gives a Python {case.container}",
        demands=f"{case.prepared.shape}",
        conventions=conventions,
        draw=case.number,
        got=got,
        expected=case.prepared.expectation(case.number).value,
        parameter=_decides_shape(case.prepared.structure),
    )


def _arranged(case: Drawn, got: Array) -> Iterator[str]:
    """The convention of the shape, if the elements are right and no document settles the shape."""
    arrangement = case.prepared.structure.spec.arrangement
    if arrangement and got.size == math.prod(case.prepared.shape):
        expectation = _expectation(case, got)
        if agrees(got.reshape(case.prepared.shape), expectation).all():
            yield arrangement


def _decides_shape(structure: Structure) -> str | None:
    """The parameter that the rule for the shape depends on, if the call passed True for it."""
    match structure.spec.shape:
        case ["if", str(name), *_] if structure.arguments.get(name) is True:
            return name
    return None


def _wrong(case: Drawn, got: Array, expectation: Expectation) -> Finding:
    conventions = case.conventions
    undocumented = refusable(case.prepared.structure)
    inaccurate = is_inaccurate(got, expectation, single_will_do=undocumented)
    if inaccurate and not set(conventions) & set(CONVENTION_OF_PROFILE.values()):
        conventions = tuple(sorted({*conventions, ConventionName.ACCURACY}))
    error = worst(got, expectation)
    index = error.index or ()
    digits = 9 if abs(error.ulp) > 1e6 else 17
    place = f" at {list(index)}" if index else ""
    return Finding(
        Aspect.VALUE,
        verdict_if_wrong(conventions),
        FindingKind.ACCURACY if inaccurate else FindingKind.VALUE,
        gives=f"gives {_number(got[index], digits)}{place}",
        demands=_number(expectation.value[index], digits)
        + (f" within {error.limit_ulp:.3g} ULP" if inaccurate else ""),
        conventions=conventions,
        draw=case.number,
        got=got,
        expected=expectation.value,
        ulp=error.ulp,
    )


def _number(value: Any, digits: int) -> str:
    if isinstance(value, np.floating):
        return f"{float(value):.{digits}g}"
    return str(value.item())
