"""A run on a Dask cluster of which a process is killed, stopped or delayed."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conformance.adapters import guardian
from conformance.reporting.json_results import read_results
from conformance.results import timeless
from tests.adapters.support import alive
from tests.families import send
from tests.faults.runs import SECONDS, Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")


class Fault(NamedTuple):
    """What is done to the Dask worker that examines softmax, or to the host, and the status."""

    sent: str
    status: int = 0


INTERRUPTED = 130
TABLE = (
    Fault("worker KILL"),
    Fault("worker STOP, wait 2, worker CONT"),
    Fault("host STOP, wait 2, host CONT"),
    Fault("host TERM", INTERRUPTED),
)


@pytest.mark.parametrize("fault", TABLE, ids=[fault.sent for fault in TABLE])
def test_a_fault_of_a_cluster_loses_nothing(
    fault: Fault, tmp_path: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = timeless(read_results(undisturbed))
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "run" / "home"))
    with cluster() as workers:
        run = Run(tmp_path / "run", "softmax", scheduler=workers.scheduler_address)
        run.start()
        run.wait()
        worker = at_work(workers)
        below = guardian._below(worker)
        assert run.process is not None
        send(fault.sent, {"host": [run.process.pid], "worker": [worker]})
        run.go()
        assert run.status() == fault.status, run.console.read_text()
        assert "Traceback" not in run.console.read_text()
        if fault.status:
            assert run.to_the_end("--resume") == 0
        assert timeless(run.results) == whole
        assert not left_after(30.0, below)


@contextmanager
def cluster() -> Iterator[Any]:
    """Two processes that work for a scheduler; one that ends is replaced."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as running:
        yield running


def at_work(running: Any) -> int:
    """The process of the one worker that still has a portion."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        busy = [n.pid for n in running.workers.values() if guardian._below(n.pid)]
        if len(busy) == 1:
            return int(busy[0])
        time.sleep(0.05)
    raise AssertionError("no worker is left alone with its portion")


def left_after(seconds: float, processes: set[int]) -> set[int]:
    """Those that still run after so many seconds."""
    deadline = time.monotonic() + seconds
    while any(map(alive, processes)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return {process for process in processes if alive(process)}
