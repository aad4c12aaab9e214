"""Random numbers from NumPy's generators, rounded once to their dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.reference.numpy_library.kernels import KERNELS, kernel, widened
from conformance.reference.symbolic.shapes.random import Stream

Array = npt.NDArray[Any]

TRUNCATION = 2.0
"""Standard deviations from the mean beyond which numbers are drawn again (ko-2.2:3491)."""


def _entropy(stream: Stream) -> Any:
    if stream.seed is not None:
        return abs(stream.seed), int(stream.seed < 0)  # NumPy's seeds are not negative
    return np.random.randint(0, 2**31) if stream.follows_numpy_seed else None


def _generator(stream: Stream) -> np.random.Generator:
    if stream.generator is None:
        entropy = _entropy(stream)
        stream.generator = np.random.default_rng(entropy)
    generator: np.random.Generator = stream.generator
    return generator


@kernel
def random_uniform(
    shape: tuple[int, ...], dtype: str, low: float, high: float, stream: Stream
) -> Any:
    """Numbers from `low` up to, but without, `high`; `low` if both are the same."""
    generator = _generator(stream)
    if not dtype.startswith("float"):
        return generator.integers(int(low), int(max(high, low + 1)), shape, np.dtype(dtype))
    numbers = (low + (high - low) * generator.random(shape)).astype(dtype)
    # rounding to the dtype may give the bound itself
    last = np.nextafter(np.asarray(high, dtype), np.asarray(low, dtype))
    return np.minimum(numbers, last)


@kernel
def random_normal(
    shape: tuple[int, ...], dtype: str, mean: float, stddev: float, stream: Stream
) -> Any:
    """Normal numbers."""
    return (mean + stddev * _generator(stream).standard_normal(shape)).astype(dtype)


@kernel
def truncated_normal(
    shape: tuple[int, ...], dtype: str, mean: float, stddev: float, stream: Stream
) -> Any:
    """Normal numbers; those that lie too far out are drawn again until none does."""
    generator = _generator(stream)
    numbers = np.asarray(generator.standard_normal(shape))
    while (outside := np.abs(numbers) > TRUNCATION).any():
        numbers[outside] = generator.standard_normal(np.count_nonzero(outside))
    return (mean + stddev * numbers).astype(dtype)


@kernel
def random_binomial(shape: tuple[int, ...], dtype: str, p: float, stream: Stream) -> Any:
    """1 with probability p, else 0."""
    return (_generator(stream).random(shape) < p).astype(dtype)


@kernel
def random_flags(dimensions: Array, p: float, stream: Stream) -> Any:
    """True with probability p."""
    return _generator(stream).random(tuple(dimensions.tolist())) < p


@widened
def _scaled(x: Array, level: float) -> Any:
    return x / (1 - level)


@kernel
def dropout(x: Array, flags: Array, level: float) -> Any:
    """x / (1 - level) where the flag says so, else 0, also for infinite x.

    ValueError if the flags do not broadcast to the shape of x.
    """
    mask = np.broadcast_to(flags, x.shape)
    return np.where(mask, _scaled(x, level=level), x.dtype.type(0))


@kernel
def random_in_shape(dimensions: Array, of: str, **attributes: Any) -> Any:
    """The numbers of another operation, in a shape that is data."""
    return KERNELS[of](shape=tuple(dimensions.tolist()), **attributes)
