"""Random variables and tensors, and dropout.

A seed gives the same numbers for every new tensor that is made with it; each evaluation of one
tensor draws new ones. Without a seed the numbers cannot be repeated.
The dtype None is floatx. A shape is a tuple of integers.
"""

from __future__ import annotations

import math
from typing import Any

from conformance.reference.edition import documented
from conformance.reference.symbolic.arguments import (
    integer,
    integer_vector,
    number,
    static_shape,
    tensor,
)
from conformance.reference.symbolic.backend import active
from conformance.reference.symbolic.graph import Tensor, Variable, apply, floating
from conformance.reference.symbolic.rules import FLOATS, dtype_name
from conformance.reference.symbolic.shapes.random import Stream


def _stream(seed: Any, where: str) -> Stream:
    return Stream(
        None if seed is None else integer(seed, where, "seed"), active().follows_numpy_seed
    )


def _finite(value: Any, where: str, what: str) -> int | float:
    real = number(value, where, what)
    if not math.isfinite(real):
        raise ValueError(f"{where}: {what} is {real}; write a finite number")
    return real


def _asked(shape: Any, dtype: Any, seed: Any, where: str) -> dict[str, Any]:
    """The attributes that every random tensor has."""
    return {
        "shape": static_shape(shape, where),
        "dtype": dtype_name(dtype, active().settings.floatx, where),
        "stream": _stream(seed, where),
    }


def _bounds(low: Any, high: Any, dtype: str, where: str, names: tuple[str, str]) -> dict[str, Any]:
    ends = [_finite(value, where, what) for value, what in zip((low, high), names, strict=True)]
    if ends[1] < ends[0]:
        raise ValueError(f"{where}: {names[1]} {ends[1]} is below {names[0]} {ends[0]}; swap them")
    if dtype in FLOATS:
        return {"low": ends[0], "high": ends[1]}
    if dtype == "bool" or any(value != int(value) for value in ends):
        raise ValueError(f"{where}: {names} are {ends} but dtype is {dtype}; write 'float32'")
    return {"low": int(ends[0]), "high": int(ends[1])}


def _moments(
    mean: Any, spread: Any, dtype: str, where: str, what: str = "stddev"
) -> dict[str, Any]:
    deviation = _finite(spread, where, what)
    if deviation < 0:
        raise ValueError(f"{where}: {what} is {deviation}; write a number from 0 up")
    if dtype not in FLOATS:
        raise ValueError(f"{where}: dtype is {dtype}; write one of {', '.join(FLOATS)}")
    return {"mean": _finite(mean, where, "mean"), "stddev": deviation}


def _drawn(operation: str, name: str | None, **attributes: Any) -> Variable:
    """A variable that starts with random numbers."""
    value = active().library.kernel(operation, attributes)()
    return Variable(value, attributes["dtype"], name)


