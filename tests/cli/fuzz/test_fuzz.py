"""`conformance fuzz`: options, results, resuming, shards, exit statuses."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator
from msgspec import UNSET

from conformance import results as results_package
from conformance.cli import main
from conformance.cli.errors import CANNOT_RUN, UsageProblem
from conformance.cli.fuzz import fuzz as cli_fuzz
from conformance.cli.fuzz.fuzz import composable
from conformance.reporting.json_results import read_results
from conformance.results import Results, Verdict, timeless

SCHEMA = Path(results_package.__file__).parent / "schema" / "results-1.schema.json"


def fuzz(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["fuzz", *arguments], catch_exceptions=False)


def ran(folder: Path, *arguments: str) -> Results:
    done = fuzz("reference", "-j", "1", "--size", "2-6", "-o", str(folder), *arguments)
    assert done.exit_code == 0, done.output
    return read_results(folder / "reference.json")


def same(first: Results, other: Results) -> bool:
    return timeless(first) == timeless(other)


def test_programs_are_run_and_told(tmp_path: Path) -> None:
    done = fuzz("reference", "--programs", "6", "-j", "1", "-o", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert "reference: 6 programs of" in done.output
    assert "the bounds leave open" in done.output
    content = read_results(tmp_path / "reference.json")
    assert content.composed is not UNSET
    assert (content.composed.programs, content.composed.failed) == (6, 0)
    assert content.composed.compared > 0
    assert all(a.verdict is Verdict.CONFORMS for f in content.functions for a in f.aspects)
    data: Any = json.loads((tmp_path / "reference.json").read_bytes())
    Draft202012Validator(json.loads(SCHEMA.read_bytes())).validate(data)


def test_a_target_whose_functions_make_no_programs_is_refused() -> None:
    other: Any = [SimpleNamespace(name="a", edition="mine")]
    with pytest.raises(UsageProblem, match="no programs are made of the functions of mine"):
        composable(other, named=True)


def test_functions_of_which_no_program_can_be_made_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cli_fuzz, "ATTEMPTS", 3)
    done = fuzz("reference", "--edition", "keras-1", "-k", "conv2d_transpose", "--size", "2-2")
    assert done.exit_code == 2
    assert "none of 3 attempts makes a program of keras-1 with the functions of -k" in done.output
    assert "--size 2-20" in done.output


def test_such_targets_are_left_out_where_none_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    ready: Any = [
        SimpleNamespace(name="a", edition="mine"),
        SimpleNamespace(name="b", edition="keras-2.2"),
    ]
    assert composable(ready, named=False) == ready[1:]
    assert capsys.readouterr().err.startswith("not run: a, because no programs are made")


def test_a_run_that_is_resumed_has_the_results_of_one_that_was_not(tmp_path: Path) -> None:
    ran(tmp_path / "a", "--programs", "4")
    resumed = ran(tmp_path / "a", "--programs", "9", "--resume")
    whole = ran(tmp_path / "b", "--programs", "9")
    assert same(resumed, whole)


def test_shards_share_the_programs(tmp_path: Path) -> None:
    parts = [ran(tmp_path / str(n), "--programs", "7", "--shard", f"{n}/2") for n in (1, 2)]
    counts = [p.composed.programs for p in parts if p.composed is not UNSET]
    assert counts == [4, 3]
    whole = ran(tmp_path / "whole", "--programs", "7")
    assert whole.composed is not UNSET
    assert sum(p.composed.calls for p in parts if p.composed is not UNSET) == whole.composed.calls
    folders = [str(tmp_path / str(n)) for n in (1, 2)]
    merged = ["report", *folders, "--format", "results", "--output", str(tmp_path / "merged")]
    assert CliRunner().invoke(main, merged, catch_exceptions=False).exit_code == 0
    together = read_results(tmp_path / "merged" / "reference.json")
    assert together.composed == whole.composed
    aspects = {f.function: f.aspects for f in together.functions}
    assert aspects == {f.function: f.aspects for f in whole.functions}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--size", "1-4"), "programs have 2 to 20 calls"),
        (("--size", "many"), "write one or two numbers"),
        (("-k", "nothing"), "no function of keras-2.2 that joins programs is selected"),
        (("-k", "nothing"), "`conformance list` lists the functions"),
        (("--shard", "3"), "write --shard I/N"),
        (("--resume",), "add --output DIR"),
        (("--again",), "--again goes with --resume"),
    ],
)
def test_wrong_usage_is_told(arguments: tuple[str, ...], message: str) -> None:
    done = fuzz("reference", *arguments)
    assert done.exit_code == 2
    assert message in done.output


def test_results_of_another_run_are_not_resumed(tmp_path: Path) -> None:
    ran(tmp_path, "--programs", "2")
    done = fuzz("reference", "--seed", "1", "--resume", "--programs", "4", "-o", str(tmp_path))
    assert done.exit_code == 2
    assert "its seed is 0, not 1" in done.output


def test_a_time_limit_keeps_what_was_done(tmp_path: Path) -> None:
    done = fuzz("reference", "--max-time", "1s", "-j", "1", "-o", str(tmp_path))
    assert done.exit_code == 0, done.output
    content = read_results(tmp_path / "reference.json")
    assert content.composed is not UNSET
    assert content.composed.programs > 0


def test_where_every_program_fails_by_a_single_call_nothing_conforms(tmp_path: Path) -> None:
    backend = tmp_path / "lonely.py"
    backend.write_text("def softmax(x, axis=-1):\n    return x\n")
    done = fuzz(str(backend), "--programs", "5", "-j", "1", "-o", str(tmp_path / "out"))
    assert done.exit_code == CANNOT_RUN, done.output
    assert "lonely: none of its programs agrees" in done.output
    content = read_results(tmp_path / "out" / "lonely.json")
    assert content.composed is not UNSET
    assert content.composed.failed == content.composed.programs == 5
    (verdicts,) = {tuple(a.verdict for a in f.aspects) for f in content.functions}
    assert verdicts == (Verdict.NOT_RUN,)


def test_an_edition_that_is_none_is_told_with_the_likeliest() -> None:
    done = fuzz("reference", "--edition", "keras-22")
    assert done.exit_code == 2
    assert "did you mean keras-2.2" in done.output


def test_what_is_left_of_a_program_without_a_function_that_fails_is_run_too(tmp_path: Path) -> None:
    backend = tmp_path / "broken_abs.py"
    backend.write_text(
        "from conformance.reference import *\n"
        "from conformance.reference import abs as right\n\n\n"
        "def abs(x):\n    return right(x) + 1\n"
    )
    options = ("-k", "abs", "--programs", "8", "-j", "1", "-o", str(tmp_path / "out"))
    done = fuzz(str(backend), *options)
    assert done.exit_code == CANNOT_RUN, "no program agrees as a whole"
    content = read_results(tmp_path / "out" / "broken_abs.json")
    assert content.composed is not UNSET
    assert content.composed.blamed == {"abs": 8}
    cells = {f.function: f.aspects[0] for f in content.functions}
    assert cells.pop("abs").verdict is Verdict.NOT_RUN
    assert any(cell.cases for cell in cells.values())
    assert not any(cell.failures for cell in cells.values())
