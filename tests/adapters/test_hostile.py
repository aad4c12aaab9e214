"""Implementations that try to harm the machine, the run or other results, and cannot."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.adapters import patience
from conformance.adapters.process import TOKEN, Family, Launch
from conformance.adapters.removal import remove
from conformance.adapters.session import CallLimits, Session
from conformance.observations import Crashed, Garbled, Raised, Returned, TimedOut
from tests.adapters.fakes.fakes.forges_frames import FRAMES
from tests.adapters.fakes.fakes.meddles import CHANGES
from tests.adapters.support import alive, check_others, launch, negative_at, run

QUICK = CallLimits(structure=2.0, draw=0.0)
SMALL = 2**28


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """No process with a token of this one, and no file in the folder, may outlive a test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    assert not list(folder.iterdir())
    assert not [pid for pid in map(int, _numbers()) if _carries(pid)]


def _numbers() -> list[str]:
    return [place.name for place in Path("/proc").glob("[0-9]*")]


def _carries(pid: int) -> bool:
    mark = f"{TOKEN}={os.getpid()}-".encode()
    try:
        return mark in Path(f"/proc/{pid}/environ").read_bytes() and alive(pid)
    except OSError:
        return False


def small(launched: Launch) -> Launch:
    """The same with 256 MiB to use."""
    return replace(launched, memory_limit=SMALL)


@pytest.mark.parametrize("children", ["0", "3"])
def test_memory_is_limited(children: str) -> None:
    asked = negative_at(1, draws=2)
    with Session(small(launch("fills_memory", FAKE_CHILDREN=children))) as session:
        observation = run(session, asked)
    check_others(observation, asked, 1)
    outcome = observation.draws[1].outcome
    assert isinstance(outcome, Crashed)
    assert outcome.limit == "0.25 GiB of memory (memory_limit)"
    assert (outcome.signal, outcome.stage) == (signal.SIGKILL, "call")


def test_files_are_limited() -> None:
    asked = negative_at(1, draws=2)
    with Session(launch("fills_disk")) as session:
        observation = run(session, asked)
    check_others(observation, asked, 1)
    outcome = observation.draws[1].outcome
    assert isinstance(outcome, Crashed)
    assert str(outcome.limit).startswith("2 GiB or 100,000 files")


def test_one_file_is_limited() -> None:
    asked = negative_at(1, draws=2)
    with Session(launch("fills_disk", FAKE_FILES="one")) as session:
        observation = run(session, asked)
        assert session.starts == 1
    outcome = observation.draws[1].outcome
    assert isinstance(outcome, Raised)
    assert "File too large" in outcome.message


def test_files_that_are_left_are_removed(tmp_path: Path) -> None:
    listing, asked = tmp_path / "told", negative_at(1)
    with Session(launch("leaves_files", FAKE_LIST=str(listing))) as session:
        check_others(run(session, asked), asked, blamed=-1)
    places = {Path(line) for line in listing.read_text().splitlines()}
    assert places
    assert not any(place.exists() for place in places)
    assert Path.cwd() not in places


def test_children_end_with_the_worker(tmp_path: Path) -> None:
    listing, asked = tmp_path / "told", negative_at(1)
    with Session(launch("leaves_children", FAKE_LIST=str(listing))) as session:
        check_others(run(session, asked), asked, blamed=-1)
        pids = [int(pid) for pid in listing.read_text().split()]
        assert len(pids) == 4
        assert all(alive(pid) for pid in pids)
    assert not any(alive(pid) for pid in pids)


def test_processes_are_limited() -> None:
    asked = negative_at(1, draws=2)
    patient = CallLimits(structure=60.0)  # a busy machine takes long to fork so often
    with Session(launch("forks_without_end"), limits=patient) as session:
        observation = run(session, asked)
    check_others(observation, asked, 1)
    outcome = observation.draws[1].outcome
    assert isinstance(outcome, Crashed)
    assert outcome.limit == "256 processes"


def test_time_is_limited() -> None:
    asked, begun = negative_at(1, draws=2), time.monotonic()
    with Session(launch("hangs"), limits=CallLimits(structure=0.5, draw=0.0)) as session:
        observation = run(session, asked)
    check_others(observation, asked, 1)
    assert isinstance(observation.draws[1].outcome, TimedOut)
    assert time.monotonic() - begun < 60


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux has this file")
def test_a_worker_ignores_no_signal_that_its_host_ignores() -> None:
    """The hosts of a run with several jobs ignore SIGTERM, and each hang would cost GRACE more."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with Session(launch("correct")) as session:
            run(session, negative_at(1))
            (worker,) = [pid for pid in map(int, _numbers()) if _is_worker(pid)]
            lines = Path(f"/proc/{worker}/status").read_text().splitlines()
    finally:
        signal.signal(signal.SIGTERM, before)
    (ignored,) = [int(line.split()[1], 16) for line in lines if line.startswith("SigIgn")]
    assert not ignored >> (signal.SIGTERM - 1) & 1


def _is_worker(pid: int) -> bool:
    return _carries(pid) and b"fakes.correct" in Path(f"/proc/{pid}/cmdline").read_bytes()


def test_waits_in_a_hurry_become_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten times the slowest answer, which is more than the usual limit, and then twice a slow
    one."""
    monkeypatch.setattr(patience, "_MOST_WASTED", 2.0)
    with Session(launch("hangs"), limits=CallLimits(structure=2.5, draw=0.0)) as session:
        session.pace.note(0.4)
        seen = [session.run_batch(negative_at(0, 1), patience.HURRIED) for _ in range(2)]
    limits = [
        fault.limit
        for observation in seen
        for fault in observation.incidents
        if isinstance(fault, TimedOut)
    ]
    assert limits[0] == 2.5
    assert limits[1] < 2.5


