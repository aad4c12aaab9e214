"""The functions of keras.random that draw numbers of a law, with their laws and parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from conformance.scenarios.model import ARGS, SUMMARY
from conformance.scenarios.randomness import statistics
from conformance.scenarios.randomness.samplers import Parameters, Sampler
from conformance.scenarios.randomness.statistics import Array, Law

FLOATS = ("float32", "float64", "float16")
INTEGERS = ("int32", "int64", "int8", "int16", "uint8")
"""Those that each backend has: torch holds wider integers in place of uint16 and uint32."""


def integers(low: float, high: float) -> Law:
    """Integers from `low` to before `high`, each as often."""
    width = high - low
    return Law(
        f"the uniform distribution on the integers from {low:g} to {high - 1:g}",
        lambda x: np.clip((np.floor(x) - low + 1) / width, 0.0, 1.0),
        mean=(low + high - 1) / 2,
        variance=(width**2 - 1) / 12,
        fourth=(width**2 - 1) * (3 * width**2 - 7) / 240,
        reach=(width - 1) / 2,
    )


def gamma(alpha: float) -> Law:
    """The Gamma distribution of scale 1, for a whole or half `alpha`."""
    return Law(
        f"the Gamma distribution with parameter {alpha:g}",
        lambda x: _elementwise(lambda v: gamma_below(alpha, v), np.maximum(x, 0.0)),
        mean=alpha,
        variance=alpha,
        fourth=3 * alpha**2 + 6 * alpha,
        reach=math.inf,
        tail=1.0,
    )


def gamma_below(alpha: float, x: float) -> float:
    """P(X <= x) of a Gamma law: P(a + 1, x) = P(a, x) - x^a e^-x / Gamma(a + 1), from 1 or 1/2."""
    start = 1.0 if alpha == int(alpha) else 0.5
    below = -math.expm1(-x) if start == 1.0 else math.erf(math.sqrt(x))
    steps = range(int(alpha - start))
    return below - sum(_term(start + k, x) for k in steps)


def _term(a: float, x: float) -> float:
    return 0.0 if x == 0 else math.exp(a * math.log(x) - x - math.lgamma(a + 1))


def beta(alpha: float, beta: float) -> Law:
    """The Beta distribution of two whole parameters."""
    moments = [_moment(alpha, beta, k) for k in range(5)]
    mean = moments[1]
    variance, fourth = (_central(moments, k) for k in (2, 4))
    return Law(
        f"the Beta distribution with parameters {alpha:g} and {beta:g}",
        lambda x: beta_below(int(alpha), int(beta), np.clip(x, 0.0, 1.0)),
        mean=mean,
        variance=variance,
        fourth=fourth,
        reach=max(mean, 1 - mean),
    )


def beta_below(alpha: int, beta: int, x: Array) -> Array:
    """P(X <= x): at least alpha of alpha + beta - 1 events of probability x happen."""
    n = alpha + beta - 1
    terms = [math.comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(alpha, n + 1)]
    return np.asarray(sum(terms))


def _moment(alpha: float, beta: float, k: int) -> float:
    return math.prod((alpha + i) / (alpha + beta + i) for i in range(k))


def _central(moments: list[float], k: int) -> float:
    """The k-th central moment, of the raw ones."""
    mean = moments[1]
    return sum(math.comb(k, i) * moments[i] * (-mean) ** (k - i) for i in range(k + 1))


def _elementwise(function: Callable[[float], float], x: Array) -> Array:
    values = np.fromiter(map(function, x.ravel().tolist()), "float64", x.size)
    return values.reshape(x.shape)


_NORMAL: tuple[Parameters, ...] = ((1.0, 2.0), (0.0, 1.0), (-3.0, 0.5))


_documented = partial(Sampler, shape=ARGS, values=SUMMARY, dtype=ARGS)
_float = partial(_documented, dtypes=FLOATS, documented=FLOATS, default_settled=True)
"""One of a float dtype, whose default is float32."""

KERAS_SAMPLERS = (
    _float(
        "keras.random.normal",
        parameters=("mean", "stddev"),
        law=statistics.normal,
        examples=_NORMAL,
        default=(0.0, 1.0),
    ),
    _float(
        "keras.random.uniform",
        parameters=("minval", "maxval"),
        law=statistics.uniform,
        examples=((-2.0, 3.0), (0.0, 1.0), (0.5, 0.75), (-4.0, -1.0)),
        default=(0.0, 1.0),
        half_open=True,
    ),
    _float(
        "keras.random.truncated_normal",
        parameters=("mean", "stddev"),
        law=statistics.truncated,
        examples=_NORMAL,
        default=(0.0, 1.0),
    ),
    _float(
        "keras.random.gamma",
        parameters=("alpha",),
        law=gamma,
        examples=((2.5,), (1.0,), (0.5,), (4.0,)),
        span=lambda _: (0.0, 1e4),
    ),
    _float(
        "keras.random.beta",
        parameters=("alpha", "beta"),
        law=beta,
        examples=((2.0, 3.0), (1.0, 1.0), (4.0, 1.0), (5.0, 2.0)),
        span=lambda *_: (0.0, 1.0),
    ),
    _float(
        "keras.random.binomial",
        parameters=("counts", "probabilities"),
        law=statistics.binomial,
        examples=((10, 0.25), (1, 0.5), (3, 0.75), (40, 0.5)),
        span=lambda counts, _: (0.0, counts),
        whole=True,
    ),
)

RANDINT = _documented(
    "keras.random.randint",
    parameters=("minval", "maxval"),
    law=integers,
    examples=((0, 5), (1, 2), (3, 100)),
    dtypes=INTEGERS,
    documented=INTEGERS,
    default_dtype="int32",
    half_open=True,
    whole=True,
    span=lambda low, high: (low, high),
)
