"""The page of runs: how many cases the reference has in them, and what its first lines are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.published import ROOT
from tests.docs.walkthrough import run

PAGE = (ROOT / "docs" / "running.md").read_text("utf-8")
SHOWN = re.compile(r"\$ (?:.* )?conformance run (reference .*)\n((?:    .*\n)+)")
COUNT = re.compile(r"^ +(\d+) cases in ", re.MULTILINE)


def shown() -> dict[str, str]:
    """The options of the runs of which the page counts the cases, with the count."""
    counts = {command: COUNT.search(printed) for command, printed in SHOWN.findall(PAGE)}
    return {command: counted[1] for command, counted in counts.items() if counted}


def test_the_page_counts_cases_of_the_reference() -> None:
    assert len(shown()) == 2


@pytest.mark.slow
@pytest.mark.parametrize("command", shown())
def test_the_reference_has_as_many_cases_as_the_page_says(command: str, tmp_path: Path) -> None:
    printed = run(f"conformance run {command}", tmp_path)
    counted = COUNT.search(printed)
    assert counted, printed
    assert counted[1] == shown()[command]


@pytest.mark.thorough
def test_a_run_begins_with_the_lines_that_the_page_shows(tmp_path: Path) -> None:
    printed = run("conformance run reference -k 'sum or dot or relu' --no-database", tmp_path)
    (first,) = (line for line in printed.splitlines() if " judged, the first " in line)
    (line,) = re.findall(r"^    (reference: .* judged, .*)$", PAGE, re.MULTILINE)
    assert line == first
