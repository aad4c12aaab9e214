"""Prints of docstrings as data: arrays of every library, numbers, texts, sequences of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.scenarios.examples.prints import PrintedArray, PrintError, parts_of

ONE: tuple[tuple[str, Any, str], ...] = (
    ("array([1, 2], dtype=int32)", [1, 2], "int32"),
    ("array([[10 10]\n       [10 12]], shape=(2, 2), dtype=int32)", [[10, 10], [10, 12]], "int32"),
    ("Array([[0.5-2.j]], dtype=complex64)", [[0.5 - 2j]], "complex64"),
    ("tf.Tensor([-1.5e-03  2.], shape=(2,), dtype=tf.float32)", [-1.5e-3, 2.0], "float32"),
    ("Tensor([3, 4])", [3, 4], ""),
    ("array(False, shape=(), dtype=bool)", False, "bool"),
    ("array([ True False])", [True, False], ""),
    ("[[1, 3], [1, 3]]", [[1, 3], [1, 3]], ""),
    ("array([nan, -1.], dtype=float32)", [np.nan, -1.0], "float32"),
    ("array([])", [], ""),
    ("-3.25", -3.25, ""),
)


@pytest.mark.parametrize(("text", "elements", "dtype"), ONE)
def test_an_array(text: str, elements: Any, dtype: str) -> None:
    (part,) = parts_of(text)
    assert isinstance(part, PrintedArray)
    np.testing.assert_array_equal(part.elements, np.array(elements))
    assert part.elements.dtype.kind == np.array(elements).dtype.kind
    assert part.dtype == dtype


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ("(array([ 3., -1.]), array(1.))", [(2,), ()]),
        ("[array([[1]]),\n array([[2, 3]])]", [(1, 1), (1, 2)]),
        ("(2, 32, 3)", [(), (), ()]),
        ("10, 11", [(), ()]),
        ("(1, 2)  # row 1, column 2", [(), ()]),
    ],
)
def test_several(text: str, shapes: list[tuple[int, ...]]) -> None:
    assert [p.elements.shape for p in parts_of(text) if isinstance(p, PrintedArray)] == shapes


def test_texts() -> None:
    assert parts_of("'float32'") == parts_of("dtype('float32')") == ["float32"]


@pytest.mark.parametrize(
    ("text", "unit"),
    [("0.75", 0), ("7", 0), ("1.", 0), ("0.6180", 1e-4), ("-4.6445e-09", 1e-13), ("12.345", 1e-3)],
)
def test_a_rounded_fraction_may_be_another_number_that_prints_the_same(
    text: str, unit: float
) -> None:
    (part,) = parts_of(text)
    assert isinstance(part, PrintedArray)
    assert part.units == pytest.approx(unit, rel=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        *("<object at 0x7f>", "array([1, [2, 3]])", "frame([1])", "array()", "[1", "array(", ")"),
        *("[" * 100_000, "array([9" + "9" * 40 + "])", "(=)", "'open"),
    ],
)
def test_what_is_none_of_them_is_refused(text: str) -> None:
    with pytest.raises(PrintError):
        parts_of(text)
