"""The published results, and what a page says: its words, and the cells of its tables."""

from __future__ import annotations

import gzip
import re
from functools import cache
from pathlib import Path

import msgspec
import pytest

from conformance.results import Results
from tools.levels import BY_VECTORS

ROOT = Path(__file__).parents[2]
REPORTS = ROOT / "reports"
OPS = REPORTS / "keras3-ops"
FUZZ = REPORTS / "fuzz"


def need_results() -> None:
    """Skip the test in an unpacked source distribution, which has no results; never in a clone."""
    if not any(REPORTS.glob("*.json.gz")) and not (ROOT / ".git").exists():
        pytest.skip("a source distribution leaves out the published results")


@cache
def results(folder: Path = REPORTS) -> dict[str, Results]:
    """The results of the suite's runs in a folder, by their targets, without their arrays."""
    need_results()
    files = (gzip.decompress(file.read_bytes()) for file in sorted(folder.glob("*.json.gz")))
    read = (msgspec.json.decode(content, type=Results) for content in files)
    return {result.target.name: result for result in read if result.target.name != BY_VECTORS}


@cache
def words(place: str) -> str:
    """A page with single spaces in the place of all that separates words."""
    return " ".join((ROOT / place).read_text("utf-8").split())


def rows(place: str, head: str) -> dict[str, list[str]]:
    """The table of a page whose first line begins so: the cells of each row, by the first cell."""
    lines = (ROOT / place).read_text("utf-8").partition(f"\n{head}")[2].splitlines()[2:]
    table = lines[: next((n for n, line in enumerate(lines) if not line.startswith("|")), None)]
    cells = ([cell.strip() for cell in line.strip("| ").split(" | ")] for line in table)
    return {first: rest for first, *rest in cells}


def number(text: str) -> int:
    """The number with which a cell begins."""
    digits = re.match(r"\d[\d,]*", text)
    assert digits, text
    return int(digits[0].replace(",", ""))


def days(folder: Path = REPORTS) -> tuple[str, str]:
    """The days on which the first and the last run of a folder began."""
    began = sorted(result.run.started[:10] for result in results(folder).values())
    return began[0], began[-1]
