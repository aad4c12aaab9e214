"""Answers under readings of conventions other than the suite's own.

A variant changes the arguments with which the oracle answers: a kernel with another layout is
transposed. Where the arguments cannot say it, the oracle takes a keyword of its own. `images` has
the variants of windows and images, `numbers` those of subnormal and special numbers, `tensors` the
others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.oracle.variants import images, numbers, tensors
from conformance.oracle.variants.model import NoReadingError, Reading, Readings, Variant
from conformance.oracle.variants.numbers import FLUSHED, NARROWED, SATURATED, WIDER

__all__ = [
    "FLUSHED",
    "NARROWED",
    "SATURATED",
    "VARIANTS",
    "WIDER",
    "NoReadingError",
    "Reading",
    "Readings",
    "Variant",
    "read_otherwise",
]

VARIANTS: Mapping[Reading, Variant] = {**numbers.VARIANTS, **images.VARIANTS, **tensors.VARIANTS}
"""Each reading that code computes, and the change of the arguments that it makes."""


def read_otherwise(
    function: str, arguments: Mapping[str, Any], readings: Readings
) -> dict[str, Any]:
    """The arguments as the readings have them. KeyError: no such variant; NoReadingError: a
    reading that is none for this call."""
    changed = dict(arguments)
    for reading in readings:
        changed = VARIANTS[reading](function, changed)
    return changed
