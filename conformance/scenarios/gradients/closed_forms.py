"""Losses whose gradients are known in closed form.

Those with exact gradients take small integers, so every implementation gives the very values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np

from conformance.scenarios.model import Array
from conformance.scenarios.recorder import Recorder, Result


@dataclass(frozen=True)
class KnownGradient:
    """A loss and its gradients."""

    name: str
    build: Callable[..., Result]
    """The loss of some variables, of a recorder and these."""
    _: KW_ONLY
    slopes: Callable[..., Sequence[Array]]
    """One array for each variable."""
    variables: int = 1
    exact: bool = True
    positive: bool = False

    def numbers(self, shape: tuple[int, ...], seed: int) -> list[Array]:
        """Values for the variables: small integers, or else multiples of 1/8."""
        rng = np.random.default_rng(seed)
        unit = 1.0 if self.exact else 0.125
        top = 4 if self.exact else 24
        low = 1 if self.positive else -top
        return [np.asarray(rng.integers(low, top + 1, shape) * unit) for _ in range(self.variables)]


def _of(function: str) -> Callable[[Recorder, Result], Result]:
    return lambda K, x: K.sum(K[function](x))


def _logistic(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


KNOWN_GRADIENTS = (
    KnownGradient("a sum", lambda K, x: K.sum(x), slopes=lambda x: [np.ones(x.shape)]),
    KnownGradient("a sum of squares", _of("square"), slopes=lambda x: [2 * x]),
    KnownGradient("a sum of cubes", lambda K, x: K.sum(x * (x * x)), slopes=lambda x: [3 * x * x]),
    KnownGradient(
        "a sum of products",
        lambda K, x, y: K.sum(x * y),
        slopes=lambda x, y: [y, x],
        variables=2,
    ),
    KnownGradient(
        "the square of a sum",
        lambda K, x: K.square(K.sum(x)),
        slopes=lambda x: [np.full(x.shape, 2 * x.sum())],
    ),
    KnownGradient(
        "a sum of x**2 y - y",
        lambda K, x, y: K.sum(K.square(x) * y - y),
        slopes=lambda x, y: [2 * x * y, x * x - 1],
        variables=2,
    ),
    KnownGradient("a sum of exponentials", _of("exp"), slopes=lambda x: [np.exp(x)], exact=False),
    KnownGradient("a sum of sines", _of("sin"), slopes=lambda x: [np.cos(x)], exact=False),
    KnownGradient(
        "a sum of logarithms", _of("log"), slopes=lambda x: [1 / x], exact=False, positive=True
    ),
    KnownGradient(
        "a sum of sigmoids",
        _of("sigmoid"),
        slopes=lambda x: [_logistic(x) * _logistic(-x)],
        exact=False,
    ),
    KnownGradient(
        "a sum of quotients",
        lambda K, x, y: K.sum(x / y),
        slopes=lambda x, y: [1 / y, -x / y**2],
        variables=2,
        exact=False,
        positive=True,
    ),
    KnownGradient(
        "a mean of squares",
        lambda K, x: K.mean(K.square(x)),
        slopes=lambda x: [2 * x / x.size],
        exact=False,
    ),
)
