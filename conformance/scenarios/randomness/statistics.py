"""Bounds on statistics of a sample that hold for every sample size.

Every bound is a theorem, not an approximation: a correct implementation exceeds it with at most
the stated probability, the `rate`.

* Empirical distribution function: P(sup |F_n - F| > t) <= 2 exp(-2 n t^2)
  (P. Massart, The tight constant in the Dvoretzky-Kiefer-Wolfowitz inequality, 1990).
* Sums of bounded numbers: P(|S| > sqrt(2 n v x) + b x / 3) <= 2 exp(-x) for n centred numbers
  of variance v and magnitude at most b (Bernstein; Boucheron, Lugosi, Massart, Concentration
  Inequalities, 2013, 2.8).
* Sums of squares of n normal numbers: Z - n > 2 sqrt(n x) + 2 x, or n - Z > 2 sqrt(n x), each
  with probability at most exp(-x) (B. Laurent, P. Massart, Adaptive estimation of a quadratic
  functional by model selection, 2000, lemma 1).
* Counts: P(K >= k) <= exp(-n KL(k/n, p)) for k/n >= p, and the same below (Chernoff 1952).
* Sums of n numbers of the Gamma law of shape a: S - n a > sqrt(2 n a x) + x, or n a - S >
  sqrt(2 n a x), each with probability at most exp(-x) (Boucheron, Lugosi, Massart, 2.4).
* Products: P(|sum u_i w_i| > t | w) <= 2 exp(-2 t^2 / sum w_i^2) for independent u_i on intervals
  of length 1 that have one mean, where the w_i sum to 0 (W. Hoeffding, Probability inequalities for
  sums of bounded random variables, 1963, theorem 2). The law of u needs no other property.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

RATE = 1e-9
"""The probability with which one test of one sample fails a correct implementation, at most."""

BUDGET = 1e-6
"""The same for any test of one run: RATE times the number of tests in a run must be below."""


@dataclass(frozen=True, slots=True, eq=False)
class Law:
    """A probability distribution, as far as the tests need it."""

    says: str
    """In words that follow "numbers of": "the uniform distribution on [0, 1]"."""
    distribution: Callable[[Array], Array]
    """P(X <= x), for float64."""
    _: KW_ONLY
    mean: float
    variance: float
    fourth: float
    """The fourth central moment."""
    reach: float
    """The largest distance from the mean; infinite for the normal law and Gamma laws."""
    tail: float = 0.0
    """The addition to the tail of a normal sum, times x: 1 for Gamma laws."""

    @property
    def scale(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.variance)


def normal(mean: float, stddev: float) -> Law:
    """The normal distribution."""
    return Law(
        f"the normal distribution with mean {mean:g} and standard deviation {stddev:g}",
        lambda x: _phi((x - mean) / stddev),
        mean=mean,
        variance=stddev**2,
        fourth=3 * stddev**4,
        reach=math.inf,
    )


def uniform(low: float, high: float) -> Law:
    """The uniform distribution between two bounds."""
    width = high - low
    return Law(
        f"the uniform distribution from {low:g} to {high:g}",
        lambda x: np.clip((x - low) / width, 0.0, 1.0),
        mean=(low + high) / 2,
        variance=width**2 / 12,
        fourth=width**4 / 80,
        reach=width / 2,
    )


def binomial(trials: int, p: float) -> Law:
    """The number of successes in some trials."""
    counts = np.arange(trials + 1)
    chances = np.array([math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in counts])
    below = np.concatenate([[0.0], np.cumsum(chances)])
    q = 1 - p
    return Law(
        f"the binomial distribution of {trials} trials with probability {p:g}",
        lambda x: below[np.clip(np.floor(x).astype(int) + 1, 0, trials + 1)],
        mean=trials * p,
        variance=trials * p * q,
        fourth=trials * p * q * (1 + 3 * (trials - 2) * p * q),
        reach=trials * max(p, q),
    )


TRUNCATION = 2.0
"""Standard deviations from the mean beyond which numbers are drawn again."""


def truncated(mean: float, stddev: float) -> Law:
    """The normal distribution without what lies beyond two standard deviations.

    The moments of a truncated standard normal follow from integration by parts:
    m2 = 1 - c, m4 = 3 m2 - a^2 c, where c = 2 a phi(a) / mass.
    """
    a, mass = TRUNCATION, math.erf(TRUNCATION / math.sqrt(2))
    c = 2 * a * math.exp(-a * a / 2) / math.sqrt(2 * math.pi) / mass
    second = 1 - c

    def distribution(x: Array) -> Array:
        z = np.clip((x - mean) / stddev, -a, a)
        return (_phi(z) - (1 - mass) / 2) / mass

    return Law(
        f"the normal distribution with mean {mean:g} and standard deviation {stddev:g}, "
        "cut at two standard deviations",
        distribution,
        mean=mean,
        variance=second * stddev**2,
        fourth=(3 * second - a * a * c) * stddev**4,
        reach=a * stddev,
    )


def _phi(x: Array) -> Array:
    """The standard normal distribution function."""
    values = np.fromiter(map(math.erf, (x / math.sqrt(2)).ravel().tolist()), "float64", x.size)
    return (0.5 * (1.0 + values)).reshape(x.shape)


def exponent(rate: float) -> float:
    """x with 2 exp(-x) = rate: what two-sided bounds are made of."""
    return math.log(2 / rate)


BLOCK = 128
"""How many numbers of a sample are looked at together."""
ROUNDING = 1e-12
"""More than what rounding changes in a distance."""


@dataclass(frozen=True, slots=True)
class Distance:
    """How far the distribution function of a sample is from a law's, and a number where it is.

    The share of the sample that is at most `at` (less than `at`, unless it is `above`) is by so
    much more (less) than `probability`.
    """

    size: float
    at: float
    probability: float
    above: bool


def distance(sample: Array, law: Law) -> float:
    """The largest distance between the sample's distribution function and the law's.

    Numbers are rounded to their dtype, and a generator may fill its range (less than four standard
    deviations, or else unlimited) in steps of eps. Each number therefore counts as any number
    nearer than eps.
    """
    return farthest(sample, law).size


def farthest(sample: Array, law: Law) -> Distance:
    """The largest distance, as `distance` has it, with its place."""
    values = np.sort(np.asarray(sample, "float64").ravel())
    blur = np.finfo(sample.dtype).eps * (np.abs(values) + 4 * law.scale)
    ends = np.unique([*range(0, values.size, BLOCK), values.size - 1])
    rank = _in_far_blocks(ends, *_distributions(values, blur, ends, law), values.size)
    over, under = _distributions(values, blur, rank, law)
    above, below = (rank + 1) / values.size - over, under - rank / values.size
    is_above = bool(above.max() >= below.max())
    chosen, law_says = (above, over) if is_above else (below, under)
    place = int(chosen.argmax())
    at = float(values[rank[place]])
    return Distance(float(chosen[place]), at, float(law_says[place]), is_above)


def _distributions(values: Array, blur: Array, rank: Array, law: Law) -> tuple[Array, Array]:
    """The law's distribution function at numbers, as great and as small as they may count."""
    near, around = values[rank], blur[rank]
    return law.distribution(near + around), law.distribution(near - around)


