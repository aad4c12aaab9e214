"""Workers that are forked: like started ones in all that a result tells, whatever a zygote does."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.adapters import guardian, zygotes
from conformance.adapters.patience import HURRIED
from conformance.adapters.process import TOKEN, Launch, WorkerProcess
from conformance.adapters.removal import remove
from conformance.adapters.session import CallLimits, Session, SessionAbortedError, WorkerStartError
from conformance.adapters.zygotes import MOST_ZYGOTES, ForkedWorker
from conformance.observations import Crashed, Returned, StructureObservation, TimedOut
from tests.adapters.support import (
    alive,
    arrays,
    batch,
    call,
    check_others,
    launch,
    negative_at,
    run,
    x,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="zygotes need Linux")
QUICK = CallLimits(structure=2.0, draw=0.0)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """No process with a token of this one, and no file in the folder, may outlive a test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    assert not list(folder.iterdir())
    assert not _marked(os.getpid())


def _marked(host: int) -> list[int]:
    """The running processes that carry a token of this host."""
    mark = f"{TOKEN}={host}-".encode()
    pids = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (place / "environ").read_bytes() and alive(int(place.name)):
                pids.append(int(place.name))
        except OSError:
            continue
    return pids


def forking(name: str, **env: str) -> Launch:
    """How to start a fake whose process can be forked: NumPy starts no threads."""
    started = launch(name)
    environment = {**started.environment, "OPENBLAS_NUM_THREADS": "1", **env}
    return replace(started, environment=environment, fork=True)


def zygotes_of(session: Session) -> zygotes.ZygoteSource:
    """The zygotes that are the session's own."""
    assert isinstance(session._zygotes, zygotes.ZygoteSource)
    return session._zygotes


def worker(session: Session) -> Any:
    """The session's worker, which is started if there is none."""
    return session._connected().process


def test_every_second_batch_costs_a_fork_only() -> None:
    good, bad = batch(call("exp", x(3))), negative_at(0, draws=1)
    with Session(forking("crashes")) as session:
        for _ in range(4):
            observation = session.run_batch(good)
            np.testing.assert_array_equal(np.stack(arrays(observation)), np.exp(good.arrays["x"]))
            crash = session.run_batch(bad).draws[0].outcome
            assert isinstance(crash, Crashed)
            assert (crash.signal, crash.stage) == (signal.SIGABRT, "call")
        assert (session.starts, session.losses) == (8, 8)
        assert zygotes_of(session).left == MOST_ZYGOTES - 1


HANGS_IN_FORKS = """
import os, time
from fakes import crashes
from fakes.crashes import *

MAIN = os.getpid()

def exp(x):
    if os.getpid() != MAIN:
        time.sleep(600)
    return crashes.exp(x)
"""


@pytest.mark.parametrize("computes", [True, False])
def test_a_target_that_loses_many_workers_forks_if_forks_compute(
    computes: bool, tmp_path: Path
) -> None:
    (tmp_path / "hangs_in_forks.py").write_text(HANGS_IN_FORKS, "utf-8")
    started = replace(forking("crashes"), fork=False)
    paths = f"{started.environment['PYTHONPATH']}:{tmp_path}"
    module = started.module if computes else "hangs_in_forks"
    environment = {**started.environment, "PYTHONPATH": paths}
    started = replace(started, module=module, environment=environment)
    good, bad = batch(call("exp", x(3))), negative_at(0, draws=1)
    with Session(started, limits=CallLimits(structure=5.0)) as session:
        session.run_batch(good)
        assert isinstance(session.run_batch(bad).draws[0].outcome, Crashed)
        assert not isinstance(worker(session), ForkedWorker)
        assert isinstance(session.run_batch(bad, HURRIED).draws[0].outcome, Crashed)
        assert isinstance(session.run_batch(good).draws[0].outcome, Returned)
        assert isinstance(worker(session), ForkedWorker) is computes


