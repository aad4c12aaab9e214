"""The elements of a result that a convention leaves open, and the values that may stand there.

An element rests on a convention about numbers if it changes when ordinary numbers replace those
numbers: one NaN in an array does not excuse the rest of it.

Source: the conventions and readings of `specs/conventions.yaml`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import BFLOAT16, limits
from conformance.oracle.evaluate import ORACLES, widened
from conformance.oracle.expectation import Array, Expectation
from conformance.oracle.losses import tied
from conformance.oracle.special_values import settled, special, special_input
from conformance.oracle.variants import Reading
from conformance.specs.convention_names import ConventionName

Mask = npt.NDArray[np.bool_]

_LARGE, _SMALL = 1e4, 1e-4
"""Beyond and below these, products of a few numbers may leave a dtype's range, and epsilons count.

Chosen. For float16 they are 16 and 1/16, whose fourth powers leave its range.
"""
_FLOAT16 = 16.0
_PLAIN = (0.375, 0.8125)
"""Ordinary numbers, in the domain of every function."""
_DIFFERENT = 479
"""How many different numbers take the place of others: in float16 more would be equal. A prime.
Therefore numbers a row apart also differ."""
_SPAN = 0.9375
"""The difference between the largest and the smallest of them: a larger one would leave the
domain."""
_OTHERS = (-4.5, 0.0, np.inf, -np.inf)
"""Further replacements of NaN and infinities: the answer may rest on the sign alone, on whether the
number counts as zero, or on whether it is larger than all others. Infinite stands for the largest
number of the dtype."""


def _extreme(x: Array) -> Mask:
    size = np.abs(x)
    half = x.dtype == np.float16
    large, small = (_FLOAT16, 1 / _FLOAT16) if half else (_LARGE, _SMALL)
    return np.asarray((size > large) | ((size < small) & (x != 0)))


def _certain(x: Array) -> Mask:
    return np.asarray((x <= 0) | (x >= 1))


_NUMBERS: Mapping[str, Callable[[Array], Mask]] = {
    ConventionName.EXTREMES: _extreme,
    ConventionName.CLIPPING: _certain,
}
"""The conventions about numbers, and the numbers that they are about; those of `special-values`
depend on the function."""


_WINDOWED = ("conv", "depthwise", "separable", "local_conv", "pool")
"""Beginnings of the names of functions that may multiply numbers by the zeros around an image."""


def concerned(
    convention: str, function: str, arguments: Mapping[str, Any], expectation: Expectation
) -> Mask:
    """The elements of the result that rest on a convention; all of them for a convention that is
    not about numbers.

    `arguments` are those of `expect`, and `expectation` is its answer.
    """
    if convention == ConventionName.TIED_SCORES:
        return tied(**arguments)
    value, is_special = expectation.value, convention == ConventionName.SPECIAL_VALUES
    which = partial(special_input, function=function) if is_special else _NUMBERS.get(convention)
    if which is None:
        return np.ones(value.shape, np.bool_)
    # where an ordinary number is zero it may hide what it is multiplied by
    generic = _replaced(arguments, lambda x: ~which(x), 0.625)
    others = _OTHERS if is_special else ()
    mask = _depends(function, arguments, which, expectation, others)
    mask |= _depends(function, generic, which, expectation, others)
    if value.dtype.kind == "f":
        mask |= special(value, function) if is_special else ~np.isfinite(value)
    if function == "in_top_k":  # a row is compared with itself
        mask |= which(arguments["predictions"]).any(axis=1)
    if function.startswith(_WINDOWED):
        mask |= mask.any(axis=tuple(range(1, mask.ndim)), keepdims=True)
    return mask & ~settled(function, arguments, value) if is_special else mask


def _depends(
    function: str,
    arguments: Mapping[str, Any],
    which: Callable[[Array], Mask],
    expectation: Expectation,
    others: Sequence[float],
) -> Mask:
    """The elements that change when the numbers in question are replaced by ordinary ones, or by
    `others`; all where the function has no answer to such numbers."""
    shape, dtype = expectation.value.shape, expectation.dtype
    value = _value(function, arguments, dtype)
    changed = np.zeros(shape, np.bool_)
    # by turns ascending and descending: which is the largest depends on their order alone
    for turn, plain in enumerate((*_PLAIN, *others)):
        changed_arguments = _replaced(arguments, which, plain, descending=turn % 2 == 1)
        other = _value(function, changed_arguments, dtype)
        if value is None or other is None or not other.shape == value.shape == shape:
            return np.ones(shape, np.bool_)
        changed |= ~((other == value) | _both_nan(other, value))
    return changed


def _both_nan(first: Array, second: Array) -> Mask:
    if first.dtype.kind != "f":
        return np.zeros(first.shape, np.bool_)
    return np.asarray(np.isnan(first) & np.isnan(second))


def _value(function: str, arguments: Mapping[str, Any], dtype: str) -> Array | None:
    """The value of the function; None if it has none, as a transform of points on one line."""
    try:
        with np.errstate(all="ignore"):
            return np.asarray(ORACLES[function](**widened(arguments, dtype)))
    except (ValueError, IndexError):
        return None


def _replaced(
    arguments: Mapping[str, Any],
    which: Callable[[Array], Mask],
    plain: float,
    *,
    descending: bool = False,
) -> dict[str, Any]:
    def replaced(value: Any) -> Any:
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            # different numbers do not cancel
            step = _SPAN / _DIFFERENT if plain and np.isfinite(plain) else 0.0
            places = (np.arange(value.size) % _DIFFERENT).reshape(value.shape)
            first = np.clip(plain, np.finfo(value.dtype).min, np.finfo(value.dtype).max)
            ordinary = first + step * (_DIFFERENT - 1 - places if descending else places)
            return np.where(which(value), ordinary.astype(value.dtype), value)
        return [replaced(item) for item in value] if isinstance(value, list) else value

    return {name: replaced(value) for name, value in arguments.items()}


def _not_a_number(got: Array, expectation: Expectation) -> Mask:
    """Infinite or NaN in 16 bits, in which a number a little below 1 is 1."""
    if expectation.dtype not in ("float16", BFLOAT16):
        return np.zeros(got.shape, np.bool_)
    return np.asarray(~np.isfinite(got))


def _anything(got: Array, _expectation: Expectation) -> Mask:
    return np.ones(got.shape, np.bool_)


def _overflows(got: Array, expectation: Expectation) -> Mask:
    """Infinite, NaN, or within a factor of four of the largest number."""
    if expectation.value.dtype.kind != "f":
        return np.zeros(got.shape, np.bool_)
    with np.errstate(invalid="ignore"):
        wide = np.abs(np.asarray(got, np.float64))
        return np.asarray(~(wide < float(limits(expectation.dtype).max) / 4))


def _underflows(got: Array, expectation: Expectation) -> Mask:
    """Zero or subnormal, where there is a number to expect."""
    if expectation.value.dtype.kind != "f":
        return np.zeros(got.shape, np.bool_)
    small = np.abs(np.asarray(got, np.float64)) < limits(expectation.dtype).tiny
    return np.asarray(small & ~np.isnan(expectation.value))


def _outside_the_domain(_got: Array, expectation: Expectation) -> Mask:
    """Where there is no number to expect."""
    value = expectation.value
    return np.isnan(value) if value.dtype.kind == "f" else np.zeros(value.shape, np.bool_)


FREEDOMS: Mapping[Reading, Callable[[Array, Expectation], Mask]] = {
    (ConventionName.EXTREMES, "overflow"): _overflows,
    (ConventionName.EXTREMES, "underflow"): _underflows,
    (ConventionName.EXTREMES, "outside the domain"): _outside_the_domain,
    (ConventionName.CLIPPING, "lost"): _not_a_number,
}
"""The values that may stand in the elements concerned; anything, under a free reading that is not
here."""


def allowed(reading: Reading, got: Array, expectation: Expectation) -> Mask:
    """Where the reading allows what was given, in the elements that its convention concerns.

    Shapes: `got`, the expected value and the result have one shape.
    """
    with np.errstate(invalid="ignore"):
        return FREEDOMS.get(reading, _anything)(got, expectation)
