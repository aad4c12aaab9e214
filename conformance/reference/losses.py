"""Crossentropies, and whether targets are among the top scores.

Probabilities are divided by their sum and limited to [epsilon, 1 - epsilon], which no document
says and the released backends do; logits are neither.
"""

from __future__ import annotations

from typing import Any

from conformance.reference.edition import documented
from conformance.reference.symbolic.arguments import (
    axis_of,
    cast,
    integer,
    integer_tensor,
    tensor,
    widened,
)
from conformance.reference.symbolic.backend import active
from conformance.reference.symbolic.graph import Tensor, apply
from conformance.reference.symbolic.rules import same_dtype


def _class_axis(output: Tensor, axis: Any, where: str) -> int:
    """-1 or an axis counted from the front; ValueError for others (ko-2.2:2870)."""
    position = integer(axis, where, "axis")
    if position < -1:
        raise ValueError(
            f"{where}: axis is {position}; write -1 or one from 0 to {output.ndim - 1}"
        )
    return axis_of(output, position, where)


def _limited(probabilities: Tensor) -> Tensor:
    least = active().settings.epsilon
    return apply("clip", probabilities, min_value=least, max_value=1 - least)


def _log_probabilities(output: Tensor, from_logits: bool, axis: int) -> Tensor:
    """In the next wider type."""
    wide = widened(output)
    if from_logits:
        return wide - apply("logsumexp", wide, axis=(axis,), keepdims=True)
    total = apply("sum", wide, axis=(axis,), keepdims=True)
    return apply("log", _limited(wide / total))


def _alike(target: Any, output: Any, where: str) -> tuple[Tensor, Tensor]:
    """Target and output; ValueError unless they can have one shape and have one dtype."""
    target, output = tensor(target, where, "target"), tensor(output, where, "output")
    same_dtype(where, output, target)
    return apply("alike", target, output), apply("alike", output, target)


@documented(
    "ja-1:1294 categorical_crossentropy(output, target, from_logits=False)",
    "ja-2.0:2791 categorical_crossentropy(output, target, from_logits=False)",
    "ko-2.2:2845 categorical_crossentropy(target, output, from_logits=False, axis=-1)",
)
def categorical_crossentropy(
    target: Tensor, output: Tensor, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """-sum(target * log(output)) over the axis of the classes, which goes.

    With `from_logits` output is a tensor of logits, otherwise of probabilities (conflict C109).
    ValueError: shapes or dtypes that differ (ja-1:1299), axis is neither -1 nor one of the axes
    (ko-2.2:2870).
    """
    where = "categorical_crossentropy"
    target, output = _alike(target, output, where)
    position = _class_axis(output, axis, where)
    terms = widened(target) * _log_probabilities(output, bool(from_logits), position)
    return cast(-apply("sum", terms, axis=(position,), keepdims=False), output.dtype)


@documented(
    "ja-1:1307 sparse_categorical_crossentropy(output, target, from_logits=False)",
    "ja-2.0:2811 sparse_categorical_crossentropy(output, target, from_logits=False)",
    "ko-2.2:2879 sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1)",
)
def sparse_categorical_crossentropy(
    target: Tensor, output: Tensor, from_logits: bool = False, axis: int = -1
) -> Tensor:
    """-log of the probability of each label: the shape of output without the axis of the classes.

    Labels may have that axis with length 1, and may be whole numbers in a float dtype: Keras feeds
    them so. ValueError: other shapes, no such axis (ko-2.2:2904), and when computing, a label that
    is not a class.
    """
    where = "sparse_categorical_crossentropy"
    target, output = tensor(target, where, "target"), tensor(output, where, "output")
    position = _class_axis(output, axis, where)
    if target.ndim == output.ndim:
        target = apply("squeeze", target, axis=position)
    logs = _log_probabilities(output, bool(from_logits), position)
    return cast(-apply("take_class", logs, cast(target, "int64"), axis=position), output.dtype)


@documented(
    "ja-1:1320 binary_crossentropy(output, target, from_logits=False)",
    "ja-2.0:2831 binary_crossentropy(output, target, from_logits=False)",
    "ko-2.2:2913 binary_crossentropy(target, output, from_logits=False)",
)
def binary_crossentropy(target: Tensor, output: Tensor, from_logits: bool = False) -> Tensor:
    """-(target * log(output) + (1 - target) * log(1 - output)), element by element (C110).

    With `from_logits` output is a tensor of logits. ValueError: shapes or dtypes that differ
    (ko-2.2:2921).
    """
    target, output = _alike(target, output, "binary_crossentropy")
    truth, wide = widened(target), widened(output)
    if from_logits:
        return cast(apply("softplus", wide) - wide * truth, output.dtype)
    limited = _limited(wide)
    logs = truth * apply("log", limited) + (1 - truth) * apply("log", 1 - limited)
    return cast(-logs, output.dtype)


@documented(
    "ja-2.0:2947 in_top_k(predictions, targets, k)",
    "ko-2.2:3045 in_top_k(predictions, targets, k)",
)
def in_top_k(predictions: Tensor, targets: Tensor, k: int) -> Tensor:
    """For each row, whether the score of the target is among the k largest; bool (ko-2.2:3059).

    A score equal to the k-th largest is among them. ValueError: predictions (batch, classes) or
    targets (batch,) of another rank, targets that are not integers, and when computing, a target
    that is not a class.
    """
    where = "in_top_k"
    scores = tensor(predictions, where, "predictions")
    labels = integer_tensor(targets, where, "targets")
    return apply("in_top_k", scores, labels, k=integer(k, where, "k"))