def test_a_setting_that_dies_is_not_called_again(tmp_path: Path) -> None:
    calls, asked = tmp_path / "calls", negative_at(-1)
    with Session(launch("dies_in_settings", FAKE_LIST=str(calls))) as session:
        check_others(run(session, asked), asked, blamed=-1)
        session.renew()
        check_others(run(session, asked), asked, blamed=-1)
        assert isinstance(session.unset, Crashed)
        assert (session.unset.exit_code, session.losses) == (3, 1)
    assert calls.read_text() == "called\n"


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_killing_the_parent_is_a_crash(name: str) -> None:
    asked = negative_at(1, draws=2)
    with Session(launch("kills_its_parent", FAKE_SIGNAL=name)) as session:
        observation = run(session, asked)
    check_others(observation, asked, 1)
    outcome = observation.draws[1].outcome
    assert isinstance(outcome, Crashed)
    assert outcome.signal == signal.Signals[name]


def test_exit_with_status_0_is_a_crash() -> None:
    asked = negative_at(1, draws=2)
    with Session(launch("crashes", FAKE_END="exit", FAKE_CODE="0")) as session:
        outcome = run(session, asked).draws[1].outcome
    assert isinstance(outcome, Crashed)
    assert (outcome.signal, outcome.exit_code, outcome.limit) == (None, 0, None)


@pytest.mark.thorough
def test_a_crash_that_is_told_late_is_a_crash() -> None:
    asked = negative_at(1, draws=2)
    with Session(launch("crashes", FAKE_SLOWLY="2")) as session:
        outcome = run(session, asked).draws[1].outcome
    assert isinstance(outcome, Crashed)
    assert (outcome.signal, outcome.stage) == (signal.SIGABRT, "call")


@pytest.mark.thorough
def test_closing_the_descriptors_and_going_on_is_garbage() -> None:
    asked = negative_at(1, draws=2)
    with Session(launch("closes_descriptors", FAKE_CLOSE="all", FAKE_SECONDS="60")) as session:
        observation = run(session, asked)
    check_others(observation, asked, 1)
    outcome = observation.draws[1].outcome
    assert isinstance(outcome, Garbled)
    assert outcome.reason == "the worker closed its connection and went on"


