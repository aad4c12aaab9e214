"""A run that gets no memory on disk, no inodes, no descriptors or no processes says so, and ends.

What was saved before stays whole, and the next run, which has them again, is whole, too.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conformance.adapters.sandbox.offer import offer
from conformance.results import timeless
from tests.faults.runs import Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it needs mounts and namespaces")

_MOUNTED = """
import os
from conformance.adapters.sandbox import system
system.call("unshare", system.NEW_MOUNTS)
system.mount(None, "/", None, system.RECURSIVE | system.PRIVATE)
place = {place}
os.makedirs(place, exist_ok=True)
options = {options!r}.encode()
system.call("mount", b"few", place.encode(), b"tmpfs", 0, options)
"""
_OUTPUT, _TEMPORARY = "os.path.abspath('out')", "os.environ['TMPDIR']"
_DESCRIPTORS = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({0}, {0}))
"""
_NO_PROCESSES = """
import subprocess
def refuse(*arguments, **named):
    raise BlockingIOError(11, "Resource temporarily unavailable")
subprocess.Popen._execute_child = refuse
"""
_NO_FORKS = """
import shutil
import sys
from conformance.adapters import process, zygotes
source = '''
import os, sys
sys.path[:0] = {path!r}
def refuse():
    raise BlockingIOError(11, "Resource temporarily unavailable")
{which}
from conformance.adapters import guardian, warden
warden.main()
'''
process.WARDEN = zygotes.WARDEN = [sys.executable, "-I", "-S", "-c", source]
"""
_ALL_FORKS = "os.fork = refuse"
_SECOND_FORK = """
fork, forks = os.fork, []
def second():
    forks.append(True)
    return fork() if len(forks) == 1 else refuse()
os.fork = second
"""


_NO_MEMORY = """
from conformance.adapters import connection
def refuse(*arguments):
    raise MemoryError
connection._read = refuse
"""
_NO_THREADS = """
import threading
def refuse(*arguments):
    raise RuntimeError("can't start new thread")
threading._start_new_thread = refuse
"""


class Starved(NamedTuple):
    """What the host lacks, by Python that it runs first; its exit status, and what it says."""

    lacks: str
    before: str
    status: int
    says: str
    quick: bool = False
    sandbox: bool = True


def _forks(which: str) -> str:
    return _NO_FORKS.format(path=[str(Path(__file__).parents[2])], which=which)


TABLE = (
    Starved("disk", _MOUNTED.format(place=_OUTPUT, options="size=4k"), 2, "No space left", True),
    Starved("inodes", _MOUNTED.format(place=_OUTPUT, options="nr_inodes=1"), 2, "No space left"),
    Starved(
        "temporary inodes",
        _MOUNTED.format(place=_TEMPORARY, options="nr_inodes=1"),
        0,  # they are made elsewhere
        "",
    ),
    Starved("descriptors", _DESCRIPTORS.format(13), 3, "Too many open files"),
    Starved("memory", _NO_MEMORY, 3, "no memory left", True),
    Starved("threads", _NO_THREADS, 3, "no processes or threads left"),
    Starved("processes", _NO_PROCESSES, 3, "Resource temporarily unavailable", True),
    Starved("processes of the warden", _forks(_ALL_FORKS), 3, "cannot be run", sandbox=False),
    Starved("processes of the guardian", _forks(_SECOND_FORK), 3, "cannot be run", sandbox=False),
)


def _parameters() -> list[Any]:
    return [
        pytest.param(row, id=row.lacks, marks=() if row.quick else pytest.mark.slow)
        for row in TABLE
    ]


@pytest.mark.parametrize("row", _parameters())
def test_a_run_that_lacks_something_says_so(
    row: Starved, tmp_path: Path, undisturbed: Path
) -> None:
    if "unshare" in row.before and offer().level != "full":
        pytest.skip("this system lets nobody mount")
    run = Run(tmp_path / "run", "", sandbox=row.sandbox)
    run.output.mkdir()
    shutil.copy(undisturbed, run.output)
    whole = timeless(run.results)
    run.start(before=row.before)
    assert run.status() == row.status, run.console.read_text()
    assert row.says in run.console.read_text()
    assert "Traceback" not in run.console.read_text()
    assert timeless(run.results) == whole
    assert not run.left_after(30.0)
    if not row.quick:
        assert run.to_the_end() == 0
    assert timeless(run.results) == whole
