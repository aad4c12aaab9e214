"""Readings of the conventions that single calls rest on: each diverges by its name, and a plausible
wrong answer beside it violates, in every edition that has the function.

Answers are made from the oracle, without a process: a wrong backend is a change of the arguments
with which the oracle answers, or of the array that it gives.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.dtypes import is_floating
from conformance.editions import EDITIONS, Edition
from conformance.engine import PROFILES
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.judge import judge
from conformance.observations import (
    DrawObservation,
    Raised,
    Returned,
    StructureObservation,
    Value,
)
from conformance.oracle.evaluate import OF_NUMBERS, ORACLES, widened
from conformance.oracle.variants import VARIANTS, Reading
from conformance.results import Aspect, Verdict
from conformance.specs import load
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import taken
from conformance.specs.load import ruled_out
from tests.engine.support import tasks

Array = npt.NDArray[Any]
Arguments = dict[str, Any]
Backend = Callable[[str, Arguments, str], Array]
"""Gives the answer to a call: the oracle's name of the function, its arguments, and a dtype."""


PROFILE = replace(
    PROFILES["default"], values=("ordinary", "halves", "zeros", "extremes"), contains=None
)
"""The structures of a default run, with few draws of each."""


@cache
def calls(function: str, edition: Edition) -> list[Prepared]:
    """The valid calls that are made of a function."""
    (task,) = tasks([function], PROFILE, edition=edition)
    return [p for p in task.prepared() if p.structure.error is None]


def right(function: str, arguments: Arguments, dtype: str) -> Array:
    """The oracle's own answer, rounded to the dtype; integers and truth values are numbers where
    the dtype is floating, as in an expectation."""
    kinds = {a.dtype.kind for a in arguments.values() if isinstance(a, np.ndarray)}
    counts = is_floating(dtype) and "f" not in kinds and function in OF_NUMBERS
    with np.errstate(all="ignore"):
        result = np.asarray(ORACLES[function](**widened(arguments, dtype, counts=counts)))
        return np.asarray(result.astype(dtype))


def judged(
    prepared: Prepared,
    answer: Callable[[int], Array | Raised],
    closed: Container[str] = (),
    dtype: str | None = None,
) -> list[Finding]:
    """What is found of a call whose draws have these answers, on a target that takes the suite's
    own reading of the conventions in `closed`. `dtype` is that of the answers, if NumPy lacks
    it."""
    draws = []
    for number in range(len(prepared.draws)):
        response = answer(number)
        if isinstance(response, Raised):
            draws.append(DrawObservation(response))
        else:
            value = Value(response, dtype or response.dtype.name, "ndarray")
            draws.append(DrawObservation(Returned({"result": (value,)})))
    return judge(prepared, StructureObservation((), (), tuple(draws)), closed).findings


def answers(backend: Backend, function: str, edition: Edition, about: str) -> Iterator[Finding]:
    """What is found of a backend that is right where a call does not rest on a convention."""
    for prepared in calls(function, edition):

        def answer(number: int, prepared: Prepared = prepared) -> Array:
            structure = prepared.structure
            rests = about in structure.conventions(prepared.draws[number].profile)
            chosen = backend if rests else right
            return chosen(structure.oracle, prepared.oracle_arguments(number), prepared.dtypes[0])

        yield from judged(prepared, answer)


def editions(function: str) -> list[Edition]:
    """The editions that have a function."""
    return [edition for edition in EDITIONS if edition in load()[function].editions]


def under(reading: Reading) -> Backend:
    """The backend that takes another reading wherever it makes sense."""

    def backend(function: str, arguments: Arguments, dtype: str) -> Array:
        try:
            changed = VARIANTS[reading](function, arguments)
            return right(function, changed, dtype)
        except ValueError:
            return right(function, arguments, dtype)

    return backend


