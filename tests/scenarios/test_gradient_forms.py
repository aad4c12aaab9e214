"""The gradients that scenarios demand, against central differences of the losses on NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.observations import Value
from conformance.oracle.programs import evaluate
from conformance.scenarios.gradients.closed_forms import KNOWN_GRADIENTS, KnownGradient
from conformance.scenarios.gradients.gradients import X, constant_factor, known, unconnected
from conformance.scenarios.model import Check
from conformance.scenarios.recorder import Recorder
from tests.scenarios.in_process import recorded

WIDTH = 1e-4


def loss(form: KnownGradient, numbers: list[Any]) -> float:
    """The loss at some values of the variables."""
    K = Recorder("gradients", "keras-2.2")
    variables = [K.array(f"x{i}", value) for i, value in enumerate(numbers)]
    result = form.build(K, *variables)
    return float(evaluate(K.program().steps, K.arrays)[result.name])


@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
@pytest.mark.parametrize("form", KNOWN_GRADIENTS, ids=lambda form: form.name)
def test_slopes(form: KnownGradient, shape: tuple[int, ...]) -> None:
    numbers = form.numbers(shape, 5)
    slopes = form.slopes(*numbers)
    assert len(slopes) == len(numbers) == form.variables
    for i, slope in enumerate(slopes):
        assert slope.shape == shape
        for index in np.ndindex(*shape):
            ends = []
            for step in (-WIDTH, WIDTH):
                moved = [value.copy() for value in numbers]
                moved[i][index] += step
                ends.append(loss(form, moved))
            assert slope[index] == pytest.approx((ends[1] - ends[0]) / (2 * WIDTH), abs=1e-5)


@pytest.mark.parametrize("form", KNOWN_GRADIENTS, ids=lambda form: form.name)
def test_values_stay_exact_or_small(form: KnownGradient) -> None:
    for value, slope in zip(
        form.numbers((4, 4, 4), 1), form.slopes(*form.numbers((4, 4, 4), 1)), strict=True
    ):
        assert not form.positive or value.min() > 0
        assert not form.exact or np.array_equal(slope, slope.astype("float32"))


def value_of(array: Any) -> tuple[Value, ...]:
    """What an evaluated output gives."""
    return (Value(np.asarray(array), "float64", "ndarray"),)


def gradient_checks(checks: tuple[Check, ...]) -> list[Check]:
    return [check for check in checks if check.name == "gradient"]


def test_a_wrong_gradient_is_a_problem() -> None:
    for form in KNOWN_GRADIENTS:
        scenario = recorded(known, "gradients", form, (2,), "float64", 3)
        right = form.slopes(*form.numbers((2,), 3))
        for check, slope in zip(gradient_checks(scenario.checks), right, strict=True):
            assert check.test(value_of(slope)) is None
            assert check.test(value_of(slope + 1e-3)) is not None
            assert check.test(value_of(0.0 * slope[:1])) is not None


def test_stop_gradient_is_judged_only_where_gradients_work() -> None:
    (check,) = recorded(constant_factor, "stop_gradient").checks
    control, nothing = value_of(2 * X), value_of(0 * X)
    assert check.test(control, value_of(X)) is None
    assert check.test(control, value_of(2 * X)) is not None
    unseen = check.test(nothing, nothing)
    assert unseen is not None
    assert unseen.unmade


def test_none_and_zeros_both_mean_no_gradient() -> None:
    (check,) = recorded(unconnected, "gradients").checks
    none = (Value(None, "object", "NoneType"),)
    assert check.test(value_of(2 * X) + none) is None
    assert check.test(value_of(2 * X) + value_of(np.zeros(3))) is None
    assert check.test(value_of(2 * X) + value_of(np.ones(3))) is not None
    assert check.test(value_of(2 * X)) is not None
