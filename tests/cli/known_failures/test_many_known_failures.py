"""A file of known failures takes time in proportion to its entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cli import known_failures
from conformance.cli.known_failures import JudgedCell, KnownFailure
from conformance.cli.known_failures.model import Place
from conformance.cli.known_failures.writer import updated
from conformance.results import Aspect, Verdict

FUNCTIONS = 400
CELLS = [
    JudgedCell(target="mine", function=f"f{i}", aspect=Aspect.VALUE, verdict=Verdict.CONFORMS)
    for i in range(FUNCTIONS)
]


def entry(number: int) -> KnownFailure:
    return KnownFailure(
        function=f"f{number}",
        aspect=Aspect.VALUE,
        verdict=Verdict.VIOLATES,
        reason="because",
        target="mine",
        place=Place(Path("known.toml"), number, number),
        targets=frozenset({"mine"}),
    )


ENTRIES = [entry(i) for i in range(FUNCTIONS)]


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions of which an entry was held against a cell."""
    real, seen = KnownFailure.matches, list[str]()

    def counting(self: KnownFailure, cell: JudgedCell) -> bool:
        seen.append(self.function)
        return real(self, cell)

    monkeypatch.setattr(KnownFailure, "matches", counting)
    return seen


def test_each_entry_is_held_against_the_cells_of_its_aspect_alone(compared: list[str]) -> None:
    assert known_failures.not_failing(CELLS, ENTRIES) == ENTRIES
    assert not known_failures.not_sought(CELLS, ENTRIES)
    bad = [
        JudgedCell(target=c.target, function=c.function, aspect=c.aspect, verdict=Verdict.CRASHED)
        for c in CELLS
    ]
    assert known_failures.uncovered(bad, ENTRIES) == bad
    assert len(compared) <= 10 * FUNCTIONS


def test_entries_that_are_stale_are_taken_out_and_new_ones_put_in_order(
    compared: list[str],
) -> None:
    new = [
        JudgedCell(target="mine", function=f"g{i}", aspect=Aspect.VALUE, verdict=Verdict.VIOLATES)
        for i in range(FUNCTIONS)
    ]
    text = updated("", [], [], new, mark="cell")
    names = [line for line in text.splitlines() if line.startswith("function")]
    assert names == [f'function = "{n}"' for n in sorted(c.function for c in new)]
    assert not compared
