"""What the documents promise of ctc_decode: the likeliest labels and their log probabilities.

An answer that is right for neither custom of the blank, the last class and the first, is wrong by
the documents; one that is right for the first only is a reading of the convention `ctc-blank`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.oracle import ctc
from conformance.program import Argument
from conformance.results import Aspect
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
    listed,
    no_probability_above_one,
    probabilities_of,
    sequence_probability,
    sequences,
    unbroken,
)
from conformance.scenarios.ctc.inputs import CtcTensors, first_blank
from conformance.scenarios.model import Check, Family, Scenario
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]

EDITIONS: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")
ONE = {"ja-2.0": 3328, "ko-2.2": 3585}
"""A list of one element where greedy is true."""
SEVERAL = {"ja-2.0": 3328, "ko-2.2": 3587}
"""The likeliest sequences where it is false."""
COUNT = {"ja-2.0": 3323, "ko-2.2": 3587}
"""As many of them as top_paths says."""
LOGARITHMS = {"ja-2.0": 3329, "ko-2.2": 3590}
"""The log probabilities of the decoded sequences."""
TUPLE = {"ja-2.0": 3327, "ko-2.2": 3584}


def decoding(
    case: DecodedSamples, binding: str, count: int, **arguments: Argument
) -> tuple[ProgramWriter, CtcTensors]:
    """A program that decodes: `decoded` or `decodedN`, `logarithms`, and what there is no more."""
    writer = ProgramWriter()
    arrays = {"y_pred": case.y_pred, "input_length": case.input_length}
    given = CtcTensors(writer, binding, arrays)
    result = writer.call("ctc_decode", *given.tensors, **arguments)
    paths = writer.call("operator.getitem", result, 0)
    logarithms = writer.call("operator.getitem", result, 1)
    decoded = [writer.call("operator.getitem", paths, i) for i in range(count)]
    writer.attempt("beyond", "operator.getitem", paths, count)
    writer.attempt("third", "operator.getitem", result, 2)
    given.observe("decoded", [*decoded, logarithms])
    return writer, given


def form_checks(count: int) -> tuple[Check, ...]:
    """A pair, and a list of so many sequences in it."""
    return (
        Check(
            "how many sequences there are",
            Aspect.VALUE,
            outputs=("beyond",),
            test=raises("IndexError"),
            demands=f"a list of {count}",
            at=ONE if count == 1 else COUNT,
        ),
        Check(
            "the result is a pair",
            Aspect.VALUE,
            outputs=("third",),
            test=raises("IndexError"),
            demands="a list of sequences and their log probabilities",
            at=TUPLE,
        ),
    )


def padding_check(count: int, outputs: tuple[str, ...]) -> Check:
    """A check that -1 stands only at the ends of sequences."""
    return Check(
        "-1 only after the end",
        Aspect.VALUE,
        outputs=outputs,
        test=unbroken(count),
        demands="sequences without blanks, and -1 after their ends",
        conventions=(ConventionName.CTC_PADDING,),
    )


def greedy_checks(case: DecodedSamples) -> Iterator[Check]:
    """The best path's label, and log of its probability."""
    yield Check(
        "the best path's sequence",
        Aspect.VALUE,
        outputs=("decoded0",),
        test=sequences(case.last),
        demands=f"{listed(case.last)}, with -1 after the ends",
        at=ONE,
        alternatives=(first_blank(sequences(case.first)),),
    )
    yield padding_check(len(case.y_pred), ("decoded0",))
    yield Check(
        "a log probability is not above 0",
        Aspect.VALUE,
        outputs=("decoded1",),
        test=no_probability_above_one,
        demands="the logarithm of a probability, which is at most 0",
        at=LOGARITHMS,
    )
    yield Check(
        "log of the best path's probability",
        Aspect.VALUE,
        outputs=("decoded1",),
        test=best_path_probability(case),
        demands="log of the probability of the best path, in the shape (samples, 1)",
        at=LOGARITHMS,
        alternatives=(sequence_probability(case),),
    )


def greedy(case: DecodedSamples, binding: str, said: bool) -> Scenario:
    """Best path decoding; `said` whether greedy is passed, or left at its default."""
    writer, _ = decoding(case, binding, 1, **({"greedy": True} if said else {}))
    return Scenario(
        "ctc_decode",
        "best path decoding",
        program=writer.program(),
        arrays=writer.arrays,
        checks=(*greedy_checks(case), *form_checks(1)),
        conventions=case.conventions,
    )


