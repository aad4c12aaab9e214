"""What the documents promise of ctc_batch_cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.generators import portable
from conformance.oracle import Expectation, ctc
from conformance.results import Aspect
from conformance.scenarios.checks import (
    OTHER_DTYPES,
    agrees_with,
    has_dtype,
    has_static_shape,
    is_array,
    only,
)
from conformance.scenarios.ctc import inputs
from conformance.scenarios.ctc.inputs import CtcTensors, LabelledSamples, column, first_blank
from conformance.scenarios.model import Alternative, Check, Family, Problem, Scenario, Values
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]

LOSS = {"ja-1": 1515, "ja-1-text": 957, "ja-2.0": 3303, "zh-TW": 1371, "ko-2.2": 3552}
"""The loss of each sample, in a tensor of shape (samples, 1)."""
GRADIENTS = {"ja-1": 1147, "ja-1-text": 716, "ja-2.0": 2556, "zh-TW": 1072, "ko-2.2": 2558}


def tensors_of(case: LabelledSamples) -> dict[str, Array]:
    """The arrays of ctc_batch_cost, in its order."""
    return {
        "y_true": case.y_true,
        "y_pred": case.y_pred,
        "input_length": column(case.input_length),
        "label_length": column(case.label_length),
    }


def cost_checks(case: LabelledSamples, static: bool) -> tuple[Check, ...]:
    """The loss, its dtype and, of variables, its static shape."""
    arrays, dtype, count = tensors_of(case), case.y_pred.dtype.name, len(case.y_pred)
    checks = [
        Check(
            "the loss of each sample",
            Aspect.VALUE,
            outputs=("cost",),
            test=agrees_with(lambda: ctc.expected_cost(**arrays)),
            demands="-log of the probability of each label, in the shape (samples, 1)",
            at=LOSS,
            alternatives=_first_blank(case, lambda: ctc.expected_cost_of_first_blank(**arrays)),
        ),
        Check(
            "the loss in the dtype of y_pred",
            Aspect.DTYPE,
            outputs=("cost",),
            test=has_dtype(dtype),
            demands=dtype,
            alternatives=OTHER_DTYPES,
        ),
    ]
    if static:
        shape = has_static_shape((count, 1))
        demands = f"({count}, 1)"
        checks.append(
            Check(
                "int_shape",
                Aspect.STATIC_SHAPE,
                outputs=("static",),
                test=shape,
                demands=demands,
                at=LOSS,
            )
        )
    return tuple(checks)


def _first_blank(
    case: LabelledSamples, expect: Callable[[], Expectation]
) -> tuple[Alternative, ...]:
    """The answer for the first class as blank, where it is another."""
    return () if case.neutral else (first_blank(agrees_with(expect)),)


def cost(case: LabelledSamples, binding: str) -> Scenario:
    """The losses of one batch."""
    writer = ProgramWriter()
    given = CtcTensors(writer, binding, tensors_of(case))
    loss = writer.call("ctc_batch_cost", *given.tensors)
    static = binding != "placeholder_none"
    if static:
        writer.observe("static", "int_shape", loss)
    given.observe("cost", [loss])
    return Scenario(
        "ctc_batch_cost",
        "the losses of a batch",
        program=writer.program(),
        arrays=writer.arrays,
        checks=cost_checks(case, static),
        conventions=case.conventions,
    )


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


def gradient(case: LabelledSamples) -> Scenario:
    """The gradient of the total loss with respect to the argument of softmax."""
    logits = portable.log(case.y_pred).astype(case.y_pred.dtype)
    writer = ProgramWriter()
    x = writer.call("variable", writer.array("x", logits), dtype=logits.dtype.name)
    rest = {n: a for n, a in tensors_of(case).items() if n != "y_pred"}
    y_true, *lengths = CtcTensors(writer, "variable", rest).tensors
    loss = writer.call("ctc_batch_cost", y_true, writer.call("softmax", x), *lengths)
    found = writer.call("gradients", writer.call("sum", loss), [x])
    writer.observe("gradient", "eval", writer.call("operator.getitem", found, 0))
    expectation = ctc.expected_gradient(logits, **rest)
    check = Check(
        "the gradient of the loss",
        Aspect.GRADIENT,
        outputs=("gradient",),
        test=folded(expectation) if case.neutral else agrees_with(expectation),
        demands="each class's probability less that given the label",
        at=GRADIENTS,
        alternatives=_first_blank(
            case, lambda: ctc.expected_gradient_of_first_blank(logits, **rest)
        ),
    )
    return Scenario(
        "ctc_batch_cost",
        "the gradient of a batch's losses",
        program=writer.program(),
        arrays=writer.arrays,
        checks=(check,),
        conventions=case.conventions,
    )


def _with_row(case: LabelledSamples, steps: int, label: Sequence[int]) -> LabelledSamples:
    """The last sample with another length and label."""
    input_length, label_length = case.input_length.copy(), case.label_length.copy()
    y_true = np.zeros((len(case.y_true), max(case.y_true.shape[1], len(label))), "int32")
    y_true[:, : case.y_true.shape[1]] = case.y_true
    y_true[-1, : len(label)] = label
    input_length[-1], label_length[-1] = steps, len(label)
    return replace(case, y_true=y_true, input_length=input_length, label_length=label_length)


def edge(
    case: LabelledSamples, title: str, convention: ConventionName, label: Sequence[int]
) -> Scenario:
    """A batch whose last sample has a label that no document speaks of."""
    odd = _with_row(case, 2, label)
    writer = ProgramWriter()
    given = CtcTensors(writer, "variable", tensors_of(odd))
    given.observe("cost", [writer.call("ctc_batch_cost", *given.tensors)])
    impossible = convention == ConventionName.CTC_IMPOSSIBLE
    checks = (
        Check(
            title,
            Aspect.VALUE,
            outputs=("cost",),
            test=_last(_infinite if impossible else agrees_with(_cost_of_last(odd))),
            demands="-log of the probability of each label, whatever the label",
            at=LOSS,
            alternatives=(_large(odd),) if impossible else (),
        ),
        Check(
            "the losses of the other samples",
            Aspect.VALUE,
            outputs=("cost",),
            test=agrees_with(_cost_of_others(case)),
            demands="-log of the probability of each label, in the shape (samples, 1)",
            at=LOSS,
        ),
    )
    named = (*odd.conventions, convention)
    return Scenario(
        "ctc_batch_cost",
        title,
        program=writer.program(),
        arrays=writer.arrays,
        checks=checks,
        conventions=named,
    )


def _cost_of_others(case: LabelledSamples) -> Expectation:
    """The losses; anything for the last sample."""
    found = ctc.expected_cost(**tensors_of(case))
    last = np.arange(len(found.value))[:, None] == len(found.value) - 1
    return Expectation(found.value, np.where(last, np.inf, found.bound), found.dtype)


def _cost_of_last(case: LabelledSamples) -> Expectation:
    found = ctc.expected_cost(**tensors_of(case))
    return Expectation(found.value[-1:], found.bound[-1:], found.dtype)


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


def _infinite(values: Values) -> Problem | None:
    """The loss of a label of probability 0."""
    return is_array([[np.inf]])(values)


def _large(case: LabelledSamples) -> Alternative:
    """A loss above that of every path, in the place of infinity."""
    steps = case.y_pred[-1, : int(case.input_length[-1])].astype(np.float64)
    least = -np.log(steps.min(axis=1)).sum()

    def test(values: Values) -> Problem | None:
        got = only(values)
        if isinstance(got, Problem):
            return got
        return None if (got > least).all() else Problem(f"gives {got[-1]}", "value", got=got)

    return Alternative(ConventionName.CTC_IMPOSSIBLE, "large", _last(test))


def edges(_: str) -> Sequence[Scenario]:
    """A label without classes, and one that needs more time steps than there are."""
    case = inputs.labelled(7, 2, 4, 4, neutral=True)
    case = replace(case, y_pred=case.y_pred.astype("float32"))
    return (
        edge(case, "the loss of a label without classes", ConventionName.CTC_EMPTY_LABEL, []),
        edge(
            case,
            "the loss of a label longer than its input",
            ConventionName.CTC_IMPOSSIBLE,
            [1, 2, 1],
        ),
    )


def costs(neutral: bool) -> Callable[[Edition], st.SearchStrategy[Scenario]]:
    """Losses, by every binding."""
    cases, bindings = inputs.labelled_inputs(neutral), st.sampled_from(inputs.BINDINGS)
    return lambda _: st.builds(cost, cases, bindings)


FINE = 1e-15
"""A fuzz factor that hides no digit of float64."""


def fine(case: LabelledSamples) -> Scenario:
    """The losses in float64, where the fuzz factor is too small to account for lost digits."""
    arrays = tensors_of(replace(case, y_pred=case.y_pred.astype("float64")))
    writer = ProgramWriter()
    writer.call("set_epsilon", FINE)
    given = CtcTensors(writer, "variable", arrays)
    given.observe("cost", [writer.call("ctc_batch_cost", *given.tensors)])
    check = Check(
        "the digits of the loss",
        Aspect.VALUE,
        outputs=("cost",),
        test=agrees_with(lambda: ctc.expected_cost_with(FINE, **arrays)),
        demands="-log of the probability of each label, to the digits of float64",
        at=LOSS,
    )
    named = inputs.conventions(case.y_pred.shape, "float64")
    title = "losses with a small epsilon"
    return Scenario(
        "ctc_batch_cost",
        title,
        program=writer.program(),
        arrays=writer.arrays,
        checks=(check,),
        conventions=named,
    )


def fine_costs(_: str) -> st.SearchStrategy[Scenario]:
    """Losses in float64."""
    return st.builds(fine, inputs.labelled_inputs(neutral=True))


def gradients(neutral: bool) -> Callable[[Edition], st.SearchStrategy[Scenario]]:
    """Gradients of the losses."""
    cases = inputs.labelled_inputs(neutral)
    return lambda _: st.builds(gradient, cases)


NEWER: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")
"""Editions with set_epsilon."""

_COST = frozenset({Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE})
_GRADIENT = frozenset({Aspect.GRADIENT})
_VALUE = frozenset({Aspect.VALUE})

FAMILIES: tuple[Family, ...] = (
    Family("ctc_batch_cost", _COST, make=costs(neutral=True)),
    Family("ctc_batch_cost", _COST, make=costs(neutral=False)),
    Family(
        "ctc_batch_cost", frozenset({Aspect.VALUE}), make=fine_costs, editions=NEWER, share=0.25
    ),
    Family("ctc_batch_cost", _GRADIENT, make=gradients(neutral=True), share=0.5),
    Family("ctc_batch_cost", _GRADIENT, make=gradients(neutral=False), share=0.5),
    Family("ctc_batch_cost", _VALUE, make=edges),
)
