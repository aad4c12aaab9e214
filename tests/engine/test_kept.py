"""What a run keeps of a call after it is judged."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.engine import PROFILES
from conformance.engine.judging import cases
from conformance.engine.judging.calls import CallTrial
from tests.engine.support import tasks


def test_expectations_of_many_elements_are_made_anew_and_the_same() -> None:
    (task,) = tasks({"exp"}, PROFILES["smoke"])
    trials = (trial for trial in task.trials() if isinstance(trial, CallTrial))
    prepared = next(t.prepared for t in trials if 1 < np.prod(t.prepared.shape) < 100)
    first = prepared.expectation(0)
    prepared.forget(first.value.size)
    assert prepared.expectation(0) is first
    prepared.forget(first.value.size - 1)
    again = prepared.expectation(0)
    assert again is not first
    np.testing.assert_array_equal(again.value, first.value)
    np.testing.assert_array_equal(again.bound, first.bound)


def test_numbers_that_nobody_asks_for_are_drawn_again_and_the_same() -> None:
    (task,) = tasks({"exp"}, PROFILES["smoke"])
    trials = (trial for trial in task.trials() if isinstance(trial, CallTrial))
    prepared = next(t.prepared for t in trials if 1 < np.prod(t.prepared.shape) < 100)
    first, stacked = prepared.arrays, prepared.batch.arrays
    prepared.forget(1)
    assert prepared.arrays is first
    prepared.forget()
    assert not {"arrays", "batch"} & {*vars(prepared)}
    for name, array in prepared.batch.arrays.items():
        np.testing.assert_array_equal(array, stacked[name])
        np.testing.assert_array_equal(prepared.arrays[0][name], first[0][name])


@pytest.mark.parametrize("large", [True, False])
def test_one_draw_at_a_time_has_a_large_expectation(
    large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cases, "LARGE", 0 if large else 100)
    (task,) = tasks({"exp"}, PROFILES["smoke"])
    trials = (trial for trial in task.trials() if isinstance(trial, CallTrial))
    prepared = next(t.prepared for t in trials if 1 < np.prod(t.prepared.shape) < 100)
    first, wide = prepared.expectation(0), prepared.expectation(0, "float64")
    assert prepared.expectation(0) is first  # the same draw in another dtype
    prepared.expectation(1)
    assert (prepared.expectation(0) is first) is not large
    assert (prepared.expectation(0, "float64") is wide) is not large
