"""The page of findings says what the failures of a target are."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.adapters.registry import shipped
from tools.findings import CHOSEN, PAGE, heading

ROOT = Path(__file__).parents[2]
TARGETS = [
    line.split('"')[1]
    for line in (ROOT / CHOSEN).read_text("utf-8").splitlines()
    if line.startswith("[")
]


@pytest.mark.parametrize("target", TARGETS)
def test_a_table_in_the_place_of_functions_has_differences_and_no_violations(target: str) -> None:
    page = (ROOT / PAGE).read_text("utf-8")
    assert heading(target) in page
    own = page.partition(f"\n## {target}\n")[2].partition("\n## ")[0]
    labelled = own.lstrip().startswith("Differences, and no violations")
    assert labelled is (shipped()[target].mapping is not None)
