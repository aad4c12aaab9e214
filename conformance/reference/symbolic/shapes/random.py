"""Static shape and dtype of random tensors, and the source of their numbers."""

from __future__ import annotations

from typing import Any

from conformance.reference.symbolic.known_integers import static_integers
from conformance.reference.symbolic.rules import Operand, Result, Shape, broadcast_dimension, rule


class Stream:
    """Where the numbers of one tensor come from: each evaluation goes on where the last ended.

    The same seed is the beginning of the same numbers. Without a seed nothing is repeatable.
    """

    def __init__(self, seed: int | None, follows_numpy_seed: bool = False) -> None:
        self.seed = seed
        self.follows_numpy_seed = follows_numpy_seed
        """Whether numbers without a seed depend on `numpy.random.seed`."""
        self.generator: Any = None
        """Made by the library that computes, with the first numbers that it draws."""


@rule("random_uniform", "random_normal", "truncated_normal", "random_binomial")
def random_tensor(shape: tuple[int, ...], dtype: str, **_: Any) -> Result:
    """The requested shape and dtype."""
    return shape, dtype


@rule("random_flags")
def random_flags(dimensions: Operand, **_: Any) -> Result:
    """A bool tensor whose shape is data."""
    return static_integers(dimensions), "bool"


@rule("random_in_shape")
def random_in_shape(dimensions: Operand, dtype: str, **_: Any) -> Result:
    """A random tensor whose shape is data."""
    return static_integers(dimensions), dtype


@rule("dropout")
def dropout(x: Operand, flags: Operand, **_: Any) -> Result:
    """x.

    Raises:
        ValueError: where the flags do not broadcast to its shape.
    """
    if not fits(flags.shape, x.shape):
        raise ValueError(
            f"dropout: noise_shape {flags.shape} does not broadcast to the shape of {x!r}; "
            "write 1 or the dimension of x for each of its axes"
        )
    return x.shape, x.dtype


def fits(shape: Shape, target: Shape) -> bool:
    """Whether a shape may broadcast to another without changing it."""
    extra = len(target) - len(shape)
    return extra >= 0 and all(_fits(a, b) for a, b in zip(shape, target[extra:], strict=True))


def _fits(a: int | None, b: int | None) -> bool:
    try:
        return b is None or broadcast_dimension(a, b) == b
    except ValueError:
        return False
