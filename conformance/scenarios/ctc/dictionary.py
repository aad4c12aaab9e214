"""What ja-1 promises of ctc_decode: a tensor from which a label is yet to be read.

Its result holds, for each time step, what argmax picks a class from; the label is left when
repeats are merged and blanks dropped (ja-1 lines 1539 and 1540).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.oracle import ctc
from conformance.oracle.ctc import Label
from conformance.program import Argument
from conformance.results import Aspect
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
from conformance.scenarios.model import Alternative, Check, Family, Problem, Scenario, Values
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]

EDITIONS: tuple[Edition, ...] = ("keras-1",)
PATHS = {"ja-1": 1539, "ja-1-text": 977, "zh-TW": 1387}
"""A tensor (samples, time_steps, num_categories) of path probabilities."""


def argmax_gives(case: DecodedSamples, *, first: bool = False) -> Callable[..., Problem | None]:
    """What argmax picks at the time steps of each sample is a path of its label.

    `first` is whether the first class is the blank.
    """
    labels = case.first if first else case.last

    def test(values: Values) -> Problem | None:
        found = _picked(values, case, first=first)
        if isinstance(found, Problem) or found == labels:
            return found if isinstance(found, Problem) else None
        return Problem(f"gives {found}", "sequences", got=repr(found))

    return test


def _picked(values: Values, case: DecodedSamples, *, first: bool) -> Labels | Problem:
    """The labels that argmax and merging give."""
    got = only(values)
    if isinstance(got, Problem):
        return got
    if got.shape != case.y_pred.shape:
        return Problem(f"gives shape {got.shape}", "shape", got=got)
    return both(lambda y: (ctc.best_path(y),), ended(got, case.input_length))[first]


def another_word(case: DecodedSamples, words: Sequence[Label]) -> Alternative:
    """A word of the dictionary that is not the likeliest: a search may lose that."""

    def test(values: Values) -> Problem | None:
        found = _picked(values, case, first=False)
        if isinstance(found, Problem):
            return found
        known = all(label in words for (label,) in found)
        return None if known else Problem(f"gives {found}", "no words", got=repr(found))

    return Alternative(ConventionName.CTC_DICTIONARY, "another word", test)


def scenario(
    case: DecodedSamples, binding: str, title: str, other: Alternative, **arguments: Argument
) -> Scenario:
    """One batch decoded, for which another answer is allowed."""
    writer = ProgramWriter()
    lengths = column(case.input_length)
    given = CtcTensors(writer, binding, {"y_pred": case.y_pred, "input_length": lengths})
    given.observe("paths", [writer.call("ctc_decode", *given.tensors, **arguments)])
    demands = f"argmax and merging give {case.last}"
    checks = (
        Check(
            "the form of the result",
            Aspect.VALUE,
            outputs=("paths",),
            test=has_shape(case.y_pred.shape),
            demands=f"the shape {case.y_pred.shape}",
            at=PATHS,
        ),
        Check(
            title,
            Aspect.VALUE,
            outputs=("paths",),
            test=argmax_gives(case),
            demands=demands,
            at=PATHS,
            alternatives=(other,),
        ),
    )
    return Scenario(
        "ctc_decode",
        title,
        program=writer.program(),
        arrays=writer.arrays,
        checks=checks,
        conventions=case.conventions,
    )


def dictionary_arguments(words: Sequence[Label], width: int | None) -> dict[str, Argument]:
    """The arguments that stand for a dictionary."""
    lengths = [len(word) for word in words]
    values: list[Argument] = [list(word) for word in words]
    return {"beam_width": width, "dict_seq_lens": list(lengths), "dict_values": values}


def greedy(case: DecodedSamples, binding: str, words: Sequence[Label] | None) -> Scenario:
    """Best path decoding, for which a dictionary makes no difference."""
    arguments = {} if words is None else dictionary_arguments(words, 10)
    other = first_blank(argmax_gives(case, first=True))
    return scenario(case, binding, "the best path", other, greedy=True, **arguments)


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
    found = [(word, float(ctc.log_probability(wide, word))) for word in words]
    return sorted(found, key=lambda pair: -pair[1])


def searched(case: tuple[DecodedSamples, list[Label]], binding: str) -> Scenario:
    """The likeliest word of a dictionary, with a beam that is wide enough for all of them."""
    decoded, words = case
    arguments = dictionary_arguments(words, 100)
    title = "the likeliest word of a dictionary"
    other = another_word(decoded, words)
    return scenario(decoded, binding, title, other, greedy=False, **arguments)


def greedy_cases(_: str) -> st.SearchStrategy[Scenario]:
    """Best paths, with a dictionary or without."""
    cases = st.builds(
        greedy_case, inputs.seeds, inputs.samples, st.integers(1, 8), st.integers(2, 5)
    )
    words = st.sampled_from([None, [(0,), (0, 0)]])
    return st.builds(greedy, cases, st.sampled_from(inputs.BINDINGS), words)


def dictionary_cases(_: str) -> st.SearchStrategy[Scenario]:
    """Dictionaries of up to 4 words."""
    cases = st.builds(
        dictionary_case, inputs.seeds, inputs.samples, st.integers(2, 5), st.integers(4, 5)
    )
    return st.builds(searched, cases, st.sampled_from(inputs.BINDINGS))


FAMILIES: tuple[Family, ...] = (
    Family("ctc_decode", frozenset({Aspect.VALUE}), make=greedy_cases, editions=EDITIONS),
    Family(
        "ctc_decode", frozenset({Aspect.VALUE}), make=dictionary_cases, editions=EDITIONS, share=0.5
    ),
)
