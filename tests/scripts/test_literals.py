"""Arrays as lines of Python: bit for bit, and short where the array is long."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.scripts.literals import LONG, assignment, literal

RNG = np.random.default_rng(0)
LAST = np.zeros((3, 100), "float32")
LAST[-1, -1] = 1
MIXED = np.where(np.arange(300) % 2, 0.0, -0.0)
FAULTY = np.full(300, np.nan)
FAULTY[7] = -np.inf
LONG_ARRAYS = {
    "one number": np.ones((4097,), "float32"),
    "one at the end": LAST,
    "zeros of both signs": MIXED,
    "not numbers": FAULTY,
    "counted": (np.arange(4097) % 100).astype("float64").reshape(17, 241),
    "drawn": RNG.normal(size=(3, 129, 2)).astype("float32"),
    "byte-swapped": RNG.normal(size=300).astype(">f8"),
    "flags": RNG.random(300) < 0.5,
    "integers": RNG.integers(-9, 9, (20, 20), "int64"),
    "half": RNG.normal(size=300).astype("float16"),
    "strided": RNG.normal(size=(40, 20)).T,
}


def run(lines: list[str]) -> Any:
    names: dict[str, Any] = {"np": np}
    exec("\n".join(lines), names)
    return names["x"]


@pytest.mark.parametrize("name", LONG_ARRAYS)
def test_a_long_array_is_written_bit_for_bit(name: str) -> None:
    array = LONG_ARRAYS[name]
    got = run(assignment("x", array))
    assert got.shape == array.shape
    assert got.dtype == array.dtype.newbyteorder("=")
    assert got.tobytes() == array.astype(got.dtype).tobytes()
    assert got.flags.writeable


@pytest.mark.parametrize("name", ["one number", "one at the end", "counted"])
def test_a_simple_long_array_is_a_line_or_two(name: str) -> None:
    assert len(assignment("x", LONG_ARRAYS[name])) <= 2


def test_no_line_of_a_long_array_is_long() -> None:
    for array in LONG_ARRAYS.values():
        assert max(map(len, assignment("x", array))) < 120


def test_a_short_array_is_one_literal() -> None:
    (line,) = assignment("x", np.arange(LONG - 1))
    assert line.startswith("x = np.array([0, 1, 2")


@pytest.mark.parametrize(
    ("array", "written"),
    [
        (np.ones((3, 5), "float32"), "np.ones((3, 5), dtype='float32')"),
        (np.zeros(4, "int64"), "np.zeros((4,), dtype='int64')"),
        (np.full((2, 2), -0.5), "np.full((2, 2), -0.5, dtype='float64')"),
        (np.full(4, np.nan, "float32"), "np.full((4,), np.nan, dtype='float32')"),
        (np.full(4, -0.0), "np.full((4,), -0.0, dtype='float64')"),
        (np.full((1, 4), True), "np.full((1, 4), True, dtype='bool')"),
        (np.ones(3, "float32"), "np.array([1.0, 1.0, 1.0], dtype='float32')"),
        (np.array([0.0, -0.0, 0.0, 0.0]), "np.array([0.0, -0.0, 0.0, 0.0], dtype='float64')"),
    ],
)
def test_one_number_is_written_once(array: npt.NDArray[Any], written: str) -> None:
    assert literal(array) == written
    assert run([f"x = {written}"]).tobytes() == array.tobytes()
