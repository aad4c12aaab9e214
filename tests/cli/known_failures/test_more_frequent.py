"""A known failure that occurs in more cases than when it was marked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.cli import known_failures
from conformance.cli.errors import UsageProblem
from conformance.cli.known_failures import JudgedCell, updated
from conformance.cli.known_failures.gate import _unexpected_lines
from conformance.cli.mutate.code import IdentityGate
from conformance.results import AspectResult, FunctionResult, Results, Verdict
from tests.cli.known_failures.test_known_failures import cell, entry, failed, parsed
from tests.reporting import records

MARK = '{ most = 3, of = 24, profile = "default", seed = 0 }'
RUN: dict[str, Any] = {"cases": 24, "profile": "default", "seed": 0}


def counted(count: int, kind: str = "value", **fields: Any) -> JudgedCell:
    """A cell of 24 cases, so many of which fail."""
    return cell(Verdict.VIOLATES, replace(failed(), count=count, kind=kind), **{**RUN, **fields})


@pytest.mark.parametrize(
    ("judged", "known"),
    [
        (counted(2), True),
        (counted(3), True),
        (counted(4), False),
        (counted(4, cases=25), True),
        (counted(4, seed=1), True),
        (counted(4, profile="smoke"), True),
    ],
)
def test_more_of_the_same_cases_are_not_known(
    tmp_path: Path, judged: JudgedCell, known: bool
) -> None:
    marks = parsed(tmp_path, entry(failure='"0123"', cases=MARK))
    assert (not known_failures.uncovered([judged], marks)) is known
    assert not known_failures.not_failing([judged], marks), "it is there, and so not stale"


def test_what_comes_and_goes_may_come_more_often(tmp_path: Path) -> None:
    marks = parsed(tmp_path, entry(failure='"0123"', cases=MARK, intermittent="true"))
    assert not known_failures.uncovered([counted(4)], marks)


def test_the_line_says_how_much_and_where_it_stands(tmp_path: Path) -> None:
    marks = parsed(tmp_path, entry(failure='"0123"', cases=MARK))
    (line,) = _unexpected_lines(known_failures.uncovered([counted(4)], marks), marks)
    place = f"{tmp_path / 'known.toml'}:1-7"
    assert f", in 4 of 24 cases, in 3 when it was marked ({place}): 0123456789ab" in line
    (other,) = _unexpected_lines([cell(Verdict.VIOLATES, failed("ba9876543210"))], marks)
    assert "marked" not in other


def test_a_new_entry_counts_what_is_the_same_everywhere(tmp_path: Path) -> None:
    text = updated("", [], [], [counted(3)])
    assert f"cases = {MARK}" in text
    assert not known_failures.uncovered([counted(3)], parsed(tmp_path, text))
    assert known_failures.uncovered([counted(4)], parsed(tmp_path, text))
    for kind in ("accuracy", "time-out", "crash"):
        assert "cases" not in updated("", [], [], [counted(3, kind)]).partition("[[expect]]")[2]


def test_writing_again_brings_the_number_up_to_date_and_no_more(tmp_path: Path) -> None:
    text = "# mine\n" + entry(target='"mine"', failure='"0123"', cases=f"{MARK}  # since May")
    marks = parsed(tmp_path, text)
    for count in (1, 9):
        new = updated(text, marks, [], [counted(count)])
        assert new == text.replace("most = 3", f"most = {count}")
    plain = entry(target='"mine"', failure='"0123"')
    assert updated(plain, parsed(tmp_path, plain), [], [counted(9)]) == plain


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"cases": "3", "failure": '"0123"'}, ":6: cases: Expected `object | null`, got `int`"),
        (
            {"cases": "{ most = 3 }", "failure": '"0123"'},
            ":6: cases: Object missing required field `of`",
        ),
        ({"cases": MARK}, ":6: cases: it counts the cases of one failure"),
    ],
)
def test_a_wrong_number_is_told_with_its_line(
    tmp_path: Path, fields: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageProblem, match="cases") as error:
        parsed(tmp_path, entry(**fields))
    assert message in str(error.value)


def results(count: int) -> Results:
    failure = replace(failed(), count=count, kind="value")
    aspect = AspectResult(
        aspect=cell().aspect, verdict=failure.verdict, cases=24, failures=[failure]
    )
    return records.results("mine", [FunctionResult("dot", "t", [aspect])])


def test_a_change_that_makes_a_failure_more_frequent_is_noticed() -> None:
    gate = IdentityGate()
    gate.learn(results(3), results(3))
    assert gate.noticed(results(3)) is None
    notice = gate.noticed(results(4))
    assert notice is not None
    assert (notice.how, notice.failure) == ("more frequent", failed().id)


def test_a_number_that_varies_without_a_change_says_nothing() -> None:
    gate = IdentityGate()
    gate.learn(results(3), results(4))
    assert gate.noticed(results(5)) is None
