"""Domains of plain numbers: several dtypes have them and their totals.

Whole numbers and quarters that a cast keeps, factors of a product that stays small, numbers beside
each other by a known step. Their tolerances, bins and casts are settled for every dtype.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Fit = Callable[[np.random.Generator, Array], Array]
MOST_WHOLE = 100
"""The largest magnitude of a whole number, which every dtype has."""
EIGHTS = 3
"""How many of the factors of a product are eight, at most."""


def whole(_rng: np.random.Generator, values: Array) -> Array:
    """The nearest whole numbers that every dtype has."""
    if values.dtype.kind != "f":
        return values
    near = np.nan_to_num(np.asarray(values, np.float64), posinf=MOST_WHOLE, neginf=-MOST_WHOLE)
    return np.clip(np.rint(near), -MOST_WHOLE, MOST_WHOLE).astype(values.dtype)


def units(_rng: np.random.Generator, values: Array) -> Array:
    """Ones of both signs, and a few eights in the place of numbers beyond one."""
    signed = np.where(values < 0, -1, 1)
    beyond = np.abs(np.nan_to_num(np.asarray(values, np.float64)).reshape(-1)) > 1
    signed.reshape(-1)[np.flatnonzero(beyond)[:EIGHTS]] *= 8
    return signed.astype(values.dtype)


def _or_missing(fit: Fit) -> Fit:
    """The same, with each NaN in its place."""

    def fitted(rng: np.random.Generator, values: Array) -> Array:
        if values.dtype.kind != "f":
            return fit(rng, values)
        return np.where(np.isnan(values), values, fit(rng, values))

    return fitted


OF_WHOLE: Mapping[str, Fit] = {
    "whole": whole,
    "whole or missing": _or_missing(whole),
    "units": units,
    "units or missing": _or_missing(units),
}
"""Domains of whole numbers, of which every dtype has the totals."""


def all_different(_rng: np.random.Generator, values: Array) -> Array:
    """Other numbers in the place of those that are there already; truth values stay."""
    if values.dtype.kind == "b":
        return values
    flat = values.reshape(-1).copy()
    again = np.setdiff1d(np.arange(flat.size), np.unique(flat, return_index=True)[1])
    steps = np.arange(1, MOST_WHOLE + 1)
    others = np.stack([steps, -steps], -1).reshape(-1)
    others = (others if flat.dtype.kind == "i" else others / 8).astype(flat.dtype)
    flat[again] = others[~np.isin(others, flat)][: again.size]
    return flat.reshape(values.shape)


def _grid(step: float, *, signed: bool = True) -> Fit:
    """The nearest multiples of a number, up to `MOST_WHOLE`."""

    def fit(_rng: np.random.Generator, values: Array) -> Array:
        if values.dtype.kind not in "fi":
            return values
        near = np.clip(np.nan_to_num(np.asarray(values, np.float64)), -MOST_WHOLE, MOST_WHOLE)
        multiples = step * np.rint(near / step)
        return (multiples if signed else np.abs(multiples)).astype(values.dtype)

    return fit


def bits(_rng: np.random.Generator, values: Array) -> Array:
    """1 for each number that is not 0."""
    return np.asarray(np.nan_to_num(np.asarray(values, np.float64)) != 0, values.dtype)


OF_CASTS: Mapping[str, Fit] = {
    "fours": _grid(4.0),
    "quarters": _grid(0.25),
    "quarters above zero": _grid(0.25, signed=False),
    "bits": bits,
}
"""Domains of numbers that have a place in several dtypes."""
FIFTH = 5


def far(_rng: np.random.Generator, values: Array) -> Array:
    """The fifth powers of numbers in quarters, of which many are beyond the integers of few
    bits."""
    if values.dtype.itemsize < 4 and values.dtype.kind != "f":
        return values
    near = np.clip(np.nan_to_num(np.asarray(values, np.float64)), -MOST_WHOLE, MOST_WHOLE)
    most = np.finfo(values.dtype).max if values.dtype.kind == "f" else np.inf
    return np.clip(np.rint(4 * near**FIFTH) / 4, -most, most).astype(values.dtype)


def is_far(values: Array) -> npt.NDArray[np.bool_]:
    """Whether each number is one in quarters, or one of few digits."""
    numbers = np.asarray(values, np.float64)
    return np.asarray((numbers * 4 % 1 == 0) & (np.abs(numbers) <= float(MOST_WHOLE) ** FIFTH))


_HALVES = {"int16": np.float16, "int32": np.float32, "int64": np.float64}


def patterns(_rng: np.random.Generator, values: Array) -> Array:
    """Bits of floating numbers in the place of small integers; no NaN, whose bits are not
    settled."""
    if values.dtype.kind == "f":
        return np.where(np.isnan(values), np.ones_like(values), values)
    kind = _HALVES.get(values.dtype.name)
    if kind is None:
        return values
    seen = (np.clip(values, -MOST_WHOLE, MOST_WHOLE) + 0.5).astype(kind).view(values.dtype)
    return np.where(np.abs(values) <= MOST_WHOLE, seen, values)


def thirds_missing(rng: np.random.Generator, values: Array) -> Array:
    """Whole numbers, with NaN in the place of multiples of three."""
    if values.dtype.kind != "f":
        return values
    numbers = whole(rng, values)
    missing = np.isnan(values) | (numbers % 3 == 0)
    return np.where(missing, np.nan, numbers).astype(values.dtype)


def first_open(_rng: np.random.Generator, values: Array) -> Array:
    """Truth values of which the first along the last axis holds; other numbers stay."""
    truths = values.copy()
    if values.dtype.kind == "b" and values.ndim:
        truths[..., :1] = True
    return truths


MOST_BETWEEN = 8
"""The largest magnitude of a number between two whole ones, about."""


def between(_rng: np.random.Generator, values: Array) -> Array:
    """Numbers half-way between whole ones, or integers, up to `MOST_BETWEEN`, and not all alike."""
    near = np.nan_to_num(np.asarray(values, np.float64))
    lower = np.clip(np.floor(near), -MOST_BETWEEN, MOST_BETWEEN - 1)
    if lower.size > 1 and (lower == lower.flat[0]).all():
        lower.flat[0] += 1 if lower.flat[0] < 0 else -1
    return (lower + 0.5 if values.dtype.kind == "f" else lower).astype(values.dtype)


NEARBY = {"about sixteen": (16.0, 2.0**-14), "about zero": (0.0, 2.0**-28)}
"""A number, and steps beside it of which the default tolerances make some close and some not."""


def nearby(name: str) -> Fit:
    """Up to two steps beside a number."""
    middle, step = NEARBY[name]

    def fit(_rng: np.random.Generator, values: Array) -> Array:
        if values.dtype.kind != "f":
            return values
        steps = np.clip(np.rint(np.nan_to_num(np.asarray(values, np.float64))), -2, 2)
        return (middle + step * steps).astype(values.dtype)

    return fit


def is_nearby(name: str) -> Callable[[Array], npt.NDArray[np.bool_]]:
    """Whether each number is one of those, perhaps rounded."""
    middle, step = NEARBY[name]

    def admits(values: Array) -> npt.NDArray[np.bool_]:
        near = np.abs(np.asarray(values, np.float64) - middle) <= 2 * step
        return np.asarray(near | (values.dtype.kind != "f"))

    return admits


MANY = (*OF_WHOLE, *OF_CASTS, "all different")
"""Domains with more integers than others."""
