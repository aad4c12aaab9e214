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

from conformance.generators import (
    arrangement,
    few_numbers,
    images,
    matrices,
    orders,
    probabilities,
    warps,
)
from conformance.generators import plain_numbers as plain

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
    whole: bool = False
    """Whether it says what the whole array is like, so that special numbers belong to it, too."""
    far: bool = False
    """Whether its numbers may be larger than those of the profile from which they are made."""


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
    "ascending": Domain(orders.ascending, _is_fitted(orders.ascending), plain=True, whole=True),
    "colours": Domain(orders.colours, _is_fitted(orders.colours), plain=True, whole=True),
    **{
        name: Domain(fit, _is_fitted(fit), plain=True, whole=True)
        for name, fit in {**plain.OF_WHOLE, **plain.OF_CASTS}.items()
    },
    "all different": Domain(
        plain.all_different, _is_fitted(plain.all_different), plain=True, whole=True
    ),
    "first open": Domain(plain.first_open, _is_fitted(plain.first_open), plain=True, whole=True),
    "between": Domain(plain.between, _is_fitted(plain.between), plain=True, whole=True),
    "thirds missing": Domain(
        plain.thirds_missing, _is_fitted(plain.thirds_missing), plain=True, whole=True
    ),
    **{n: Domain(plain.nearby(n), plain.is_nearby(n), whole=True) for n in plain.NEARBY},
    "far": Domain(plain.far, plain.is_far, whole=True, far=True),
    "patterns": Domain(
        plain.patterns, _is_fitted(plain.patterns), plain=True, whole=True, far=True
    ),
    "spectrum": Domain(orders.spectrum, _is_fitted(orders.spectrum), plain=True, whole=True),
    "window": Domain(orders.window, _between(0.5, 1), plain=True, whole=True),
    "some missing": Domain(orders.some_missing, orders.is_some_missing, whole=True),
    **{name: Domain(lambda _rng, values: values, _any) for name in orders.NAMES_OF_INDICES},
    **{n: Domain(fit, matrices.admits(n), whole=True) for n, fit in matrices.FITS.items()},
    **{
        name: Domain(fit, _is_fitted(fit), plain=True, whole=True)
        for name, fit in {**warps.FITS, **few_numbers.FITS}.items()
    },
    **{name: Domain(fit, _is_fitted(fit), whole=True) for name, fit in images.DOMAINS.items()},
}
