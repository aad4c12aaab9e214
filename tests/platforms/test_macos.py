"""On macOS, with the oldest Python that the suite supports, everything works but the sandbox."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.scripts.endings import Death, watching
from tests.platforms import lacking
from tests.platforms.conftest import Run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="macOS is simulated on Linux"),
    pytest.mark.skipif(lacking.stubs() is None, reason="typeshed's stubs come with mypy"),
]

_WORKER = """
import os, sys, time
from conformance.adapters.process import WorkerProcess
said = "import os, sys; print(sys.platform, hasattr(os, 'waitid'), os.path.exists('/proc'))"
worker = WorkerProcess([sys.executable, "-c", said], dict(os.environ))
assert worker.wait(60) and worker.watch is None and not os.path.exists("/proc")
print(worker.end(), os.read(worker.output, 1000).decode(), os.path.exists(worker._folder))
"""
_FAULTS = """
import sys, pytest
chosen = "exit_code or hang_is_blamed and not sigterm or whole_group or forked_child"
sys.exit(pytest.main(["-n", "0", "-q", "-p", "no:cacheprovider", sys.argv[1], "-k", chosen]))
"""


def test_typeshed_says_what_macos_lacks() -> None:
    absent = lacking.macos()["names"]
    assert {"waitid", "pidfd_open", "O_PATH", "O_TMPFILE", "sched_getaffinity"} <= {*absent["os"]}
    assert {"SIGRTMIN", "sigtimedwait"} <= {*absent["signal"]}
    assert not {"fork", "killpg", "setsid", "pread"} & {*absent["os"]}


def test_warden_and_worker_are_simulated(macos: Callable[[str], str], tmp_path: Path) -> None:
    command = [sys.executable, "-c", macos(_WORKER)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["0", "darwin", "False", "False", "False"], done.stderr


def test_a_run_finds_what_is_wrong(project: Path, on_macos: Run) -> None:
    shown = on_macos(project, "show", "relu", "--all", "--results", "reports")
    assert shown.returncode == 0 and "violates" in shown.stdout, shown.stderr
    written = on_macos(project, "report", "reports", "--output", "site", "--quiet")
    assert written.returncode == 0, written.stderr
    assert Path(project, "site", "index.html").is_file()
    again = on_macos(project, "replay", "--all", "--results", "reports", "--target", "backend")
    assert again.returncode == 1 and "still" in again.stdout, again.stdout + again.stderr


def test_try(on_macos: Run, tmp_path: Path) -> None:
    done = on_macos(tmp_path, "try", "K.sum(K.ones((2, 3)), axis=1)", "reference")
    assert done.returncode == 0 and "3 3" in done.stdout, done.stdout + done.stderr


def test_targets_say_that_there_is_no_sandbox(on_macos: Run, tmp_path: Path) -> None:
    done = on_macos(tmp_path, "targets", "-v")
    assert done.returncode == 0 and "none" in done.stdout.splitlines()[-1], done.stderr


def test_a_script_measures_memory_in_bytes(macos: Callable[[str], str], tmp_path: Path) -> None:
    death = watching(Death(gibibytes=0.01))
    script = "\n".join([*death, "bytearray(2**26)"])
    command = [sys.executable, "-c", macos(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert re.search(r"AssertionError: 0\.[01] GiB", done.stderr), done.stdout + done.stderr


def test_crashes_and_hangs_are_blamed(macos: Callable[[str], str]) -> None:
    root = Path(__file__).parents[2]
    place = str(root / "tests" / "adapters" / "test_connection.py")
    command = [sys.executable, "-c", macos(_FAULTS), place]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout and "skipped" not in done.stdout
