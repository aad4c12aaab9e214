"""The laws of keras.random against SciPy, and how seldom a right backend fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from conformance.observations import Value
from conformance.scenarios import families_of
from conformance.scenarios.model import Values
from conformance.scenarios.randomness import chance, keras_samplers, statistics
from conformance.scenarios.randomness.chance import ByChance
from conformance.scenarios.randomness.keras_choices import keeps_lines
from conformance.scenarios.randomness.keras_random import in_columns, in_float64
from conformance.scenarios.randomness.keras_samplers import KERAS_SAMPLERS, RANDINT
from conformance.scenarios.randomness.statistics import Law

OTHERS = ("keras.random.categorical", "keras.random.shuffle", "keras.random.dropout")
NAMES = (*(s.function for s in (*KERAS_SAMPLERS, RANDINT)), *OTHERS)
LAWS: tuple[tuple[Law, Any], ...] = (
    (keras_samplers.gamma(2.5), stats.gamma(2.5)),
    (keras_samplers.gamma(1.0), stats.gamma(1.0)),
    (keras_samplers.gamma(0.5), stats.gamma(0.5)),
    (keras_samplers.gamma(4.0), stats.gamma(4.0)),
    (keras_samplers.beta(2.0, 3.0), stats.beta(2, 3)),
    (keras_samplers.beta(4.0, 1.0), stats.beta(4, 1)),
)


def values(array: Any) -> Values:
    return (Value(np.asarray(array), "ndarray", "ndarray"),)


@pytest.mark.parametrize(("law", "exact"), LAWS)
def test_a_law_is_what_scipy_says(law: Law, exact: Any) -> None:
    x = np.linspace(-1, 12, 501)
    np.testing.assert_allclose(law.distribution(x), exact.cdf(x), rtol=0, atol=1e-13)
    assert law.mean == pytest.approx(exact.mean())
    assert law.variance == pytest.approx(exact.var())
    kurtosis = float(exact.stats("k"))
    assert law.fourth == pytest.approx((kurtosis + 3) * exact.var() ** 2)


def test_the_law_of_integers_is_what_scipy_says() -> None:
    law, exact = keras_samplers.integers(-3, 4), stats.randint(-3, 4)
    x = np.linspace(-5, 6, 111)
    np.testing.assert_allclose(law.distribution(x), exact.cdf(x), atol=1e-14)
    assert (law.mean, law.variance) == pytest.approx((exact.mean(), exact.var()))
    assert law.fourth == pytest.approx((float(exact.stats("k")) + 3) * exact.var() ** 2)


@pytest.mark.parametrize("n", [100, 200_000])
@pytest.mark.parametrize("rate", [1e-9, 0.05])
def test_the_mean_of_gamma_numbers_has_the_stated_tail(n: int, rate: float) -> None:
    law = keras_samplers.gamma(2.5)
    bound, total = statistics.mean_bound(law, n, rate), stats.gamma(2.5 * n)
    assert total.sf(n * (2.5 + bound)) + total.cdf(n * (2.5 - bound)) <= rate


def test_all_tests_of_one_run_together_stay_within_the_budget() -> None:
    parts = [family.make("keras-3") for name in NAMES for family in families_of(name, "keras-3")]
    scenarios = [scenario for part in parts if isinstance(part, list) for scenario in part]
    tests = [check.test for scenario in scenarios for check in scenario.checks]
    rates = [test.rate for test in tests if isinstance(test, ByChance)]
    assert len(rates) > 30
    assert sum(rates) < statistics.BUDGET / 2


@pytest.mark.parametrize("wrong", [0, 1])
def test_a_wrong_column_is_found(wrong: int) -> None:
    generator = np.random.default_rng(1)
    laws = [keras_samplers.beta(1.0, 2.0), keras_samplers.beta(4.0, 2.0)]
    test = in_columns([chance.follows(law) for law in laws])
    right = np.stack([generator.beta(a, 2.0, 20_000) for a in (1.0, 4.0)], -1)
    assert test(values(right)) is None
    right[:, wrong] = np.square(right[:, wrong])
    assert test(values(right)) is not None


def test_integers_are_tested_as_numbers() -> None:
    law = keras_samplers.integers(0, 5)
    drawn = np.random.default_rng(2).integers(0, 5, 200_000).astype("int32")
    assert in_float64(chance.follows(law))(values(drawn)) is None
    assert in_float64(chance.follows(law))(values(drawn // 2)) is not None


def test_a_line_that_loses_an_element_is_found() -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert keeps_lines(x, 1)(values(x[:, ::-1])) is None
    assert keeps_lines(x, 1)(values(x[:, [0, 0, 1]])) is not None
    assert keeps_lines(x, 1)(values(x[::-1])) is not None