def beam_checks(case: DecodedSamples, top: int) -> Iterator[Check]:
    """The likeliest labels, and their log probabilities."""
    outputs = tuple(f"decoded{i}" for i in range(top))
    yield Check(
        "the likeliest sequences",
        Aspect.VALUE,
        outputs=outputs,
        test=sequences(case.last),
        demands=f"{listed(case.last)}, with -1 after the ends",
        at=SEVERAL,
        alternatives=(first_blank(sequences(case.first)),),
    )
    if top > 1:
        yield Check(
            "the likeliest first",
            Aspect.VALUE,
            outputs=outputs,
            test=in_order(case),
            demands=f"{listed(case.last)}, with -1 after the ends",
            conventions=(ConventionName.CTC_ORDER,),
        )
    yield padding_check(len(case.y_pred), outputs)
    yield Check(
        "the sequences' log probabilities",
        Aspect.VALUE,
        outputs=(*outputs, f"decoded{top}"),
        test=probabilities_of(case, first=False),
        demands="log of the probability of each sequence, in the shape (samples, top_paths)",
        at=LOGARITHMS,
        alternatives=(first_blank(probabilities_of(case, first=True)),),
    )


def beam(case: DecodedSamples, binding: str, width: int | None) -> Scenario:
    """Beam search that loses nothing; `width` None leaves beam_width at its default."""
    top = len(case.last[0])
    arguments: dict[str, Argument] = {"greedy": False}
    if width is not None:
        arguments["beam_width"] = width
    if top > 1:
        arguments["top_paths"] = top
    writer, _ = decoding(case, binding, top, **arguments)
    return Scenario(
        "ctc_decode",
        "beam search that loses nothing",
        program=writer.program(),
        arrays=writer.arrays,
        checks=(*beam_checks(case, top), *form_checks(top)),
        conventions=case.conventions,
    )


def repeated(_: str) -> Sequence[Scenario]:
    """A label with the same class twice, which a beam search must not merge."""
    steps = np.array([[2, 16, 1, 1], [1, 2, 1, 16], [2, 16, 1, 1]]) / 20
    y_pred = steps[None].astype("float32")
    rows = [steps.astype("float32").astype(np.float64)]
    last, first = both(lambda y: likeliest(y, 1), rows)
    case = DecodedSamples(y_pred, np.array([3], "int32"), last=last, first=first)
    return (beam(case, "variable", None),)


def shorter(_: str) -> Sequence[Scenario]:
    """A sample that ends before another, with a class after its end that is no blank."""
    steps = np.array([[1, 16, 2, 1], [1, 2, 16, 1], [1, 16, 2, 1]]) / 20
    y_pred, lengths = np.stack([steps, steps]).astype("float32"), np.array([3, 1], "int32")
    last, first = both(lambda y: (ctc.best_path(y),), ended(y_pred, lengths))
    case = DecodedSamples(y_pred, lengths, last=last, first=first)
    return (greedy(case, "variable", True),)


def greedy_cases(_: str) -> st.SearchStrategy[Scenario]:
    """Up to 3 samples, 33 time steps and 17 classes."""
    cases = st.builds(
        greedy_case,
        inputs.seeds,
        inputs.samples,
        st.sampled_from((1, *inputs.STEPS)),
        st.sampled_from((*inputs.CATEGORIES, 2)),
    )
    return st.builds(greedy, cases, st.sampled_from(inputs.BINDINGS), st.booleans())


def beam_cases(_: str) -> st.SearchStrategy[Scenario]:
    """Up to 3 samples, 4 time steps and 4 classes."""
    cases = st.builds(
        beam_case,
        inputs.seeds,
        inputs.samples,
        st.integers(2, 4),
        st.integers(3, 4),
        st.integers(1, 3),
    )
    return st.builds(
        beam, cases, st.sampled_from(inputs.BINDINGS), st.sampled_from([None, 100, 128])
    )


FAMILIES: tuple[Family, ...] = (
    Family("ctc_decode", frozenset({Aspect.VALUE}), make=greedy_cases, editions=EDITIONS),
    Family("ctc_decode", frozenset({Aspect.VALUE}), make=beam_cases, editions=EDITIONS),
    Family("ctc_decode", frozenset({Aspect.VALUE}), make=repeated, editions=EDITIONS),
    Family("ctc_decode", frozenset({Aspect.VALUE}), make=shorter, editions=EDITIONS),
)
