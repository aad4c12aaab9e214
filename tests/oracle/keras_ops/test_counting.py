"""Closeness: the tolerance, and differences that may vanish."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.oracle import expect
from conformance.oracle.keras_ops.counting import EVIDENCE
from conformance.specs import load

LEAST = float(np.finfo(np.float32).smallest_normal)


def _is_right(a: float, b: float, answer: bool, atol: float = 0.0) -> bool:
    accuracy = load()["keras.ops.isclose"].accuracy
    assert accuracy is not None
    x, y = (np.array([number], np.float32) for number in (a, b))
    arguments = {"x": x, "y": y, "atol": atol}
    asked = expect("isclose", arguments, "bool", accuracy, flush_subnormals=False)
    shown = EVIDENCE["isclose"].of(np.array([answer]), **arguments)
    return bool((np.asarray(shown) == asked.value).all())


@pytest.mark.parametrize("answer", [True, False])
def test_a_difference_below_the_normal_range_may_be_0(answer: bool) -> None:
    assert _is_right(LEAST, 1.5 * LEAST, answer)


def test_other_differences_decide() -> None:
    assert _is_right(LEAST, 4 * LEAST, False)
    assert not _is_right(LEAST, 4 * LEAST, True)
    assert not _is_right(1.0, 1.0, False)
    assert not _is_right(LEAST, 1.5 * LEAST, False, atol=1e-8)