CONVOLUTIONS = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv2d_transpose",
    "conv3d_transpose",
    "separable_conv1d",
    "separable_conv2d",
    "depthwise_conv2d",
]
SHARED = CONVOLUTIONS[:5]
ONLY_LATER: set[Edition] = {"keras-1"}
TAKEN: list[tuple[str, Reading, set[Edition]]] = [
    *((f, (ConventionName.KERNEL_ORIENTATION, "flipped"), set()) for f in CONVOLUTIONS),
    *((f, (ConventionName.KERNEL_LAYOUT, "th"), ONLY_LATER) for f in ("conv1d", "conv2d")),
    (
        "conv2d_transpose",
        (ConventionName.KERNEL_LAYOUT, "of the convolution"),
        {"keras-2.0", "keras-2.2"},
    ),
    ("conv1d", (ConventionName.SAME_PADDING, "half"), set()),
    ("pool2d", (ConventionName.SAME_PADDING, "half"), set()),
    ("pool2d", (ConventionName.AVERAGE_BORDER, "counted"), set()),
    ("bias_add", (ConventionName.BIAS_LAYOUT, "reshaped"), {"keras-2.0"}),
    ("pool2d", (ConventionName.DEFAULT_DATA_FORMAT, "channels_first"), {"keras-1"}),
    ("normalize_batch_in_training", (ConventionName.POPULATION_VARIANCE, "sample"), set()),
    (
        "normalize_batch_in_training",
        (ConventionName.POPULATION_VARIANCE, "with epsilon"),
        {"keras-2.0", "keras-2.2"},
    ),
    ("clip", (ConventionName.CLIP_ORDER, "min_value"), set()),
    ("pow", (ConventionName.EXPONENT, "zero"), {"keras-2.0", "keras-2.2"}),
    ("round", (ConventionName.HALF_EVEN, "up"), {"keras-2.2"}),
    ("round", (ConventionName.HALF_EVEN, "away from zero"), {"keras-2.2"}),
    ("argmax", (ConventionName.TIES, "last"), set()),
    ("argmin", (ConventionName.TIES, "last"), set()),
    ("l2_normalize", (ConventionName.SMALL_NORMS, "at least 1e-6"), set()),
]
"""Functions, readings, and the editions that leave no such point open."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("function", "reading", "without"), TAKEN)
def test_an_allowed_reading_diverges_by_its_name(
    function: str, reading: Reading, without: set[Edition]
) -> None:
    for edition in editions(function):
        if edition in without:
            continue
        findings = list(answers(under(reading), function, edition, reading[0]))
        assert {f.verdict for f in findings} == {Verdict.DIVERGES}, edition
        assert taken(*reading) in {r for f in findings for r in f.readings}, edition


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("function", "name"),
    [
        *(("conv1d", name) for name in ("front", "middle", "centred")),
        *(("pool2d", "front"), ("pool3d", "early")),
    ],
)
def test_readings_that_often_agree_diverge_by_the_name_of_one(function: str, name: str) -> None:
    reading = (ConventionName.SAME_PADDING, name)
    for edition in editions(function):
        findings = list(answers(under(reading), function, edition, reading[0]))
        assert {f.verdict for f in findings} <= {Verdict.DIVERGES}, edition
        assert {f.conventions for f in findings} <= {(ConventionName.SAME_PADDING,)}, edition


@pytest.mark.sampled(2)
@pytest.mark.parametrize("function", ["pool2d", "pool3d"])
def test_windows_that_begin_as_early_as_theano_s_violate_nowhere(function: str) -> None:
    """Not where they are long and symmetrical, either: no document says where they begin."""
    early = under((ConventionName.SAME_PADDING, "early"))
    for edition in editions(function):
        findings = list(always(early, function, edition))
        assert {f.verdict for f in findings} == {Verdict.DIVERGES}, edition


def always(backend: Backend, function: str, edition: Edition) -> Iterator[Finding]:
    """What is found of a backend that has an answer of its own to each valid call."""
    for prepared in calls(function, edition):

        def answer(number: int, prepared: Prepared = prepared) -> Array:
            arguments = prepared.oracle_arguments(number)
            return backend(prepared.structure.oracle, arguments, prepared.dtypes[0])

        yield from judged(prepared, answer)


ROOTS: dict[Edition, Verdict] = {
    "keras-1": Verdict.VIOLATES,
    "keras-2.0": Verdict.DIVERGES,
    "keras-2.2": Verdict.DIVERGES,
}


@pytest.mark.parametrize("edition", ROOTS)
def test_a_float_exponent_is_free_where_the_document_says_integer(edition: Edition) -> None:
    def wrong_roots(function: str, arguments: Arguments, dtype: str) -> Array:
        answer = right(function, arguments, dtype)
        wrong = answer if float(arguments["a"]).is_integer() else answer / 2 + 1
        return np.asarray(wrong, dtype)

    findings = [f for f in always(wrong_roots, "pow", edition) if f.aspect is Aspect.VALUE]
    assert {f.verdict for f in findings} == {ROOTS[edition]}


def test_an_exception_names_only_points_under_whose_other_readings_there_is_an_answer() -> None:
    """A kernel of channels that differ fits one layout of keras-1's transposed kernels alone."""
    raised = Raised("MissingInputError", ("MissingInputError",), "no kernel", "call")
    fitting = set()
    for prepared in calls("conv2d_transpose", "keras-1"):
        for finding in judged(prepared, lambda _: raised, {ConventionName.KERNEL_LAYOUT}):
            if finding.aspect is Aspect.VALUE and finding.verdict is Verdict.VIOLATES:
                other = ((ConventionName.KERNEL_LAYOUT, "of the convolution"),)
                fits = prepared.shape_under(finding.draw, other) is not None
                assert (ConventionName.KERNEL_LAYOUT in finding.open_points) is fits
                fitting.add(fits)
    assert fitting == {True, False}


