"""Failing cases run again by their ids, and kept for the next run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis.database import DirectoryBasedExampleDatabase, InMemoryExampleDatabase
from msgspec import UNSET

from conformance.cli import main
from conformance.cli.replay.stored_failures import MOST
from conformance.cli.run.database import Database
from conformance.engine import PROFILES
from conformance.reporting.json_results import read_results
from conformance.results import Failure, Results, timeless
from conformance.results.scores import DEVIATIONS
from tests.engine.support import EDITION, tasks

FAKES = Path(__file__).parents[2] / "adapters" / "fakes"
SOURCE = """
import os
import numpy as np
from fakes import always_wrong, correct
from fakes.correct import *

if os.environ.get("BROKEN") == "all":
    from fakes.always_wrong import *
if os.environ.get("BROKEN") == "crash":
    def exp(x):
        return correct.node(lambda a: os._exit(3), x)
if os.environ.get("BROKEN", "")[:1] == "(":
    def exp(x):
        wrong = lambda a: np.exp(a) + (str(a.shape) == os.environ["BROKEN"])
        return correct.node(wrong, x)
"""
EXP = "exp and not (expand or sum)"
SMOKE = ("--profile", "smoke", "-j", "1", "-q")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("module")
    (folder / "mine.py").write_text(SOURCE)
    return folder


def call(command: str, module: Path, broken: str, *arguments: str) -> Result:
    paths = ("--path", str(module), "--path", str(FAKES))
    mine = ("--module", "mine", *paths, "--env", f"BROKEN={broken}")
    return CliRunner().invoke(main, [command, *mine, *arguments])


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory, module: Path) -> Path:
    """Results of `exp` and `argmax` while everything was wrong."""
    folder = tmp_path_factory.mktemp("out")
    call("run", module, "all", "-k", f"({EXP}) or argmax", *SMOKE, "-o", str(folder))
    return folder


def failures(folder: Path, **of: object) -> list[Failure]:
    every = _of(read_results(folder / "mine.json"))
    return [f for f in every if all(getattr(f, name) == value for name, value in of.items())]


def _of(results: Results) -> list[Failure]:
    return [f for function in results.functions for a in function.aspects for f in a.failures]


def replay(module: Path, broken: str, out: Path, *arguments: str) -> Result:
    return call("replay", module, broken, *arguments, "--results", str(out))


# Answers


def test_what_still_fails_is_1_with_what_was_expected_and_got(module: Path, out: Path) -> None:
    result = replay(module, "all", out, "--all")
    assert result.exit_code == 1, result.output
    for failure in failures(out):
        assert (f"{failure.id} " in result.output) == (failure.verdict in DEVIATIONS)
    faults = [failure for failure in failures(out) if failure.verdict in DEVIATIONS]
    assert f"{len(faults)} still failing" in result.output.splitlines()[-1]
    assert re.search(r"expected: float\d+ \(1,\)\n +\*1\.?\d*\*\n", result.output)
    assert re.search(r"got: float\d+ \(1,\)\n +\*2\.?\d*\*\n", result.output)


def test_what_is_mended_is_0(module: Path, out: Path) -> None:
    wrong = [f for f in failures(out) if f.convention != "precise-static-shape"]
    result = replay(module, "none", out, *(f.id for f in wrong))
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1] == f"{len(wrong)} fixed"


def test_the_beginning_of_an_id_is_enough(module: Path, out: Path) -> None:
    failure = failures(out, verdict="violates")[0]
    result = replay(module, "all", out, failure.id[:8])
    assert result.exit_code == 1
    assert failure.message in result.output
    assert "1 still failing" in result.output


def test_without_results_a_folder_of_reports_is_looked_at_too(
    module: Path, out: Path, tmp_path: Path
) -> None:
    shutil.copytree(out, tmp_path / "reports" / "mine")
    (tmp_path / "reports" / "other").mkdir()
    (tmp_path / "reports" / "other" / "scores.json").write_text('{"schema": "another"}')
    (tmp_path / "reports" / "good.json").write_text(next(out.glob("*.json")).read_text())
    failure = failures(out, verdict="violates")[0]
    asked = call("replay", module, "all", failure.id)
    assert asked.exit_code == 1
    assert failure.message in asked.output
    assert call("replay", module, "all", "0" * 12).exit_code == 2


def test_a_failure_of_another_sort_is_told(module: Path, out: Path) -> None:
    failure = next(f for f in failures(out, kind="value") if "exp" in f.message)
    result = replay(module, "crash", out, failure.id)
    assert result.exit_code == 1
    assert "it fails in another way" in result.output


@pytest.mark.sampled(2)
@pytest.mark.parametrize("change", ["no origin", "damaged"])
def test_a_case_that_cannot_be_made_again_is_looked_for(
    module: Path, out: Path, tmp_path: Path, change: str
) -> None:
    data = json.loads((out / "mine.json").read_text())
    for record in _each(data):
        if record["program"] and change == "no origin":
            del record["origin"]
        elif record["program"]:
            record["origin"] |= {"trial": "?"}
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "mine.json").write_text(json.dumps(data))
    failure = failures(out, kind="value")[0]
    result = replay(module, "all", tmp_path / "old", failure.id)
    assert result.exit_code == 1, result.output
    assert "all cases of smoke, seed 0, were run" in result.output
    assert replay(module, "none", tmp_path / "old", failure.id).exit_code == 0


def _each(data: dict[str, Any]) -> list[dict[str, Any]]:
    aspects = [a for f in data["functions"] for a in f["aspects"]]
    return [failure for aspect in aspects for failure in aspect["failures"]]


def test_a_target_that_is_not_here_is_3_with_what_to_do(out: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["replay", "--all", "--results", str(out)])
    assert result.exit_code == 3
    assert "cannot run" in result.output
    assert "--module" in result.output
    data = json.loads((out / "mine.json").read_text())
    data["target"]["name"] = "keras-2.2.4-cntk"
    (tmp_path / "cntk.json").write_text(json.dumps(data))
    result = CliRunner().invoke(main, ["replay", "--all", "--results", str(tmp_path / "cntk.json")])
    assert result.exit_code == 3
    assert "keras-2.2.4-cntk: cannot run" in result.output


def test_a_dtype_that_the_declaration_lacks_is_named_with_the_file(
    module: Path, out: Path, tmp_path: Path
) -> None:
    target = f"[targets.mine]\nmodule = 'mine'\npath = ['{module}', '{FAKES}']\n"
    target += "edition = 'keras-2.2'\n"
    file = tmp_path / "conformance.toml"
    file.write_text(target + "lacks = ['float32', 'float64']\n", "utf-8")
    failure = next(f for f in failures(out, kind="value") if "exp" in f.message)
    asked = ("replay", failure.id, "--target", "mine", "--results", str(out))
    result = CliRunner().invoke(main, asked)
    assert result.exit_code == 3, result.output
    dtype = "float64" if "float64" in failure.message else "float32"
    assert f"it needs {dtype}, which lacks in {file} excludes" in result.output


def test_an_edition_that_nobody_knows_is_3(module: Path, out: Path, tmp_path: Path) -> None:
    data = json.loads((out / "mine.json").read_text())
    data["target"]["edition"] = "keras-3.9"
    (tmp_path / "mine.json").write_text(json.dumps(data))
    result = replay(module, "all", tmp_path / "mine.json", failures(out, kind="value")[0].id)
    assert result.exit_code == 3, result.output
    assert "no edition 'keras-3.9' here; run the target again" in result.output


def test_a_worker_that_does_not_start_is_3(module: Path, out: Path) -> None:
    broken = ("--module", "mine", "--path", str(module))  # without the folder of the fakes
    result = CliRunner().invoke(main, ["replay", *broken, "--all", "--results", str(out)])
    assert result.exit_code == 3, result.output
    assert "No module named 'fakes'" in result.output


def test_the_script_shows_the_failure_alone(module: Path, out: Path) -> None:
    failure = next(f for f in failures(out, kind="value") if "exp" in f.message)
    result = replay(module, "all", out, failure.id, "--script")
    assert result.exit_code == 0
    assert result.stdout == failure.script
    done = subprocess.run(
        [sys.executable, "-c", result.stdout], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "AssertionError" in done.stderr


# Mistakes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["name the failures", "--all"]),
        (["--all", "abcd"], ["name the failures"]),
        (["zzzz"], ["no failure 'zzzz'"]),
        ([""], ["no failure"]),
        (["--all", "--target", "minee"], ["minee", "there are: mine"]),
        (["--all", "-k", "softmax"], ["-k 'softmax' selects no failure", "argmax"]),
        (["--all", "-k", "argmaks"], ["-k 'argmaks' selects no failure", "did you mean argmax?"]),
        (["--all", "--script"], ["one id"]),
        (["--all", "-k", "exp and"], ["exp and"]),
    ],
)
def test_a_mistake_is_2_with_what_to_write(
    module: Path, out: Path, arguments: list[str], words: list[str]
) -> None:
    result = replay(module, "all", out, *arguments)
    assert result.exit_code == 2, result.output
    for word in words:
        assert word in result.output


def test_a_module_that_no_failure_is_of_is_told(out: Path, tmp_path: Path) -> None:
    other = ("--module", "other", "--path", str(tmp_path), "--results", str(out))
    for asked in ("--all", failures(out)[0].id):
        result = CliRunner().invoke(main, ["replay", asked, *other])
        assert result.exit_code == 2, result.output
        assert "no failure of other in these results" in result.output
        assert "of mine" in result.output


def test_what_begins_alike_is_counted_by_its_ids(out: Path, tmp_path: Path) -> None:
    """A failure of two targets is one."""
    data = json.loads((out / "mine.json").read_text())
    for number, failure in enumerate(_each(data)):
        failure["id"] = f"abcd{number:08x}"
    count = len(_each(data))
    for name in ("mine", "yours"):
        data["target"]["name"] = name
        (tmp_path / f"{name}.json").write_text(json.dumps(data))
    output = CliRunner().invoke(main, ["replay", "abcd", "--results", str(tmp_path)]).output
    lines = [line for line in output.splitlines() if line.startswith("  abcd")]
    assert f"{count} failures begin with 'abcd'" in output
    assert len(lines) == min(count, MOST)
    assert all(line.endswith("on mine and 1 other target") for line in lines)
    assert (f"  and {count - MOST} more" in output) is (count > MOST)


def test_a_beginning_that_fits_several_lists_them(module: Path, out: Path, tmp_path: Path) -> None:
    data = json.loads((out / "mine.json").read_text())
    for number, failure in enumerate(_each(data)):
        failure["id"] = f"abcd{number:08x}"
    (tmp_path / "mine.json").write_text(json.dumps(data))
    result = replay(module, "all", tmp_path, "abcd")
    assert result.exit_code == 2
    assert "failures begin with 'abcd'" in result.output
    assert "abcd00000001 " in result.output
    result = replay(module, "all", tmp_path, "abce00000001")
    assert "did you mean abcd00000001" in result.output


# The database


def shape_of_one_seed() -> str:
    """A shape that seed 0 gives `exp`, and seed 1 does not."""

    def shapes(seed: int) -> dict[str, None]:
        (task,) = tasks(["exp"], PROFILES["smoke"], seed, EDITION)
        drawn = [prepared.structure for prepared in task.prepared()]
        return {str(s.program.inputs[0].shape): None for s in drawn if not s.unsettled}

    return next(shape for shape in shapes(0) if shape not in shapes(1))


def run(module: Path, broken: str, seed: int, *arguments: str) -> tuple[int, Results]:
    """The exit status and what the results hold, without times."""
    shutil.rmtree("out", ignore_errors=True)
    options = ("-k", EXP, "--aspect", "value", "--seed", str(seed), *SMOKE, "-o", "out")
    status = call("run", module, broken, *options, *arguments).exit_code
    return status, timeless(read_results(Path("out", "mine.json")))


@pytest.mark.thorough
def test_what_one_seed_found_is_tried_first_by_another(module: Path) -> None:
    shape, database = shape_of_one_seed(), ("--database", "kept")
    first = run(module, shape, 0)
    assert first[0] == 1
    assert run(module, shape, 1)[0] == 0, "this seed alone does not find it"
    # what is kept changes nothing in the report of the seed that finds it itself
    assert run(module, shape, 0, *database) == first
    assert run(module, shape, 0, *database) == first
    status, now = run(module, shape, 1, *database)
    assert status == 0, "the cases of this seed alone decide"
    assert _of(now) == []
    (failure,) = [
        f for function in now.functions for a in function.aspects for f in a.earlier_failures
    ]
    assert failure.origin is not UNSET
    assert failure.origin.seed == 0
    assert failure.id in {f.id for f in _of(first[1])}
    assert shape in failure.message
    assert run(module, "none", 1, *database)[0] == 0
    assert Database(DirectoryBasedExampleDatabase("kept")).stored() == [], "it is mended"


@pytest.mark.thorough
def test_by_default_cases_are_kept_here_but_not_in_ci(
    module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CONFORMANCE_DATABASE")
    monkeypatch.setenv("CI", "true")
    run(module, "all", 0)
    assert not Path(".conformance").exists()
    monkeypatch.delenv("CI")
    run(module, "all", 0, "--no-database")
    assert not Path(".conformance").exists()
    run(module, "all", 0)
    assert Path(".conformance", ".gitignore").read_text() == "*\n"
    failure = failures(Path("out"))[0]
    shutil.rmtree("out")
    result = call("replay", module, "all", failure.id)
    assert result.exit_code == 1, "a kept failure needs no results file"
    assert failure.message in result.output


def test_a_database_that_cannot_be_made_is_told(module: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    place = str(tmp_path / "taken" / "kept")
    result = call("run", module, "all", "-k", EXP, *SMOKE, "--database", place)
    assert result.exit_code == 2
    assert "--database" in result.output
    result = call("run", module, "all", "-k", EXP, "--database", "x", "--no-database")
    assert result.exit_code == 2


def test_what_nobody_can_read_is_thrown_away(out: Path) -> None:
    held = InMemoryExampleDatabase()
    memory = Database(held)
    memory.update([read_results(out / "mine.json")])
    cases = memory.stored()
    assert {case.failure.id for case in cases} == {f.id for f in failures(out) if f.program}
    keys = [key for key in held.data if key.startswith(b"mine")]
    assert len(keys) == 2
    for key in keys:
        held.save(key, b"{}")
    assert memory.stored() == cases
    assert not any(b"{}" in held.fetch(key) for key in keys)


def test_without_any_results_it_is_told_how_to_get_some() -> None:
    result = CliRunner().invoke(main, ["replay", "abcd"])
    assert result.exit_code == 2
    assert "conformance run TARGET --output reports" in result.output
