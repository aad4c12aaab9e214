"""Shapes of operations with padding and with labels."""

from __future__ import annotations

from conformance.reference.symbolic.rules import Operand, Result, rule, same_dimension

Widths = tuple[tuple[int, int], ...]


@rule("alike")
def alike(x: Operand, *others: Operand) -> Result:
    """x, where all have one shape: a dimension is known if one of them knows it."""
    shape = list(x.shape)
    for other in others:
        if len(other.shape) != len(shape):
            raise ValueError(f"{x!r} and {other!r} differ in rank")
        for axis, dimension in enumerate(other.shape):
            what = f"axis {axis} of {x!r} and {other!r}"
            shape[axis] = same_dimension(shape[axis], dimension, what)
    return tuple(shape), x.dtype


@rule("pad")
def pad(x: Operand, widths: Widths) -> Result:
    """Every axis longer by what is added before and after it."""
    pairs = zip(x.shape, widths, strict=True)
    return tuple(None if n is None else n + a + b for n, (a, b) in pairs), x.dtype


@rule("take_class")
def take_class(x: Operand, labels: Operand, axis: int) -> Result:
    """The elements of x at the labels: x without the axis of the classes."""
    rest = [*x.shape[:axis], *x.shape[axis + 1 :]]
    if len(labels.shape) != len(rest):
        raise ValueError(f"labels {labels!r} need rank {len(rest)} for classes on axis {axis}")
    what = f"labels {labels!r} beside {x!r}"
    pairs = zip(rest, labels.shape, strict=True)
    return tuple(same_dimension(a, b, what) for a, b in pairs), x.dtype


@rule("place_class")
def place_class(upstream: Operand, x: Operand, labels: Operand, axis: int) -> Result:
    """Zeros in the shape of x, but for the elements at the labels."""
    del labels, axis
    return x.shape, upstream.dtype


@rule("in_top_k")
def in_top_k(predictions: Operand, targets: Operand, k: int) -> Result:
    """One truth value for each row."""
    del k
    if len(predictions.shape) != 2 or len(targets.shape) != 1:
        raise ValueError(
            f"in_top_k: {predictions!r} must be (batch, classes) and {targets!r} (batch,)"
        )
    what = f"in_top_k: rows of {predictions!r} and {targets!r}"
    return (same_dimension(predictions.shape[0], targets.shape[0], what),), "bool"
