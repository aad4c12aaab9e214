"""Does a result agree with the expectation, and by how many ULP is it off?

NaN agrees with NaN, an infinity with the same infinity. A finite number does not agree with an
expected infinity; an infinity agrees with an expected finite number only if the bound reaches
the numbers that round to infinity. Any answer agrees with an infinite bound. The result dtype is
the expectation's: that `got` has it is another check's business.

Source: `rounding` defines the ULP. IEEE 754 defines NaN, infinities and the numbers that round to
them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from conformance.dtypes import is_floating, limits
from conformance.oracle.expectation import Array, Expectation
from conformance.oracle.rounding import arithmetic, ulp
from conformance.specs.accuracy import UNLIMITED, Limit

Mask = npt.NDArray[np.bool_]


class Slack(NamedTuple):
    """How much more than its bound a result may be off and still be badly computed, not another.

    `bound` is a factor of the bound; `scale` is in roundings of what errors are relative to. Half
    of the digits are the most in both, and of float64 the least: eight digits tell any formula.
    """

    bound: float
    scale: float


HALF = Slack(np.inf, np.inf)
"""Half of the digits: for products of matrices, which processors may compute with numbers of eleven
binary digits (TensorFloat-32), for gradients, and for results of programs."""
_DIGITS = 2.0**8
"""The digits that a function may lose beyond its bound: eight binary ones. Chosen: polynomials in
use for functions of one number lose up to five, and a result that is off by more follows another
formula."""
OF_NUMBERS = Slack(_DIGITS, _DIGITS)
"""The slack of functions of single numbers, and of all except products of matrices where nothing
cancels."""
CONDITIONED = Slack(np.inf, _DIGITS)
"""The slack of functions of several numbers, where digits may cancel."""
EXACT = Slack(1, 0)
"""The slack of results that need no rounding: all except two of them."""


_VANISHING = {"float32": 128.0, "bfloat16": 128.0, "float16": 4.0}
"""How many of the smallest normal numbers a product loses where a factor of it vanishes. Chosen:
x times the sigmoid of x loses 88 in float32; processors seldom flush float16."""


@dataclass(frozen=True, slots=True)
class Error:
    """The worst element of a comparison: its error, the limit there (both in ULP), its place.

    For an integer or bool dtype one ULP is 1. `index` is None for an array without elements.
    """

    ulp: float
    limit_ulp: float
    index: tuple[int, ...] | None


def agrees(got: Array, expectation: Expectation) -> Mask:
    """For every element, whether it is within the bound. ValueError: `got` has another shape."""
    distance = _distance(got, expectation)
    inside: Mask = np.asarray(distance <= expectation.bound)
    if inside.all():
        return inside
    answer: Mask = inside | _settled(got, expectation)
    return answer


def ulp_error(got: Array, expectation: Expectation) -> npt.NDArray[np.float64]:
    """The error of every element in ULP of the result dtype at the expected value.

    0 where special values agree or the bound is infinite, infinity where they do not.

    Shapes: `got`, the expected value and the result have one shape.
    """
    return _in_ulp(got, expectation, _spacing(expectation))


def _in_ulp(got: Array, expectation: Expectation, spacing: Any) -> npt.NDArray[np.float64]:
    distance = np.asarray(_distance(got, expectation), np.float64)
    with np.errstate(over="ignore"):
        error: npt.NDArray[np.float64] = distance / spacing
    if np.isfinite(error).all() and np.isfinite(expectation.bound).all():
        return error
    settled = _settled(got, expectation)
    return np.where(settled, 0.0, np.where(np.isfinite(error), error, np.inf))


def ulp_limit(expectation: Expectation) -> npt.NDArray[np.float64]:
    """The bound of every element in ULP of the result dtype at the expected value."""
    return _in_spacings(expectation, _spacing(expectation))


def _in_spacings(expectation: Expectation, spacing: Any) -> npt.NDArray[np.float64]:
    with np.errstate(over="ignore"):
        limit: npt.NDArray[np.float64] = expectation.bound / spacing
    return limit


def worst(got: Array, expectation: Expectation) -> Error:
    """The element that uses most of its bound, or exceeds it by most."""
    if not expectation.value.size:
        return Error(0.0, 0.0, None)
    spacing = _spacing(expectation)
    error, limit = _in_ulp(got, expectation, spacing), _in_spacings(expectation, spacing)
    del spacing  # as large as each of the others, which may have millions of elements
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(error > 0, error / limit, 0.0)
    place = int(share.argmax())
    if np.isnan(share.reshape(-1)[place]):
        place = int(np.where(np.isnan(share), np.inf, share).argmax())
    index = tuple(int(position) for position in np.unravel_index(place, error.shape))
    return Error(float(error[index]), float(limit[index]), index)


def is_inaccurate(
    got: Array,
    expectation: Expectation,
    scale: Array | None = None,
    *,
    single_will_do: bool,
    slack: Slack = HALF,
    most: Limit = UNLIMITED,
) -> bool:
    """Whether what is outside the bound is the right function computed badly, not another one.

    No document states an accuracy, so an error of precision contradicts none. It is inaccurate if
    it is within the `slack`. Where `single_will_do`, it also is if a float64 result is as good as a
    float32 computation: no document promises the digits of float64 for a tensor whose dtype it does
    not name, but naming float64 asks for it. `scale` is what an error of each element is relative
    to; the largest element, at least 1, if it is not given. No element may be off by more
    than `most`. Every result within the bound is inaccurate in this sense; ask `agrees`
    first. ValueError: another shape.
    """
    outside = ~agrees(got, expectation)
    sizes = np.full(expectation.value.shape, _scale(expectation)) if scale is None else scale
    close = _is_within(got, expectation, outside, most)
    if close and _keeps_digits(got, expectation, outside, sizes, slack):
        return True
    return single_will_do and as_in_single(got, expectation, outside, sizes)


def _is_within(got: Array, expectation: Expectation, outside: Mask, most: Limit) -> bool:
    """Whether no element outside is off by more than the limit.

    A bound of 0 says nothing of roundings: the slack decides of such elements. Intermediate
    numbers that vanish make errors of a few of the smallest numbers.
    """
    if np.isinf(most.times):
        return True
    bounds = expectation.bound[outside]
    least = max(
        most.absolute, _VANISHING.get(expectation.dtype, 0.0) * limits(expectation.dtype).tiny
    )
    with np.errstate(invalid="ignore", over="ignore"):
        errors = np.abs(got - expectation.value)[outside]
        return bool((errors <= np.maximum(most.times * bounds, least))[bounds > 0].all())


def _keeps_digits(
    got: Array, expectation: Expectation, outside: Mask, scale: Array, slack: Slack
) -> bool:
    """Whether the error is within the slack, and below half of the dtype's digits.

    A result that loses less, relative to the bound or to the scale, computes the right function
    badly; a result that loses more computes another function. A bound may hold more than roundings
    (an epsilon that may be added). Therefore it does not excuse the loss of three quarters of the
    digits.
    """
    if not is_floating(expectation.dtype):
        return False
    eps = float(limits(expectation.dtype).eps)
    root = float(np.sqrt(eps))
    value, bound = expectation.value, expectation.bound
    with np.errstate(invalid="ignore", over="ignore"):
        # an exact result has no digits to lose, but it may have been computed with roundings
        rounded = _ROUNDINGS * eps * np.where(np.isfinite(value), np.abs(value), 0)
        # the bound of a long sum grows with every term, what half of the digits lose much less
        long = max(1.0, expectation.terms / _FEW_TERMS)
        most = HALF if expectation.dtype == "float64" else slack
        worse = bound * min(most.bound, 1 / (root * long))
        worse = np.minimum(worse, bound + np.sqrt(root) * scale)
        coarse = np.maximum(worse, min(most.scale * eps, root) * scale)
        exact = (bound == 0) | (slack == EXACT)
        coarse = np.where(exact, bound + rounded, coarse)
        return bool((np.abs(got - value)[outside] <= coarse[outside]).all())


_FEW_TERMS = 8
"""Sums of so many terms may lose what the bound says for each of them. Chosen."""
_ROUNDINGS = 2
"""Roundings of the input and of the output, for a value as large as the largest element."""
_IN_SINGLE = 16
"""Roundings to float32 of the input, of constants, and of the output. Chosen: a leaky rectifier as
a sum of x and |x| with constants that hold a slope of a tenth has 15."""


def as_in_single(
    got: Array, expectation: Expectation, outside: Mask, scale: Array | None = None
) -> bool:
    """Whether a float64 result is as good as a float32 computation.

    A result that loses more than half of the digits of float32 is not, whatever the bound: it may
    hold more than roundings. `scale` is that of `is_inaccurate`.
    """
    if expectation.dtype != "float64":
        return False
    single = float(np.finfo("float32").eps)
    coarser = single / float(np.finfo("float64").eps)
    value, bound = expectation.value, expectation.bound
    with np.errstate(invalid="ignore", over="ignore"):
        size = _scale(expectation) if scale is None else scale
        worse = np.minimum(bound * coarser, bound + np.sqrt(single) * size)
        roundings = np.where(bound > 0, _IN_SINGLE, _ROUNDINGS)
        room = np.maximum(worse, roundings * single * size)
        return bool((np.abs(got - value)[outside] <= room[outside]).all())


def _scale(expectation: Expectation) -> float:
    """The largest element, at least 1, and at most the largest number of the dtype."""
    value = expectation.value
    finite = np.abs(value[np.isfinite(value)])
    if not finite.size:
        return 1.0
    most = float(limits(expectation.dtype).max) if is_floating(expectation.dtype) else np.inf
    return min(max(1.0, float(finite.max())), most)


def _distance(got: Array, expectation: Expectation) -> Any:
    value = expectation.value
    if got.shape != value.shape:
        raise ValueError(f"the result has shape {got.shape}, the expectation {value.shape}")
    if value.dtype.kind == "f":
        with np.errstate(invalid="ignore", over="ignore"):
            return np.abs(got - value)
    if got.dtype.kind in "biu":
        return np.abs(got.astype(np.int64) - value)
    with np.errstate(invalid="ignore"):
        return np.abs(got.astype(np.float64) - value)


def _settled(got: Array, expectation: Expectation) -> Mask:
    """Where special values agree; a complex number that is not real agrees with nothing."""
    agreeing = _special(np.asarray(np.real(got), np.float64), expectation)
    return agreeing & (np.imag(got) == 0) if np.iscomplexobj(got) else agreeing


def _special(got: npt.NDArray[np.float64], expectation: Expectation) -> Mask:
    """Where both are NaN or one infinity, the bound is infinite, or infinity is near enough."""
    value, bound = expectation.value.astype(np.float64), expectation.bound
    same: Mask = (np.isnan(got) & np.isnan(value)) | (np.isinf(got) & (got == value))
    settled: Mask = same | np.isposinf(bound)
    model, infinite = arithmetic(expectation.dtype, False), np.isinf(got)
    if model is None or not infinite.any():
        return settled
    with np.errstate(invalid="ignore", over="ignore"):
        reached = np.abs(value.astype(np.longdouble)) + bound >= model.overflow
        over = infinite & np.isfinite(value) & reached & ((got > 0) == (value > 0))
    answer: Mask = settled | over
    return answer


def widened_by_rounding(expectation: Expectation) -> Expectation:
    """The expectation for a result that is rounded to its dtype in the end: half an ULP more."""
    half = _spacing(expectation) / 2
    return replace(expectation, bound=np.asarray(expectation.bound + half, np.float64))


def _spacing(expectation: Expectation) -> Any:
    model = arithmetic(expectation.dtype, False)
    return 1.0 if model is None else ulp(expectation.value, model)
