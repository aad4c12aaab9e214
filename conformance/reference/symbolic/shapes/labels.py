"""Shapes of operations with padding and with labels."""

from __future__ import annotations

from typing import Any

from conformance.reference.symbolic.rules import Operand, Result, rule, same_dimension

Widths = tuple[tuple[int, int], ...]


@rule("alike")
def alike(x: Operand, *others: Operand) -> Result:
    """x, where all have one shape: a dimension is known if one of them knows it.

    Raises:
        ValueError: another rank, or other dimensions.
    """
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
    """Every axis longer by the elements added before and after it."""
    pairs = zip(x.shape, widths, strict=True)
    return tuple(None if n is None else n + a + b for n, (a, b) in pairs), x.dtype


@rule("take_class")
def take_class(x: Operand, labels: Operand, axis: int) -> Result:
    """The elements of x at the labels: x without the axis of the classes.

    Raises:
        ValueError: the labels have another rank.
    """
    rest = [*x.shape[:axis], *x.shape[axis + 1 :]]
    if len(labels.shape) != len(rest):
        raise ValueError(f"labels {labels!r} need rank {len(rest)} for classes on axis {axis}")
    what = f"labels {labels!r} beside {x!r}"
    pairs = zip(rest, labels.shape, strict=True)
    return tuple(same_dimension(a, b, what) for a, b in pairs), x.dtype


@rule("place_class")
def place_class(upstream: Operand, x: Operand, labels: Operand, axis: int) -> Result:
    """Zeros in the shape of x, except for the elements at the labels."""
    del labels, axis
    return x.shape, upstream.dtype


@rule("in_top_k")
def in_top_k(predictions: Operand, targets: Operand, k: int) -> Result:
    """One truth value for each row.

    Raises:
        ValueError: the ranks are not 2 and 1.
    """
    del k
    if len(predictions.shape) != 2 or len(targets.shape) != 1:
        raise ValueError(
            f"in_top_k: {predictions!r} must be (batch, classes) and {targets!r} (batch,)"
        )
    what = f"in_top_k: rows of {predictions!r} and {targets!r}"
    return (same_dimension(predictions.shape[0], targets.shape[0], what),), "bool"


@rule("ctc_cost")
def cost(y_pred: Operand, y_true: Operand, input_length: Operand, label_length: Operand) -> Result:
    """One loss for each sample: (samples, 1)."""
    samples = y_pred.shape[0]
    for other in (y_true, input_length, label_length):
        samples = same_dimension(samples, other.shape[0], f"samples of {y_pred!r} and {other!r}")
    return (samples, 1), y_pred.dtype


@rule("ctc_cost_gradient")
def cost_gradient(_: Operand, y_pred: Operand, *__: Operand) -> Result:
    """The shape of y_pred."""
    return y_pred.shape, y_pred.dtype


@rule("label_to_sparse")
def label_to_sparse(labels: Operand, lengths: Operand) -> Result:
    """The shape of the labels."""
    samples = same_dimension(
        labels.shape[0], lengths.shape[0], f"samples of {labels!r} and {lengths!r}"
    )
    return (samples, *labels.shape[1:]), labels.dtype


@rule("ctc_best_labels")
def best_labels(y_pred: Operand, _: Operand) -> Result:
    """As many places as there are time steps."""
    return y_pred.shape[:2], "int64"


@rule("ctc_best_probability")
def best_probability(y_pred: Operand, _: Operand) -> Result:
    """One for each sample."""
    return (y_pred.shape[0], 1), y_pred.dtype


@rule("ctc_best_path", "ctc_word_path")
def path(y_pred: Operand, _: Operand, **__: Any) -> Result:
    """The shape of y_pred."""
    return y_pred.shape, y_pred.dtype


@rule("ctc_beam")
def beam(y_pred: Operand, _: Operand, **__: Any) -> Result:
    """A bundle of labels and their log probabilities."""
    return (2,), y_pred.dtype
