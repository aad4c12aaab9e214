"""Quotients without a fraction, and the remainders that they leave.

Bounds (u the unit roundoff):

* floor_divide: an implementation takes the floor of a rounded quotient q, or divides what is left
  after the remainder. Where q lies within 2 u |q| below an integer, that integer is also right.
  From 1 / (4 u) on, the quotient has no fraction, and 4 u |q| bound its roundings.
* mod: an implementation corrects the sign of the remainder that C's fmod gives, which is exact, or
  subtracts a multiple of y from x. Four roundings of |x| + |y| bound both. A remainder so close to
  0 or to y may be on either side: the bound is |y| then, unless x is a multiple of y.
* Both need a quotient. Where it overflows, nothing is known.
* fmod is exact: its result has no more digits than x and y.

Source: the docstrings of `keras.ops`. That of `fmod` says which sign `mod` has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic, allowance

Bounded = tuple[Array, Array]


def floor_divide(x: Array, y: Array) -> Array:
    """The largest integer that is not greater than x / y.

    Shapes: x and y broadcast; the result has their common shape.
    Source: the docstring of `keras.ops.floor_divide`.
    """
    return np.asarray(np.floor_divide(x, y))


def mod(x: Array, y: Array) -> Array:
    """The remainder of x / y that has the sign of y.

    Shapes: x and y broadcast; the result has their common shape.
    Source: the docstrings of `keras.ops.mod` and `keras.ops.fmod`.
    """
    return np.asarray(np.mod(x, y))


def fmod(x: Array, y: Array) -> Array:
    """The remainder of x / y that has the sign of x.

    Shapes: x and y broadcast; the result has their common shape.
    Source: the docstring of `keras.ops.fmod`, and fmod of the C standard.
    """
    return np.asarray(np.fmod(x, y))


def bounded_floor_divide(model: Arithmetic, x: Array, y: Array) -> Bounded:
    """Value and bound of `floor_divide`; infinite where x, y or the quotient is not finite.

    Shapes: x and y broadcast; value and bound have their common shape.
    Source: IEEE 754, of which each operation is one rounding.
    """
    value = floor_divide(x, y)
    quotient = np.asarray(x / y)
    slack = 2 * model.unit * np.abs(quotient)
    above = np.ceil(quotient) - quotient
    near = (np.fmod(x, y) != 0) & (above <= slack)
    bound = np.where(slack >= 0.5, 2 * slack, np.where(near, 1.0, 0.0))
    return value, np.where(_finite(model, x, y), bound, np.inf)


def bounded_mod(model: Arithmetic, x: Array, y: Array) -> Bounded:
    """Value and bound of `mod`; infinite where x, y or the quotient is not finite.

    Shapes: x and y broadcast; value and bound have their common shape.
    Source: IEEE 754, of which each operation is one rounding.
    """
    value = mod(x, y)
    bound = allowance(4, model) * (np.abs(x) + np.abs(y)) + 2 * model.underflow
    closest = np.minimum(np.abs(value), np.abs(y - value))
    either_side = (np.fmod(x, y) != 0) & (closest <= bound)
    bound = np.where(either_side, np.abs(y) + bound, bound)
    return value, np.where(_finite(model, x, y), bound, np.inf)


def _finite(model: Arithmetic, x: Array, y: Array) -> Array:
    return np.asarray(np.isfinite(y) & (np.abs(x / y) <= model.largest))


ORACLES: Mapping[str, Callable[..., Array]] = {
    "floor_divide": floor_divide,
    "mod": mod,
    "fmod": fmod,
}
CONTRACTIONS = {"floor_divide": bounded_floor_divide, "mod": bounded_mod}
