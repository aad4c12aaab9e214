"""Quotients without a fraction and remainders, against exact fractions and C's fmod."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from conformance.oracle.expectation import Array
from conformance.oracle.keras_ops import divisions
from conformance.oracle.rounding import arithmetic

MODEL = arithmetic("float32", flushes=False)
RNG = np.random.default_rng(20261129)
X = RNG.uniform(-50, 50, 4_000).astype(np.float32)
Y = (RNG.uniform(0.1, 9, X.size) * RNG.choice((-1, 1), X.size)).astype(np.float32)
MULTIPLES = (Y * RNG.integers(-40, 40, X.size)).astype(np.float32)
"""Multiples of Y, most of them rounded: the quotient is close to an integer."""
Division = Callable[[Array, Array], Array]


def adjusted(x: Array, y: Array) -> Array:
    rest = np.fmod(x, y)
    return np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


FLOORS: dict[str, Division] = {
    "of the quotient": lambda x, y: np.floor(x / y),
    "less the remainder": lambda x, y: np.rint((x - adjusted(x, y)) / y),
}
MODS: dict[str, Division] = {
    "of fmod": adjusted,
    "less the multiple": lambda x, y: x - np.floor(x / y) * y,
}
WRONG_FLOORS: dict[str, Division] = {
    "truncated": lambda x, y: np.trunc(x / y),
    "rounded": lambda x, y: np.rint(x / y),
    "one less": lambda x, y: np.floor(x / y) - 1,
}
WRONG_MODS: dict[str, Division] = {
    "with the sign of x": np.fmod,
    "never negative": lambda x, y: np.mod(x, np.abs(y)),
    "exchanged": lambda x, y: np.mod(y, x),
}


def outside(bounded: Callable[..., tuple[Array, Array]], f: Division, x: Array) -> Array:
    """The places at which a division in float32 is not within the bound."""
    assert MODEL is not None
    value, bound = bounded(MODEL, x.astype(np.float64), Y.astype(np.float64))
    return np.abs(f(x, Y).astype(np.float64) - value) > bound


def test_the_values_are_those_of_exact_fractions() -> None:
    for x, y in zip(X[:500].tolist(), Y[:500].tolist(), strict=True):
        whole = Fraction(x) // Fraction(y)
        wide = np.array(x), np.array(y)
        assert divisions.floor_divide(*wide) == whole
        assert divisions.mod(*(a.astype(np.longdouble) for a in wide)) == pytest.approx(
            float(Fraction(x) - whole * Fraction(y)), rel=1e-15, abs=1e-300
        )
        assert divisions.fmod(*wide) == math.fmod(x, y)


@pytest.mark.parametrize("x", [X, MULTIPLES], ids=["any", "near multiples"])
@pytest.mark.parametrize("way", FLOORS)
def test_a_right_floor_is_within_its_bound(way: str, x: Array) -> None:
    assert not outside(divisions.bounded_floor_divide, FLOORS[way], x).any()


@pytest.mark.parametrize("x", [X, MULTIPLES], ids=["any", "near multiples"])
@pytest.mark.parametrize("way", MODS)
def test_a_right_remainder_is_within_its_bound(way: str, x: Array) -> None:
    assert not outside(divisions.bounded_mod, MODS[way], x).any()


@pytest.mark.parametrize("way", WRONG_FLOORS)
def test_a_wrong_floor_is_not(way: str) -> None:
    assert outside(divisions.bounded_floor_divide, WRONG_FLOORS[way], X).mean() > 0.3


@pytest.mark.parametrize("way", WRONG_MODS)
def test_a_wrong_remainder_is_not(way: str) -> None:
    assert outside(divisions.bounded_mod, WRONG_MODS[way], X).mean() > 0.3


def test_a_multiple_has_no_second_answer() -> None:
    assert MODEL is not None
    x, y = np.array([6.0, -6.0, 7.5]), np.array([2.0, 2.0, -2.5])
    assert (divisions.bounded_floor_divide(MODEL, x, y)[1] == 0).all()
    assert (divisions.bounded_mod(MODEL, x, y)[1] < 1e-5).all()


def test_where_the_quotient_overflows_nothing_is_known() -> None:
    assert MODEL is not None
    x, y = np.array([3e38, np.inf, 1.0]), np.array([1e-20, 1.0, np.nan])
    with np.errstate(all="ignore"):
        for bounded in (divisions.bounded_floor_divide, divisions.bounded_mod):
            assert np.isinf(bounded(MODEL, x, y)[1]).all()
