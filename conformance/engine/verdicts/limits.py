"""How far each element of a shown answer may be from the expected one, for scripts."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import held_in
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.trials import Trial
from conformance.oracle import Expectation, agrees
from conformance.oracle.compare import widened_by_rounding

Array = npt.NDArray[Any]
_PLACE = re.compile(r" at \[([\d, ]+)\]")
_KINK = re.compile(r"between (\S+) and (\S+)")
_ANY_NUMBER = float(np.finfo("float32").max)
"""The limit where any finite number will do."""


def named_index(finding: Finding) -> tuple[int, ...]:
    """The element that the message names; if it names none, the one that is furthest off."""
    got, expected = np.asarray(finding.got), np.asarray(finding.expected)
    if found := _PLACE.search(finding.gives):
        return tuple(int(part) for part in found[1].split(","))
    if got.shape != expected.shape or not got.size:
        return (0,) * expected.ndim
    place = int(np.nan_to_num(_distance(got, expected), nan=np.inf).argmax())
    return tuple(int(i) for i in np.unravel_index(place, got.shape))


def limits_of(finding: Finding, trial: Trial) -> npt.NDArray[np.float64]:
    """The limit of each element: the oracle's bound, or, for the element that the message names
    and no other, half of the way to what came.

    Infinite for elements of which nothing is asked. `finding` has arrays on both sides.
    """
    got, expected = np.asarray(finding.got), np.asarray(finding.expected)
    if got.shape != expected.shape:
        return np.zeros(expected.shape)
    if isinstance(trial, CallTrial) and (found := _expectation(finding, trial)) is not None:
        inside = agrees(got, found)
        if not inside.all():
            return np.where(inside & np.isinf(got), np.inf, found.bound)
    limits = np.full(expected.shape, np.inf)
    index = named_index(finding)
    limits[index] = _half(finding, got, expected, index)
    return limits


def _expectation(finding: Finding, trial: CallTrial) -> Expectation | None:
    """The expectation whose value the finding shows, in the narrower of the dtypes."""
    got, expected = np.asarray(finding.got), np.asarray(finding.expected)
    likely = (trial.prepared.like, trial.prepared.dtypes[0], finding.got_dtype or got.dtype.name)
    for dtype in (dtype for dtype in likely if dtype is not None):
        try:
            found = trial.prepared.expectation(finding.draw, dtype)
        except (KeyError, TypeError, ValueError):
            continue
        if np.array_equal(found.value, expected, equal_nan=expected.dtype.kind == "f"):
            narrow = dtype != trial.prepared.dtypes[0] or got.dtype.itemsize < _size(dtype)
            return widened_by_rounding(found) if narrow else found
    return None


def _size(dtype: str) -> int:
    return held_in(dtype).itemsize


def _distance(got: Array, expected: Array) -> Array:
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(np.abs(got.astype("float64") - expected.astype("float64")))


def _half(finding: Finding, got: Array, expected: Array, index: tuple[int, ...]) -> float:
    """Half of the distance; at a kink the slopes on both sides are right."""
    if not np.isfinite(expected[index]):
        return 0.0
    distance = float(_distance(got, expected)[index])
    if not np.isfinite(distance):
        return _ANY_NUMBER
    reach = 0.0
    if kink := _KINK.search(finding.demands):
        reach = max(abs(float(side) - float(expected[index])) for side in kink.groups())
    return (distance + min(reach, distance)) / 2
