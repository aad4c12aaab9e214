"""What a run says while it goes on: durations, the time left, and the function that is running."""

from __future__ import annotations

import pytest

from conformance.reporting.progress import roughly, running_words, time_left


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "1 second"),
        (99.4, "99 seconds"),
        (99.5, "2 minutes"),
        (5969, "99 minutes"),
        (5970, "1.7 hours"),
        (9000, "2.5 hours"),
    ],
)
def test_a_duration_is_told_roughly(seconds: float, words: str) -> None:
    assert roughly(seconds) == words


@pytest.mark.parametrize(
    ("judged", "functions", "seconds", "words"),
    [
        (5, 10, 10.0, "about 10 seconds left"),
        (19, 375, 60.0, "about 19 minutes left"),
        (4, 10, 10.0, ""),
        (18, 375, 60.0, ""),
        (10, 10, 10.0, ""),
        (5, 10, None, ""),
    ],
)
def test_the_time_left_is_that_of_the_functions_so_far(
    judged: int, functions: int, seconds: float | None, words: str
) -> None:
    assert time_left(judged, functions, seconds) == words


def test_a_function_that_runs_for_a_while_is_named() -> None:
    words = running_words({"keras.ops.sort": 21.4, "keras.ops.sum": 4.9, "keras.ops.max": 5.0})
    assert words == "keras.ops.sort running for 21 seconds, keras.ops.max running for 5 seconds"
