"""What was judged is saved soon, also while the next function takes long and says nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conformance.reporting.json_results import read_results
from conformance.results import timeless
from tests.adapters.support import FAKES

SLOW = """
import os, time
from fakes.correct import *
from fakes import correct

def argmax(x, axis=-1):
    while os.path.exists(os.environ["WAITS"]):
        time.sleep(0.05)
    return correct.argmax(x, axis)
"""
# when a function is judged it is too early to save it
HOST = """
from conformance.engine.running import progress, run
run.CHECK = 0.2
record = progress.Progress.record
def early(self, *given, **options):
    self._pause = 1e9
    record(self, *given, **options)
    self._pause = 0.2
progress.Progress.record = early
from conformance.cli import main
main()
"""


@pytest.mark.thorough
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_run_keeps_what_was_judged_before_a_slow_function(
    jobs: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(SLOW)
    waits, out = tmp_path / "waits", tmp_path / "out"
    waits.touch()
    options = ("--module", "mine", "--no-sandbox", "--path", str(tmp_path), "--path", str(FAKES))
    chosen = ("-k", "softmax or argmax", "--profile", "smoke", "--no-database", "-j", jobs)
    command = [sys.executable, "-c", HOST, "run", *options, "--env", f"WAITS={waits}", *chosen]
    environment = {**os.environ, "CONFORMANCE_HOME": str(tmp_path / "home")}
    process = subprocess.Popen([*command, "-o", str(out)], env=environment)
    deadline = time.monotonic() + 60
    while not (out / "mine.json").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    saved = read_results(out / "mine.json")
    assert saved.run.unfinished == ["argmax"]
    waits.unlink()
    completed = subprocess.run(
        [*command, "-o", str(out), "--resume"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "kept 1 of 2 functions" in completed.stderr
    subprocess.run([*command, "-o", str(tmp_path / "straight")], env=environment, check=True)
    straight = read_results(tmp_path / "straight" / "mine.json")
    assert timeless(read_results(out / "mine.json")) == timeless(straight)