def test_an_exception_demands_a_shape_only_where_every_reading_gives_it() -> None:
    """A kernel may fit both layouts, with as many channels out as the other has windows."""
    raised = Raised("ValueError", ("ValueError",), "no kernel", "call")
    words = set()
    for prepared in calls("conv1d", "keras-2.2"):
        for finding in judged(prepared, lambda _: raised):
            named = finding.open_points == (ConventionName.KERNEL_LAYOUT,)
            if finding.aspect is Aspect.VALUE and (named or not finding.open_points):
                other = prepared.shape_under(finding.draw, ((ConventionName.KERNEL_LAYOUT, "th"),))
                differs = named and other != prepared.shape
                assert finding.demands.startswith("a result of rank") is differs
                words.add(differs)
    assert words == {True, False}


def zeros(function: str, arguments: Arguments, dtype: str) -> Array:
    return np.zeros_like(right(function, arguments, dtype))


def exchanged(function: str, arguments: Arguments, dtype: str) -> Array:
    """The first two axes of the kernel exchanged, or the last two, where the result keeps its
    shape: with either layout those of one pair are spatial."""
    expected = right(function, arguments, dtype)
    names = [n for n in ("kernel", "depthwise_kernel") if n in arguments]
    for axes in ((0, 1), (-2, -1)):
        changed: Arguments = {n: np.swapaxes(arguments[n], *axes) for n in names}
        try:
            answer = right(function, {**arguments, **changed}, dtype)
        except ValueError:
            continue
        if answer.shape == expected.shape and not np.array_equal(answer, expected):
            return answer
    return expected


def violations(findings: Iterator[Finding]) -> list[Finding]:
    return [f for f in findings if f.verdict is Verdict.VIOLATES]


@pytest.mark.thorough
@pytest.mark.parametrize("function", SHARED)
def test_zeros_are_no_convolution_with_either_layout(function: str) -> None:
    for edition in editions(function):
        violating = violations(answers(zeros, function, edition, ConventionName.KERNEL_LAYOUT))
        assert violating, edition
        assert any(ConventionName.KERNEL_LAYOUT in f.open_points for f in violating)


