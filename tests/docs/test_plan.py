"""The page of plans shows what the command prints, and counts the calls that are stored."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.editions import EDITIONS, Edition
from conformance.engine import PROFILES, plan
from conformance.generators.coverage.stored import FOLDER, decoded, file_name
from conformance.specs import load
from tests.docs.published import ROOT, rows

PAGE = ROOT / "docs" / "plan.md"
LEFT_OUT = "…"


@pytest.mark.thorough
def test_the_example_of_a_plan_is_what_the_command_prints() -> None:
    block = PAGE.read_text("utf-8").partition("$ conformance show ")[2].partition("```")[0]
    command, *shown = block.splitlines()
    ran = CliRunner().invoke(main, ["show", *command.split()])
    assert ran.exit_code == 0
    printed = ran.output.splitlines()
    expected = [line for line in shown if line.strip() not in {"", LEFT_OUT}]
    assert len(expected) > 10
    assert [line for line in expected if not occurs(line, printed)] == []


def occurs(line: str, printed: list[str]) -> bool:
    """Whether a line is one of those that were printed, or how one of them begins."""
    return line in printed or (
        line.endswith(f" {LEFT_OUT}") and any(p.startswith(line[:-1]) for p in printed)
    )


def test_a_line_that_is_not_printed_is_seen() -> None:
    assert occurs("a: b; …", ["x", "a: b; c"])
    assert not occurs("a: b", ["a: b; c"])
    assert not occurs("a: d; …", ["a: b; c"])


SIZES = re.compile(
    r"\(`(?P<place>\S+)`, (?P<old>\d+) KB for the editions of K, "
    r"(?P<new>\d+) KB for `keras-3`\)"
)


def test_the_page_says_how_large_the_stored_calls_are() -> None:
    sizes = {edition: len((FOLDER / file_name(edition)).read_bytes()) for edition in EDITIONS}
    new = sizes.pop("keras-3")
    stated = SIZES.search(PAGE.read_text("utf-8"))
    assert stated
    assert (ROOT / stated["place"]).samefile(str(FOLDER))
    assert abs(int(stated["old"]) - sum(sizes.values()) / 1000) < 5
    assert abs(int(stated["new"]) - new / 1000) < 5


def test_the_table_counts_the_functions_and_the_calls_that_are_stored() -> None:
    table = rows("docs/plan.md", "| edition | functions | calls |")
    assert {edition: tuple(cells[:2]) for edition, cells in table.items()} == {
        edition: counted(edition) for edition in EDITIONS
    }


def counted(edition: Edition) -> tuple[str, str]:
    """How many functions of an edition have stored calls, and how many these are."""
    stored = decoded((FOLDER / file_name(edition)).read_bytes()).arrays
    calls = [
        len(stored[task.spec.name].few) + len(stored[task.spec.name].rows)
        for task in plan(load(), edition, PROFILES["default"], 0)
        if task.spec.name in stored
    ]
    return str(len(calls)), str(sum(calls))
