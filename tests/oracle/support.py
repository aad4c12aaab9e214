"""What the oracle's tests share: the specs' own accuracies, draws, and sums in a dtype."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from conformance.oracle import Expectation, agrees, expect
from conformance.oracle.expectation import Array
from conformance.specs import load

DTYPES = ("float16", "float32", "float64")


def ask(
    function: str, dtype: str | None = None, *, flush: bool = False, **arguments: Any
) -> Expectation:
    """`expect` with the spec's accuracy; the dtype is that of the first array if not given."""
    if dtype is None:
        dtype = next(a.dtype.name for a in arguments.values() if isinstance(a, np.ndarray))
    accuracy = load()[function].accuracy
    assert accuracy is not None
    return expect(function, arguments, dtype, accuracy, flush_subnormals=flush)


def allowed(function: str, got: Any, **arguments: Any) -> bool:
    """Whether all of `got` is within the bounds."""
    return bool(agrees(np.asarray(got), ask(function, **arguments)).all())


def draws(dtype: str, shape: tuple[int, ...], count: int, seed: int = 0) -> Iterator[Array]:
    """Arrays of many kinds: normal, wide in exponent, integers, nearly constant, cancelling."""
    random = np.random.default_rng(seed)
    for number in range(count):
        x = random.normal(size=shape)
        kind = number % 5
        if kind == 1:
            x *= 2.0 ** random.integers(-8, 8, size=shape)
        elif kind == 2:
            x = random.integers(-4, 5, size=shape).astype(np.float64)
        elif kind == 3:
            x = 3 + x / 512
        elif kind == 4:
            x[..., 1::2] = -x[..., 0::2][..., : x[..., 1::2].shape[-1]] * (1 + 2.0**-9)
        yield x.astype(dtype)


def extremes(dtype: str, length: int, count: int) -> Iterator[tuple[Array, Array]]:
    """Pairs of vectors from below the smallest subnormal to above the largest number."""
    random = np.random.default_rng(length)
    info = np.finfo(dtype)
    for number in range(count):
        scale = np.longdouble(2) ** random.uniform(info.minexp - 8, info.maxexp + 0.5)
        x = random.normal(size=length) * scale
        x = np.abs(x) if number % 3 == 0 else x
        x[0] = 0 if number % 5 == 0 else x[0]
        sign = random.choice([1, -1], size=length)
        spread = random.uniform(info.minexp - 5, info.maxexp, size=length).astype(np.longdouble)
        yield x.astype(dtype), (sign * np.exp2(spread)).astype(dtype)


def in_order(x: Array) -> Any:
    """The sum of a vector, one element after the other, in its own dtype."""
    total = x.dtype.type(0)
    for term in x:
        total = x.dtype.type(total + term)
    return total


def in_pairs(x: Array) -> Any:
    """The sum of a vector by halves, in its own dtype."""
    if len(x) <= 1:
        return x[0] if len(x) else x.dtype.type(0)
    half = len(x) // 2
    return x.dtype.type(in_pairs(x[:half]) + in_pairs(x[half:]))


def in_float64(x: Array) -> Any:
    """The sum of a vector in float64, rounded once at the end."""
    return x.dtype.type(np.sum(x.astype(np.float64)))


SUMS = {
    "forwards": in_order,
    "backwards": lambda x: in_order(x[::-1]),
    "pairwise": in_pairs,
    "by magnitude": lambda x: in_order(x[np.argsort(np.abs(x))]),
    "longer": in_float64,
}