def altered(**changes: Callable[[Any], Any]) -> Backend:
    """The backend that takes some arguments for others."""

    def backend(function: str, arguments: Arguments, dtype: str) -> Array:
        changed = {n: changes[n](v) if n in changes else v for n, v in arguments.items()}
        return right(function, changed, dtype)

    return backend


def answered(change: Callable[[Array], Array]) -> Backend:
    """The backend that gives something else than the right answer."""

    def backend(function: str, arguments: Arguments, dtype: str) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(change(right(function, arguments, dtype))).astype(dtype)

    return backend


def raised_variance(function: str, arguments: Arguments, dtype: str) -> Array:
    """The variance with epsilon in it."""
    result = right(function, arguments, dtype)
    raised: Array = (result + arguments["epsilon"]).astype(dtype)
    return raised if function.endswith("variance") else result


def coarse_norm(function: str, arguments: Arguments, dtype: str) -> Array:
    """Norms of at least the root of 1e-7."""
    return right(function, {**arguments, "least": 1e-7}, dtype)


def last_but_one(function: str, arguments: Arguments, dtype: str) -> Array:
    """An index one off, kept inside."""
    return np.asarray(np.maximum(right(function, arguments, dtype) - 1, 0), dtype)


WRONG: list[tuple[str, ConventionName, Backend]] = [
    *((f, ConventionName.KERNEL_ORIENTATION, zeros) for f in CONVOLUTIONS),
    ("conv2d", ConventionName.SAME_PADDING, zeros),
    ("pool2d", ConventionName.SAME_PADDING, answered(np.negative)),
    ("pool2d", ConventionName.AVERAGE_BORDER, answered(lambda y: y * 2)),
    ("pool3d", ConventionName.AVERAGE_BORDER, zeros),
    ("conv2d", ConventionName.DEFAULT_DATA_FORMAT, zeros),
    ("bias_add", ConventionName.BIAS_LAYOUT, altered(bias=np.zeros_like)),
    ("normalize_batch_in_training", ConventionName.POPULATION_VARIANCE, raised_variance),
    ("clip", ConventionName.CLIP_ORDER, altered(max_value=lambda _: None)),
    ("pow", ConventionName.EXPONENT, altered(a=abs)),
    ("round", ConventionName.HALF_EVEN, answered(lambda y: y + 1)),
    ("argmax", ConventionName.TIES, zeros),
    ("argmin", ConventionName.TIES, last_but_one),
    ("l2_normalize", ConventionName.SMALL_NORMS, coarse_norm),
    ("in_top_k", ConventionName.TIED_SCORES, answered(np.logical_not)),
    ("binary_crossentropy", ConventionName.CLIPPING, answered(lambda y: y + 1)),
    ("categorical_crossentropy", ConventionName.CLIPPING, zeros),
]
"""Functions, conventions, and answers that no reading of them allows."""
LEFT_OUT: dict[tuple[str, ConventionName], set[Edition]] = {
    ("pow", ConventionName.EXPONENT): {"keras-2.0", "keras-2.2"},  # which speak of integers
    ("conv2d", ConventionName.DEFAULT_DATA_FORMAT): {"keras-1"},
    ("bias_add", ConventionName.BIAS_LAYOUT): {"keras-2.0"},
    ("round", ConventionName.HALF_EVEN): {"keras-2.2"},
    # which names no variance among the results
    ("normalize_batch_in_training", ConventionName.POPULATION_VARIANCE): {"keras-1"},
}
"""Editions that do not leave the point open."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("function", "convention", "backend"), WRONG)
def test_what_no_reading_allows_violates(
    function: str, convention: ConventionName, backend: Backend
) -> None:
    for edition in editions(function):
        if edition in LEFT_OUT.get((function, convention), ()):
            continue
        violating = violations(answers(backend, function, edition, convention))
        assert any(convention in f.open_points for f in violating), edition


def test_a_reading_that_is_ruled_out_is_named() -> None:
    function, convention = "normalize_batch_in_training", ConventionName.POPULATION_VARIANCE
    named = "population-variance: with epsilon"
    for edition in ("keras-2.0", "keras-2.2"):
        taken = violations(answers(raised_variance, function, edition, convention))
        other = violations(answers(zeros, function, edition, convention))
        assert {f.detail for f in taken if f.open_points} == {named}
        assert all(named in f.gives for f in taken if f.open_points)
        assert {f.detail for f in other} == {""}, "another failure, with an id of its own"


def overflowing(_function: str, arguments: Arguments, dtype: str) -> Array:
    """The logarithm of the sum of exponentials as it is written."""
    with np.errstate(all="ignore"):
        total = np.sum(
            np.exp(arguments["x"]),
            axis=arguments["axis"] if isinstance(arguments["axis"], int) else None,
            keepdims=arguments["keepdims"],
        )
        return np.asarray(np.log(total), dtype)


def test_a_promise_that_nothing_overflows_rules_the_freedom_out() -> None:
    spec = load()["logsumexp"]
    for edition in editions("logsumexp"):
        assert ruled_out(spec, edition) == {"extremes: overflow", "extremes: underflow"}
        findings = answers(overflowing, "logsumexp", edition, ConventionName.EXTREMES)
        assert any("inf" in f.gives for f in violations(findings)), edition


def test_few_functions_promise_something_of_rare_numbers() -> None:
    rare = (ConventionName.EXTREMES, ConventionName.SPECIAL_VALUES)
    left = {n: {r for e in s.editions for r in ruled_out(s, e)} for n, s in load().items()}
    names = {n for n, readings in left.items() if any(r.startswith(rare) for r in readings)}
    exact = {"identity", "print_tensor", "squeeze"}
    about_rare = {"isfinite", "isinf", "isnan", "isposinf", "isneginf", "fmax", "fmin"}
    about_rare |= {"saturate_cast"}
    without_nan = {f"nan{name}" for name in ("sum", "mean", "prod", "max", "min")}
    without_nan |= {"nancumsum", "nancumprod"}
    of_keras_3 = {f"keras.ops.{name}" for name in about_rare | without_nan}
    assert names == {"logsumexp", "hard_sigmoid", "sin", "cos", *exact, *of_keras_3}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", ["conv2d", "conv3d", "conv2d_transpose"])
def test_wrong_axes_of_a_kernel_violate_with_either_layout(function: str) -> None:
    for edition in editions(function):
        findings = answers(exchanged, function, edition, ConventionName.KERNEL_LAYOUT)
        assert violations(findings), edition


def columned(change: Callable[[Array], Array]) -> list[Finding]:
    """What is found of losses with an axis more, the first calls of a function."""
    findings = []
    for prepared in calls("categorical_crossentropy", "keras-2.2")[:12]:

        def answer(number: int, prepared: Prepared = prepared) -> Array:
            arguments = prepared.oracle_arguments(number)
            arrays = right(prepared.structure.oracle, arguments, prepared.dtypes[0])
            return change(arrays[..., np.newaxis])

        findings += judged(prepared, answer)
    return [f for f in findings if f.kind == "shape"]


def test_losses_in_another_shape_are_the_right_ones_or_violate_whatever_the_shape() -> None:
    right_ones, others = columned(lambda y: y), columned(lambda y: y + 1)
    assert {f.verdict for f in right_ones} == {Verdict.DIVERGES}
    assert {f.conventions for f in right_ones} == {("loss-shape",)}
    assert Verdict.VIOLATES in {f.verdict for f in others}
    wrong = [f for f in others if f.verdict is Verdict.VIOLATES]
    assert all("loss-shape" in f.open_points for f in wrong)
