"""Runs of `conformance run` on a fake that waits at a stage, where something is done to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from conformance.cli.run.output_folder import NAME as LOCK
from conformance.reporting.json_results import read_results
from conformance.results import Results
from tests.adapters.support import FAKES
from tests.families import Family

TARGET = """
[targets.staged]
module = "fakes.staged"
edition = "keras-2.2"
path = {path!r}
environment = {{ FAKE_STAGE = {stage!r} }}
script_environment = {{ FAKE_STAGE = "" }}
fork = {fork}
sandbox = {sandbox}
"""
CHOSEN = ("-k", "softmax or argmax", "--profile", "smoke", "--no-database")
SECONDS = 120.0
# every function that is judged is saved at once, a few cases are worth a process, and Ctrl-C works
# in the background, too
HOST = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from conformance.engine.running import progress
progress.CHECKPOINT = 0.0
from conformance.engine.planning import portions
portions.CASES_WORTH_A_WORKER = 10
from conformance.cli import main
main()
"""


class Run:
    """A run of the fake in a folder of its own, which has to be empty.

    With two `jobs` the host has a process for each worker, which judges what that answers.
    """

    def __init__(
        self,
        folder: Path,
        stage: str,
        *,
        fork: bool = False,
        sandbox: bool = True,
        jobs: int = 1,
        scheduler: str = "",
    ) -> None:
        self.folder, self.output = folder, folder / "out"
        self.jobs, self.sandboxed = jobs, sandbox
        self.where = ("--scheduler", scheduler) if scheduler else ("-j", str(jobs))
        self.temporary = folder / "temporary"
        self.temporary.mkdir(parents=True)
        text = TARGET.format(
            path=str(FAKES), stage=stage, fork=str(fork).lower(), sandbox=str(sandbox).lower()
        )
        (folder / "conformance.toml").write_text(text)
        self.console = folder / "console.txt"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def home(self) -> Path:
        """The home of the worker; a digest follows the name of its target."""
        place = "staged-*/home" if self.sandboxed else "staged-*/outside/home"
        homes = (self.folder / "home" / "targets").glob(place)
        return next(homes, self.folder / "no home yet")

    def start(self, *options: str, before: str = "") -> None:
        """Start the host; `before` is Python that it runs first."""
        command = [sys.executable, "-c", before + HOST, "run", "staged", *CHOSEN, *self.where]
        environment = {
            **os.environ,
            "CONFORMANCE_HOME": str(self.folder / "home"),
            "TMPDIR": str(self.temporary),
        }
        with self.console.open("ab") as stream:
            self.process = subprocess.Popen(
                [*command, "--config", "conformance.toml", "-o", str(self.output), *options],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
            )

    def reach(self) -> Family:
        """Wait for the stage; the processes that there are then."""
        self.wait()
        assert self.process is not None
        roles = ("warden", "guardian")
        return Family(self.process.pid, roles if self.jobs == 1 else ("judge", *roles))

    def wait(self) -> None:
        """Wait for the stage."""
        assert self.process is not None
        deadline = time.monotonic() + SECONDS
        while not (self.home / "waiting").exists():
            assert self.process.poll() is None, self.console.read_text()
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def go(self) -> None:
        """Let the fake go on."""
        (self.home / "go").touch()

    def status(self) -> int:
        """Wait for the end; the exit status."""
        assert self.process is not None
        try:
            return self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGKILL)
            raise

    def to_the_end(self, *options: str) -> int:
        """Start the host, and wait for its end."""
        self.start(*options)
        return self.status()

    @property
    def results(self) -> Results:
        """The results that are there."""
        return read_results(self.output / "staged.json")

    def left_after(self, seconds: float) -> list[str]:
        """What is left after so many seconds: the warden ends after a host that ends at once."""
        deadline = time.monotonic() + seconds
        while self.left() and time.monotonic() < deadline:
            time.sleep(0.05)
        return self.left()

    def left(self) -> list[str]:
        """The files that a run has left which are not its results; the next run takes over a lock
        that nobody holds."""
        places = [*self.temporary.iterdir(), *self.output.glob(".*")]
        return [str(place) for place in places if place.name != LOCK]
