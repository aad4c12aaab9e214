"""The documents' promises about ctc_batch_cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from conformance.generators import portable
from conformance.oracle import Expectation, ctc
from conformance.results import Aspect
from conformance.scenarios.checks import (
    OTHER_DTYPES,
    agrees_with,
    has_dtype,
    has_static_shape,
    is_array,
    of_array,
    only,
)
from conformance.scenarios.ctc import inputs
from conformance.scenarios.ctc.inputs import CtcTensors, LabelledSamples, column, first_blank
from conformance.scenarios.model import KERAS_2, Alternative, Array, Problem, Values
from conformance.scenarios.recorder import Book, Lines, Recorder
from conformance.specs.convention_names import ConventionName

BOOK = Book()
COST = "ctc_batch_cost"
LOSS: Lines = {"ja-1": 1515, "ja-1-text": 957, "ja-2.0": 3303, "zh-TW": 1371, "ko-2.2": 3552}
"""The loss of each sample, in a tensor of shape (samples, 1)."""
GRADIENTS: Lines = {"ja-1": 1147, "ja-1-text": 716, "ja-2.0": 2556, "zh-TW": 1072, "ko-2.2": 2558}
EACH = "-log of the probability of each label, in the shape (samples, 1)"


def tensors_of(case: LabelledSamples) -> dict[str, Array]:
    """The arrays of ctc_batch_cost, in its order."""
    return {
        "y_true": case.y_true,
        "y_pred": case.y_pred,
        "input_length": column(case.input_length),
        "label_length": column(case.label_length),
    }


def _first_blank(
    case: LabelledSamples, expect: Callable[[], Expectation]
) -> tuple[Alternative, ...]:
    """The answer for the first class as blank, where it is another."""
    return () if case.neutral else (first_blank(agrees_with(expect)),)


NEUTRAL, OTHERS = inputs.labelled_inputs(neutral=True), inputs.labelled_inputs(neutral=False)
BINDINGS = st.sampled_from(inputs.BINDINGS)
LOSSES = (COST, "the losses of a batch", Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE)


@BOOK.scenario(*LOSSES, case=OTHERS, binding=BINDINGS)
@BOOK.scenario(*LOSSES, case=NEUTRAL, binding=BINDINGS)
def cost(K: Recorder, case: LabelledSamples, binding: str) -> None:
    """The losses of one batch, their dtype and, if it is known, their static shape."""
    arrays, dtype, K.conventions = tensors_of(case), case.y_pred.dtype.name, case.conventions
    tensors = CtcTensors(K, binding, arrays)
    loss, shape = K.ctc_batch_cost(*tensors.tensors), (len(case.y_pred), 1)
    static = binding != "placeholder_none"
    if static:
        K.int_shape(loss).output("static")
    tensors.observe("cost", [loss])
    test = agrees_with(lambda: ctc.expected_cost(**arrays))
    others = _first_blank(case, lambda: ctc.expected_cost_of_first_blank(**arrays))
    K.expect("the loss of each sample", "cost", test, EACH, at=LOSS, alternatives=others)
    K.expect(
        "the loss in the dtype of y_pred",
        "cost",
        has_dtype(dtype),
        dtype,
        aspect=Aspect.DTYPE,
        alternatives=OTHER_DTYPES,
    )
    if static:
        test, aspect = has_static_shape(shape), Aspect.STATIC_SHAPE
        K.expect("int_shape", "static", test, str(shape), aspect=aspect, at=LOSS)


FINE = 1e-15
"""A fuzz factor that hides no digit of float64."""


@BOOK.scenario(COST, "losses with a small epsilon", editions=KERAS_2, share=0.25, case=NEUTRAL)
def fine(K: Recorder, case: LabelledSamples) -> None:
    """The losses in float64, where the fuzz factor is too small to account for lost digits."""
    arrays = tensors_of(replace(case, y_pred=case.y_pred.astype("float64")))
    K.set_epsilon(FINE)
    tensors = CtcTensors(K, "variable", arrays)
    tensors.observe("cost", [K.ctc_batch_cost(*tensors.tensors)])
    test = agrees_with(lambda: ctc.expected_cost_with(FINE, **arrays))
    demands = "-log of the probability of each label, to the digits of float64"
    K.expect("the digits of the loss", "cost", test, demands, at=LOSS)
    K.conventions = inputs.conventions(case.y_pred.shape, "float64")


def folded(expectation: Expectation) -> Callable[..., Problem | None]:
    """As `agrees_with`, with the last class added to the first.

    Which of them is the blank makes no difference to the sum.
    """
    rounding = np.finfo(expectation.dtype).eps
    total = Expectation(
        _folded(expectation.value),
        _folded(expectation.bound + rounding * np.abs(expectation.value)),
        expectation.dtype,
    )

    def test(values: Values) -> Problem | None:
        got = only(values)
        if isinstance(got, Problem):
            return got
        if got.shape != expectation.value.shape:
            return Problem(f"gives shape {got.shape}", "shape", got=got)
        return agrees_with(total)((replace(values[0], array=_folded(got)),))

    return test


def _folded(array: Array) -> Array:
    return np.concatenate([array[..., :1] + array[..., -1:], array[..., 1:-1]], axis=-1)


OF_LOSSES = (COST, "the gradient of a batch's losses", Aspect.GRADIENT)


@BOOK.scenario(*OF_LOSSES, share=0.5, case=OTHERS)
@BOOK.scenario(*OF_LOSSES, share=0.5, case=NEUTRAL)
def gradient(K: Recorder, case: LabelledSamples) -> None:
    """The gradient of the total loss with respect to the argument of softmax."""
    logits = portable.log(case.y_pred).astype(case.y_pred.dtype)
    x = K.variable(K.array("x", logits), dtype=logits.dtype.name)
    rest = {n: a for n, a in tensors_of(case).items() if n != "y_pred"}
    y_true, *lengths = CtcTensors(K, "variable", rest).tensors
    loss = K.ctc_batch_cost(y_true, K.softmax(x), *lengths)
    expectation = ctc.expected_gradient(logits, **rest)
    K.conventions = case.conventions
    K.expect(
        "the gradient of the loss",
        K.eval(K.gradients(K.sum(loss), [x])[0]).output("gradient"),
        folded(expectation) if case.neutral else agrees_with(expectation),
        "each class's probability less that given the label",
        at=GRADIENTS,
        alternatives=_first_blank(
            case, lambda: ctc.expected_gradient_of_first_blank(logits, **rest)
        ),
    )


def _with_row(case: LabelledSamples, steps: int, label: Sequence[int]) -> LabelledSamples:
    """The last sample with another length and label."""
    input_length, label_length = case.input_length.copy(), case.label_length.copy()
    y_true = np.zeros((len(case.y_true), max(case.y_true.shape[1], len(label))), "int32")
    y_true[:, : case.y_true.shape[1]] = case.y_true
    y_true[-1, : len(label)] = label
    input_length[-1], label_length[-1] = steps, len(label)
    return replace(case, y_true=y_true, input_length=input_length, label_length=label_length)


EMPTY, IMPOSSIBLE = ConventionName.CTC_EMPTY_LABEL, ConventionName.CTC_IMPOSSIBLE
EDGES: dict[str, tuple[ConventionName, list[int]]] = {
    "the loss of a label without classes": (EMPTY, []),
    "the loss of a label longer than its input": (IMPOSSIBLE, [1, 2, 1]),
}
"""A label without classes, and a label that needs more time steps than there are."""


@BOOK.scenario(COST, "{what}", what=EDGES)
def edge(K: Recorder, what: str) -> None:
    """A batch whose last sample has a label that no document speaks of."""
    convention, label = EDGES[what]
    case = inputs.labelled(7, 2, 4, 4, neutral=True)
    odd = _with_row(case, 2, label)
    tensors = CtcTensors(K, "variable", tensors_of(odd))
    tensors.observe("cost", [K.ctc_batch_cost(*tensors.tensors)])
    impossible = convention == IMPOSSIBLE
    test = _last(is_array([[np.inf]]) if impossible else agrees_with(_cost_of_last(odd)))
    demands = "-log of the probability of each label, whatever the label"
    others = (_large(odd),) if impossible else ()
    K.expect(what, "cost", test, demands, at=LOSS, alternatives=others)
    rest = agrees_with(_cost_of_others(case))
    K.expect("the losses of the other samples", "cost", rest, EACH, at=LOSS)
    K.conventions = (*odd.conventions, convention)


def _cost_of_others(case: LabelledSamples) -> Expectation:
    """The losses; anything for the last sample."""
    losses = ctc.expected_cost(**tensors_of(case))
    last = np.arange(len(losses.value))[:, None] == len(losses.value) - 1
    return Expectation(losses.value, np.where(last, np.inf, losses.bound), losses.dtype)


def _cost_of_last(case: LabelledSamples) -> Expectation:
    losses = ctc.expected_cost(**tensors_of(case))
    return Expectation(losses.value[-1:], losses.bound[-1:], losses.dtype)


def _last(test: Callable[..., Problem | None]) -> Callable[..., Problem | None]:
    """The test of the last row alone; the shape of all is the business of another check."""

    def last(values: Values) -> Problem | None:
        got = only(values)
        if isinstance(got, Problem):
            return got
        if got.ndim != 2 or got.shape[1] != 1:
            return None
        return test((replace(values[0], array=got[-1:]),))

    return last


def _large(case: LabelledSamples) -> Alternative:
    """A loss above that of every path, in place of infinity."""
    steps = case.y_pred[-1, : int(case.input_length[-1])].astype(np.float64)
    least = -np.log(steps.min(axis=1)).sum()

    @of_array
    def test(got: Array) -> Problem | None:
        return None if (got > least).all() else Problem(f"gives {got[-1]}", "value", got=got)

    return Alternative(ConventionName.CTC_IMPOSSIBLE, "large", _last(test))


FAMILIES = BOOK.families