ENDINGS: dict[str, tuple[str, dict[str, str]]] = {
    "abort": ("crashes", {}),
    "exit": ("crashes", {"FAKE_END": "exit"}),
    "exit 0": ("crashes", {"FAKE_END": "exit", "FAKE_CODE": "0"}),
    "hang": ("hangs", {}),
    "ignores SIGTERM": ("ignores_sigterm", {}),
    "closes descriptors": ("closes_descriptors", {"FAKE_CLOSE": "all"}),
    "garbage": ("writes_garbage", {}),
    "another request": ("forges_frames", {"FAKE_FRAME": "another request"}),
    "child stays": ("forks", {"FAKE_CHILD": "stays"}),
    "parent SIGKILL": ("kills_its_parent", {"FAKE_SIGNAL": "SIGKILL"}),
    "parent SIGTERM": ("kills_its_parent", {"FAKE_SIGNAL": "SIGTERM"}),
    "memory": ("fills_memory", {}),
    "memory of children": ("fills_memory", {"FAKE_CHILDREN": "3"}),
    "disk": ("fills_disk", {}),
    "one file": ("fills_disk", {"FAKE_FILES": "one"}),
    "changes of the process": ("meddles", {"FAKE_WHAT": "memory"}),
}
MARKS = {
    **dict.fromkeys(["disk", "child stays", "memory of children"], pytest.mark.slow),
    **dict.fromkeys(["parent SIGTERM", "one file", "hang"], pytest.mark.slow),
    "ignores SIGTERM": pytest.mark.thorough,
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("ending", [pytest.param(e, marks=MARKS.get(e, ())) for e in ENDINGS])
def test_a_fork_and_a_full_start_are_told_apart_by_nothing(ending: str) -> None:
    name, environment = ENDINGS[ending]
    texts, restarts = [], []
    for fork in (False, True):
        launched = replace(forking(name, **environment), fork=fork, memory_limit=2**28)
        with Session(launched, limits=QUICK) as session:
            expected = ForkedWorker if fork else WorkerProcess
            assert isinstance(worker(session), expected)
            observation = run(session, negative_at(1, draws=2))
            texts.append(_plain(observation))
            restarts.append((session.starts, session.losses))
    assert texts[0] == texts[1]
    assert restarts[0] == restarts[1]


def _plain(observation: StructureObservation) -> str:
    """All that was observed, without times, and without what differs between any two processes."""
    text = re.sub(r"(Observed)?[Ss]econds=\w*\([^)]*\)|seconds=[\d.e-]+", "", repr(observation))
    text = re.sub(r"Extension modules: .*?\(total: \d+\)", "", text)
    return re.sub(r"0x[0-9a-f]+|line \d+ in (main|<module>)|conformance-\w+", "", text)


def test_what_the_import_prints_is_in_the_output_of_each_worker() -> None:
    with Session(forking("zygote_habits", FAKE_HABIT="prints")) as session:
        for _ in range(2):
            outcome = session.run_batch(negative_at(0, draws=1)).draws[0].outcome
            assert isinstance(outcome, Crashed)
            assert outcome.tail.startswith("printed by the import\n")
            assert outcome.tail.count("printed by the import") == 1
            assert outcome.tail.count("about to end") == 1
        assert isinstance(worker(session), ForkedWorker)


def test_files_that_are_left_are_removed_with_each_worker(tmp_path: Path) -> None:
    listing, asked = tmp_path / "told", negative_at(0, draws=1)
    with Session(forking("leaves_files", FAKE_LIST=str(listing))) as session:
        for _ in range(2):
            check_others(session.run_batch(asked), asked, blamed=-1)
            session._drop()
            assert not any(Path(line).exists() for line in listing.read_text().splitlines())
    # a folder for each worker, where it starts and where it makes temporary files
    assert len(set(listing.read_text().splitlines())) == 2


def test_children_end_with_the_worker_and_the_zygote_does_not(tmp_path: Path) -> None:
    listing, asked = tmp_path / "told", negative_at(1)
    with Session(forking("leaves_children", FAKE_LIST=str(listing))) as session:
        check_others(run(session, asked), asked, blamed=-1)
        pids = [int(pid) for pid in listing.read_text().split()]
        assert len(pids) == 4
        assert all(map(alive, pids))
        session._drop()
        assert not any(map(alive, pids))
        assert alive(_family(session)[1])


def _drawn(session: Session) -> tuple[float, ...]:
    """What the fake's `exp` draws from the generators of the worker."""
    (numbers,) = arrays(session.run_batch(batch(call("exp", x(3)), draws=1)))
    return tuple(float(v) for v in numbers)


@pytest.mark.parametrize("habit", ["seeds", "draws"])
def test_generators_are_seeded_as_in_a_new_process(habit: str) -> None:
    """A seed that the import sets holds in every worker; without one each has its own."""
    with Session(forking("zygote_habits", FAKE_HABIT=habit)) as session:
        drawn = []
        for _ in range(3):
            assert isinstance(worker(session), ForkedWorker)
            drawn.append(_drawn(session))
            session._drop()
    with Session(replace(forking("zygote_habits", FAKE_HABIT=habit), fork=False)) as session:
        anew = _drawn(session)
    for i in (0, 1):  # NumPy's, Python's
        values = {draws[i] for draws in (*drawn, anew)}
        assert len(values) == (1 if habit == "seeds" else 4)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "habit", ["thread", "child", "file", "descriptor", "memory", "dies", "kills", "closes", "grows"]
)
def test_a_zygote_that_cannot_fork_is_replaced_by_full_starts(habit: str, tmp_path: Path) -> None:
    marker = tmp_path / "first"
    environment = {"FAKE_HABIT": habit, "FAKE_MARKER": str(marker)}
    launched = replace(forking("zygote_habits", **environment), memory_limit=2**28)
    asked = batch(call("softmax", x(2, 3)))
    with Session(launched) as session:
        observation = session.run_batch(asked)
        assert isinstance(worker(session), WorkerProcess)
        assert (session.starts, session.losses) == (1, 0)
    assert all(isinstance(d.outcome, Returned) for d in observation.draws)
    assert observation.incidents == ()


