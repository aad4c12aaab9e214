"""Reductions: max, min, sum, prod, cumsum, cumprod, var, std, mean, any, all, argmax, argmin and
logsumexp. `axis` is None (all elements), an axis or several; a kept axis has length 1.

Bounds (u the unit roundoff, n the number of terms; all hold for any order of summation, also in
the dtype itself and with the result rounded again):

* sum, cumsum: gamma_n sum|x| (Higham, section 4.2; n - 1 additions and a last rounding); 0 where
  no order of summation rounds, as with integers and halves whose sum is not too large.
* mean: gamma_(n+2) sum|x| / n: division, or multiplication by the rounded 1/n.
* prod, cumprod: gamma_n |value| (Higham, section 3.1). A partial product that underflows is wrong
  by at most `underflow`. The remaining factors multiply that by at most the product of the |x_i|
  above 1. Where that product reaches the overflow threshold while other factors pull the value
  down, some order overflows: the bound is infinite.
* var, two-pass: the computed mean m' is within d of the mean, d the bound of mean. For exact
  arithmetic sum (x_i - m')^2 / n = var + (mean - m')^2. Each squared difference carries three
  roundings, the sum n - 1, the division at most two, the result one: at most
  gamma_(n+5) (var + d^2) + d^2. (Higham, problem 1.10 and its solution, for the form.)
* var as the mean of squares less the square of the mean (`squares`): beside that gamma_(3n+4)
  times the mean of x^2. The mean of squares is off by gamma_(n+1) of it; the mean by gamma_n of
  the mean of |x|, whose square it does not exceed, so that its square is off by gamma_(2n+1) of
  it; each of the two, and their difference, is rounded again.
* std: |sqrt(v') - sqrt(v)| <= min(B / sqrt(v), sqrt(B)) where |v' - v| <= B, and 4 u for the
  square root and its rounding. Where var overflows and its root does not, infinite: the documents
  do not say that std goes by way of var.
* logsumexp: conditioning, and gamma_(n+6) absolutely: a relative error of the sum of exponentials
  is an absolute one of its logarithm. n of these roundings are the sum's, and 6 an exponential's,
  for which the spec of `exp` allows 3 ULP; conditioning has them only where arguments are large.

Underflow adds one `underflow` per operation that can produce a number below the normal range.
Conventions (the documents are silent): first index on ties, zeros of both
signs equal, ddof 0, NumPy's answer for NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from conformance.oracle.axes import Axes, Axis, axes_of
from conformance.oracle.expectation import Array
from conformance.oracle.rounding import (
    Arithmetic,
    allowance,
    finite_magnitude,
    is_exact,
    overflow_risk,
    quantum,
    signed_parts,
)

Bounded = tuple[Array, Array]

_EXPONENTIAL = 6
"""The roundings of an exponential within 3 ULP: one ULP is at most two."""

_SUM: Any = np.add.reduce
_MAX: Any = np.maximum.reduce


def _reduction(function: Callable[..., Any]) -> Callable[..., Array]:
    def oracle(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
        result: Array = function(x, axis=axes_of(axis), keepdims=keepdims)
        return result

    return oracle


def _extreme(function: Any, outermost: Callable[[Any, Any], Any]) -> Callable[..., Array]:
    """The largest or smallest element, or `initial` where no element is beyond it."""
    reduced = _reduction(function)

    def oracle(x: Array, initial: Any = None, **how: Any) -> Array:
        value = reduced(x, **how)
        return value if initial is None else np.asarray(outermost(value, value.dtype.type(initial)))

    return oracle


def _of_dtype(function: Callable[..., Array]) -> Callable[..., Array]:
    """A total in a dtype that the call names, in which `expect` has the result."""

    def oracle(x: Array, *axis: Axis, dtype: str | None = None, **how: Any) -> Array:  # noqa: ARG001
        return function(x, *axis, **how)

    return oracle


def _index(function: Callable[..., Any]) -> Callable[..., Array]:
    def oracle(
        x: Array,
        axis: int | None = -1,
        keepdims: bool = False,
        *,
        last: bool = False,
        signed: bool = False,
    ) -> Array:
        """The first of equal elements, or the last; if `signed`, -0 is less than 0."""
        if signed and x.dtype.kind == "f":
            x = np.where((x == 0) & np.signbit(x), -np.finfo(x.dtype).tiny, x)
        if not last:
            return np.asarray(function(x, axis=axis, keepdims=keepdims))
        count = x.size if axis is None else x.shape[axis]
        first = function(np.flip(x, axis), axis=axis, keepdims=keepdims)
        return np.asarray(count - 1 - first)

    return oracle


def _scan(function: Callable[..., Any]) -> Callable[..., Array]:
    def oracle(x: Array, axis: int | None = 0) -> Array:
        result: Array = function(*_in_a_row(x, axis))
        return result

    return oracle


def _in_a_row(x: Array, axis: int | None) -> tuple[Array, int]:
    """A tensor and the axis along which it is scanned: all elements in a row if there is none."""
    return (x.reshape(-1), 0) if axis is None else (x, axis)


def terms(x: Array, axis: Axis) -> int:
    """How many elements are reduced to one."""
    if axis is None:
        return x.size
    if isinstance(axis, int):
        return int(x.shape[axis])
    return math.prod(x.shape[number] for number in axis)


def _real(x: Array) -> Array:
    return x if x.dtype.kind == "f" else x.astype(np.longdouble)


def mean(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """The sum divided by the number of elements; NaN of none.

    Shapes: any x; a reduced axis is gone, or has length 1 with `keepdims`.
    """
    total = _SUM(_real(x), axis=axes_of(axis), keepdims=keepdims)
    return np.asarray(total / total.dtype.type(terms(x, axis)))


def var(x: Array, axis: Axis = None, keepdims: bool = False, **_: Any) -> Array:
    """The mean of the squared differences from the mean (ddof 0).

    Shapes: as `mean`.
    """
    real = _real(x)
    return mean(np.square(real - mean(real, axis, True)), axis, keepdims)


def std(x: Array, axis: Axis = None, keepdims: bool = False, **_: Any) -> Array:
    """The square root of `var`.

    Shapes: as `mean`.
    """
    return np.asarray(np.sqrt(var(x, axis, keepdims)))


def logsumexp(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """The logarithm of the sum of the exponentials.

    Shapes: as `mean`.
    """
    where = axes_of(axis)
    top, total = _exponentials(x, where)
    return total + top if keepdims else np.squeeze(total + top, axis=where)


def log_softmax(x: Array, axis: int = -1) -> Array:
    """x less the logarithm of the sum of exponentials along the axis.

    Shapes: any x of rank 1 or more; the result has the shape of x.
    """
    top, total = _exponentials(x, axis)
    return x - top - total


def _exponentials(x: Array, axis: Axes) -> tuple[Array, Array]:
    """The largest element, 0 if it is not finite, and the logarithm of the sum of the exponentials
    of the other elements relative to it; reduced axes have length 1.

    That is log(n) + log1p(sum of the others / n), where n elements are the largest. So the others
    keep their digits, and a result near to zero is as accurate as others: the finite differences
    of gradients take their rounding to be relative to it.
    """
    top = np.asarray(_MAX(x, axis=axis, keepdims=True))
    top = np.where(np.isfinite(top), top, 0)
    largest = x == top
    count = _SUM(largest, axis=axis, keepdims=True, dtype=top.dtype)
    others = _SUM(np.where(largest, 0, np.exp(x - top)), axis=axis, keepdims=True)
    n = np.maximum(count, 1)
    return top, np.where(count, np.log(n) + np.log1p(others / n), np.log(others))


def _bounded_sum(
    model: Arithmetic, x: Array, axis: Axis, keepdims: bool, roundings: int
) -> tuple[Array, Array, Array, Any]:
    """Sum, its bound for terms + `roundings` roundings, the sum of magnitudes and the gamma."""
    where = axes_of(axis)
    n = terms(x, axis)
    value = _SUM(x, axis=where, keepdims=keepdims)
    magnitude = _SUM(finite_magnitude(x), axis=where, keepdims=keepdims)
    factor = allowance(n + roundings, model)
    bound = factor * magnitude + (2 * n * model.underflow if model.flushes else 0)
    return np.asarray(value), np.asarray(bound), np.asarray(magnitude), factor


def _or_exact(bound: Array, magnitude: Array, x: Array, model: Arithmetic) -> Array:
    """The bound of a sum of elements of x, 0 where every order gives the very sum."""
    return np.where(is_exact(magnitude, quantum(x), model), 0.0, bound)


def bounded_sum(model: Arithmetic, x: Array, axis: Axis = None, keepdims: bool = False) -> Bounded:
    """Value and bound of `sum`.

    Shapes: any x; value and bound are without the reduced axes, or have length 1 there with
    `keepdims`.
    """
    real = _real(x)
    value, bound, magnitude, factor = _bounded_sum(model, real, axis, keepdims, 0)
    bound = _or_exact(bound, magnitude, real, model)
    combine = partial(_SUM, axis=axes_of(axis), keepdims=keepdims)
    return value, overflow_risk(
        value, bound, magnitude, factor, model, parts=lambda: _parts(real, combine)
    )


def _parts(x: Array, combine: Callable[[Array], Array]) -> Bounded:
    positive, negative = signed_parts(x)
    return combine(positive), combine(negative)


def bounded_mean(model: Arithmetic, x: Array, axis: Axis = None, keepdims: bool = False) -> Bounded:
    """Value and bound of `mean`; infinite where the sum of magnitudes overflows.

    Shapes: value and bound have the shape of `mean`.
    """
    total, bound, magnitude, factor = _bounded_sum(model, _real(x), axis, keepdims, 2)
    n = total.dtype.type(terms(x, axis))
    risky = magnitude * (1 + factor) >= model.overflow
    bound = bound / n + model.underflow
    return total / n, np.where(risky, np.inf, bound) if risky.any() else bound


def bounded_cumsum(
    model: Arithmetic,
    x: Array,
    axis: int | None = 0,
    *,
    dtype: str | None = None,  # noqa: ARG001 - a rounding of each term is among those that count
) -> Bounded:
    """Value and bound of `cumsum`: each element is a sum of the terms so far.

    Shapes: any x; value and bound have the shape of x, or (elements of x,) without an axis.
    """
    x, axis = _in_a_row(x, axis)
    value = np.add.accumulate(x, axis=axis)
    magnitude = np.add.accumulate(finite_magnitude(x), axis=axis)
    count = _position(x, axis)
    factor = allowance(count, model)
    bound = factor * magnitude + (2 * count * model.underflow if model.flushes else 0)
    bound = _or_exact(bound, magnitude, x, model)
    combine = partial(np.add.accumulate, axis=axis)
    return value, overflow_risk(
        value, bound, magnitude, factor, model, parts=lambda: _parts(x, combine)
    )


def _position(x: Array, axis: int) -> Array:
    """1, 2, 3... along an axis, in a shape that broadcasts with x."""
    shape = [1] * x.ndim
    shape[axis] = x.shape[axis]
    return np.arange(1, x.shape[axis] + 1).reshape(shape)


def _bounded_product(
    model: Arithmetic, x: Array, combine: Callable[[Array], Array], count: Any
) -> Bounded:
    """Value and bound of a product of `count` factors; `combine` multiplies along the axis."""
    value = combine(x)
    size = np.abs(x)
    size = np.where(np.isfinite(size) & (size > 0), size, 1)
    growth, decay = combine(np.maximum(size, 1)), combine(np.minimum(size, 1))
    factor = allowance(count, model)
    finite = np.where(np.isfinite(value), np.abs(value), 0)
    lost = np.where(decay * (1 - factor) <= 2 * model.smallest_normal, growth, 0)
    bound = factor * finite + count * model.underflow * lost
    over = (growth * (1 + factor) >= model.overflow) & ~((decay == 1) & (value != 0))
    vanishing = np.isinf(value) & (lost > 0)  # an underflow to 0 times an infinity
    return value, np.where(over | vanishing, np.inf, bound)


def bounded_prod(
    model: Arithmetic,
    x: Array,
    axis: Axis = None,
    keepdims: bool = False,
    *,
    dtype: str | None = None,
) -> Bounded:
    """Value and bound of `prod`.

    Shapes: value and bound have the shape of `bounded_sum`.
    """
    combine = partial(np.multiply.reduce, axis=axes_of(axis), keepdims=keepdims)
    return _bounded_product(model, _real(x), combine, terms(x, axis) * _roundings(dtype))


def bounded_cumprod(
    model: Arithmetic, x: Array, axis: int | None = 0, *, dtype: str | None = None
) -> Bounded:
    """Value and bound of `cumprod`.

    Shapes: value and bound have the shape of `bounded_cumsum`.
    """
    x, axis = _in_a_row(x, axis)
    combine = partial(np.multiply.accumulate, axis=axis)
    return _bounded_product(model, _real(x), combine, _position(x, axis) * _roundings(dtype))


def _roundings(dtype: str | None) -> int:
    """How many roundings there are for each factor: it may be rounded to the dtype first."""
    return 1 if dtype is None else 2


def bounded_var(
    model: Arithmetic,
    x: Array,
    axis: Axis = None,
    keepdims: bool = False,
    *,
    squares: bool = False,
) -> Bounded:
    """Value and bound of `var` (see the module's derivation), for either way to compute it.

    Shapes: value and bound have the shape of `var`.
    """
    real, n = _real(x), terms(x, axis)
    _, drift = bounded_mean(model, real, axis, keepdims)
    value = var(real, axis, keepdims)
    factor = allowance(n + 5, model)
    bound = factor * (value + drift**2) + drift**2 + 4 * model.underflow
    total = n * (value + drift**2) * (1 + factor)
    certain = value * (1 - factor) >= model.overflow
    risky = (total >= model.overflow) & ~(certain & np.isfinite(drift))
    if squares:
        of_squares = mean(np.square(finite_magnitude(real)), axis, keepdims)
        bound = bound + allowance(3 * n + 4, model) * of_squares
        risky = risky | (n * of_squares >= model.overflow)
    return value, np.where(risky, np.inf, bound) if risky.any() else bound


def bounded_std(
    model: Arithmetic, x: Array, axis: Axis = None, keepdims: bool = False, **how: Any
) -> Bounded:
    """Value and bound of `std` from those of `var`.

    Shapes: value and bound have the shape of `std`.
    """
    square, spread = bounded_var(model, x, axis, keepdims, **how)
    value = np.sqrt(square)
    spread = np.where(square + spread >= model.overflow, np.inf, spread)
    error = np.minimum(spread / np.where(value > 0, value, 1), np.sqrt(spread))
    error = np.where(value > 0, error, np.sqrt(spread))
    return value, error + 4 * model.unit * (value + error)


def logsumexp_summation(
    value: Array, model: Arithmetic, x: Array, axis: Axis = None, **_: Any
) -> Array:
    """The share of the bound of `logsumexp` that n exponentials and their sum add.

    Shapes: value and result have the shape of `logsumexp`.
    """
    return np.full(np.shape(value), allowance(terms(x, axis) + _EXPONENTIAL, model))


ORACLES: Mapping[str, Callable[..., Array]] = {
    "max": _extreme(np.maximum.reduce, np.maximum),
    "min": _extreme(np.minimum.reduce, np.minimum),
    "sum": _reduction(np.add.reduce),
    "prod": _of_dtype(_reduction(np.multiply.reduce)),
    "any": _reduction(np.any),
    "all": _reduction(np.all),
    "argmax": _index(np.argmax),
    "argmin": _index(np.argmin),
    "cumsum": _of_dtype(_scan(np.add.accumulate)),
    "cumprod": _of_dtype(_scan(np.multiply.accumulate)),
    "mean": mean,
    "var": var,
    "std": std,
    "logsumexp": logsumexp,
}

CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "sum": bounded_sum,
    "mean": bounded_mean,
    "cumsum": bounded_cumsum,
    "prod": bounded_prod,
    "cumprod": bounded_cumprod,
    "var": bounded_var,
    "std": bounded_std,
}

SUMMATIONS: Mapping[str, Callable[..., Array]] = {"logsumexp": logsumexp_summation}
