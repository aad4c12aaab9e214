"""Tests of random numbers; a test that can fail by chance states how probable that is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.scenarios.checks import Test, of_array, of_arrays
from conformance.scenarios.model import Problem, Values
from conformance.scenarios.randomness import statistics
from conformance.scenarios.randomness.statistics import RATE, Law

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class ByChance:
    """A test that fails a correct implementation with a probability of at most `rate`."""

    test: Test
    rate: float = RATE

    def __call__(self, *values: Values) -> Problem | None:
        """The problem that the test finds."""
        return self.test(*values)


def first_of(*tests: Test) -> Test:
    """The first problem that one of the tests finds."""

    def test(*values: Values) -> Problem | None:
        return next((problem for t in tests if (problem := t(*values))), None)

    rate = sum(t.rate for t in tests if isinstance(t, ByChance))
    return ByChance(test, rate) if rate else test


_PLAINLY = {
    "mean": "numbers with another mean",
    "variance": "numbers with another mean square deviation",
    "distribution": "numbers with another distribution",
    "proportion": "another proportion",
    "out of range": "numbers out of range",
    "another value": "another value",
    "missing value": "not every value",
    "neighbours correlated": "neighbours that are correlated",
    "the two samples correlated": "two samples that are correlated",
}
"""The problems without figures, by their details: for samples without a seed."""


def without_figures(test: Test) -> Test:
    """The test, with problems that do not mention the numbers of the sample."""

    def plainly(*values: Values) -> Problem | None:
        problem = test(*values)
        if problem is None:
            return None
        plain_words = _PLAINLY.get(problem.detail)
        gives = problem.gives if plain_words is None else f"gives {plain_words}"
        return replace(problem, gives=gives, got=None, expected=None, ulp=None)

    return ByChance(plainly, test.rate) if isinstance(test, ByChance) else plainly


_NOT_FINITE = "np.asarray(first).dtype.kind != 'f' or not np.isfinite(first).all()"


def is_sample(got: Array) -> Problem | None:
    """A problem unless there are finite numbers to be tested."""
    if got.size == 0:
        return Problem(f"gives shape {got.shape}", "no numbers", fault="np.size(first) == 0")
    if got.dtype.kind != "f" or not np.isfinite(got).all():
        gives = f"gives {got.dtype} numbers that are not all finite"
        return Problem(gives, "not finite", fault=_NOT_FINITE)
    return None


def follows(law: Law, rate: float = RATE) -> Test:
    """The numbers have the law's distribution function (Dvoretzky-Kiefer-Wolfowitz-Massart)."""

    def test(got: Array) -> Problem | None:
        distance = statistics.farthest(got, law)
        bound = statistics.distance_bound(got.size, rate)
        what = "a largest distance from the distribution function"
        problem = _outside(got, what, distance.size, bound, "distribution")
        return problem and replace(problem, fault=_far(distance, bound))

    return _by_chance(test, rate)


def _far(distance: statistics.Distance, bound: float) -> str:
    """That the share of numbers up to a place is further than `bound` from the right share."""
    if distance.above:
        return (
            f"np.mean(np.asarray(first) <= {distance.at!r}) - {distance.probability!r} > {bound!r}"
        )
    return f"{distance.probability!r} - np.mean(np.asarray(first) < {distance.at!r}) > {bound!r}"


def has_mean(law: Law, rate: float = RATE) -> Test:
    """The mean of the numbers is the law's."""

    def test(got: Array) -> Problem | None:
        mean = float(got.mean(dtype="float64"))
        bound = statistics.mean_bound(law, got.size, rate)
        fault = f"abs(np.mean(first, dtype='float64') - {float(law.mean)!r}) > {bound!r}"
        problem = _outside(got, f"mean {mean:.5g}, its error", abs(mean - law.mean), bound, "mean")
        return problem and replace(problem, fault=fault)

    return _by_chance(test, rate)


def has_variance(law: Law, rate: float = RATE) -> Test:
    """The mean square of the distances from the law's mean is its variance."""

    def test(got: Array) -> Problem | None:
        square = float(np.mean(np.square(got.astype("float64") - law.mean)))
        bound = statistics.variance_bound(law, got.size, rate)
        what = f"mean square deviation {square:.5g}, its error"
        squared = f"np.mean(np.square(np.asarray(first, 'float64') - {float(law.mean)!r}))"
        fault = f"abs({squared} - {float(law.variance)!r}) > {bound!r}"
        problem = _outside(got, what, abs(square - law.variance), bound, "variance")
        return problem and replace(problem, fault=fault)

    return _by_chance(test, rate)