@documented(
    "ja-2.0:816 random_uniform_variable(shape, low, high, dtype=None, name=None, seed=None)",
    "ko-2.2:746 random_uniform_variable(shape, low, high, dtype=None, name=None, seed=None)",
)
def random_uniform_variable(  # noqa: PLR0917 - as documented
    shape: Any,
    low: float,
    high: float,
    dtype: str | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Variable:
    """A variable with numbers from `low` up to, but without, `high`.

    ValueError if `high` is below `low`, or for fractions in an integer dtype.
    """
    where = "random_uniform_variable"
    asked = _asked(shape, dtype, seed, where)
    bounds = _bounds(low, high, asked["dtype"], where, ("low", "high"))
    return _drawn("random_uniform", name, **asked, **bounds)


@documented(
    "ja-2.0:852 random_normal_variable(shape, mean, scale, dtype=None, name=None, seed=None)",
    "ko-2.2:783 random_normal_variable(shape, mean, scale, dtype=None, name=None, seed=None)",
)
def random_normal_variable(  # noqa: PLR0917 - as documented
    shape: Any,
    mean: float,
    scale: float,
    dtype: str | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Variable:
    """A variable with normal numbers of that mean and standard deviation `scale`.

    ValueError for a negative scale, and for a dtype that is not a float.
    """
    where = "random_normal_variable"
    asked = _asked(shape, dtype, seed, where)
    moments = _moments(mean, scale, asked["dtype"], where, "scale")
    return _drawn("random_normal", name, **asked, **moments)


@documented(
    "ja-2.0:3181 random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None)",
    "ko-2.2:3412 random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None)",
)
def random_normal(
    shape: Any,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: str | None = None,
    seed: int | None = None,
) -> Tensor:
    """Normal numbers.

    Raises:
        ValueError: a negative stddev, and for a dtype that is not a float.
    """
    asked = _asked(shape, dtype, seed, "random_normal")
    moments = _moments(mean, stddev, asked["dtype"], "random_normal")
    return apply("random_normal", **asked, **moments)


@documented(
    "ja-2.0:3203 random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None)",
    "ko-2.2:3437 random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None)",
)
def random_uniform(
    shape: Any,
    minval: float = 0.0,
    maxval: float = 1.0,
    dtype: str | None = None,
    seed: int | None = None,
) -> Tensor:
    """Numbers from `minval` up to, but without, `maxval`.

    ValueError if `maxval` is below `minval`, or for fractions in an integer dtype.
    """
    asked = _asked(shape, dtype, seed, "random_uniform")
    names = ("minval", "maxval")
    bounds = _bounds(minval, maxval, asked["dtype"], "random_uniform", names)
    return apply("random_uniform", **asked, **bounds)


@documented(
    "ja-2.0:3225 random_binomial(shape, p=0.0, dtype=None, seed=None)",
    "ko-2.2:3461 random_binomial(shape, p=0.0, dtype=None, seed=None)",
)
def random_binomial(
    shape: Any, p: float = 0.0, dtype: str | None = None, seed: int | None = None
) -> Tensor:
    """1 with probability p, else 0.

    Raises:
        ValueError: p is not from 0 to 1 (ko-2.2:3470).
    """
    asked = _asked(shape, dtype, seed, "random_binomial")
    probability = number(p, "random_binomial", "p")
    if not 0 <= probability <= 1:
        raise ValueError(f"random_binomial: p is {probability}; write a number from 0 to 1")
    return apply("random_binomial", **asked, p=probability)


@documented(
    "ja-2.0:3246 truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None)",
    "ko-2.2:3484 truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None)",
)
def truncated_normal(
    shape: Any,
    mean: float = 0.0,
    stddev: float = 1.0,
    dtype: str | None = None,
    seed: int | None = None,
) -> Tensor:
    """Normal numbers; those beyond two standard deviations are drawn again (ko-2.2:3491).

    ValueError for a negative stddev, and for a dtype that is not a float.
    """
    asked = _asked(shape, dtype, seed, "truncated_normal")
    moments = _moments(mean, stddev, asked["dtype"], "truncated_normal")
    return apply("truncated_normal", **asked, **moments)


@documented(
    "ja-1:1369 dropout(x, level, seed=None)",
    "ja-2.0:2907 dropout(x, level, noise_shape=None, seed=None)",
    "ko-2.2:3000 dropout(x, level, noise_shape=None, seed=None)",
)
def dropout(x: Tensor, level: float, noise_shape: Any = None, seed: int | None = None) -> Tensor:
    """Each element 0 with probability `level`, else divided by 1 - level.

    Shape and dtype of x, but integers and bool are computed in floatx. With `noise_shape` (2.x)
    the elements that share one of the flags of that shape are dropped together.

    Raises:
        ValueError: level is not from 0 to less than 1, or the flags do not broadcast to the shape
            of x (ko-2.2:3011).
    """
    x = floating(tensor(x, "dropout"))
    share = number(level, "dropout", "level")
    if not 0 <= share < 1:
        raise ValueError(f"dropout: level is {share}; write a number from 0 to less than 1")
    flags = _flags(x, share, noise_shape, _stream(seed, "dropout"))
    return apply("dropout", x, flags, level=share)


def _flags(x: Tensor, level: float, noise_shape: Any, stream: Stream) -> Tensor:
    """The share that is kept. A node of its own: gradients meet the same flags."""
    if noise_shape is None:
        dimensions = apply("shape", x)
    else:
        dimensions = integer_vector(noise_shape, "dropout", "noise_shape")
    return apply("random_flags", dimensions, p=1 - level, stream=stream)
