"""Which elements rest on special numbers: all that may change, however many there are."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.oracle import Expectation
from conformance.oracle.evaluate import ORACLES
from conformance.oracle.freedom import concerned
from conformance.specs.convention_names import ConventionName


def resting(function: str, x: np.ndarray, axis: int) -> np.ndarray:
    value = np.asarray(ORACLES[function](x=x.astype(np.float64), axis=axis))
    expectation = Expectation(value, np.zeros(value.shape), "int64")
    arguments = {"x": x, "axis": axis}
    return concerned(ConventionName.SPECIAL_VALUES, function, arguments, expectation)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("function", ["argmax", "argmin"])
def test_each_of_many_rows_of_special_numbers_rests_on_them(function: str, dtype: str) -> None:
    for row in ([np.nan, np.inf], [np.inf, np.nan], [-np.inf, np.nan], [np.nan, np.nan]):
        many = np.tile(np.array(row, dtype), (700, 1))
        assert resting(function, many, 1).all(), row
        assert resting(function, many.T.copy(), 0).all(), row


def test_a_row_of_ordinary_numbers_rests_on_none() -> None:
    x = np.array([[1, 2], [np.nan, 1], [4, 3]], np.float32)
    np.testing.assert_array_equal(resting("argmax", x, 1), [False, True, False])


@pytest.mark.parametrize("others", [[2, 2], [-7, -7], [1e30, 1e30], [-1e30, 3]])
@pytest.mark.parametrize("function", ["argmax", "argmin"])
def test_a_special_number_may_be_on_either_side_of_all_others(
    function: str, others: list[float]
) -> None:
    x = np.array([[np.nan, *others]], np.float32)
    assert resting(function, x, 1).all()


def _on_a_line() -> dict[str, np.ndarray]:
    """An image with a NaN; in the place of its corners ordinary numbers lie on one line."""
    images = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    images[0, 0, 0, 0] = np.nan
    corners = np.array([[[0, 0], [0, 3], [3, 0], [3, 3]]], np.float32)
    return {"images": images, "start_points": corners, "end_points": corners + 1}


def _singular() -> dict[str, np.ndarray]:
    """A matrix with a large number; ordinary numbers in its place have no inverse."""
    return {"x": np.diag([1e30, 2, 3]).astype(np.float32)}


@pytest.mark.parametrize(
    ("function", "convention", "arguments"),
    [
        ("perspective_transform", ConventionName.SPECIAL_VALUES, _on_a_line()),
        ("inv", ConventionName.EXTREMES, _singular()),
    ],
)
def test_all_elements_rest_on_numbers_in_whose_place_others_have_no_answer(
    function: str, convention: ConventionName, arguments: dict[str, np.ndarray]
) -> None:
    value = np.asarray(ORACLES[function](**arguments), np.float64)
    expectation = Expectation(value, np.zeros(value.shape), "float32")
    assert concerned(convention, function, arguments, expectation).all()


def open_elements(function: str, x: list[float], **arguments: object) -> list[bool]:
    array = np.array(x, np.float32)
    with np.errstate(all="ignore"):
        value = np.asarray(ORACLES[function](x=array.astype(np.float64), **arguments))
    expectation = Expectation(value, np.zeros(value.shape), "float32")
    arguments = {"x": array, **arguments}
    mask = concerned(ConventionName.SPECIAL_VALUES, function, arguments, expectation)
    return [bool(element) for element in mask.ravel()]


@pytest.mark.parametrize("function", ["nanvar", "nanstd", "nanmedian"])
def test_functions_that_leave_out_nan_leave_infinities_open_alone(function: str) -> None:
    assert open_elements(function, [3, np.nan, 1, 2]) == [False]
    assert open_elements(function, [3, np.inf, 1, 2]) == [True]
    assert open_elements(function, [np.nan, np.nan]) == [True]


def test_nan_to_num_gives_the_numbers_that_the_call_names() -> None:
    x = [np.nan, 1, np.inf, -np.inf]
    assert open_elements("nan_to_num", x) == [False, False, True, True]
    assert open_elements("nan_to_num", x, posinf=5.0) == [False, False, False, True]
    assert open_elements("nan_to_num", x, neginf=5.0) == [False, False, True, False]