def neighbours_are_independent(spread: Callable[[Array], Array], rate: float = RATE) -> Test:
    """Elements next to each other are not correlated; `spread` maps them to [0, 1]."""

    def test(got: Array) -> Problem | None:
        values = np.asarray(spread(got), "float64").ravel()
        pairs = values[: values.size // 2 * 2].reshape(-1, 2)
        return _correlated(pairs[:, 0], pairs[:, 1], rate, "neighbours")

    return _by_chance(test, rate)


def are_independent(spread: Callable[[Array], Array], rate: float = RATE) -> Test:
    """Two samples are not correlated; `spread` maps their elements to [0, 1]."""

    def test(a: Array, b: Array) -> Problem | None:
        problem = is_sample(a) or is_sample(b)
        if problem is None and a.shape != b.shape:
            return Problem(f"gives shapes {a.shape} and {b.shape}", "shape")
        u, w = (np.asarray(spread(x), "float64").ravel() for x in (a, b))
        return problem or _correlated(u, w, rate, "the two samples")

    return ByChance(of_arrays(test), rate)


def _correlated(u: Array, w: Array, rate: float, what: str) -> Problem | None:
    product, bound = statistics.covariance(u, w), statistics.covariance_bound(w, rate)
    if abs(product) <= bound:
        return None
    size = math.sqrt(float(u.var() * w.var())) * u.size or math.inf
    return Problem(
        f"gives {u.size:,} pairs, {what} with correlation {product / size:.4f} "
        f"where chance allows {bound / size:.4f}",
        f"{what} correlated",
    )


def occurs(event: Callable[[Array], Array], p: float, what: str, rate: float = RATE) -> Test:
    """As many elements satisfy `event` as independent ones of probability `p` may."""

    def test(got: Array) -> Problem | None:
        hits = event(got)
        count, n = int(np.count_nonzero(hits)), hits.size
        if n and statistics.count_is_possible(count, n, p, rate):
            return None
        return Problem(
            f"gives {count:,} of {n:,} {what}, a proportion of {count / max(n, 1):.5f} for {p:g}",
            "proportion",
        )

    return ByChance(of_array(test), rate)


def _by_chance(test: Callable[[Array], Problem | None], rate: float) -> Test:
    return ByChance(of_array(lambda got: is_sample(got) or test(got)), rate)


def _outside(got: Array, what: str, value: float, bound: float, detail: str) -> Problem | None:
    if value <= bound:
        return None
    return Problem(
        f"gives {got.size:,} numbers with {what} {value:.5f} where chance allows {bound:.5f}",
        detail,
    )


def within(low: float, high: float, *, below: bool = False) -> Test:
    """Every number lies between the bounds; the upper one is out of it with `below`."""

    def test(got: Array) -> Problem | None:
        outside = ~((got >= low) & ((got < high) if below else (got <= high)))
        if not outside.any():
            return None
        first = float(got[outside].ravel()[0])
        return Problem(
            f"gives {first!r} among {got.size:,} numbers, {np.count_nonzero(outside):,} of them "
            "out of range",
            "out of range",
            wrong=f"~((first >= {low!r}) & (first {'<' if below else '<='} {high!r}))",
        )

    return of_array(test)


def _whole(got: Array) -> Problem | None:
    """A problem unless every number is an integer."""
    wrong = got != np.floor(got)
    if not wrong.any():
        return None
    return Problem(
        f"gives {got[wrong].ravel()[0].item()!r}", "another value", wrong="first != np.floor(first)"
    )


are_whole: Test = of_array(_whole)


def takes_only(*values: float) -> Test:
    """Every element is one of these."""

    def test(got: Array) -> Problem | None:
        wrong = ~np.isin(got, values)
        if not wrong.any():
            return None
        others = f"~np.isin(first, {list(values)!r})"
        return Problem(f"gives {got[wrong].ravel()[0].item()!r}", "another value", wrong=others)

    return of_array(test)


def takes_all(*values: float) -> Test:
    """Every one of these values occurs."""

    def test(got: Array) -> Problem | None:
        missing = [v for v in values if not (got == v).any()]
        if not missing:
            return None
        fault = f"not (first == {missing[0]!r}).any()"
        return Problem(f"never gives {missing[0]:g}", "missing value", fault=fault)

    return of_array(test)


def unless_equal(test: Test) -> Test:
    """The test, skipped if both samples are the same: another check says so."""

    def tested(*values: Values) -> Problem | None:
        return None if of_arrays(other_samples)(*values) else test(*values)

    return ByChance(tested, test.rate) if isinstance(test, ByChance) else tested


def _same(a: Array, b: Array) -> bool:
    return a.shape == b.shape and bool(np.array_equal(a, b))


_SAME = "np.array_equal(values[0][0], values[1][0])"


def equal_samples(a: Array, b: Array) -> Problem | None:
    """Both samples are the same numbers."""
    if _same(a, b):
        return None
    return Problem("gives other numbers", "other numbers", fault=f"not {_SAME}")


def starts_again(first: Array, second: Array, anew: Array) -> Problem | None:
    """The numbers of a stream: `second` goes on from `first`, `anew` is what it began with."""
    if first.shape != second.shape:
        return Problem(f"gives shape {second.shape}", "shape")
    return equal_samples(first, anew)


MOST_TRIALS = 64


def counts_successes(p: float) -> Test:
    """Each element is the number of successes in several trials, as many for each of them."""

    def test(got: Array) -> Problem | None:
        counts = np.asarray(got, "float64")
        whole = np.isfinite(counts).all() and (counts == np.floor(counts)).all()
        if counts.size and whole and (counts >= 0).all() and _trials(counts, p):
            return None
        return Problem(f"gives {got.size:,} numbers of no binomial distribution", "no trials")

    return of_array(test)


def _trials(counts: Array, p: float) -> int | None:
    """How many trials there may have been for each; None if no number will do."""
    total, size = int(counts.sum()), counts.size
    for trials in range(max(2, int(counts.max())), MOST_TRIALS + 1):
        if not statistics.count_is_possible(total, trials * size, p):
            continue
        far = statistics.distance(counts, statistics.binomial(trials, p))
        if far <= statistics.distance_bound(size):
            return trials
    return None


def other_samples(a: Array, b: Array) -> Problem | None:
    """The samples are not the same numbers."""
    if not _same(a, b):
        return None
    if a.size > 1 and (a == a.flat[0]).all():  # the seed is not to blame for what is not random
        return Problem("gives one number throughout", "not random", unmade=True)
    return Problem("gives the same numbers", "same numbers", fault=_SAME)
