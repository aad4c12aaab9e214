"""Static shape and dtype of random tensors, and the source of their numbers."""

from __future__ import annotations

from typing import Any

from conformance.reference.known_integers import static_integers
from conformance.reference.rules import Operand, Result, Shape, broadcast_dimension, rule


class Stream:
    """Where the numbers of one tensor come from: each evaluation goes on where the last ended.

    The same seed is the beginning of the same numbers. Without a seed nothing is repeatable.
    """

    def __init__(self, seed: int | None) -> None:
        self.seed = seed
        self.generator: Any = None
        """Made by the library that computes, with the first numbers that it draws."""


class _Unseeded:
    global_state = False


def follow_global_state() -> None:
    """Let numbers without a seed depend on the state of `numpy.random`, as Keras expects."""
    _Unseeded.global_state = True


def follows_global_state() -> bool:
    """Whether numbers without a seed depend on `numpy.random.seed`."""
    return _Unseeded.global_state


@rule("random_uniform", "random_normal", "truncated_normal", "random_binomial")
def random_tensor(shape: tuple[int, ...], dtype: str, **_: Any) -> Result:
    """The shape and dtype that were asked for."""
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
    """x; ValueError where the flags do not broadcast to its shape."""
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
