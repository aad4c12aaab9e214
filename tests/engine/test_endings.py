"""What ends the worker so often that the rest of a function is skipped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.adapters.session import CallLimits
from conformance.engine.running.endings import MOST_FATAL, weight
from conformance.observations import Crashed, Garbled, NotRun, Outcome, TimedOut
from tests.engine.support import TINY, examine, module


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


HANGS = """
import time
from conformance.reference import *


def exp(x):
    time.sleep(600)
"""


@pytest.mark.slow
def test_what_was_sent_before_the_second_call_hung_is_not_sent_again(tmp_path: Path) -> None:
    (tmp_path / "hanging.py").write_text(HANGS, encoding="utf-8")
    many = replace(TINY, structures=12, shrink=0, shrink_other=0, scenarios=0, gradients=0)
    subject = module("hanging", tmp_path, CallLimits(structure=1.0, draw=0.0))
    results = examine(subject, ["exp"], many).results
    assert results.run.spent
    assert results.run.spent["exp"].restarts == 2 + 1  # of the first call its first draw alone, too
