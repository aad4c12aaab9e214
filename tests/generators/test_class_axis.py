"""Where no document names the axis of the classes, more than two axes rest on a convention."""

from __future__ import annotations

import pytest

from conformance.editions import Edition
from conformance.generators import generate, structures
from conformance.specs import load
from tests.editions import OF_K


@pytest.mark.parametrize("edition", OF_K)
@pytest.mark.parametrize(
    ("function", "parameter"),
    [
        ("softmax", "x"),
        ("categorical_crossentropy", "output"),
        ("sparse_categorical_crossentropy", "output"),
    ],
)
def test_more_than_two_axes_are_settled_where_the_axis_is_documented(
    function: str, parameter: str, edition: Edition
) -> None:
    generated = generate(structures(load()[function], edition), 60, 0)
    many = [s for s in generated if len(s.runtime.shapes[parameter]) > 2]
    few = [s for s in generated if len(s.runtime.shapes[parameter]) <= 2]
    assert many
    assert all(("class-axis" in s.unsettled) is (edition != "keras-2.2") for s in many)
    assert not any("class-axis" in s.unsettled for s in few)