@pytest.mark.thorough
def test_a_zygote_that_does_not_come_to_an_end_is_replaced(tmp_path: Path) -> None:
    environment = {"FAKE_HABIT": "hangs", "FAKE_MARKER": str(tmp_path / "first")}
    limits = CallLimits(start=15.0)
    with Session(forking("zygote_habits", **environment), limits=limits) as session:
        assert isinstance(worker(session), WorkerProcess)


def test_an_import_that_fails_says_so_as_ever() -> None:
    messages = []
    for fork in (False, True):
        launched = replace(forking("does_not_import"), fork=fork)
        with Session(launched) as session, pytest.raises(WorkerStartError) as caught:
            session.identity  # noqa: B018
        messages.append(re.sub(r"line \d+ in main", "", str(caught.value)))
    assert _lines(messages[0]) == _lines(messages[1])


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if "conformance_worker" not in line][-3:]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("sent", ["SIGKILL", "SIGSTOP"])
@pytest.mark.parametrize("victim", ["zygote", "guardian"])
def test_a_full_start_takes_the_place_of_a_zygote_that_is_lost(
    victim: str, sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zygotes, "_FORKED_SECONDS", 3.0)
    monkeypatch.setattr(zygotes, "WARDEN_SECONDS", 3.0)
    monkeypatch.setattr(zygotes, "WARDEN", _hasty())
    good = batch(call("exp", x(3)))
    with Session(forking("crashes")) as session:
        session.run_batch(good)
        session._drop()
        process = _family(session)[victim == "zygote"]
        os.kill(process, getattr(signal, sent))
        observation = session.run_batch(good)
        np.testing.assert_array_equal(np.stack(arrays(observation)), np.exp(good.arrays["x"]))
        assert observation.incidents == ()
        assert isinstance(worker(session), WorkerProcess)
        assert (session.starts, session.losses) == (2, 0)
        session._drop()
        assert isinstance(worker(session), ForkedWorker)


def test_a_zygote_that_grows_is_ended_and_its_worker_is_not(tmp_path: Path) -> None:
    environment = {"FAKE_HABIT": "grows_later", "FAKE_MARKER": str(tmp_path / "first")}
    launched = replace(forking("zygote_habits", **environment), memory_limit=2**28)
    good = batch(call("softmax", x(2, 3)))
    with Session(launched) as session:
        session.run_batch(good)
        (above, below), deadline = _family(session), time.monotonic() + 30
        while alive(below) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert alive(above)
        assert not alive(below)
        assert isinstance(worker(session), ForkedWorker)
        assert session.run_batch(good).incidents == ()
        session._drop()
        assert session.run_batch(good).incidents == ()
        assert isinstance(worker(session), WorkerProcess)


