"""The documents' promises about ctc_decode: the likeliest labels and their log probabilities.

The blank is the last class or, by a reading of the convention `ctc-blank`, the first. An answer
that is right for neither custom contradicts the documents.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.oracle import ctc_paths
from conformance.scenarios.checks import raises
from conformance.scenarios.ctc import inputs
from conformance.scenarios.ctc.decoding_cases import (
    DecodedSamples,
    beam_case,
    both,
    ended,
    greedy_case,
    likeliest,
)
from conformance.scenarios.ctc.decoding_tests import (
    best_path_probability,
    in_order,
    listing,
    no_probability_above_one,
    probabilities_of,
    sequence_probability,
    sequences,
    unbroken,
)
from conformance.scenarios.ctc.inputs import CtcTensors, first_blank
from conformance.scenarios.model import KERAS_2
from conformance.scenarios.recorder import Book, Lines, Recorder, Result
from conformance.specs.convention_names import ConventionName

BOOK = Book()
DECODE = "ctc_decode"
ONE: Lines = {"ja-2.0": 3328, "ko-2.2": 3585}
"""A list of one element where greedy is true."""
SEVERAL: Lines = {"ja-2.0": 3328, "ko-2.2": 3587}
"""The likeliest sequences where it is false."""
COUNT: Lines = {"ja-2.0": 3323, "ko-2.2": 3587}
"""As many of them as top_paths says."""
LOGARITHMS: Lines = {"ja-2.0": 3329, "ko-2.2": 3590}
"""The log probabilities of the decoded sequences."""
WIDTH: Lines = {"ja-2.0": 3322, "ko-2.2": 3577}
"""beam_width is the width of the beam."""
TUPLE: Lines = {"ja-2.0": 3327, "ko-2.2": 3584}


def _decoded(
    K: Recorder, case: DecodedSamples, binding: str, count: int, **arguments: Any
) -> tuple[list[Result], Result]:
    """The decoded sequences and their logarithms, and what there is no more."""
    arrays = {"y_pred": case.y_pred, "input_length": case.input_length}
    tensors = CtcTensors(K, binding, arrays)
    result = K.ctc_decode(*tensors.tensors, **arguments)
    paths, logarithms = result[0], result[1]
    decoded = [paths[i] for i in range(count)]
    K.attempt(K.operator.getitem, paths, count).output("beyond")
    K.attempt(K.operator.getitem, result, 2).output("third")
    K.conventions = case.conventions
    *outputs, last = tensors.observe("decoded", [*decoded, logarithms])
    return outputs, last


def _expect_form(K: Recorder, count: int) -> None:
    """A pair, and a list of so many sequences in it."""
    at, none = ONE if count == 1 else COUNT, raises("IndexError")
    K.expect("how many sequences there are", "beyond", none, f"a list of {count}", at=at)
    demands = "a list of sequences and their log probabilities"
    K.expect("the result is a pair", "third", none, demands, at=TUPLE)


def _expect_sequences(
    K: Recorder, name: str, case: DecodedSamples, outputs: list[Result], at: Lines
) -> None:
    test, demands = sequences(case.last), f"{listing(case.last)}, with -1 after the ends"
    others = (first_blank(sequences(case.first)),)
    K.expect(name, outputs, test, demands, at=at, alternatives=others)


def _expect_padding(K: Recorder, case: DecodedSamples, outputs: list[Result]) -> None:
    """-1 stands only at the ends of sequences."""
    test, demands = unbroken(len(case.y_pred)), "sequences without blanks, and -1 after their ends"
    rests = (ConventionName.CTC_PADDING,)
    K.expect("-1 only after the end", outputs, test, demands, conventions=rests)


GREEDY = st.builds(
    greedy_case,
    inputs.seeds,
    inputs.samples,
    st.sampled_from((1, *inputs.STEPS)),
    st.sampled_from((*inputs.CATEGORIES, 2)),
)
"""Up to 3 samples, 33 time steps and 17 classes."""
BEAMS = st.builds(
    beam_case,
    inputs.seeds,
    inputs.samples,
    st.integers(2, 4),
    st.integers(3, 4),
    st.integers(1, 3),
)
"""Up to 3 samples, 4 time steps and 4 classes."""
BINDINGS, WIDTHS = st.sampled_from(inputs.BINDINGS), st.sampled_from([None, 100, 128])


def greedy(K: Recorder, case: DecodedSamples, binding: str, named: bool) -> None:
    """Best path decoding; `named` whether greedy is passed, or left at its default."""
    outputs, logarithms = _decoded(K, case, binding, 1, **({"greedy": True} if named else {}))
    _expect_sequences(K, "the best path's sequence", case, outputs, ONE)
    _expect_padding(K, case, outputs)
    demands = "the logarithm of a probability, which is at most 0"
    name, test = "a log probability is not above 0", no_probability_above_one
    K.expect(name, logarithms, test, demands, at=LOGARITHMS)
    K.expect(
        "log of the best path's probability",
        logarithms,
        best_path_probability(case),
        "log of the probability of the best path, in the shape (samples, 1)",
        at=LOGARITHMS,
        alternatives=(sequence_probability(case),),
    )
    _expect_form(K, 1)


def beam(K: Recorder, case: DecodedSamples, binding: str, width: int | None) -> None:
    """Beam search that loses nothing; `width` None leaves beam_width at its default."""
    top = len(case.last[0])
    arguments: dict[str, Any] = {"greedy": False}
    if width is not None:
        arguments["beam_width"] = width
    if top > 1:
        arguments["top_paths"] = top
    outputs, logarithms = _decoded(K, case, binding, top, **arguments)
    _expect_sequences(K, "the likeliest sequences", case, outputs, SEVERAL)
    if top > 1:
        demands, rests = (
            f"{listing(case.last)}, with -1 after the ends",
            (ConventionName.CTC_ORDER,),
        )
        K.expect("the likeliest first", outputs, in_order(case), demands, conventions=rests)
    _expect_padding(K, case, outputs)
    K.expect(
        "the sequences' log probabilities",
        [*outputs, logarithms],
        probabilities_of(case, first=False),
        "log of the probability of each sequence, in the shape (samples, top_paths)",
        at=LOGARITHMS,
        alternatives=(first_blank(probabilities_of(case, first=True)),),
    )
    _expect_form(K, top)


BEST, LOSSLESS = (DECODE, "best path decoding"), (DECODE, "beam search that loses nothing")
BOOK.scenario(*BEST, editions=KERAS_2, case=GREEDY, binding=BINDINGS, named=st.booleans())(greedy)
BOOK.scenario(*LOSSLESS, editions=KERAS_2, case=BEAMS, binding=BINDINGS, width=WIDTHS)(beam)


@BOOK.scenario(*LOSSLESS, editions=KERAS_2)
def repeated(K: Recorder) -> None:
    """A label with the same class twice, which a beam search must not merge."""
    steps = np.array([[2, 16, 1, 1], [1, 2, 1, 16], [2, 16, 1, 1]]) / 20
    y_pred = steps[None].astype("float32")
    last, first = both(lambda y: likeliest(y, 1), [y_pred[0].astype(np.float64)])
    case = DecodedSamples(y_pred, np.array([3], "int32"), last=last, first=first)
    beam(K, case, "variable", None)


@BOOK.scenario(DECODE, "beam search that keeps one sequence", editions=KERAS_2)
def narrow(K: Recorder) -> None:
    """A beam of width 1 drops the sequence that is the likeliest of all.

    After the first step the empty sequence leads. The class of the second place has more paths in
    all, but none of them leads after the first step.
    """
    y_pred = np.array([[[0.35, 0.25, 0.4]] * 2], "float32")
    last, first = both(lambda y: (ctc_paths.best_path(y),), [y_pred[0].astype(np.float64)])
    assert last != both(lambda y: likeliest(y, 1), [y_pred[0].astype(np.float64)])[0]
    case = DecodedSamples(y_pred, np.array([2], "int32"), last=last, first=first)
    outputs, logarithms = _decoded(K, case, "variable", 1, greedy=False, beam_width=1)
    _expect_sequences(K, "the sequence that leads at each step", case, outputs, WIDTH)
    name, demands = "a log probability is not above 0", "the logarithm of a probability"
    K.expect(name, logarithms, no_probability_above_one, demands, at=LOGARITHMS)


@BOOK.scenario(*BEST, editions=KERAS_2)
def shorter(K: Recorder) -> None:
    """A sample that ends before another; a class after its end is not a blank."""
    steps = np.array([[1, 16, 2, 1], [1, 2, 16, 1], [1, 16, 2, 1]]) / 20
    y_pred, lengths = np.stack([steps, steps]).astype("float32"), np.array([3, 1], "int32")
    last, first = both(lambda y: (ctc_paths.best_path(y),), ended(y_pred, lengths))
    greedy(K, DecodedSamples(y_pred, lengths, last=last, first=first), "variable", True)


FAMILIES = BOOK.families
