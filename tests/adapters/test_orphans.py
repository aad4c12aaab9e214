"""Nothing outlives a run, whichever of its processes is killed or stopped."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.adapters.process import WARDEN
from tests.families import Family

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")

_HOST = """
import sys, time
sys.path[:0] = [{suite!r}]
from dataclasses import replace
from conformance.adapters.session import Session
from tests.adapters.support import launch, negative_at
started = launch("leaves_children", FAKE_LIST={told!r}, OPENBLAS_NUM_THREADS="1")
session = Session(replace(started, fork={fork!r}, writable={writable!r}))
session.run_batch(negative_at(0, draws=1))
print("ready", flush=True)
time.sleep(600)
"""
_SECONDS = 30


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder


KINDS = {
    "sandbox": (False, True),
    "open": (False, False),
    "forked": (True, True),
    "forked, open": (True, False),
}
"""Whether the worker is forked, and whether it is in a sandbox."""
SENT = [
    "host KILL",
    "host TERM",
    "host STOP, host KILL",
    "warden KILL, host KILL",
    "guardian KILL, host KILL",
    "worker KILL, host KILL",
    "zygote KILL, host KILL",
    "warden STOP, host KILL",
    "guardian STOP, host KILL",
    "worker STOP, host KILL",
    "zygote STOP, host KILL",
    "warden STOP, guardian STOP, host KILL",
    "host KILL, guardian KILL",
]
QUICK = {("sandbox", "guardian STOP, host KILL"), ("open", "guardian KILL, host KILL")}


def _cases() -> list[object]:
    every = [
        (kind, sent) for kind in KINDS for sent in SENT if KINDS[kind][0] or "zygote" not in sent
    ]
    return [pytest.param(*c, marks=() if c in QUICK else pytest.mark.slow) for c in every]


@pytest.mark.parametrize(("kind", "sent"), _cases())
def test_nothing_outlives_a_run(kind: str, sent: str, tmp_path: Path, temporary: Path) -> None:
    fork, sandboxed = KINDS[kind]
    listing = tmp_path / "told" / "list"
    listing.parent.mkdir()
    script = _HOST.format(
        suite=str(Path(__file__).parents[2]),
        told=str(listing),
        fork=fork,
        writable=(str(listing.parent),) if sandboxed else None,
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == b"ready\n"
        family = Family(host.pid)
        assert len(family.members) >= 8
        family.send(sent)
    # a folder that is mounted can be removed from outside only, where nobody is left then
    remains = "*/*" if sandboxed and "warden KILL" in sent else "*"
    deadline = time.monotonic() + _SECONDS
    while (family.left() or any(temporary.glob(remains))) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not family.left_after(0)
    assert not [*temporary.glob(remains)]


def test_a_warden_without_orders_removes_its_folder(tmp_path: Path) -> None:
    """The host was killed before it gave any."""
    folder = tmp_path / "worker"
    folder.mkdir()
    for orders in ("", '{"command": ['):
        ends, notes = os.pipe(), os.pipe()
        command = [*WARDEN, str(folder), str(ends[0]), str(notes[0])]
        warden = subprocess.Popen(command, pass_fds=[ends[0], notes[0]])
        os.write(ends[1], orders.encode())
        for end in (*ends, *notes):
            os.close(end)
        assert warden.wait(_SECONDS) == 1
        assert not folder.exists()
        folder.mkdir()
