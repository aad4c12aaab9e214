"""ULP, gamma and the constants of the dtypes, by exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from conformance.oracle.rounding import WIDE, Arithmetic, arithmetic, flushed, gamma, signs, ulp
from tests.oracle.support import DTYPES


def model_of(dtype: str, flushes: bool = False) -> Arithmetic:
    model = arithmetic(dtype, flushes)
    assert model is not None
    return model


def ulp_of(value: Any, dtype: str) -> float:
    return float(ulp(np.asarray(value, WIDE[dtype]), model_of(dtype)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_ulp_is_the_distance_to_the_next_number(dtype: str) -> None:
    random = np.random.default_rng(3)
    low, high = np.log2(float(np.finfo(dtype).smallest_normal)), np.log2(float(np.finfo(dtype).max))
    for exponent in random.uniform(low - 5, high - 1, 200):
        x = np.dtype(dtype).type(2.0**exponent)
        assert ulp_of(x, dtype) == np.nextafter(x, np.dtype(dtype).type(np.inf)) - x
        assert ulp_of(-x, dtype) == ulp_of(x, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_ulp_at_a_power_of_two_and_below(dtype: str) -> None:
    eps = float(np.finfo(dtype).eps)
    assert ulp_of(4.0, dtype) == 4 * eps
    assert ulp_of(np.nextafter(np.array(4, WIDE[dtype]), 0), dtype) == 2 * eps
    assert ulp_of(0.0, dtype) == float(np.finfo(dtype).smallest_subnormal)
    assert ulp_of(np.finfo(dtype).smallest_normal, dtype) == ulp_of(0.0, dtype)
    assert ulp_of(float(np.finfo(dtype).smallest_normal) / 3, dtype) == ulp_of(0.0, dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_overflow_is_where_rounding_gives_infinity(dtype: str) -> None:
    least = np.float64(model_of(dtype).overflow)
    with np.errstate(over="ignore"):
        assert np.isinf(least.astype(dtype))
        assert np.isfinite(np.nextafter(least, 0).astype(dtype))


def test_overflow_of_float64() -> None:
    half = Fraction(2) ** 970
    assert Fraction(*model_of("float64").overflow.as_integer_ratio()) in {
        Fraction(2) ** 1024 - half,
        Fraction(float(np.finfo(np.float64).max)),
    }


def test_gamma_bounds_products_of_roundings() -> None:
    unit = Fraction(1, 2048)
    for n in (1, 2, 10, 500):
        bound = gamma(n, float(unit))
        assert (1 + unit) ** n - 1 <= Fraction(bound) * (1 + Fraction(1, 2**40))
        assert 1 / (1 - unit) ** n - 1 <= Fraction(bound) * (1 + Fraction(1, 2**40))
    assert gamma(2048, float(unit)) == np.inf
    assert gamma(np.array([0, 1, 4096]), float(unit)).tolist() == [0, gamma(1, float(unit)), np.inf]


def test_flushed() -> None:
    least = np.finfo(np.float32).smallest_normal
    x = np.array([1, 0, least, least / 2, -least / 4, np.nan, np.inf], np.float32)
    assert flushed(x)[:5].tolist() == [1, 0, least, 0, 0]
    plain = np.ones(3, np.float32)
    assert flushed(plain) is plain


@pytest.mark.parametrize("shape", [(), (1,), (5,), (3, 4), (2, 0, 3)])
def test_every_element_is_moved_both_ways(shape: tuple[int, ...]) -> None:
    stacked = np.stack(signs(shape))
    assert stacked.shape == (4, *shape)
    assert (np.abs(stacked) == 1).all()
    assert (stacked.min(axis=0) == -1).all()
    assert (stacked.max(axis=0) == 1).all()


def test_three_neighbours_get_every_combination() -> None:
    triples = {tuple(row[:3] * row[0]) for row in signs((3,))}
    assert len(triples) == 4


def test_integers_have_no_floating_arithmetic() -> None:
    assert arithmetic("int32", True) is None
    assert arithmetic("bool", True) is None
