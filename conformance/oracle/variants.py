"""What an answer is under readings of conventions other than the suite's own.

A variant is a change of the arguments with which the oracle answers: a kernel that lies otherwise
is transposed, and where the arguments cannot say it the oracle takes a keyword of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle.bounds import changed
from conformance.oracle.expectation import Array
from conformance.specs.convention_names import ConventionName

Reading = tuple[str, str]
"""A convention, and the name of one of its readings."""
Readings = tuple[Reading, ...]
Variant = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Gives a function's arguments, by keras-2.2 name, as the reading has them. ValueError: the reading
is none for this call."""

FLUSHED: Reading = (ConventionName.SUBNORMAL, "flushed")
"""Numbers below the smallest normal one count as zero: an option of the oracle itself."""


def _unchanged(_function: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return arguments


def _numbers(change: Callable[[Array], Array]) -> Variant:
    """The variant in which every number of a floating tensor is changed."""

    def variant(_function: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return changed(arguments, change)

    return variant


def _unsigned_zero(x: Array) -> Array:
    return np.where(x == 0, np.zeros_like(x), x)


def _normal(x: Array) -> Array:
    """Subnormal numbers as the smallest normal one of their sign."""
    tiny = np.finfo(x.dtype).tiny
    return np.where((np.abs(x) < tiny) & (x != 0), np.copysign(tiny, x), x)


def _least(x: Array) -> Array:
    """Numbers below the smallest normal one as the smallest subnormal one of their sign."""
    tiny, least = np.finfo(x.dtype).tiny, np.finfo(x.dtype).smallest_subnormal
    return np.where((np.abs(x) < tiny) & (x != 0), np.copysign(least, x), x)


def _no_numbers(_function: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A range that ends where it starts."""
    return {**arguments, "start": 0, "stop": 0}


VARIANTS: Mapping[Reading, Variant] = {
    FLUSHED: _unchanged,
    (ConventionName.NEGATIVE_STOP, "no numbers"): _no_numbers,
    (ConventionName.SUBNORMAL, "normal"): _numbers(_normal),
    (ConventionName.SUBNORMAL, "least"): _numbers(_least),
    (ConventionName.SPECIAL_VALUES, "unsigned zero"): _numbers(_unsigned_zero),
}


def read_otherwise(
    function: str, arguments: Mapping[str, Any], readings: Readings
) -> dict[str, Any]:
    """The arguments as the readings have them. KeyError: no such variant; ValueError: a reading
    that is none for this call."""
    found = dict(arguments)
    for reading in readings:
        found = VARIANTS[reading](function, found)
    return found
