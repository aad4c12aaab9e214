"""ctc_decode as keras-1 documents it: a tensor from which argmax and merging make labels."""

from __future__ import annotations

from typing import Any

from conformance.reference.ctc import column, predictions
from conformance.reference.edition import documented
from conformance.reference.symbolic.arguments import integer
from conformance.reference.symbolic.graph import Tensor, apply
from conformance.reference.symbolic.precision import cast, widened

Words = tuple[tuple[int, ...], ...]


@documented(
    "ja-1:1523 ctc_decode(y_pred, input_length, greedy=True, beam_width=None, "
    "dict_seq_lens=None, dict_values=None)",
)
def ctc_decode(  # noqa: PLR0917 - as documented
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
    for listed, what in ((lengths, "dict_seq_lens"), (values, "dict_values")):
        if not isinstance(listed, (list, tuple)) or not listed:
            raise ValueError(
                f"ctc_decode: {what} is {listed!r}; only greedy decoding needs no dictionary; "
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
    found = tuple(integer(k, "ctc_decode", what, 0) for k in word)
    size = integer(length, "ctc_decode", f"dict_seq_lens[{number}]", 0)
    if size > len(found):
        raise ValueError(f"ctc_decode: {what} has {len(found)} classes, but its length is {size}")
    return found[:size]
