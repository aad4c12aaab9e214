"""The evidence of a right `nextafter`, with numbers below the normal range."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.oracle.keras_ops.counting import evidence_of_nextafter

LEAST, SMALL = np.finfo("float32").smallest_subnormal, 2.0**-130


@pytest.mark.parametrize(
    ("x", "y", "answer", "right"),
    [
        (1.0, 2.0, 1 + 2.0**-23, True),
        (1.0, 0.0, 0.0, False),
        (1.0, 2.0, 2.0, False),
        (0.0, SMALL, LEAST, True),
        (0.0, SMALL, 0.0, True),
        (0.0, SMALL, SMALL, True),
        (0.0, 1.0, 1.0, False),
        (0.0, SMALL, 2 * SMALL, False),
        (2.0**-126, 0.0, 2.0**-127, False),
    ],
)
def test_small_numbers_may_count_as_equal(x: float, y: float, answer: float, right: bool) -> None:
    numbers = (np.array([number], "float32") for number in (answer, x, y))
    assert evidence_of_nextafter(*numbers).tolist() == [right]
