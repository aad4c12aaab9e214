"""Rounding to bfloat16: against the bits of float32, and against torch where it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.dtypes import BFLOAT16, has_all, held_in, is_floating, limits, rounded, spacing

Array = npt.NDArray[Any]
EVERY = (np.arange(2**16, dtype=np.uint32) << 16).view(np.float32)
"""All numbers of bfloat16: the upper halves of those of float32."""


def by_bits(numbers: Array) -> Array:
    """float32 rounded to bfloat16 by the usual addition to its bits; NaN stays NaN."""
    bits = np.asarray(numbers, np.float32).view(np.uint32).astype(np.uint64)
    near = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    rounded = near.astype(np.uint32).view(np.float32)
    return np.where(np.isnan(numbers), np.float32(np.nan), rounded)


def between() -> Array:
    """Of each number of bfloat16 those of float32 half of the way to the next, and beside that."""
    bits = EVERY.view(np.uint32)[:, None] + np.array([0x7FFF, 0x8000, 0x8001, 1], np.uint32)
    return bits.view(np.float32)


def same(a: Array, b: Array) -> bool:
    """Whether the numbers are the same to the sign of zero; one NaN is as good as another."""
    signs = np.isnan(a) | (np.signbit(a) == np.signbit(b))
    return bool(np.array_equal(a, b, equal_nan=True) and signs.all())


def test_every_bfloat16_is_rounded_to_itself() -> None:
    assert same(rounded(EVERY, BFLOAT16), EVERY)
    assert has_all(BFLOAT16, EVERY)
    assert rounded(EVERY, BFLOAT16).dtype == held_in(BFLOAT16) == np.float32


def test_what_lies_between_goes_to_the_nearest_and_half_to_even() -> None:
    numbers = between()
    assert same(rounded(numbers, BFLOAT16), by_bits(numbers))
    assert not has_all(BFLOAT16, np.array(1 + 2.0**-9, "float32"))


@pytest.mark.torch
def test_as_torch_rounds() -> None:
    torch = pytest.importorskip("torch")
    numbers = np.concatenate([between().reshape(-1), EVERY])
    theirs = torch.tensor(numbers).to(torch.bfloat16).to(torch.float32).numpy()
    assert same(rounded(numbers, BFLOAT16), theirs)


@pytest.mark.parametrize("wide", [np.float64, np.longdouble])
def test_wide_numbers_are_rounded_once(wide: Any) -> None:
    # in float32 this is half of the way from 1 to the next number, from where it goes to 1
    number = wide(1) + wide(2) ** -8 + wide(2) ** -40
    assert rounded(number, BFLOAT16) == 1 + 2.0**-7
    assert by_bits(np.array(number, "float32")) == 1


def test_whole_numbers_and_truth_values() -> None:
    assert rounded(np.array([3, 257, 259, -(2**40) - 1]), BFLOAT16).tolist() == [
        3,
        256,
        260,
        -(2.0**40),
    ]
    assert rounded(np.array([True, False]), BFLOAT16).tolist() == [1, 0]


def test_the_limits_are_those_of_the_bits() -> None:
    known, finite = limits(BFLOAT16), EVERY[np.isfinite(EVERY)].astype(np.float64)
    assert known.max == finite.max() == -known.min
    assert known.smallest_subnormal == finite[finite > 0].min()
    assert known.smallest_normal == known.tiny == np.finfo(np.float32).tiny
    assert known.eps == finite[finite > 1].min() - 1 == 2.0**-known.nmant
    assert limits("float64") is np.finfo("float64")


def test_the_spacing_is_the_way_to_the_next_number() -> None:
    ordered = np.unique(EVERY[np.isfinite(EVERY) & (EVERY >= 0)]).astype(np.float64)
    for place in range(0, len(ordered) - 1, 97):
        assert spacing(-ordered[place], BFLOAT16) == ordered[place + 1] - ordered[place]
    assert spacing(3.0, "float32") == np.spacing(np.float32(3))


@pytest.mark.parametrize(
    ("dtype", "floating"), [("bfloat16", True), ("float16", True), ("int8", False), ("bool", False)]
)
def test_which_dtypes_are_floating(dtype: str, floating: bool) -> None:
    assert is_floating(dtype) == floating
