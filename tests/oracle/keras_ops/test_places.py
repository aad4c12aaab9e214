"""Sums and products of segments: no order is promised, and some orders may overflow."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.oracle import agrees, expect
from conformance.oracle.expectation import Array
from conformance.specs import load

ROWS = 100


def _is_right(data: Array, got: float, name: str = "segment_prod") -> bool:
    accuracy = load()[f"keras.ops.{name}"].accuracy
    assert accuracy is not None
    arguments = {"data": data, "segment_ids": np.zeros(len(data), np.int32), "num_segments": 1}
    asked = expect(name, arguments, "float32", accuracy, flush_subnormals=False)
    return bool(agrees(np.array([got], np.float32), asked).all())


@pytest.mark.parametrize("got", [np.nan, 0.0])
def test_a_zero_after_an_overflow_may_be_nan(got: float) -> None:
    assert _is_right(np.array([3.0] * ROWS + [0.0], np.float32), got)


def test_a_product_that_no_order_overflows_is_exact_but_for_roundings() -> None:
    data = np.array([3.0] * 4 + [0.5], np.float32)
    assert _is_right(data, 40.5)
    assert not _is_right(data, 81.0)
    assert not _is_right(data, np.nan)


def test_no_overflow_excuses_a_zero_that_is_not_there() -> None:
    data = np.array([3.0] * ROWS, np.float32)
    assert _is_right(data, np.inf)
    assert not _is_right(data, 0.0)


@pytest.mark.parametrize("got", [np.nan, np.inf, 0.0])
def test_a_partial_sum_may_overflow(got: float) -> None:
    assert _is_right(np.array([2e38, 2e38, -2e38, -2e38], np.float32), got, "segment_sum")


def test_a_sum_that_no_order_overflows_is_a_number() -> None:
    data = np.array([2e38, 1e38, -2e38, -1e38], np.float32)
    assert not _is_right(data, np.nan, "segment_sum")
    assert _is_right(np.array([1.0, 2.0], np.float32), 3.0, "segment_sum")
    assert not _is_right(np.array([1.0, 2.0], np.float32), 2.0, "segment_sum")
