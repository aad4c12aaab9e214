"""Elements that count as zeros are alike for a function that picks one by its order."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.oracle import agrees, expect
from conformance.specs import load

LOW, HIGH = -(2.0**-128), 2.0**-130


@pytest.mark.parametrize("name", ["max", "nanmax", "min", "nanmin"])
@pytest.mark.parametrize("element", [LOW, 0.0, HIGH])
def test_any_element_below_the_normal_range_may_be_picked(name: str, element: float) -> None:
    accuracy = load()[f"keras.ops.{name}"].accuracy
    assert accuracy is not None
    x = np.array([0.0, HIGH, LOW], "float32")
    expected = expect(name, {"x": x}, "float32", accuracy)
    assert agrees(np.array(element, "float32"), expected).all()
    exact = expect(name, {"x": x}, "float32", accuracy, flush_subnormals=False)
    right = HIGH if name.endswith("max") else LOW
    assert agrees(np.array(element, "float32"), exact).all() == (element == right)
    assert not agrees(np.array(2.0**-120, "float32"), expected).any()
