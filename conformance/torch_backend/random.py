"""Random numbers from PyTorch's generators, one for each random tensor of the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from conformance.torch_backend.kernels import KERNELS, Tensor, dtype_of, kernel, widened

if TYPE_CHECKING:
    from conformance.reference.symbolic.shapes.random import Stream

TRUNCATION = 2.0
"""Standard deviations from the mean beyond which numbers are drawn again (ko-2.2:3491)."""


def _generator(stream: Stream) -> Any:
    """The generator of a stream, made and seeded at its first use."""
    if stream.generator is None:
        stream.generator = torch.Generator()
        if stream.seed is not None:
            stream.generator.manual_seed(stream.seed % 2**64)
        elif stream.follows_numpy_seed:
            stream.generator.manual_seed(int(np.random.randint(0, 2**31)))
        else:
            stream.generator.seed()
    return stream.generator


def _uniform(shape: tuple[int, ...], stream: Stream) -> Tensor:
    return torch.rand(shape, generator=_generator(stream), dtype=torch.float64)


def _normal(shape: tuple[int, ...], stream: Stream) -> Tensor:
    return torch.randn(shape, generator=_generator(stream), dtype=torch.float64)


@kernel
def random_uniform(
    shape: tuple[int, ...], dtype: str, low: float, high: float, stream: Stream
) -> Tensor:
    """Numbers from `low` up to, but without, `high`; `low` if both are the same."""
    if not dtype.startswith("float"):
        end = max(int(high), int(low) + 1)
        drawn = torch.randint(int(low), end, shape, generator=_generator(stream))
        return drawn.to(dtype_of(dtype))
    numbers = (low + (high - low) * _uniform(shape, stream)).to(dtype_of(dtype))
    # rounding to the dtype may give the bound itself
    last = np.nextafter(np.asarray(high, dtype), np.asarray(low, dtype))
    return numbers.clamp(max=float(last))


@kernel
def random_normal(
    shape: tuple[int, ...], dtype: str, mean: float, stddev: float, stream: Stream
) -> Tensor:
    """Normal numbers."""
    return (mean + stddev * _normal(shape, stream)).to(dtype_of(dtype))


@kernel
def truncated_normal(
    shape: tuple[int, ...], dtype: str, mean: float, stddev: float, stream: Stream
) -> Tensor:
    """Normal numbers; those that lie too far out are drawn again until none does."""
    numbers = _normal(shape, stream)
    while (outside := numbers.abs() > TRUNCATION).any():
        numbers[outside] = _normal((int(outside.sum()),), stream)
    return (mean + stddev * numbers).to(dtype_of(dtype))


@kernel
def random_binomial(shape: tuple[int, ...], dtype: str, p: float, stream: Stream) -> Tensor:
    """1 with probability p, else 0."""
    return (_uniform(shape, stream) < p).to(dtype_of(dtype))


@kernel
def random_flags(dimensions: Tensor, p: float, stream: Stream) -> Tensor:
    """True with probability p."""
    return _uniform(tuple(dimensions.tolist()), stream) < p


@widened
def _scaled(x: Tensor, level: float) -> Tensor:
    return x / (1 - level)


@kernel
def dropout(x: Tensor, flags: Tensor, level: float) -> Tensor:
    """x / (1 - level) where the flag says so, else 0, also for infinite x.

    ValueError if the flags do not broadcast to the shape of x.
    """
    return torch.where(flags.expand(x.shape), _scaled(x, level=level), 0)


@kernel
def random_in_shape(dimensions: Tensor, of: str, **attributes: Any) -> Tensor:
    """The numbers of another operation, in a shape that is data."""
    return KERNELS[of](shape=tuple(dimensions.tolist()), **attributes)
