"""Connectionist temporal classification: losses, and decoding of what a network predicts.

The last class is the blank, which no document says. A path has one class for each time step; it
stands for the label that is left when repeats are merged and then blanks dropped.
"""

from __future__ import annotations

from typing import Any

from conformance.reference.edition import documented
from conformance.reference.symbolic.arguments import integer, integer_tensor, tensor
from conformance.reference.symbolic.dtypes import FLOATS, INTEGERS
from conformance.reference.symbolic.graph import Tensor, apply
from conformance.reference.symbolic.loops import part
from conformance.reference.symbolic.precision import cast, widened
from conformance.reference.symbolic.rules import same_dimension
from conformance.reference.symbolic.sparse_tensors import SparseTensor, apply_sparse


@documented(
    "ja-2.0:3270 ctc_label_dense_to_sparse(labels, label_lengths)",
    "ko-2.2:3512 ctc_label_dense_to_sparse(labels, label_lengths)",
)
def ctc_label_dense_to_sparse(labels: Tensor, label_lengths: Tensor) -> SparseTensor:
    """Labels (samples, max_string_length) as a sparse tensor of that shape: each up to its length.

    `label_lengths` has the shape (samples,). ValueError for other ranks and for lengths that are
    no integers; at evaluation, for a length that the labels do not have.
    """
    where = "ctc_label_dense_to_sparse"
    found = _of_rank(labels, 2, where, "labels")
    lengths = _of_rank(label_lengths, 1, where, "label_lengths")
    return apply_sparse("label_to_sparse", found, integer_tensor(lengths, where, "label_lengths"))


@documented(
    "ja-1:1501 ctc_batch_cost(y_true, y_pred, input_length, label_length)",
    "ja-2.0:3289 ctc_batch_cost(y_true, y_pred, input_length, label_length)",
    "ko-2.2:3533 ctc_batch_cost(y_true, y_pred, input_length, label_length)",
)
def ctc_batch_cost(
    y_true: Tensor, y_pred: Tensor, input_length: Tensor, label_length: Tensor
) -> Tensor:
    """-log of the probability of each sample's label, in the shape (samples, 1) (ko-2.2:3552).

    `y_true` (samples, max_string_length) holds classes, `y_pred` (samples, time_steps,
    num_categories) probabilities; both lengths have the shape (samples, 1). Infinite for a label
    that no path stands for. ValueError for other ranks; at evaluation, for a length that the
    tensor does not have, and for a label with a class that is none, or the blank.
    """
    where = "ctc_batch_cost"
    y = predictions(y_pred, where)
    labels = _classes(_of_rank(y_true, 2, where, "y_true"), where)
    lengths = (
        column(input_length, where, "input_length"),
        column(label_length, where, "label_length"),
    )
    return cast(apply("ctc_cost", widened(y), labels, *lengths), y.dtype)


def predictions(y_pred: Any, where: str) -> Tensor:
    """y_pred, if it is a float tensor (samples, time_steps, num_categories); else ValueError."""
    y = _of_rank(y_pred, 3, where, "y_pred")
    if y.dtype not in FLOATS:
        raise ValueError(f"{where}: y_pred is {y.dtype}; it holds probabilities, see K.softmax")
    return y


def _classes(y_true: Tensor, where: str) -> Tensor:
    """Labels as integers: Keras's own `Input` makes them floats."""
    if y_true.dtype in INTEGERS:
        return y_true
    if y_true.dtype not in FLOATS:
        raise ValueError(f"{where}: y_true is {y_true.dtype}; use K.cast(y_true, 'int32')")
    return apply("cast", y_true, dtype="int64")


def _of_rank(x: Any, rank: int, where: str, what: str) -> Tensor:
    found = tensor(x, where, what)
    if found.ndim != rank:
        raise ValueError(f"{where}: {what} is {found!r}; it must have rank {rank}")
    return found


def column(lengths: Any, where: str, what: str) -> Tensor:
    """Lengths (samples, 1), as a vector; ValueError for another shape or no integers."""
    found = integer_tensor(_of_rank(lengths, 2, where, what), where, what)
    same_dimension(found.shape[1], 1, f"{where}: {what} has the shape (samples, 1)")
    return apply("squeeze", found, axis=1)


def vector(lengths: Any, where: str, what: str) -> Tensor:
    """Lengths (samples,); ValueError for another rank or no integers."""
    return integer_tensor(_of_rank(lengths, 1, where, what), where, what)


@documented(
    "ja-2.0:3310 ctc_decode(y_pred, input_length, greedy=True, beam_width=100, top_paths=1)",
    "ko-2.2:3560 ctc_decode(y_pred, input_length, greedy=True, beam_width=100, top_paths=1)",
)
def ctc_decode(
    y_pred: Tensor,
    input_length: Tensor,
    greedy: bool = True,
    beam_width: int = 100,
    top_paths: int = 1,
) -> tuple[list[Tensor], Tensor]:
    """Labels that the probabilities (samples, time_steps, num_categories) may stand for.

    A list of tensors (samples, time_steps) of int64, with -1 after the end of each label, and log
    of their probabilities. Greedy: one tensor, the label of the likeliest path, with the
    probability of that path, (samples, 1). Else: `top_paths` tensors, the likeliest labels first,
    with the probabilities (samples, top_paths), found by a search that keeps the `beam_width`
    likeliest beginnings at each time step. `input_length` has the shape (samples,). ValueError for
    other shapes and for a beam that is narrower than `top_paths`.
    """
    y, lengths = (
        predictions(y_pred, "ctc_decode"),
        vector(input_length, "ctc_decode", "input_length"),
    )
    same_dimension(y.shape[0], lengths.shape[0], f"ctc_decode: samples of {y!r} and {lengths!r}")
    if not greedy:
        return _searched(y, lengths, beam_width, top_paths)
    labels = apply("ctc_best_labels", y, lengths)
    return [labels], cast(apply("ctc_best_probability", widened(y), lengths), y.dtype)


def _searched(
    y: Tensor, lengths: Tensor, beam_width: Any, top_paths: Any
) -> tuple[list[Tensor], Tensor]:
    top = integer(top_paths, "ctc_decode", "top_paths", 1)
    width = integer(beam_width, "ctc_decode", "beam_width", top)
    found = apply("ctc_beam", widened(y), lengths, width=width, top=top)
    samples, steps, _ = y.shape
    labels = part(found, 0, (top, samples, steps), "int64")
    logarithms = part(found, 1, (samples, top), found.dtype)
    return [labels[i] for i in range(top)], cast(logarithms, y.dtype)
