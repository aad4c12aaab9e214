"""Readings of conventions about numbers: subnormal ones, and the sign of zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle.bounds import changed
from conformance.oracle.expectation import Array
from conformance.oracle.variants.model import Reading, Variant
from conformance.specs.convention_names import ConventionName

FLUSHED: Reading = (ConventionName.SUBNORMAL, "flushed")
"""Numbers below the smallest normal one count as zero: an option of the oracle itself."""
WIDER: Reading = (ConventionName.INTEGER_OVERFLOW, "wider")
"""Integers that their dtype does not hold are kept: an option of the oracle itself."""
SATURATED: Reading = (ConventionName.INTEGER_OVERFLOW, "saturated")
"""The nearest integer that the dtype holds is in their place: an option of the oracle itself."""
NARROWED: Reading = (ConventionName.COMPUTING_DTYPE, "32 bits")
"""Tensors of 64 bits are rounded to 32 before anything is computed."""
NARROW: Mapping[str, str] = {"float64": "float32", "int64": "int32", "uint64": "uint32"}
"""Dtypes of 64 bits, and those of 32 bits in their place."""


def _unchanged(_function: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return arguments


def _numbers(change: Callable[[Array], Array]) -> Variant:
    """The variant in which every number of a floating tensor is changed."""

    def variant(_function: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return changed(arguments, change)

    return variant


def _flushed_in_32_bits(x: Array) -> Array:
    """Zero for each subnormal number except those of a float16, which are normal in float32."""
    if x.dtype == np.float16:
        return x
    return np.where(np.abs(x) < np.finfo(x.dtype).tiny, np.copysign(0, x).astype(x.dtype), x)


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


def _narrowed(_function: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Numbers beyond the range of 32 bits are infinite, integers taken modulo its size."""

    def narrow(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            with np.errstate(over="ignore"):
                return value.astype(NARROW.get(value.dtype.name, value.dtype))
        return [narrow(item) for item in value] if isinstance(value, list) else value

    return {name: narrow(value) for name, value in arguments.items()}


def _no_numbers(_function: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A range that ends where it starts."""
    return {**arguments, "start": 0, "stop": 0}


VARIANTS: Mapping[Reading, Variant] = {
    FLUSHED: _unchanged,
    NARROWED: _narrowed,
    WIDER: _unchanged,
    SATURATED: _unchanged,
    (ConventionName.NEGATIVE_STOP, "no numbers"): _no_numbers,
    (ConventionName.SUBNORMAL, "flushed in 32 bits"): _numbers(_flushed_in_32_bits),
    (ConventionName.SUBNORMAL, "normal"): _numbers(_normal),
    (ConventionName.SUBNORMAL, "least"): _numbers(_least),
    (ConventionName.SPECIAL_VALUES, "unsigned zero"): _numbers(_unsigned_zero),
}
