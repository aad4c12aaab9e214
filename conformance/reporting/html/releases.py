"""The history of a function over the releases of a library, as its page shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from conformance.history import CellHistory, PastRun, State, cell_histories
from conformance.reporting.html.environment import SIGNS
from conformance.results import Verdict

Past = Mapping[str, Sequence[PastRun]]
"""The releases of each target, the oldest first."""

_VERDICTS = {
    State.FAILS: Verdict.VIOLATES,
    State.FAILS_BY_EDITION: Verdict.VIOLATES,
    State.PASSES: Verdict.CONFORMS,
    State.NOT_PROMISED: Verdict.NOT_APPLICABLE,
    State.UNKNOWN: Verdict.NOT_RUN,
}


class ReleaseCell(NamedTuple):
    """One aspect in one release."""

    state: str
    verdict: Verdict
    symbol: str


class ReleaseRow(NamedTuple):
    """One aspect over all releases."""

    aspect: str
    words: str
    """`fails since 3.4.1`."""
    cells: list[ReleaseCell]


class ReleaseStrip(NamedTuple):
    """A function's history on one target."""

    target: str
    package: str
    releases: list[str]
    """Their versions, in few characters."""
    rows: list[ReleaseRow]


def release_strips(past: Past, function: str) -> Iterator[ReleaseStrip]:
    """A strip for each target whose history has the function."""
    for target, runs in past.items():
        tested = [run for run in runs if not run.problem]
        if histories := cell_histories(tested, function):
            releases = [_short(version) for version, _ in histories[0].states]
            yield ReleaseStrip(target, tested[0].package, releases, list(map(_row, histories)))


def _short(version: str) -> str:
    """`3.16 dev` for a nightly build, whose version is long."""
    release, nightly, _ = version.partition(".dev")
    return f"{release.removesuffix('.0')} dev" if nightly else version


def _row(history: CellHistory) -> ReleaseRow:
    return ReleaseRow(str(history.aspect), str(history), [_cell(s) for _, s in history.states])


def _cell(state: State) -> ReleaseCell:
    verdict = _VERDICTS[state]
    return ReleaseCell(str(state), verdict, SIGNS[verdict].symbol)


def failure_histories(strips: Sequence[ReleaseStrip]) -> dict[tuple[str, str], str]:
    """By target and aspect, `fails since 3.4.1`; only aspects that ever failed."""
    return {
        (strip.target, row.aspect): row.words
        for strip in strips
        for row in strip.rows
        if any(cell.verdict is Verdict.VIOLATES for cell in row.cells)
    }
