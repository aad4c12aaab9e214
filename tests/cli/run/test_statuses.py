"""Exit statuses that are no findings: nothing conforms, and an error of the suite itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from conformance.cli import errors, main
from conformance.cli.known_failures import KnownFailure, read
from conformance.cli.run import run
from conformance.results import Aspect, FunctionResult, Results, Verdict
from tests.reporting import records

REFUSES = """
def floatx():
    return "float32"

def refuse(*args, **kwargs):
    raise NotImplementedError

set_floatx = set_epsilon = set_image_data_format = lambda value: None
exp = sqrt = variable = refuse
"""
SMOKE = ("--profile", "smoke", "-j", "1", "--quiet", "--no-database")


def run_on(folder: Path, source: str, *arguments: str) -> Result:
    (folder / "bare.py").write_text(source, "utf-8")
    options = ("--module", "bare", "--path", str(folder), *SMOKE, *arguments)
    return CliRunner().invoke(main, ["run", *options])


@pytest.mark.parametrize("fail_on", ["violation", "divergence", "never"])
def test_a_module_without_the_functions_is_3(tmp_path: Path, fail_on: str) -> None:
    result = run_on(tmp_path, "", "-k", "sqrt", "--fail-on", fail_on)
    assert result.exit_code == 3, result.output
    assert "error: bare: nothing conforms; of 7 aspects 7 unsupported" in result.output
    assert "hint: is it the right module" in result.output


def test_a_module_that_refuses_every_call_is_3(tmp_path: Path) -> None:
    result = run_on(tmp_path, REFUSES, "-k", "sqrt or floatx", "--fail-on", "never")
    assert result.exit_code == 3, result.output
    assert "bare: nothing conforms but names, signatures or settings" in result.output


def test_what_fails_weighs_more_than_that_nothing_conforms(tmp_path: Path) -> None:
    result = run_on(tmp_path, "", "-k", "sqrt", "--fail-on", "unsupported")
    assert result.exit_code == 1, result.output
    assert "unexpected: sqrt presence unsupported on bare" in result.output
    assert result.output.count("unexpected: ") == 1


def results(value: Verdict, *, theme: str = "t", **of_run: object) -> Results:
    failures = [records.failure(value)] if value is Verdict.VIOLATES else []
    aspects = [
        records.aspect_result(Aspect.PRESENCE, Verdict.CONFORMS),
        records.aspect_result(Aspect.VALUE, value, *failures),
    ]
    return records.results("mine", [FunctionResult("dot", theme, aspects)], **of_run)


KNOWN = '[[expect]]\nfunction = "dot"\naspect = "value"\nverdict = "violates"\nreason = "r"\n'


@pytest.mark.parametrize(
    ("value", "theme", "marked", "empty"),
    [
        (Verdict.CONFORMS, "t", False, False),
        (Verdict.DIVERGES, "t", False, False),
        (Verdict.VIOLATES, "t", False, True),
        (Verdict.VIOLATES, "t", True, False),
        (Verdict.UNSUPPORTED, "t", False, True),
        (Verdict.UNSUPPORTED, "configuration", False, False),
    ],
)
def test_when_a_run_is_empty(
    tmp_path: Path, value: Verdict, theme: str, *, marked: bool, empty: bool
) -> None:
    known: list[KnownFailure] = []
    if marked:
        (tmp_path / "known.toml").write_text(KNOWN)
        known = read(tmp_path / "known.toml")
    assert run.is_empty(results(value, theme=theme), known) is empty


def test_a_shard_may_be_empty_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert not run.something_conforms([results(Verdict.UNSUPPORTED)])
    assert "error: mine: nothing conforms" in capsys.readouterr().err
    assert run.something_conforms([results(Verdict.UNSUPPORTED, shard="1/9")])
    output = capsys.readouterr().err
    assert "in shard 1/9" in output
    assert "error" not in output


def test_an_error_of_the_suite_is_70_with_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("a\x1b[31mbug")

    monkeypatch.setattr(run, "plan", broken)
    result = CliRunner().invoke(main, ["run", "reference", "-k", "sqrt", *SMOKE])
    assert result.exit_code == errors.INTERNAL == 70
    assert "Traceback" in result.output
    assert "an error of the suite, not of a target: KeyError" in result.output
    assert "hint: open an issue in the repository of keras-backend-conformance" in result.output
    assert "run the same command with --resume to continue" in result.output
    assert "\x1b" not in result.output


class _Unknown(BaseException):
    """Neither an Exception nor anything that click knows."""


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_a_machine_that_lacks_something_is_3_and_no_error_of_the_suite(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def starved(**_: object) -> None:
        raise error

    command = main.get_command(click.Context(main), "run")
    assert command is not None
    monkeypatch.setattr(command, "callback", starved)
    result = CliRunner().invoke(main, ["run"])
    assert result.exit_code == errors.CANNOT_RUN, result.output
    assert "left for the suite itself" in result.output
    assert "run the same command with --resume to continue" in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize("error", [KeyError("bug"), RecursionError(), _Unknown()])
@pytest.mark.parametrize("name", main.list_commands(click.Context(main)))
def test_an_error_of_the_suite_is_70_in_every_command(
    name: str, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: object) -> None:
        raise error

    words, command = [name], main.get_command(click.Context(main), name)
    while isinstance(command, click.Group):
        words.append(next(iter(command.commands)))
        command = command.commands[words[-1]]
    assert command is not None
    monkeypatch.setattr(command, "params", [])
    monkeypatch.setattr(command, "callback", broken)
    result = CliRunner().invoke(main, words)
    assert result.exit_code == errors.INTERNAL, result.output
    assert f"not of a target: {type(error).__name__}" in result.output
    assert "hint: open an issue" in result.output


@pytest.mark.parametrize("command", [["run", "reference", *SMOKE, "-k", "sqrt"], ["targets"]])
def test_a_reader_that_has_gone_makes_no_finding(command: list[str]) -> None:
    begun = subprocess.Popen(
        [sys.executable, "-m", "conformance", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert begun.stdout is not None
    begun.stdout.close()
    _, output = begun.communicate(timeout=120)
    assert begun.returncode == errors.NO_READER == 141, output
    assert "Traceback" not in output


OFTEN = """
import sys
from conformance.reporting import terminal
terminal.TerminalWriter.__init__.__kwdefaults__["heartbeat"] = 0.5
from conformance.cli import main
main(prog_name="conformance")
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_whose_reader_goes_ends_and_keeps_what_was_done(jobs: str, tmp_path: Path) -> None:
    command = ["run", "reference", "--jobs", jobs, "--no-database", "--output", str(tmp_path)]
    begun = subprocess.Popen(
        [sys.executable, "-c", OFTEN, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert begun.stdout is not None
    assert begun.stdout.readline().startswith("reference: ")
    begun.stdout.close()
    _, output = begun.communicate(timeout=120)
    assert begun.returncode == errors.NO_READER, output
    assert "Traceback" not in output
    header = json.loads((tmp_path / "reference.json").read_text("utf-8"))["run"]
    assert not header["complete"]
    assert header["ended_by"] == "a closed output"


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "command", [("list",), ("--help",), ("run", "reference", *SMOKE, "-k", "sqrt")]
)
def test_a_full_disk_behind_the_output_is_no_error_of_the_suite(
    command: tuple[str, ...], unbuffered: str
) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "conformance", *command],
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 2, done.stderr
    full_disk = "error: standard output cannot be written: No space left on device\n"
    assert full_disk in done.stderr
    assert "Traceback" not in done.stderr


def test_a_home_that_cannot_be_made_is_3_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for home in ("/dev/null", "/proc/nothing", "~nosuchuser/home"):
        monkeypatch.setenv("CONFORMANCE_HOME", home)
        for command in (["run", "reference", "-k", "sqrt", *SMOKE], ["install", "reference"]):
            result = CliRunner().invoke(main, command)
            assert result.exit_code == 3, result.output
            assert "set CONFORMANCE_HOME to a folder that can be written" in result.output
            assert "Traceback" not in result.output


def test_wrong_usage_and_a_missing_file_are_no_errors_of_the_suite() -> None:
    for arguments in (["run", "--no-such-option"], ["nothing"], ["run", "--baseline", "/no/file"]):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 2, result.output
        assert "error of the suite" not in result.output
