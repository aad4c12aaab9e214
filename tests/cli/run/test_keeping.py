"""What was done is kept: after Ctrl-C, on a full disk, and when the time is over."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.cli.files.outputs import FileWriters
from conformance.reporting.json_results import JsonWriter, encode, read_results
from conformance.results import Results, Verdict, timeless
from conformance.results.events import RunFinished, TargetFinished
from tests.cli.run.test_run import FAKES, executed, fake, invoke
from tests.reporting.records import every_verdict

NAME = "fakes.correct.json"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))


def read(folder: Path, name: str = NAME) -> Results:
    return read_results(folder / name)


# Going on


SOURCE = """
import os, signal, time
from fakes.correct import *
from fakes import correct

def softmax(x, axis=-1):
    try:
        os.close(os.open(os.environ["SENT"], os.O_CREAT | os.O_EXCL))
        # the worker's parent is its guardian, then comes the warden, then the suite
        parent = os.getppid()
        for _ in range(2):
            with open(f"/proc/{parent}/status") as status:
                parent = next(int(line.split()[1]) for line in status if line.startswith("PPid:"))
        os.kill(parent, getattr(signal, os.environ["SIGNAL"]))
        time.sleep(0.5)
    except FileExistsError:
        pass
    return correct.softmax(x, axis)
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_run_goes_on_where_it_was_interrupted(name: str, tmp_path: Path) -> None:
    """The worker sends the signal itself, the first time only."""
    (tmp_path / "mine.py").write_text(SOURCE)
    paths = ("--path", str(tmp_path), "--path", str(FAKES))
    variables = ("--env", f"SENT={tmp_path / 'sent'}", "--env", f"SIGNAL={name}")
    chosen = ("-k", "softmax or argmax", "-j", "1", "--profile", "smoke")
    # in a sandbox it could not
    command = ("--module", "mine", "--no-sandbox", *paths, *variables, *chosen)
    out, straight = tmp_path / "out", tmp_path / "straight"
    ended = executed(*command, "-o", str(out))
    assert ended.returncode in (130, -signal.SIGINT), ended.stderr
    assert "the same command with --resume runs the rest" in ended.stdout
    results = read(out, "mine.json")
    assert results.run.ended_by == ("Ctrl-C" if name == "SIGINT" else "SIGTERM")
    assert results.summary.verdicts[Verdict.NOT_RUN] > 0
    assert invoke(*command, "-o", str(out), "--resume").exit_code == 0
    assert invoke(*command, "-o", str(straight)).exit_code == 0
    assert timeless(read(out, "mine.json")) == timeless(read(straight, "mine.json"))


def test_a_complete_run_is_not_run_again(tmp_path: Path) -> None:
    command = ("-k", "argmax", "-o", str(tmp_path))
    assert fake("correct", *command).exit_code == 0
    before = read(tmp_path)
    assert fake("correct", *command, "--resume").exit_code == 0
    after = read(tmp_path)
    assert after.run.spent == before.run.spent, "no case was run"
    assert after.functions == before.functions


def test_results_that_nothing_can_go_on_from_are_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "fakes.correct.json").write_text("{}")
    done = fake("correct", "-k", "argmax", "-o", str(tmp_path), "--resume")
    assert done.exit_code == 2
    assert "missing required field `schema`" in done.output
    assert f"delete {tmp_path / 'fakes.correct.json'}, or name another --output" in done.output


