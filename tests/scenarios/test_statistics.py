"""The bounds against SciPy's exact tails, and against simulated samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from conformance.scenarios.randomness import statistics
from conformance.scenarios.randomness.statistics import Law

RNG = np.random.default_rng(0)
RATES = (1e-9, 1e-4, 0.05)
COUNTS = (100, 2_000, 200_000)
LAWS: tuple[tuple[Law, Any], ...] = (
    (statistics.normal(1.0, 2.0), stats.norm(1.0, 2.0)),
    (statistics.uniform(-2.0, 3.0), stats.uniform(-2.0, 5.0)),
    (statistics.truncated(1.0, 2.0), stats.truncnorm(-2, 2, 1.0, 2.0)),
)
NAMES = ("normal", "uniform", "truncated")


@pytest.mark.parametrize(("law", "exact"), LAWS, ids=NAMES)
def test_a_law_is_what_scipy_says(law: Law, exact: Any) -> None:
    x = np.linspace(-8, 10, 1001)
    np.testing.assert_allclose(law.distribution(x), exact.cdf(x), rtol=0, atol=1e-14)
    fourth = exact.expect(lambda v: (v - exact.mean()) ** 4)
    assert law.mean == pytest.approx(exact.mean(), abs=1e-12)
    assert law.variance == pytest.approx(exact.var(), rel=1e-9)
    assert law.fourth == pytest.approx(fourth, rel=1e-6)
    assert law.reach == pytest.approx(exact.support()[1] - exact.mean())


@pytest.mark.parametrize("n", COUNTS)
@pytest.mark.parametrize("rate", RATES)
def test_the_distance_has_the_stated_tail(n: int, rate: float) -> None:
    bound = statistics.distance_bound(n, rate)
    tail = stats.kstwo(n).sf(bound)
    assert tail <= rate
    assert stats.kstwo(n).sf(bound * 0.95) > rate  # a bound that is hardly too wide


def all_distances(sample: Any, law: Law) -> statistics.Distance:
    """The farthest of all numbers, each looked at."""
    values = np.sort(sample.astype("float64"))
    blur = np.finfo(sample.dtype).eps * (np.abs(values) + 4 * law.scale)
    rank = np.arange(values.size)
    over, under = law.distribution(values + blur), law.distribution(values - blur)
    above, below = (rank + 1) / values.size - over, under - rank / values.size
    is_above = bool(above.max() >= below.max())
    chosen, says = (above, over) if is_above else (below, under)
    place = int(chosen.argmax())
    size, at, probability = (float(array[place]) for array in (chosen, values, says))
    return statistics.Distance(size, at, probability, is_above)


@pytest.mark.parametrize("law", [*(law for law, _ in LAWS), statistics.binomial(5, 0.3)])
@pytest.mark.parametrize("size", [1, 2, 127, 128, 129, 130, 3_000, 20_000])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_farthest_number_is_that_of_all(law: Law, size: int, dtype: str) -> None:
    samples = (
        RNG.normal(1.0, 2.0, size),
        RNG.normal(1.1, 2.0, size),
        RNG.uniform(-2.0, 3.0, size),
        RNG.integers(0, 5, size),
        np.full(size, 0.5),
        np.repeat(RNG.normal(1.0, 2.0, size), 2),
        np.append(RNG.normal(1.0, 2.0, size), [np.nan, np.inf]),
    )
    for sample in samples:
        numbers = sample.astype(dtype)
        with np.errstate(invalid="ignore", over="ignore"):
            same = repr(statistics.farthest(numbers, law)) == repr(all_distances(numbers, law))
        assert same


@pytest.mark.parametrize("n", COUNTS)
@pytest.mark.parametrize("rate", RATES)
def test_the_mean_of_normal_numbers_has_the_stated_tail(n: int, rate: float) -> None:
    law, _ = LAWS[0]
    bound = statistics.mean_bound(law, n, rate)
    assert 2 * stats.norm.sf(bound / law.scale * np.sqrt(n)) <= rate
    assert 2 * stats.norm.sf(bound / law.scale * np.sqrt(n) * 0.7) > rate


@pytest.mark.parametrize("n", COUNTS)
@pytest.mark.parametrize("rate", RATES)
def test_the_variance_of_normal_numbers_has_the_stated_tail(n: int, rate: float) -> None:
    law, _ = LAWS[0]
    bound = statistics.variance_bound(law, n, rate) / law.variance

    def tail(width: float) -> float:
        return float(stats.chi2(n).sf(n * (1 + width)) + stats.chi2(n).cdf(n * (1 - width)))

    assert tail(bound) <= rate
    assert tail(0.6 * bound) > rate


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("p", [0.3, 0.5, 0.9, 0.001])
def test_an_impossible_count_has_the_stated_tail(p: float, rate: float) -> None:
    for n in COUNTS:
        low, high = limits(n, p, rate)
        exact = stats.binom(n, p)
        assert exact.cdf(low - 1) + exact.sf(high) <= rate
        allowed = stats.norm.isf(rate / 2) * np.sqrt(n * p * (1 - p))
        assert high - n * p <= 1.5 * allowed + 30


def limits(n: int, p: float, rate: float) -> tuple[int, int]:
    """The smallest and the largest count that are possible."""
    possible = [statistics.count_is_possible(k, n, p, rate) for k in candidates(n, p)]
    possible_counts = [k for k, ok in zip(candidates(n, p), possible, strict=True) if ok]
    assert len(possible_counts) == possible_counts[-1] - possible_counts[0] + 1
    return possible_counts[0], possible_counts[-1]


def candidates(n: int, p: float) -> range:
    width = int(12 * np.sqrt(n * p * (1 - p))) + 40
    return range(max(0, int(n * p) - width), min(n, int(n * p) + width) + 1)


def test_what_has_probability_0_or_1() -> None:
    assert statistics.count_is_possible(0, 10, 0.0)
    assert not statistics.count_is_possible(1, 10, 0.0)
    assert statistics.count_is_possible(10, 10, 1.0)
    assert not statistics.count_is_possible(9, 10, 1.0)


ALARMS = 0.05


@pytest.mark.parametrize(("law", "exact"), LAWS, ids=NAMES)
def test_alarms_are_no_more_frequent_than_stated(law: Law, exact: Any) -> None:
    generator = np.random.default_rng(20_240)
    repetitions, n = 1_000, 500
    count = dict.fromkeys(("distance", "mean", "variance", "covariance"), 0)
    for _ in range(repetitions):
        x = exact.rvs(n, random_state=generator)
        u, w = np.split(law.distribution(x), 2)
        square = float(np.mean((x - law.mean) ** 2))
        mean = abs(float(x.mean()) - law.mean)
        count["distance"] += statistics.distance(x, law) > statistics.distance_bound(n, ALARMS)
        count["mean"] += mean > statistics.mean_bound(law, n, ALARMS)
        count["variance"] += abs(square - law.variance) > statistics.variance_bound(law, n, ALARMS)
        bound = statistics.covariance_bound(w, ALARMS)
        count["covariance"] += abs(statistics.covariance(u, w)) > bound
    most = stats.binom(repetitions, ALARMS).isf(1e-6)
    assert max(count.values()) <= most, count


def test_rounding_to_a_narrow_dtype_is_no_distance() -> None:
    law = statistics.uniform(0.0, 1.0)
    coarse = (np.arange(200_000) % 1024 / 1024).astype("float16")  # steps of eps: all there are
    assert statistics.distance(coarse, law) <= 1e-9 + 1 / 1024
    assert statistics.distance(coarse.astype("float64"), law) > 0.0009


def test_covariance_does_not_depend_on_the_means() -> None:
    generator = np.random.default_rng(7)
    u, w = generator.random(2_000), generator.random(2_000)
    assert statistics.covariance(u + 5, w - 3) == pytest.approx(statistics.covariance(u, w))
    assert statistics.covariance_bound(w + 4) == pytest.approx(statistics.covariance_bound(w))
    assert abs(statistics.covariance(u, u)) > statistics.covariance_bound(u)
