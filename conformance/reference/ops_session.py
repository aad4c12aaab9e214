"""Operations with an effect besides their result, on NumPy arrays."""

from __future__ import annotations

from conformance.reference.ops_numpy import Array, kernel


@kernel
def print_tensor(x: Array, message: str) -> Array:
    """x itself, after the message and all its elements have been printed."""
    print(f"{message}{x!r}")
    return x
