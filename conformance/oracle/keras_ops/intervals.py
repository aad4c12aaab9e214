"""Numbers on a line: rounded to decimals, between two ends, and close to each other.

Bounds (u the unit roundoff):

* linspace: an implementation adds i steps to start, or weighs both ends, or counts the second half
  back from stop. All stay within gamma_6 of |start| + i |step|. In the second half the bound is of
  |stop| + (n - i) |step| if that is more. One rounding is that of an end to the result's dtype.
* logspace: an exponent is off by 5 u (|start| + |stop|). The power is off by log(base) times
  that, and 16 ULP, as OpenCL allows pow. geomspace: the same of the logarithms, each within 4 ULP.
* round: a product with a power of ten, an integer, and a quotient, each rounded once: gamma_3 of
  the value. Where that product is within a rounding of half-way, and inexact, both neighbours are
  right: the bound is a whole unit of the last decimal.

Source: the docstrings of `keras.ops` for the values, Higham 2002, section 3.1, for gamma.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.dtypes import limits, rounded
from conformance.oracle.expectation import Array
from conformance.oracle.rounding import WIDE, Arithmetic, allowance, finite_magnitude

Bounded = tuple[Array, Array]


def round_to(x: Array, decimals: int = 0) -> Array:
    """The nearest number of so many decimals; half-way cases to the even one.

    Shapes: any x; the result has the shape of x.
    """
    if x.dtype.kind != "f":
        return x if decimals >= 0 else _whole(x, 10**-decimals)
    scaled, scale = _scaled(x, decimals)
    nearest = np.rint(scaled)
    return np.asarray(nearest / scale if decimals > 0 else nearest * scale)


def _whole(x: Array, step: int) -> Array:
    """The nearest multiple of an integer; half-way cases to the even one."""
    below = np.floor_divide(x, step)
    twice = 2 * (x - below * step)
    up = (twice > step) | ((twice == step) & (below % 2 == 1))
    return np.asarray((below + up) * step)


def _scaled(x: Array, decimals: int) -> tuple[Array, Array]:
    """The numbers of which the nearest integers are taken, and the power of ten between them."""
    scale = x.dtype.type(10 ** abs(decimals))
    return np.asarray(x * scale if decimals > 0 else x / scale), scale


def bounded_round(model: Arithmetic, x: Array, decimals: int = 0) -> Bounded:
    """Value and bound of `round_to`; infinite where the product overflows.

    Shapes: any x; value and bound have the shape of x.
    """
    value = round_to(x, decimals)
    if decimals == 0 or x.dtype.kind != "f":
        return value, np.zeros(value.shape)
    scaled, scale = _scaled(x, decimals)
    size = np.abs(np.where(np.isfinite(scaled), scaled, 0))
    off = np.abs(size - np.floor(size) - 0.5)
    exact = (decimals > 0) & (np.asarray(rounded(scaled, model.dtype)) == scaled)
    near = (off <= allowance(1, model) * size) & ~(exact & (off == 0))
    unit = 1 / scale if decimals > 0 else scale
    finite = np.abs(np.where(np.isfinite(value), value, 0))
    bound = allowance(3, model) * finite + np.where(near, unit, 0) + model.underflow
    risky = np.isfinite(x) & (np.abs(scaled) * (1 + model.unit) >= model.overflow)
    return value, np.where(risky, np.inf, bound)


def _ends(start: Any, stop: Any) -> tuple[Array, Array]:
    ends = np.broadcast_arrays(np.asarray(start, np.longdouble), np.asarray(stop, np.longdouble))
    return ends[0], ends[1]


def _computed(model: Arithmetic, *ends: Any) -> Arithmetic:
    """The arithmetic in which samples of float64 may be computed: that of float32 between tensors
    of it, because a docstring has the dtype of the output alone."""
    narrow = any(isinstance(end, np.ndarray) and end.dtype == WIDE["float32"] for end in ends)
    if model.dtype != "float64" or not narrow:
        return model
    return replace(model, unit=float(limits("float32").eps) / 2)


def _along(samples: Array, axis: int) -> Array:
    return np.moveaxis(samples, 0, axis)


def step_of(start: Any, stop: Any, num: int = 50, endpoint: bool = True, **_: Any) -> Array:
    """From each sample to the next."""
    first, last = _ends(start, stop)
    return np.asarray((last - first) / (num - endpoint))


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, axis: int = 0, **_: Any
) -> Array:
    """`num` numbers from start to stop, or to one step before it."""
    first, last = _ends(start, stop)
    steps = max(num - endpoint, 1)
    places = np.arange(num).reshape(-1, *[1] * first.ndim)
    return _along(first + places * ((last - first) / steps), axis)


def bounded_linspace(  # noqa: PLR0917 - as documented
    model: Arithmetic,
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    axis: int = 0,
    **_: Any,
) -> Bounded:
    """Value and bound of `linspace`; infinite where the difference of the ends overflows."""
    model = _computed(model, start, stop)
    first, last = (finite_magnitude(end) for end in _ends(start, stop))
    value, steps = linspace(start, stop, num, endpoint, axis), max(num - endpoint, 1)
    step = finite_magnitude(np.subtract(*_ends(start, stop)) / steps)
    places = np.arange(num).reshape(-1, *[1] * first.ndim)
    ahead, back = first + places * step, last + (steps - places) * step
    size = _along(np.where(2 * places < steps, ahead, np.maximum(ahead, back)), axis)
    bound = allowance(6, model) * size + model.underflow
    risky = _along(np.broadcast_to(first + last, ahead.shape), axis) >= model.overflow
    return value, np.where(risky, np.inf, bound)


def bounded_step(model: Arithmetic, start: Any, stop: Any, **how: Any) -> Bounded:
    """Value and bound of the step of `linspace`: two roundings, and one of each end."""
    model = _computed(model, start, stop)
    first, last = (finite_magnitude(end) for end in _ends(start, stop))
    value, size = step_of(start, stop, **how), first + last
    bound = allowance(3, model) * size + model.underflow
    return value, np.where(size >= model.overflow, np.inf, bound)


def logspace(start: Any, stop: Any, num: int = 50, base: Any = 10, **how: Any) -> Array:
    """Powers of the base, whose exponents are those of `linspace`."""
    return np.asarray(np.power(np.longdouble(base), linspace(start, stop, num, **how)))


def _of_exponents(model: Arithmetic, value: Array, reach: Any, ends: int, axis: int) -> Bounded:
    """A power and its bound, of exponents to the base e that reach so far, with so many roundings
    on the way to them."""
    share = allowance(ends * np.asarray(reach) + 32, model)
    shares = _along(np.broadcast_to(share, (value.shape[axis], *np.shape(share))), axis)
    bound = shares * finite_magnitude(value) + model.underflow
    return value, np.where(np.isfinite(bound), bound, np.inf)


def bounded_logspace(  # noqa: PLR0917 - as documented
    model: Arithmetic,
    start: Any,
    stop: Any,
    num: int = 50,
    base: Any = 10,
    axis: int = 0,
    **how: Any,
) -> Bounded:
    """Value and bound of `logspace`."""
    model = _computed(model, start, stop)
    value = logspace(start, stop, num, base, axis=axis, **how)
    reach = sum(finite_magnitude(end) for end in _ends(start, stop))
    return _of_exponents(model, value, reach * np.log(np.longdouble(base)), 5, axis)


def geomspace(start: Any, stop: Any, num: int = 50, **how: Any) -> Array:
    """Numbers whose logarithms are those of `linspace`."""
    first, last = map(np.log, _ends(start, stop))
    return np.asarray(np.exp(linspace(first, last, num, **how)))


def bounded_geomspace(
    model: Arithmetic, start: Any, stop: Any, num: int = 50, axis: int = 0, **how: Any
) -> Bounded:
    """Value and bound of `geomspace`; infinite where the result's dtype does not hold an end."""
    result, model = model, _computed(model, start, stop)
    value = geomspace(start, stop, num, axis=axis, **how)
    ends = _ends(start, stop)
    reach = sum(finite_magnitude(np.log(end)) for end in ends)
    value, bound = _of_exponents(model, value, reach, 13, axis)
    sizes = np.abs(np.broadcast_arrays(*ends))
    lost = ((sizes < result.smallest_normal) | (sizes >= result.overflow)).any(0)
    return value, np.where(_along(np.broadcast_to(lost, (num, *lost.shape)), axis), np.inf, bound)


ORACLES: Mapping[str, Callable[..., Array]] = {
    "round to decimals": round_to,
    "linspace.samples": linspace,
    "linspace.step": step_of,
    "logspace": logspace,
    "geomspace": geomspace,
}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "round to decimals": bounded_round,
    "linspace.samples": bounded_linspace,
    "linspace.step": bounded_step,
    "logspace": bounded_logspace,
    "geomspace": bounded_geomspace,
}
