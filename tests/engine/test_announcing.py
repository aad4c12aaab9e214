"""Events of cases are few, and none of the others waits."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.engine.running import announcing
from conformance.results.events import CasesDone, Event, WorkerRestarted


def _sent(*events: Event) -> list[Event]:
    sent: list[Event] = []
    emit = announcing.locked(sent.append)
    for event in events:
        emit(event)
    return sent


def _done(function: str, cases: int, failed: int = 0, target: str = "one") -> CasesDone:
    return CasesDone(target, function, cases, failed)


RESTARTED = WorkerRestarted("one", "exp", "it hung")


@pytest.fixture(autouse=True)
def _slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announcing, "TOGETHER", 3600.0)


def test_cases_of_one_function_are_told_before_the_next_event() -> None:
    assert _sent(_done("exp", 2, 1), _done("exp", 3), RESTARTED) == [_done("exp", 5, 1), RESTARTED]


@pytest.mark.parametrize("other", [{"function": "log"}, {"function": "exp", "target": "two"}])
def test_cases_of_another_are_told_by_themselves(other: dict[str, Any]) -> None:
    two = _done(cases=3, **other)
    assert _sent(_done("exp", 2), two, RESTARTED) == [_done("exp", 2), two, RESTARTED]


def test_cases_do_not_wait_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announcing, "TOGETHER", 0.0)
    assert _sent(_done("exp", 2), _done("exp", 3)) == [_done("exp", 2), _done("exp", 3)]
