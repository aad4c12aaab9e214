"""The next worker imports while the present one hangs."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.adapters.patience import HURRIED, ONCE, CallLimits
from conformance.adapters.process import Launch
from conformance.adapters.session import Session
from conformance.adapters.spares import Spare
from conformance.adapters.start_errors import WorkerStartError
from conformance.observations import TimedOut
from tests.adapters.support import alive, batch, call, launch, x

MODULE = """
import os, time
from fakes.correct import *
with open(os.environ["IMPORTS"], "a") as file:
    print(os.getpid(), file=file)

def exp(x):
    time.sleep(600)
"""
CALLS = batch(call("exp", x(3)), draws=1)
LIMITS = CallLimits(structure=0.2, draw=0.0)


def counting(folder: Path) -> Launch:
    """A module whose `exp` hangs, and each import of which adds a line to the file `imports`."""
    (folder / "counting.py").write_text(MODULE, "utf-8")
    imports = folder / "imports"
    imports.touch()
    fake = launch("correct", IMPORTS=str(imports), OPENBLAS_NUM_THREADS="1")
    paths = f"{fake.environment['PYTHONPATH']}:{folder}"
    return Launch(fake.python, "counting", "graph", {**fake.environment, "PYTHONPATH": paths})


def imports(folder: Path, expected: int) -> list[int]:
    """The workers that have imported the module, once there are so many, or after a while."""
    deadline = time.monotonic() + 30
    while True:
        workers = [int(line) for line in (folder / "imports").read_text("utf-8").split()]
        if len(workers) >= expected or time.monotonic() > deadline:
            return workers
        time.sleep(0.02)


def test_a_spare_worker_imports_before_it_is_needed(tmp_path: Path) -> None:
    with Session(counting(tmp_path), limits=LIMITS) as session:
        assert isinstance(session.run_batch(CALLS, HURRIED).draws[0].outcome, TimedOut)
        first, second = imports(tmp_path, 2)
        assert (session.starts, alive(first), alive(second)) == (1, False, True)
        assert isinstance(session.run_batch(CALLS, HURRIED).draws[0].outcome, TimedOut)
        *_, third = imports(tmp_path, 3)
        assert (session.starts, alive(second), alive(third)) == (2, False, True)
    assert not alive(third)


def test_a_spare_worker_that_has_ended_is_replaced(tmp_path: Path) -> None:
    spare = Spare(counting(tmp_path))
    spare.prepare()
    (ended,) = imports(tmp_path, 1)
    os.kill(ended, signal.SIGKILL)
    assert spare._connection is not None
    assert spare._connection.process.wait(30)
    connection = spare.take()
    *_, new = imports(tmp_path, 2)
    assert (new != ended, alive(new)) == (True, True)
    connection.close()


def test_usual_waits_start_no_spare_worker(tmp_path: Path) -> None:
    with Session(counting(tmp_path), limits=LIMITS) as session:
        session.run_batch(CALLS, ONCE)
        assert len(imports(tmp_path, 1)) == 1


def test_forked_workers_need_no_spare_worker(tmp_path: Path) -> None:
    forking = replace(counting(tmp_path), fork=True)
    with Session(forking, limits=LIMITS) as session:
        for _ in range(2):
            assert isinstance(session.run_batch(CALLS, HURRIED).draws[0].outcome, TimedOut)
    assert len(imports(tmp_path, 1)) == 1


def test_an_interpreter_that_is_gone_is_an_error_of_the_start(tmp_path: Path) -> None:
    spare = Spare(Launch(str(tmp_path / "none"), "counting", "graph", {}))
    spare.prepare()
    with pytest.raises(WorkerStartError, match="none: No such file or directory"):
        spare.take()
