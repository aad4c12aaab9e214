"""Known failures that another profile has found than the one that reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.cli import known_failures
from conformance.cli.errors import UsageProblem
from conformance.cli.known_failures import updated
from conformance.cli.known_failures.gate import Gate, failing_outcomes
from conformance.engine import PROFILES
from conformance.results import Aspect, FunctionResult, Results, Verdict
from tests.cli.known_failures.test_known_failures import cell, entry, failed, parsed
from tests.reporting import records

CASES = '{ most = 3, of = 24, profile = "default", seed = 0 }'
OF_DEFAULT: list[dict[str, Any]] = [
    {"failure": '"0123"', "cases": CASES},
    {"failure": '"0123"', "profile": '"default"'},
    {"profile": '"default"'},
]


def conforming(profile: str) -> Results:
    aspect = records.aspect_result(Aspect.VALUE, Verdict.CONFORMS)
    content = records.results("mine", [FunctionResult("dot", "linear algebra", [aspect])])
    return replace(content, run=replace(content.run, profile=profile))


@pytest.mark.parametrize("fields", OF_DEFAULT)
def test_a_profile_that_tries_less_makes_no_entry_stale(
    tmp_path: Path, fields: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    marks = parsed(tmp_path, entry(**fields))
    stale = {p for p in PROFILES if known_failures.stale([conforming(p)], marks)}
    assert stale == {"default", "thorough"}
    gate = Gate(worse=failing_outcomes("violation"), file=tmp_path / "known.toml", known=marks)
    assert gate.passes([conforming("smoke")])
    first, last = capsys.readouterr().err.splitlines()
    assert first.endswith(
        "known.toml: smoke tries less than default and did not show 1 entry; not stale"
    )
    assert "0 of 1 entries met, 0 stale" in last


def test_what_is_found_is_met_by_any_profile(tmp_path: Path) -> None:
    marks = parsed(tmp_path, entry(failure='"0123"', profile='"default"'))
    cells = [cell(Verdict.VIOLATES, failed(), profile="smoke")]
    assert not known_failures.not_sought(cells, marks)
    assert not known_failures.uncovered(cells, marks)


def test_an_entry_says_which_profile_found_it() -> None:
    crash = failed(verdict=Verdict.CRASHED)
    assert 'profile = "default"' in updated(
        "", [], [], [cell(crash.verdict, crash, profile="default")]
    )
    counted = updated("", [], [], [cell(profile="default")])
    assert counted.partition("[[expect]]")[2].count("profile") == 1, "cases has it"
    least = updated("", [], [], [cell(crash.verdict, crash, profile="smoke")])
    assert "profile" not in least.partition("[[expect]]")[2]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"profile": '"smok"'}, ":6: profile: there is no 'smok'"),
        ({"failure": '"0123"', "cases": CASES, "profile": '"smoke"'}, "cases also names a profile"),
    ],
)
def test_a_wrong_profile_is_told(tmp_path: Path, fields: dict[str, str], message: str) -> None:
    with pytest.raises(UsageProblem, match=message):
        parsed(tmp_path, entry(**fields))