def test_without_results_a_run_begins_anew(tmp_path: Path) -> None:
    done = fake("correct", "-k", "argmax", "-o", str(tmp_path), "--resume")
    assert done.exit_code == 0
    assert f"nothing to resume in {tmp_path}" in done.output


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"seed": 7}, (), "seed was 7, and is 0"),
        ({"profile": "default"}, (), "profile was default, and is smoke"),
        ({"suite_version": "0.0.1"}, (), "suite version was 0.0.1, and is 0.1.0"),
        ({"selection": "exp"}, (), "-k was exp, and is argmax"),
        ({"shard": "1/2"}, (), "--shard was 1/2, and is not given"),
        ({}, ("--edition", "keras-2.0"), "edition was keras-2.2, and is keras-2.0"),
        ({}, ("--aspect", "value"), "--aspect was not given, and is value"),
    ],
)
def test_results_of_another_run_are_refused(
    changes: dict[str, Any], options: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    command = ("-k", "argmax", "-o", str(tmp_path))
    fake("correct", *command)
    results = read(tmp_path)
    file = tmp_path / NAME
    file.write_bytes(encode(replace(results, run=replace(results.run, **changes))))
    before = file.read_bytes()
    done = fake("correct", *command, *options, "--resume")
    assert done.exit_code == 2
    assert message in done.output
    assert str(file) in done.output
    assert file.read_bytes() == before, "nothing is lost"


def test_there_must_be_a_folder_to_resume_from() -> None:
    done = fake("correct", "-k", "argmax", "--resume")
    assert done.exit_code == 2
    assert "add --output DIR" in done.output


# The limit of time


def test_what_the_time_did_not_reach_is_said_and_is_no_success(tmp_path: Path) -> None:
    done = fake("correct", "-k", "argmax or exp", "--max-time", "0.001s", "-o", str(tmp_path))
    assert done.exit_code == 3
    assert "cells were not run" in done.output
    assert "○" in done.output
    assert "not run" in (tmp_path / NAME).read_text()


def test_a_violation_weighs_more_than_what_was_not_reached(tmp_path: Path) -> None:
    name = "fakes.always_wrong.json"
    fake("always_wrong", "-k", "softmax or argmax", "-o", str(tmp_path))
    results = read(tmp_path, name)
    left = replace(results.run, unfinished=["argmax"], complete=False)
    (tmp_path / name).write_bytes(encode(replace(results, run=left)))
    options = ("-k", "softmax or argmax", "--max-time", "0.001s", "--resume")
    done = fake("always_wrong", *options, "-o", str(tmp_path))
    assert done.exit_code == 1


def test_a_mark_is_not_stale_because_the_time_was_over(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    fields = ('function = "argmax"', 'aspect = "value"', 'verdict = "violates"', 'reason = "r"')
    known.write_text("[[expect]]\n" + "\n".join(fields) + "\n")
    done = fake("correct", "-k", "argmax", "--max-time", "0.001s", "--expectations", str(known))
    assert done.exit_code == 3
    assert "no longer so" not in done.output


@pytest.mark.parametrize("time", ["5", "5x", "m", "0s", "-5m", "5m 3"])
def test_what_is_no_time_is_told(time: str) -> None:
    done = fake("correct", "-k", "argmax", f"--max-time={time}")
    assert done.exit_code == 2
    assert "90s, 5m, 1h" in done.output


# A full disk


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB, which needs root."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    mounting = subprocess.run([mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=False)
    if mounting.returncode:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def fill(folder: Path) -> Path:
    """Fill the disk to the last byte."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (65536, 512, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue
    return ballast


@pytest.mark.thorough
def test_a_full_disk_leaves_what_is_there_whole_and_the_run_can_go_on(small: Path) -> None:
    command = ("-k", "argmax or identity", "-o", str(small))
    assert fake("correct", *command).exit_code == 0
    file = small / NAME
    whole = read(small)
    left = replace(whole.run, unfinished=["identity"], complete=False)
    file.write_bytes(encode(replace(whole, run=left)))
    before, ballast = file.read_bytes(), fill(small)
    done = fake("correct", *command, "--resume")
    assert done.exit_code == 2
    assert "No space left on device" in done.output
    assert "free space there" in done.output
    assert "Traceback" not in done.output
    assert "aspects follow the documents" in done.output, "the run shows its results nevertheless"
    assert file.read_bytes() == before
    assert not [p.name for p in small.iterdir() if p.name.startswith(".")], "no half-written file"
    ballast.unlink()
    assert fake("correct", *command, "--resume").exit_code == 0
    assert timeless(read(small)) == timeless(whole)


def test_what_could_not_be_written_is_tried_again_at_the_end(tmp_path: Path) -> None:
    results = every_verdict("mine")
    folder = tmp_path / "out"
    folder.write_text("a file is in the way")
    writer = FileWriters(str(folder), [JsonWriter(folder)])
    writer.handle(TargetFinished(results))
    assert writer.problem
    folder.unlink()
    writer.handle(RunFinished(1.0, False))
    assert writer.problem is None
    assert read_results(folder / "mine.json") == results
