"""What a worker in a sandbox can reach, where the system offers all, some or nothing of it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conformance.adapters import warden
from conformance.adapters.process import Launch, WorkerProcess
from conformance.adapters.sandbox import landlock
from conformance.adapters.sandbox.offer import Offer, offer
from conformance.adapters.session import Session
from conformance.observations import Returned
from tests.adapters.support import arrays, batch, call, error, launch, negative_at, run, x

ALL = (
    "writes, changes, links, moves, removes, permissions, times, mounts, sees, reads memory,"
    " signals, connects, sends"
)
BY_LANDLOCK = "permissions, times, sees, sends"
FULL = offer().level == "full"
whole = pytest.mark.skipif(not FULL, reason="this system offers no whole sandbox")


class Outside:
    """What lies outside of the sandbox: a folder with a file, and a server."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.environment = {
            "FAKE_OUTSIDE": str(folder),
            "FAKE_HOST": str(os.getpid()),
            "FAKE_PORT": str(port),
        }


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Outside]:
    temporary, folder = tmp_path / "temporary", tmp_path / "outside"
    temporary.mkdir()
    folder.mkdir()
    (folder / "there").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield Outside(folder, server.getsockname()[1])
    assert not list(temporary.iterdir())


def sandboxed(
    name: str, *folders: Path, fork: bool = False, outside: Outside | None = None
) -> Launch:
    """How to start a fake in a sandbox, where it may write to the folders."""
    started = launch(name, OPENBLAS_NUM_THREADS="1")
    environment = {**started.environment, **(outside.environment if outside else {})}
    writable = tuple(map(str, folders))
    return replace(started, environment=environment, fork=fork, writable=writable)


def reached(started: Launch) -> str:
    with Session(started) as session:
        message = error(session.run_batch(negative_at(0, draws=1))).message
    return message.removeprefix("reached: ")


@whole
@pytest.mark.parametrize("fork", [False, True])
def test_a_worker_reaches_nothing_outside(fork: bool, outside: Outside) -> None:
    assert reached(sandboxed("reaches_out", fork=fork, outside=outside)) == ""
    assert [place.name for place in outside.folder.iterdir()] == ["there"]


def test_without_a_sandbox_it_reaches_all(outside: Outside) -> None:
    """The test above would show nothing if the fake could not do this in any case."""
    started = replace(sandboxed("reaches_out", outside=outside), writable=None)
    expected = ALL if os.geteuid() == 0 else ALL.replace("mounts, ", "")
    assert set(reached(started).split(", ")) >= {*expected.split(", ")} - {"sends", "reads memory"}


@pytest.mark.skipif(landlock.version() < 6, reason="this system has no such Landlock")
def test_landlock_alone_keeps_files_processes_and_connections(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.adapters.process.WARDEN", _without("namespaces.forked"))
    assert reached(sandboxed("reaches_out", outside=outside)) in (
        BY_LANDLOCK,
        BY_LANDLOCK.replace(", sends", ""),  # where this machine has no network
    )


@whole
def test_namespaces_alone_keep_all(outside: Outside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.adapters.process.WARDEN", _without("landlock.restrict"))
    assert reached(sandboxed("reaches_out", outside=outside)) == ""


def test_a_system_without_a_sandbox_runs_as_ever(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("namespaces.forked", "landlock.restrict")
    monkeypatch.setattr("conformance.adapters.process.WARDEN", _without(*names))
    assert "writes" in reached(sandboxed("reaches_out", outside=outside))


def _without(*names: str) -> list[str]:
    """The command of a warden on a system that refuses these functions of the sandbox."""
    refused = "\n".join(f"{name} = refuse" for name in names)
    source = f"""
import sys
sys.path.append({str(Path(warden.__file__).parents[2])!r})
from conformance.adapters import warden
from conformance.adapters.sandbox import landlock, namespaces
def refuse(*arguments, **named):
    raise OSError("this system has none")
{refused}
warden.main()
"""
    return [sys.executable, "-I", "-S", "-c", source]


@pytest.mark.parametrize("fork", [False, True])
def test_a_worker_writes_to_its_own_folders(fork: bool, tmp_path: Path, outside: Outside) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    started = sandboxed("reaches_out", cache, fork=fork, outside=outside)
    environment = {**started.environment, "FAKE_OUTSIDE": str(cache)}
    places = reached(replace(started, environment=environment))
    own = {"writes", "changes", "links", "removes", "permissions", "times"}
    assert own <= {*places.split(", ")}
    assert (cache / "new").exists()


@whole
def test_temporary_files_may_lie_in_shared_memory(
    outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        assert reached(sandboxed("reaches_out", outside=outside)) == ""


@whole
def test_a_worker_cannot_end_its_guardian(outside: Outside) -> None:
    asked = negative_at(1, draws=2)
    with Session(sandboxed("kills_its_parent")) as session:
        observation = run(session, asked)
    assert observation.incidents == ()
    assert type(observation.draws[1].outcome).__name__ == "Raised"  # it may not send a signal


@pytest.mark.parametrize("fork", [False, True])
def test_workers_compute_as_without_a_sandbox(fork: bool, outside: Outside) -> None:
    good = batch(call("exp", x(3)))
    for _ in range(2):
        with Session(sandboxed("correct", fork=fork)) as session:
            observation = session.run_batch(good)
            assert all(isinstance(draw.outcome, Returned) for draw in observation.draws)
            np.testing.assert_array_equal(np.stack(arrays(observation)), np.exp(good.arrays["x"]))


@pytest.mark.parametrize("ending", ["SIGABRT", "SIGSEGV", "SIGKILL", 3, 0])
def test_a_worker_ends_as_it_does_without_a_sandbox(ending: str | int) -> None:
    source = f"import os, signal; os.kill(os.getpid(), signal.{ending})"
    if isinstance(ending, int):
        source = f"import os; os._exit({ending})"
    expected = ending if isinstance(ending, int) else -getattr(signal, ending)
    process = WorkerProcess([sys.executable, "-I", "-S", "-c", source], {}, writable=())
    try:
        assert process.wait(30.0)
        assert process.end() == expected
    finally:
        process.close()


def test_what_is_offered_is_told() -> None:
    assert str(Offer()).startswith("none; it can see other processes, ")
    assert str(Offer(kept_from=("files",))).startswith("partial; a worker cannot change files; it")
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "targets", "-v"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"sandbox: {offer().level}" in done.stdout
