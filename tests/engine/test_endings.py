"""What ends the worker so often that the rest of a function is skipped."""

from __future__ import annotations

import pytest

from conformance.engine.running.endings import MOST_FATAL, weight
from conformance.observations import Crashed, Garbled, NotRun, Outcome, TimedOut


@pytest.mark.parametrize(
    ("outcome", "most"),
    [
        (Crashed(9, None, ""), 8),
        (Garbled("no frame", ""), 8),
        (TimedOut(120.0), 2),
        (Crashed(9, None, "", limit="4 GiB of memory (memory_limit)"), 2),
    ],
)
def test_what_takes_minutes_weighs_more(outcome: Outcome, most: int) -> None:
    assert most == -(-MOST_FATAL // weight(outcome))


def test_what_does_not_end_the_worker_weighs_nothing() -> None:
    assert weight(NotRun("")) == 0
