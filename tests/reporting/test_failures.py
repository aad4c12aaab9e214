from __future__ import annotations

import math

import numpy as np
import pytest
from rich.console import Console

from conformance.reporting.failures import comparison, differing
from conformance.reporting.paint import Paint
from conformance.results import Array
from tests.reporting.records import array

ONE_UP = float(np.nextafter(np.float32(1), np.float32(2)))


def lines(expected: Array | str | None, got: Array | str | None) -> list[str]:
    return [line.plain for line in comparison(expected, got, Paint(Console(markup=False)))]


@pytest.mark.parametrize(
    ("expected", "got", "dtype", "limit", "differs"),
    [
        (1.0, 1.0, "float32", 0.0, False),
        (1.0, ONE_UP, "float32", 0.0, True),
        (1.0, ONE_UP, "float32", 1.0, False),
        (1.0, ONE_UP, "float64", 1.0, True),
        (0.1, float(np.float32(0.1)), "float32", 0.0, False),
        ("nan", "nan", "float32", 0.0, False),
        ("nan", math.nan, "float32", 0.0, False),
        ("nan", 1.0, "float32", 0.0, True),
        ("inf", "-inf", "float32", 4.0, True),
        (1.0, "inf", "float32", 4.0, True),
        (1e39, "inf", "float32", 4.0, False),
        (1e39, 1e38, "float32", 4.0, True),
        (1, 2, "int32", 4.0, True),
        (2**62, 2**62 + 1, "int64", 0.0, True),
        (True, False, "bool", 0.0, True),
    ],
)
def test_elements_differ_beyond_the_limit_only(
    expected: float | str, got: float | str, dtype: str, limit: float, differs: bool
) -> None:
    marks = differing(array([expected], [1], dtype), array([got], [1], dtype), limit)
    assert marks == ({0} if differs else set())


def test_arrays_of_other_shapes_are_shown_and_not_compared() -> None:
    shown = lines(array([1.0, 2.0], [2, 1]), array([1.0, 2.0], [2]))
    assert shown == ["expected: float32 (2, 1)", "  1", "  2", "got: float32 (2,)", "  1 2"]


def test_answers_that_are_no_arrays_are_words() -> None:
    assert lines("ValueError", "no\nexception") == ["expected: ValueError", "got: no exception"]
    assert lines(None, None) == []


def test_scalars_and_empty_arrays_are_shown() -> None:
    assert lines(array([1.0], []), array([2.0], [])) == [
        *("expected: float32 ()", "  *1*", "got: float32 ()", "  *2*"),
        "1 of 1 elements differ (between stars)",
    ]
    assert lines(array([], [0, 3]), array([], [0])) == [
        "expected: float32 (0, 3)",
        "got: float32 (0,)",
    ]


def test_long_arrays_show_the_rows_that_differ() -> None:
    values: list[float | int | bool | str] = [float(i) for i in range(100 * 20)]
    changed = [*values]
    changed[97 * 20] = -1.0
    shown = lines(array(values, [100, 20]), array(changed, [100, 20]))
    assert len(shown) == 2 * (1 + 8 + 1) + 1
    assert "92 more rows" in shown[-2]
    assert "*-1*" in shown[-3] and shown[-3].endswith("and 8 more")
