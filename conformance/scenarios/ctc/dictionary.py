"""The promises of ja-1 about ctc_decode: a tensor that contains a label.

For each time step, argmax picks a class from its result. To read the label, merge repeats and drop
blanks (ja-1 lines 1539 and 1540).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.oracle import ctc_paths
from conformance.oracle.ctc_paths import Label
from conformance.scenarios.checks import has_shape, only
from conformance.scenarios.ctc import inputs
from conformance.scenarios.ctc.decoding_cases import (
    DecodedSamples,
    Labels,
    both,
    ended,
    greedy_case,
)
from conformance.scenarios.ctc.inputs import CtcTensors, column, first_blank
from conformance.scenarios.model import Alternative, Array, Problem, Values
from conformance.scenarios.recorder import Book, Lines, Recorder
from conformance.specs.convention_names import ConventionName

BOOK = Book()
EDITIONS: tuple[Edition, ...] = ("keras-1",)
PATHS: Lines = {"ja-1": 1539, "ja-1-text": 977, "zh-TW": 1387}
"""A tensor (samples, time_steps, num_categories) of path probabilities."""


def argmax_gives(case: DecodedSamples, *, first: bool = False) -> Callable[..., Problem | None]:
    """The classes that argmax picks at the time steps of each sample are a path of its label.

    `first` is whether the first class is the blank.
    """
    labels = case.first if first else case.last

    def test(values: Values) -> Problem | None:
        picked = _picked(values, case, first=first)
        if isinstance(picked, Problem) or picked == labels:
            return picked if isinstance(picked, Problem) else None
        return Problem(f"gives {picked}", "sequences", got=repr(picked))

    return test


def _picked(values: Values, case: DecodedSamples, *, first: bool) -> Labels | Problem:
    """The labels that argmax and merging give."""
    got = only(values)
    if isinstance(got, Problem):
        return got
    if got.shape != case.y_pred.shape:
        return Problem(f"gives shape {got.shape}", "shape", got=got)
    return both(lambda y: (ctc_paths.best_path(y),), ended(got, case.input_length))[first]


def another_word(case: DecodedSamples, words: Sequence[Label]) -> Alternative:
    """A word of the dictionary that is not the likeliest: a search may lose that."""

    def test(values: Values) -> Problem | None:
        picked = _picked(values, case, first=False)
        if isinstance(picked, Problem):
            return picked
        known = all(label in words for (label,) in picked)
        return None if known else Problem(f"gives {picked}", "no words", got=repr(picked))

    return Alternative(ConventionName.CTC_DICTIONARY, "another word", test)


def _expect_paths(
    K: Recorder, case: DecodedSamples, binding: str, other: Alternative, **arguments: Any
) -> None:
    """One batch decoded, for which another answer is allowed."""
    lengths = column(case.input_length)
    tensors = CtcTensors(K, binding, {"y_pred": case.y_pred, "input_length": lengths})
    tensors.observe("paths", [K.ctc_decode(*tensors.tensors, **arguments)])
    K.conventions, shape = case.conventions, case.y_pred.shape
    demands, test = f"argmax and merging give {case.last}", argmax_gives(case)
    K.expect("the form of the result", "paths", has_shape(shape), f"the shape {shape}", at=PATHS)
    K.expect(K.title, "paths", test, demands, at=PATHS, alternatives=(other,))


def dictionary_arguments(words: Sequence[Label], width: int | None) -> dict[str, Any]:
    """The arguments that stand for a dictionary."""
    lengths, values = [len(word) for word in words], [list(word) for word in words]
    return {"beam_width": width, "dict_seq_lens": lengths, "dict_values": values}


GREEDY = st.builds(greedy_case, inputs.seeds, inputs.samples, st.integers(1, 8), st.integers(2, 5))
BINDINGS = st.sampled_from(inputs.BINDINGS)
WORDS = st.sampled_from([None, [(0,), (0, 0)]])


@BOOK.scenario(
    "ctc_decode", "the best path", editions=EDITIONS, case=GREEDY, binding=BINDINGS, words=WORDS
)
def greedy(K: Recorder, case: DecodedSamples, binding: str, words: Sequence[Label] | None) -> None:
    """Best path decoding, for which a dictionary makes no difference."""
    arguments = {} if words is None else dictionary_arguments(words, 10)
    other = first_blank(argmax_gives(case, first=True))
    _expect_paths(K, case, binding, other, greedy=True, **arguments)


def dictionary_case(
    seed: int, count: int, steps: int, categories: int
) -> tuple[DecodedSamples, list[Label]]:
    """Samples of which one word of a dictionary is likelier than the others beyond doubt."""
    rng = np.random.default_rng(seed)
    lengths = inputs.lengths_up_to(rng, count, steps, 2)
    allowed = inputs.classes(categories, neutral=True)
    while True:
        drawn = [inputs.label_of(rng, 2, allowed, 2) for _ in range(4)]
        words = list(dict.fromkeys(map(tuple, drawn)))
        y_pred = inputs.probabilities(rng, (count, steps, categories), True).astype("float32")
        rankings = [_ranking(y, words) for y in ended(y_pred, lengths)]
        if all(inputs.certain(ranking, 1) for ranking in rankings):
            labels = tuple((ranking[0][0],) for ranking in rankings)
            return DecodedSamples(y_pred, lengths, last=labels, first=labels), words


def _ranking(y: Array, words: Sequence[Label]) -> list[tuple[Label, float]]:
    wide = y.astype(np.float64)
    pairs = [(word, float(ctc_paths.log_probability(wide, word))) for word in words]
    return sorted(pairs, key=lambda pair: -pair[1])


CASES = st.builds(
    dictionary_case, inputs.seeds, inputs.samples, st.integers(2, 5), st.integers(4, 5)
)
SEARCH = ("ctc_decode", "the likeliest word of a dictionary")


@BOOK.scenario(*SEARCH, editions=EDITIONS, share=0.5, case=CASES, binding=BINDINGS)
def searched(K: Recorder, case: tuple[DecodedSamples, list[Label]], binding: str) -> None:
    """The likeliest word of a dictionary, with a beam that is wide enough for all of them."""
    decoded, words = case
    arguments = dictionary_arguments(words, 100)
    _expect_paths(K, decoded, binding, another_word(decoded, words), greedy=False, **arguments)


FAMILIES = BOOK.families
