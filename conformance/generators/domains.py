"""Domains: which numbers a parameter takes, and how drawn numbers are moved into it.

A spec names the domain of a tensor (`domain: nonzero`). The plan draws any numbers and *fits* them
to the domain; the minimiser tries simpler numbers, fits them where that needs no chance, and asks
whether the domain *admits* them. Both are here, side by side, so that no case is shown that the
plan could not have drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.generators import arrangement, images, probabilities

Array = npt.NDArray[Any]
Fit = Callable[[np.random.Generator, Array], Array]
Admits = Callable[[Array], Array]

ROUNDING = 2.0**-7
"""How far rounding to a dtype, bfloat16 among them, moves a number beyond the end of a domain."""


@dataclass(frozen=True, slots=True)
class Domain:
    """One domain.

    `fit` moves numbers into it, at random if it has to. `admits` says of each element whether it
    belongs to it. A domain is `plain` if fitting needs no chance, so that simpler numbers can be
    fitted, too. Numbers outside of an `undefined` one have no answer that a document settles.
    """

    fit: Fit
    admits: Admits
    plain: bool = False
    undefined: bool = False


def _any(values: Array) -> Array:
    return np.ones(values.shape, bool)


def _positive(_rng: np.random.Generator, values: Array) -> Array:
    magnitudes = np.abs(values)
    return np.where(magnitudes == 0, np.ones_like(values), magnitudes)


def _nonzero(_rng: np.random.Generator, values: Array) -> Array:
    return np.where(values == 0, np.ones_like(values), values)


def _some_zero(rng: np.random.Generator, values: Array) -> Array:
    return np.where(rng.random(values.shape) < 0.5, 0, values).astype(values.dtype)


def _between(low: float, high: float) -> Admits:
    """Numbers from `low` to `high`, which rounding may have moved."""
    return lambda values: np.asarray(
        (values >= low - abs(low) * ROUNDING) & (values <= high + abs(high) * ROUNDING)
    )


def _is_probability(values: Array) -> Array:
    inside = _between(probabilities.LEAST, 1 - probabilities.LEAST)(values)
    return np.asarray((values == 0) | (values == 1) | inside)


def _is_fitted(fit: Fit) -> Admits:
    """Numbers that stay as they are when they are fitted."""
    never_asked = np.random.Generator(np.random.PCG64(0))

    def admits(values: Array) -> Array:
        made = fit(never_asked, values)
        return np.asarray((made == values) | (np.isnan(made) & np.isnan(values)))

    return admits


DOMAINS: Mapping[str, Domain] = {
    "real": Domain(lambda _rng, values: values, _any, plain=True),
    "nonnegative": Domain(
        lambda _rng, values: np.abs(values), lambda a: a >= 0, plain=True, undefined=True
    ),
    "positive": Domain(_positive, lambda a: a > 0, plain=True, undefined=True),
    "nonzero": Domain(_nonzero, lambda a: a != 0, plain=True, undefined=True),
    "vector": Domain(_nonzero, lambda a: a != 0, plain=True),
    "truth": Domain(_some_zero, _any),
    "probability": Domain(probabilities.probability, _is_probability),
    "sparse probability": Domain(probabilities.sparse_probability, _is_probability),
    "fraction": Domain(probabilities.fraction, _between(0, 1)),
    "inside": Domain(
        probabilities.inside, _between(probabilities.LEAST - 1, 1 - probabilities.LEAST)
    ),
    "logit": Domain(
        probabilities.logit, _between(-probabilities.MOST_LOGIT, probabilities.MOST_LOGIT)
    ),
    "factor": Domain(arrangement.factors, _any),
    **{name: Domain(fit, _is_fitted(fit)) for name, fit in images.DOMAINS.items()},
}
