"""Connectionist temporal classification: losses, and decoding of a network's predictions.

The last class is the blank, which no document says. A path has one class for each time step; it
stands for the label that is left when repeats are merged and then blanks dropped.

keras-1 documents `ctc_decode` otherwise: a tensor from which argmax and merging make labels.
"""

from __future__ import annotations

from typing import Any

from conformance.reference.edition import documented
from conformance.reference.symbolic.arguments import cast, integer, integer_tensor, tensor, widened
from conformance.reference.symbolic.graph import SparseTensor, Tensor, apply, apply_sparse
from conformance.reference.symbolic.loops import part
from conformance.reference.symbolic.rules import FLOATS, INTEGERS, same_dimension


@documented(
    "ja-2.0:3270 ctc_label_dense_to_sparse(labels, label_lengths)",
    "ko-2.2:3512 ctc_label_dense_to_sparse(labels, label_lengths)",
)
def ctc_label_dense_to_sparse(labels: Tensor, label_lengths: Tensor) -> SparseTensor:
    """Labels (samples, max_string_length) as a sparse tensor of that shape: each up to its length.

    `label_lengths` has the shape (samples,). ValueError for other ranks and for lengths that are
    not integers; at evaluation, for a length that the labels do not have.
    """
    where = "ctc_label_dense_to_sparse"
    dense = _of_rank(labels, 2, where, "labels")
    lengths = _of_rank(label_lengths, 1, where, "label_lengths")
    return apply_sparse("label_to_sparse", dense, integer_tensor(lengths, where, "label_lengths"))


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
    """y_pred, if it is a float tensor (samples, time_steps, num_categories).

    Raises:
        ValueError: y_pred is something else.
    """
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
    array = tensor(x, where, what)
    if array.ndim != rank:
        raise ValueError(f"{where}: {what} is {array!r}; it must have rank {rank}")
    return array


def column(lengths: Any, where: str, what: str) -> Tensor:
    """Lengths (samples, 1), as a vector.

    Raises:
        ValueError: another shape or no integers.
    """
    integers = integer_tensor(_of_rank(lengths, 2, where, what), where, what)
    same_dimension(integers.shape[1], 1, f"{where}: {what} has the shape (samples, 1)")
    return apply("squeeze", integers, axis=1)


def vector(lengths: Any, where: str, what: str) -> Tensor:
    """Lengths (samples,).

    Raises:
        ValueError: another rank or no integers.
    """
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
    paths = apply("ctc_beam", widened(y), lengths, width=width, top=top)
    samples, steps, _ = y.shape
    labels = part(paths, 0, (top, samples, steps), "int64")
    logarithms = part(paths, 1, (samples, top), paths.dtype)
    return [labels[i] for i in range(top)], cast(logarithms, y.dtype)


Words = tuple[tuple[int, ...], ...]


@documented(
    "ja-1:1523 ctc_decode(y_pred, input_length, greedy=True, beam_width=None, "
    "dict_seq_lens=None, dict_values=None)",
)
def ctc_decode_among_words(  # noqa: PLR0917 - as documented
    y_pred: Tensor,
    input_length: Tensor,
    greedy: bool = True,
    beam_width: int | None = None,
    dict_seq_lens: list[int] | None = None,
    dict_values: list[list[int]] | None = None,
) -> Tensor:
    """The likeliest path of each sample, in the form of softmax outputs (ja-1:1539).

    (samples, time_steps, num_categories) with the probability of the path's class at each time
    step and 0 for the others; after the end of a sample the blank, with 1. Taking the argmax,
    merging repeats and dropping blanks is left to the caller (ja-1:1540).

    Greedy: the likeliest of all paths; the dictionary is not used. Else: the likeliest path of the
    likeliest word among `dict_values`, a list of lists of classes, each up to its length in
    `dict_seq_lens`. With a `beam_width` only that many words are kept at each time step.
    `input_length` has the shape (samples, 1). ValueError for other shapes, and for a search
    without a dictionary.
    """
    y = predictions(y_pred, "ctc_decode")
    lengths = column(input_length, "ctc_decode", "input_length")
    if greedy:
        return apply("ctc_best_path", y, lengths)
    words = _words(dict_seq_lens, dict_values)
    width = len(words)
    if beam_width is not None:
        width = integer(beam_width, "ctc_decode", "beam_width", 1)
    return cast(apply("ctc_word_path", widened(y), lengths, words=words, width=width), y.dtype)


def _words(lengths: Any, values: Any) -> Words:
    for value, what in ((lengths, "dict_seq_lens"), (values, "dict_values")):
        if not isinstance(value, (list, tuple)) or not value:
            raise ValueError(
                f"ctc_decode: {what} is {value!r}; only greedy decoding needs no dictionary; "
                "write one as in dict_seq_lens=[2, 1], dict_values=[[0, 1], [1]]"
            )
    if len(lengths) != len(values):
        raise ValueError(
            f"ctc_decode: {len(lengths)} lengths for {len(values)} words; write one for each"
        )
    return tuple(_word(n, word, i) for i, (n, word) in enumerate(zip(lengths, values, strict=True)))


def _word(length: Any, word: Any, number: int) -> tuple[int, ...]:
    what = f"dict_values[{number}]"
    if not isinstance(word, (list, tuple)):
        raise ValueError(f"ctc_decode: {what} must be a list of classes, not {word!r}")
    letters = tuple(integer(k, "ctc_decode", what, 0) for k in word)
    size = integer(length, "ctc_decode", f"dict_seq_lens[{number}]", 0)
    if size > len(letters):
        raise ValueError(f"ctc_decode: {what} has {len(letters)} classes, but its length is {size}")
    return letters[:size]
