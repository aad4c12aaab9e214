"""`conformance run` when the suite itself fails in a function: status 70, and all else is kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conformance.cli import main
from conformance.cli.errors import INTERNAL
from conformance.engine.judging import cases
from conformance.oracle import expect
from conformance.reporting.json_results import read_results
from conformance.results import Results, Verdict, timeless

CHOICE = ("-k", "relu or elu", "--profile", "smoke", "-j", "1", "--no-database")
KNOWN = """
[[expect]]
function = "relu"
aspect = "value"
verdict = "violates"
reason = "known for years"
"""


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["run", "reference", *CHOICE, *arguments])


@pytest.fixture
def _planted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def planted(name: str, *arguments: Any, **options: Any) -> Any:
        if name == "relu":
            message = "a planted\x1b[31m fault"
            raise LookupError(message)
        return expect(name, *arguments, **options)

    with monkeypatch.context() as planting:
        planting.setattr(cases, "expect", planted)
        yield


def verdicts(results: Results) -> dict[str, set[Verdict]]:
    return {f.function: {a.verdict for a in f.aspects} for f in results.functions}


@pytest.mark.usefixtures("_planted")
def test_the_run_says_which_function_and_why() -> None:
    result = invoke()
    assert result.exit_code == INTERNAL == 70
    assert "Traceback (most recent call last)" in result.output
    assert "relu on reference): LookupError: a planted" in result.output
    assert "hint: open an issue" in result.output
    assert "the same command with --output DIR --resume" in " ".join(result.output.split())
    assert "not judged: an error in the suite" in result.output
    assert "\x1b" not in result.output


@pytest.mark.usefixtures("_planted")
@pytest.mark.parametrize("options", [("--quiet",), ("--fail-on", "never")])
def test_no_option_hides_it(options: tuple[str, ...]) -> None:
    result = invoke(*options)
    assert result.exit_code == INTERNAL
    assert "Traceback" in result.output


@pytest.mark.usefixtures("_planted")
def test_known_failures_do_not_excuse_it_and_are_not_stale(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text(KNOWN, "utf-8")
    result = invoke("--expectations", str(known))
    assert result.exit_code == INTERNAL
    assert "0 of 1 entries met, 0 stale" in result.output
    written = tmp_path / "new.toml"
    assert invoke("--write-expectations", str(written)).exit_code == INTERNAL
    assert not written.exists() or "[[expect]]" not in written.read_text("utf-8")


def test_resuming_tries_the_function_again(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    assert invoke("--output", str(whole)).exit_code == 0
    request.getfixturevalue("_planted")
    formats = ("-f", "junit", "-f", "html", "-f", "annotations", "-f", "summary", "-f", "badges")
    assert invoke("--output", str(resumed), *formats).exit_code == INTERNAL
    results = read_results(resumed / "reference.json")
    assert verdicts(results)["relu"] == {Verdict.ERROR}
    assert Verdict.ERROR not in verdicts(results)["elu"]
    assert invoke("--output", str(resumed), "--resume").exit_code == INTERNAL, "it fails again"


def test_resuming_gives_the_whole_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    assert invoke("--output", str(whole)).exit_code == 0
    with monkeypatch.context() as planting:
        planting.setattr(cases, "arrays_of_draws", lambda *_: 1 // 0)
        assert invoke("--output", str(resumed)).exit_code == INTERNAL
    everything = verdicts(read_results(resumed / "reference.json"))
    assert everything == {"relu": {Verdict.ERROR}, "elu": {Verdict.ERROR}}
    assert invoke("--output", str(resumed), "--resume").exit_code == 0
    results = [read_results(folder / "reference.json") for folder in (whole, resumed)]
    assert timeless(results[0]) == timeless(results[1])
