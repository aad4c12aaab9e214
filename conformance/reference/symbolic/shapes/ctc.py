"""Static shape and dtype of the CTC operations."""

from __future__ import annotations

from typing import Any

from conformance.reference.symbolic.rules import Operand, Result, rule, same_dimension


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
