"""A block of the host's own code ends when its time is over, and nothing comes after it."""

from __future__ import annotations

import threading
import time

import pytest

from conformance.adapters import time_limits
from conformance.adapters.time_limits import OvertimeError, within


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_limits, "_TICK", 0.02)


def _forever() -> None:
    while True:
        try:
            sum(range(1000))
        except Exception:
            continue


def test_a_block_without_end_is_ended() -> None:
    begun = time.monotonic()
    with pytest.raises(OvertimeError), within(0.1):
        _forever()
    assert 0.05 < time.monotonic() - begun < 30


def test_it_is_ended_in_any_thread_and_in_no_other() -> None:
    ended: list[str] = []

    def work() -> None:
        try:
            with within(0.1):
                _forever()
        except OvertimeError:
            ended.append(threading.current_thread().name)

    threads = [threading.Thread(target=work, name=str(n)) for n in range(3)]
    for thread in threads:
        thread.start()
    with within(60.0):
        for thread in threads:
            thread.join(30)
    assert sorted(ended) == ["0", "1", "2"]


def test_nothing_is_raised_after_a_block() -> None:
    over = 0
    for _ in range(40):  # about as long as a block may take: some end, some are ended
        try:
            with within(0.02):
                time.sleep(0.02)
        except OvertimeError:
            over += 1
        for _ in range(1000):
            time.sleep(0)
    assert over <= 40
    assert not time_limits._blocks


def test_what_a_block_returns_and_raises_comes_out() -> None:
    with pytest.raises(ValueError, match="own"), within(60.0):
        raise ValueError("its own")
    assert not time_limits._blocks