QUICKLY = ("long payload", "no JSON", "promised array", "another request")
"""The others differ in what the decoder says of them, and test_fuzz.py asks it."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "frame", [f if f in QUICKLY else pytest.param(f, marks=pytest.mark.slow) for f in FRAMES]
)
def test_frames_that_are_forged_are_garbage(frame: str) -> None:
    asked = negative_at(1, draws=2)
    with Session(launch("forges_frames", FAKE_FRAME=frame), limits=QUICK) as session:
        observation = run(session, asked)
    check_others(observation, asked, 1)
    outcome = observation.draws[1].outcome
    waited = frame == "promised array"
    assert isinstance(outcome, TimedOut if waited else Garbled)
    if frame == "another request":
        assert isinstance(outcome, Garbled)
        assert f"got the answer to {2**40}" in outcome.reason


@pytest.mark.thorough
def test_an_answer_that_comes_late_is_not_taken_for_another() -> None:
    asked = negative_at(1, draws=2)
    limits = CallLimits(structure=1.0, draw=0.0)
    with Session(launch("answers_late", FAKE_SECONDS="1.2"), limits=limits) as session:
        observation = run(session, asked)
    check_others(observation, asked, 1)
    assert isinstance(observation.draws[1].outcome, TimedOut)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("what", CHANGES)
def test_what_is_changed_of_the_process_harms_no_other(what: str) -> None:
    asked = negative_at(1)
    with Session(launch("meddles", FAKE_WHAT=what)) as session:
        observation = run(session, asked)
        starts = session.starts
    if what == "builtins":  # the worker itself cannot run without them, nor report it
        assert observation.incidents
        return
    # what cannot be undone in the process needs a new one
    assert starts == (2 if what == "memory" else 1)
    assert observation.leaked == observation.renewed == (("process",) if what == "memory" else ())
    assert observation.incidents == ()
    # the call that sets the trace meets it itself
    others = [draw for n, draw in enumerate(observation.draws) if (what, n) != ("trace", 1)]
    assert all(isinstance(draw.outcome, Returned) for draw in others)


HORRORS = {
    "raises": Raised,
    "hangs": TimedOut,
    "error": Raised,
    "nested": Raised,
    "deep": Raised,
    "objects": Raised,
    "records": Returned,
    "text": Returned,
    "many": Returned,
    "large": Raised,
}


@pytest.mark.parametrize(
    "what",
    [pytest.param(h, marks=pytest.mark.thorough if h == "hangs" else ()) for h in HORRORS],
)
def test_results_that_cannot_be_read_harm_no_other(what: str) -> None:
    asked = negative_at(1, draws=2)
    launched = launch("returns_horrors", FAKE_WHAT=what)
    with Session(launched, limits=QUICK) as session:
        observation = run(session, asked)
    check_others(observation, asked, 1)
    assert isinstance(observation.draws[1].outcome, HORRORS[what])


_HOST = """
import os, sys, time
sys.path[:0] = {paths!r}
from conformance.adapters.session import Session
from tests.adapters.support import launch, negative_at
session = Session(launch("leaves_children", FAKE_LIST={told!r}))
session.run_batch(negative_at(0, draws=1))
print("ready", flush=True)
time.sleep(600)
"""


def test_nothing_outlives_a_host_that_is_killed(tmp_path: Path, temporary: Path) -> None:
    listing = tmp_path / "told"
    paths = [str(Path(__file__).parents[2])]
    script = _HOST.format(paths=paths, told=str(listing))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == b"ready\n"
        host.kill()
    pids = [int(pid) for pid in listing.read_text().split()]
    deadline = time.monotonic() + 20
    while (any(map(alive, pids)) or any(temporary.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(pids) == 4
    assert not any(map(alive, pids))


@pytest.mark.thorough
def test_a_host_that_was_stopped_waits_as_long_as_ever(tmp_path: Path) -> None:
    """Time in which the host was stopped, and perhaps the worker too, does not count."""
    script = """
import os, signal, subprocess, sys, time
sys.path[:0] = {paths!r}
from conformance.adapters.session import CallLimits, Session
from tests.adapters.support import launch, negative_at
limits = CallLimits(structure=2.5, draw=0.0)
with Session(launch("answers_late", FAKE_SECONDS="1.5"), limits=limits) as session:
    session.identity
    wake = f"sleep 0.5; kill -STOP {{os.getpid()}}; sleep 3.5; kill -CONT {{os.getpid()}}"
    subprocess.Popen(["sh", "-c", wake])
    found = session.run_batch(negative_at(0, draws=1))
    print(session.starts, type(found.draws[0].outcome).__name__, found.incidents)
"""
    paths = [str(Path(__file__).parents[2])]
    command = [sys.executable, "-c", script.format(paths=paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "1 Returned ()", done.stderr


def test_what_links_point_at_is_not_touched_when_a_folder_is_removed(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir(mode=0o555)
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    remove(str(folder))
    assert not folder.exists()
    assert stat.S_IMODE(outside.stat().st_mode) == 0o555


def test_a_folder_of_any_depth_and_permissions_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "removed-0").mkdir()  # a name that the removal itself might use
    place = os.open(folder, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=place)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=place))
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)
    (folder / "d" / "locked").mkdir(mode=0o000)
    (folder / "d").chmod(0o000)
    remove(str(folder))
    assert not folder.exists()


def test_a_link_in_place_of_a_folder_is_removed_and_not_followed(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.mkdir()
    (outside / "file").write_text("kept")
    folder.symlink_to(outside)
    remove(str(folder))
    assert not folder.is_symlink()
    assert (outside / "file").read_text() == "kept"
    remove(str(folder))  # nothing is there any more


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do anything")
def test_what_cannot_be_removed_does_not_hold_up_the_rest(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").write_text("")
    tmp_path.chmod(0o500)
    remove(str(folder))
    assert not (folder / "file").exists()


@pytest.mark.parametrize("family", ["graph", "eager"])
def test_exits_when_something_is_asked_lose_no_target(family: Family) -> None:
    """SystemExit and KeyboardInterrupt in `backend`, a repr, `__class__` and `__getattr__`."""
    asked = negative_at(0, draws=2)
    started = launch("exits_when_asked", family=family)
    with Session(started, functions=("exp", "softmax", "cos", "tanh")) as session:
        known = session.identity
        assert known.backend is None
        assert known.functions["exp"].present and known.functions["exp"].signature is None
        assert known.functions["softmax"].reason == "KeyboardInterrupt: "
        assert not known.functions["cos"].present
        assert str(known.functions["cos"].reason).startswith("SystemExit: ")
        observation = run(session, asked)
        assert session.starts == 1
    check_others(observation, asked, blamed=-1)
