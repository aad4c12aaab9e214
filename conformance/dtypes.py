"""Dtypes by their names: NumPy's own, and bfloat16, which NumPy lacks.

The suite holds the numbers of a bfloat16 tensor in an array of float32, which has each of them
exactly; that they are bfloat16 is said by the dtype's name beside the array (of an input, a claim
or an expectation). So workers and files need no array of that dtype, and no library for it: the
suite computes only one rounding and a few limits. ml_dtypes, which has the dtype, would add a
compiled dependency. NumPy does not treat its arrays as floats (`dtype.kind` is "V", and `finfo`
refuses it), so every check for floats would need two forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

BFLOAT16 = "bfloat16"
_HELD_IN: Mapping[str, str] = {BFLOAT16: "float32"}
_DIGITS = 8
"""Binary digits of a bfloat16, the leading one among them."""
_LEAST_PLACE = -133
"""The exponent of the smallest subnormal bfloat16."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What `numpy.finfo` says of a dtype, of one that NumPy lacks."""

    eps: float
    max: float
    min: float
    smallest_normal: float
    smallest_subnormal: float
    tiny: float
    nmant: int
    minexp: int
    maxexp: int


_OF_BFLOAT16 = Limits(
    eps=2.0 ** (1 - _DIGITS),
    max=(2 - 2.0 ** (1 - _DIGITS)) * 2.0**127,
    min=-(2 - 2.0 ** (1 - _DIGITS)) * 2.0**127,
    smallest_normal=2.0**-126,
    smallest_subnormal=2.0**_LEAST_PLACE,
    tiny=2.0**-126,
    nmant=_DIGITS - 1,
    minexp=-126,
    maxexp=128,
)


@cache
def held_in(dtype: str) -> np.dtype[Any]:
    """The dtype of the array that holds the numbers of a tensor of `dtype`."""
    return np.dtype(_HELD_IN.get(dtype, dtype))


@cache
def is_dtype(name: str) -> bool:
    """Whether this is the name of a dtype that tensors may have."""
    try:
        return held_in(name).kind in "biuf"
    except TypeError:
        return False


@cache
def limits(dtype: str) -> Any:
    """The limits of a floating dtype, with the names of `numpy.finfo`."""
    return _OF_BFLOAT16 if dtype == BFLOAT16 else np.finfo(dtype)


def is_floating(dtype: str) -> bool:
    """Whether the dtype is one of floating numbers."""
    return held_in(dtype).kind == "f"


@cache
def holds_more(dtype: str, other: str) -> bool:
    """Whether `dtype` is a promotion of `other`: the wider of two dtypes of floating numbers or of
    two of integers, or one of floating numbers beside one of integers. Nothing promotes bool."""
    kinds = held_in(dtype).kind, held_in(other).kind
    if kinds == ("f", "f"):
        mine, others = limits(dtype), limits(other)
        return bool(mine.nmant > others.nmant and float(mine.max) >= float(others.max))
    if kinds[0] not in "fiu" or kinds[1] not in "iu":
        return False
    return kinds[0] == "f" or _holds_integers(dtype, other)


def _holds_integers(dtype: str, other: str) -> bool:
    mine, others = np.iinfo(dtype), np.iinfo(other)
    return bool(mine.max > others.max and mine.min <= others.min)


def rounded(numbers: Any, dtype: str) -> Array:
    """The numbers as the array that holds them in `dtype`, rounded once, half to even."""
    array = np.asarray(numbers)
    if dtype != BFLOAT16:
        return array.astype(dtype)
    wide = array if array.dtype.kind == "f" else array.astype(np.float64)
    return _to_bfloat16(wide).astype(np.float32)


def spacing(number: float, dtype: str) -> float:
    """The distance from a number to the next larger one of a floating dtype."""
    near = rounded(abs(number), dtype)
    if dtype != BFLOAT16:
        return float(np.spacing(near))
    _, exponent = np.frexp(max(float(near), _OF_BFLOAT16.smallest_normal))
    return float(np.ldexp(1.0, int(exponent) - _DIGITS))


def has_all(dtype: str, array: Array) -> bool:
    """Whether the dtype has every number of an array that is to hold numbers of it."""
    if dtype not in _HELD_IN:
        return True
    return bool(np.array_equal(rounded(array, dtype), array, equal_nan=True))


def _to_bfloat16(wide: Array) -> Array:
    """The nearest numbers with eight digits, in the dtype of `wide`."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        _, exponent = np.frexp(wide)
        place = np.maximum(exponent - _DIGITS, _LEAST_PLACE)
        near = np.ldexp(np.rint(np.ldexp(wide, -place)), place)
        beyond = np.isfinite(wide) & (np.abs(near) > _OF_BFLOAT16.max)
        result: Array = np.where(beyond, np.copysign(np.inf, wide), near)
    return result
