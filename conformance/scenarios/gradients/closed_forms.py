"""Losses whose gradients are known in closed form.

Those with exact gradients take small integers, so that every implementation gives the very values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.program import Argument, Ref
from conformance.scenarios.writing import ProgramWriter

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class KnownGradient:
    """A loss and its gradients."""

    name: str
    build: Callable[..., Ref]
    """Writes the loss of some variables."""
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


def _sum(w: ProgramWriter, x: Ref) -> Ref:
    return w.call("sum", x)


def _of(function: str) -> Callable[[ProgramWriter, Ref], Ref]:
    return lambda w, x: _sum(w, w.call(function, x))


def _mul(w: ProgramWriter, x: Argument, y: Argument) -> Ref:
    return w.call("operator.mul", x, y)


def _logistic(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


KNOWN_GRADIENTS = (
    KnownGradient("a sum", _sum, slopes=lambda x: [np.ones(x.shape)]),
    KnownGradient("a sum of squares", _of("square"), slopes=lambda x: [2 * x]),
    KnownGradient(
        "a sum of cubes",
        lambda w, x: _sum(w, _mul(w, x, _mul(w, x, x))),
        slopes=lambda x: [3 * x * x],
    ),
    KnownGradient(
        "a sum of products",
        lambda w, x, y: _sum(w, _mul(w, x, y)),
        slopes=lambda x, y: [y, x],
        variables=2,
    ),
    KnownGradient(
        "the square of a sum",
        lambda w, x: w.call("square", _sum(w, x)),
        slopes=lambda x: [np.full(x.shape, 2 * x.sum())],
    ),
    KnownGradient(
        "a sum of x**2 y - y",
        lambda w, x, y: _sum(w, w.call("operator.sub", _mul(w, w.call("square", x), y), y)),
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
        lambda w, x, y: _sum(w, w.call("operator.truediv", x, y)),
        slopes=lambda x, y: [1 / y, -x / y**2],
        variables=2,
        exact=False,
        positive=True,
    ),
    KnownGradient(
        "a mean of squares",
        lambda w, x: w.call("mean", w.call("square", x)),
        slopes=lambda x: [2 * x / x.size],
        exact=False,
    ),
)
