"""Failures that only cases kept from earlier runs show: they are listed, and decide nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis.database import DirectoryBasedExampleDatabase
from msgspec.structs import replace

from conformance.cli import main
from conformance.cli.known_failures import read
from conformance.cli.known_failures.gate import Gate
from conformance.cli.run.database import Database, holds_earlier
from conformance.engine import PROFILES
from conformance.reporting.json_results import encode, read_results
from conformance.results import Aspect, Failure, FunctionResult, Origin, Results, Verdict
from tests.engine.support import EDITION, tasks
from tests.reporting import records

FAKES = Path(__file__).parents[2] / "adapters" / "fakes"
SOURCE = """
import os
import numpy as np
from fakes import correct
from fakes.correct import *

def exp(x):
    wrong = lambda a: np.exp(a) + (str(a.shape) in os.environ["BROKEN"].split(";"))
    return correct.node(wrong, x)
"""
EXP = ("-k", "exp and not (expand or sum)", "--aspect", "value")
OPTIONS = (*EXP, "-j", "1", "--quiet", "--output", "out")
ORIGIN = Origin(profile="smoke", seed=0, trial="0123456789ab")
WORSE = (Verdict.VIOLATES, Verdict.CRASHED, Verdict.TIMED_OUT)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(SOURCE)


def shapes(profile: str) -> dict[str, None]:
    """The shapes that a profile gives `exp`."""
    (task,) = tasks(["exp"], PROFILES[profile], 0, EDITION)
    structures = [prepared.structure for prepared in task.prepared()]
    return {str(s.program.inputs[0].shape): None for s in structures if not s.unsettled}


def run(profile: str, broken: Sequence[str], *arguments: str) -> tuple[int, str, Results]:
    """Status, output and results of a run of a backend that is wrong for some shapes."""
    mine = ("--module", "mine", "--path", str(FAKES), "--env", f"BROKEN={';'.join(broken)}")
    done = CliRunner().invoke(main, ["run", *mine, "--profile", profile, *OPTIONS, *arguments])
    return done.exit_code, done.output, read_results(Path("out", "mine.json"))


def failures(results: Results, field: str) -> list[Failure]:
    return [
        f for function in results.functions for a in function.aspects for f in getattr(a, field)
    ]


@pytest.mark.thorough
def test_a_gate_is_decided_by_the_cases_of_the_run() -> None:
    """A default run, then smoke against a baseline of smoke, on an unchanged backend."""
    database = ("--database", "cases")
    broken = [shape for shape in shapes("default") if shape not in shapes("smoke")]
    _, _, alone = run("smoke", broken, "--no-database")
    baseline = Path("baseline.json")
    baseline.write_bytes(encode(alone))
    held = (*database, "--baseline", str(baseline))
    status, _, first = run("default", broken, *database)
    assert status == 1
    status, output, smoke = run("smoke", broken, *held)
    assert status == 0, output
    assert "regressions 0, improvements 0" in output
    (earlier, *_) = failures(smoke, "earlier_failures")
    assert earlier.id in {f.id for f in failures(first, "failures")}
    assert f"kept: exp value violates on mine: {earlier.id}: {earlier.message}" in output
    assert smoke.summary == alone.summary
    # without the failures of kept cases the results are those of a run without a database
    functions = [
        replace(f, aspects=[replace(a, earlier_failures=[]) for a in f.aspects])
        for f in smoke.functions
    ]
    assert functions == alone.functions

    status, output, _ = run("smoke", broken, *held, "--fail-on-kept")
    assert status == 1
    assert f"unexpected: exp value violates on mine: {earlier.id}" in output
    status, output, _ = run("smoke", broken, *held, "--fail-on-kept", "--fail-on", "never")
    assert status == 0, output

    shown = CliRunner().invoke(main, ["show", "exp", "--all", "--results", "out"]).output
    heading = "mine (keras-2.2), shown only by cases kept from earlier runs"
    assert earlier.message in " ".join(shown.split(heading)[1].split())
    script = CliRunner().invoke(main, ["show", "exp", "--results", "out", "--script"])
    assert str(earlier.script).strip() in script.output

    status, output, mended = run("smoke", [], *held)
    assert status == 0, output
    assert failures(mended, "earlier_failures") == []
    assert Database(DirectoryBasedExampleDatabase("cases")).stored() == []


def test_cases_of_functions_that_a_run_did_not_finish_stay(tmp_path: Path) -> None:
    failing = records.failure(Verdict.VIOLATES, origin=ORIGIN)
    wrong = records.aspect_result(Aspect.VALUE, Verdict.VIOLATES, failing)
    database = Database(DirectoryBasedExampleDatabase(tmp_path / "cases"))
    database.update([records.results("mine", [FunctionResult("exp", "t", [wrong])])])
    cases = database.stored()
    assert [case.failure.id for case in cases] == [failing.id]
    right = records.aspect_result(Aspect.VALUE, Verdict.CONFORMS)
    again = [FunctionResult("exp", "t", [right])]
    database.update([records.results("mine", again, unfinished=["exp"], complete=False)])
    assert database.stored() == cases
    database.update([records.results("mine", again)])
    assert database.stored() == []


def test_known_failures_cover_those_of_kept_cases(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failing = records.failure(Verdict.VIOLATES)
    aspect = records.aspect_result(Aspect.VALUE, Verdict.CONFORMS)
    held = [FunctionResult("exp", "t", [replace(aspect, earlier_failures=[failing])])]
    results = [records.results("mine", held)]
    assert holds_earlier(results, Gate(worse=WORSE), counted=False)
    assert not holds_earlier(results, Gate(worse=WORSE), counted=True)
    assert holds_earlier(results, Gate(worse=()), counted=True)
    file = tmp_path / "known.toml"
    file.write_text(
        '[[expect]]\nfunction = "exp"\naspect = "value"\nverdict = "violates"\n'
        f'failure = "{failing.id}"\nreason = "known"\n'
    )
    assert holds_earlier(results, Gate(worse=WORSE, known=read(file)), counted=True)
    assert "show 1 failure; 0 unexpected (--fail-on-kept)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--no-database"], "--fail-on-kept and --no-database write one of them"),
        ([], "--fail-on-kept: no cases are kept here"),
    ],
)
def test_without_kept_cases_none_can_fail(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.setenv("CONFORMANCE_DATABASE", "none")
    done = CliRunner().invoke(main, ["run", "reference", *OPTIONS, "--fail-on-kept", *arguments])
    assert done.exit_code == 2
    assert words in " ".join(done.output.replace("hint:", "").replace("\n", " ").split())
