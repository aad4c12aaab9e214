"""The slopes of products with zeros, against differences, which are exact for linear functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conformance.scenarios.gradients import zeros
from tests.scenarios import running
from tests.scenarios.keras_ops import scenarios_in


def differences(function: Callable[[Any], Any], factors: Any) -> list[float]:
    """A product is linear in each factor."""
    steps = np.eye(len(factors))
    return [float((function(factors + s) - function(factors - s)) / 2) for s in steps]


@pytest.mark.parametrize("name", zeros.FACTORS)
def test_slopes_are_differences(name: str) -> None:
    factors = np.array(zeros.FACTORS[name])
    assert [*zeros.SLOPES[name, False]] == differences(np.prod, factors)
    assert [*zeros.SLOPES[name, True]] == differences(lambda x: np.cumprod(x).sum(), factors)


@pytest.mark.parametrize("name", [*zeros.WHOLE, *zeros.RUNNING])
def test_a_product_that_is_divided_by_its_factors_is_wrong(name: str) -> None:
    scenarios = scenarios_in(zeros.FAMILIES, name)
    assert len(scenarios) == len(zeros.FACTORS)
    for scenario, factors in zip(scenarios, zeros.FACTORS, strict=True):
        (check,) = scenario.checks
        right = np.array(zeros.SLOPES[factors, name in zeros.RUNNING], "float32")
        assert running.tested(check, right) is None
        assert running.tested(check, right + 1)
        if factors == "one zero":
            assert running.tested(check, np.where(right > 1, 0, right))