def _in_far_blocks(ends: Array, over: Array, under: Array, size: int) -> Array:
    """The ranks of all numbers that may be the farthest, by the ends of blocks.

    Both distribution functions only rise. Therefore inside a block neither distance is greater than
    from the one function at its end to the other at its beginning. That settles most blocks without
    the law's function, which takes most of the time.
    """
    greatest = max(((ends + 1) / size - over).max(), (under - ends / size).max())
    above, below = (ends[1:] + 1) / size - over[:-1], under[1:] - ends[:-1] / size
    out = np.maximum(above, below) < greatest - ROUNDING
    left = [np.arange(a, b) for a, b in zip(ends[:-1][~out], ends[1:][~out], strict=True)]
    return np.unique(np.concatenate([ends, *left]))


def distance_bound(n: int, rate: float = RATE) -> float:
    """The bound on the distance of `n` numbers."""
    return math.sqrt(exponent(rate) / (2 * n))


def mean_bound(law: Law, n: int, rate: float = RATE) -> float:
    """How far the mean of `n` numbers may be from the law's."""
    x = exponent(rate)
    beyond = law.tail if math.isinf(law.reach) else law.reach / 3  # 0: normal numbers
    return math.sqrt(2 * law.variance * x / n) + beyond * x / n


def variance_bound(law: Law, n: int, rate: float = RATE) -> float:
    """How far the mean square of `n` distances from the law's mean may be from its variance.

    Infinite for Gamma laws, of which no such theorem is used here.
    """
    x = exponent(rate)
    if law.tail:
        return math.inf
    if math.isinf(law.reach):
        return law.variance * (2 * math.sqrt(x / n) + 2 * x / n)
    largest = max(law.variance, law.reach**2 - law.variance)
    return math.sqrt(2 * (law.fourth - law.variance**2) * x / n) + largest * x / (3 * n)


def improbability(k: int, n: int, p: float) -> float:
    """Minus the logarithm of a bound on the chance of a count as far from n p as `k`."""
    return n * (_relative(k / n, p) + _relative(1 - k / n, 1 - p))


def _relative(q: float, p: float) -> float:
    if q == 0:
        return 0.0
    return math.inf if p == 0 else q * math.log(q / p)


def count_is_possible(k: int, n: int, p: float, rate: float = RATE) -> bool:
    """Whether `k` of `n` independent events of probability `p` may well happen."""
    return improbability(k, n, p) <= exponent(rate)


def covariance(u: Array, w: Array) -> float:
    """The sum of the products of `u` with the distances of `w` from their mean."""
    return float(np.sum(u * (w - w.mean())))


def covariance_bound(w: Array, rate: float = RATE) -> float:
    """The bound on |covariance| for u on an interval of length 1, independent of w."""
    return math.sqrt(float(np.sum(np.square(w - w.mean()))) * exponent(rate) / 2)