def _family(session: Session) -> tuple[int, int]:
    """The ids of the guardian and of the zygote, whose worker is younger."""
    zygote = zygotes_of(session).zygote
    assert zygote is not None
    above, below, *_ = sorted(guardian._below(zygote._warden.pid))
    return above, below


def _hasty() -> list[str]:
    """The command of a guardian that waits for a fork one second only."""
    source = f"""
import sys
sys.path.append({str(Path(guardian.__file__).parents[2])!r})
from conformance.adapters import guardian, warden
guardian.FORK_SECONDS = 1.0
warden.main()
"""
    return [sys.executable, "-I", "-S", "-c", source]


@pytest.mark.parametrize("victim", ["zygote", "guardian"])
def test_the_loss_of_a_zygote_while_a_worker_computes(victim: str) -> None:
    """The worker goes on without the zygote; without the guardian it ends, which is a crash."""
    good = batch(call("exp", x(3)))
    with Session(forking("crashes")) as session:
        assert isinstance(worker(session), ForkedWorker)
        above, below = _family(session)
        killed = above if victim == "guardian" else below
        os.kill(killed, signal.SIGKILL)
        while alive(killed):
            time.sleep(0.01)
        observation = session.run_batch(good)
        np.testing.assert_array_equal(np.stack(arrays(observation)), np.exp(good.arrays["x"]))
        assert len(observation.incidents) == (victim == "guardian")


@pytest.mark.thorough
def test_a_worker_that_is_too_slow_is_ended_and_forked_again() -> None:
    with Session(forking("hangs"), limits=QUICK) as session:
        observation = session.run_batch(negative_at(0, draws=1))
        assert session.starts == 2
        assert isinstance(observation.draws[0].outcome, TimedOut)
        session.run_batch(batch(call("exp", x(3))))
        assert isinstance(worker(session), ForkedWorker)
        assert zygotes_of(session).left == MOST_ZYGOTES - 1


def test_a_session_can_be_aborted_while_the_zygote_imports(tmp_path: Path) -> None:
    environment = {"FAKE_HABIT": "hangs", "FAKE_MARKER": str(tmp_path / "first")}
    with Session(forking("zygote_habits", **environment)) as session:
        timer = threading.Timer(2.0, session.abort)
        timer.start()
        with pytest.raises(SessionAbortedError):
            session.identity  # noqa: B018
        timer.join()


_HOST = """
import sys, time
sys.path[:0] = {paths!r}
from conformance.adapters import guardian
from conformance.adapters.session import Session
from tests.adapters.support import negative_at
from tests.adapters.test_zygotes import forking
session = Session(forking("leaves_children", FAKE_LIST={told!r}))
session.run_batch(negative_at(0, draws=1))
above, below, *_ = sorted(guardian._below(session._zygotes.zygote._warden.pid))
print(above, below, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize(
    "victims",
    ["host", "zygote host", pytest.param("guardian host", marks=pytest.mark.thorough)],
)
def test_nothing_outlives_what_is_killed(victims: str, tmp_path: Path, temporary: Path) -> None:
    listing, paths = tmp_path / "told", [str(Path(__file__).parents[2])]
    script = _HOST.format(paths=paths, told=str(listing))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as host:
        assert host.stdout is not None
        above, below = map(int, host.stdout.readline().split())
        ids = {"host": host.pid, "zygote": below, "guardian": above}
        assert alive(below)
        for name in victims.split():
            os.kill(ids[name], signal.SIGKILL)
    left = {int(pid) for pid in listing.read_text().split()} if "guardian" not in victims else set()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if not any(map(alive, {*left, above, below})) and not any(temporary.iterdir()):
            break
        time.sleep(0.05)
    assert not any(map(alive, {*left, above, below}))
    if "guardian" in victims:  # nobody is left to remove the folders
        for folder in temporary.iterdir():
            remove(str(folder))
