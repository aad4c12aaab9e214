"""From the verdicts on single releases to the history of a cell: since when, until when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import groupby, pairwise

from msgspec import Struct
from packaging.version import Version

from conformance.history.records import FAILING, PastFailure, PastRun
from conformance.results import Aspect, Verdict


class State(StrEnum):
    """The outcome of one cell (an aspect of a function) in one release."""

    FAILS = "fails"
    """A sentence of the release's own docstring is broken."""
    FAILS_BY_EDITION = "fails by the edition's text"
    """The docstring has another text there, and the edition's text judges."""
    PASSES = "passes"
    """It follows the documents, or takes a reading that they allow."""
    NOT_PROMISED = "not promised"
    """The release has no such function, parameter or section."""
    UNKNOWN = "unknown"
    """Nothing was judged."""

    @property
    def fails(self) -> bool:
        """Whether the answer breaks a text, the release's own or the edition's."""
        return self in (State.FAILS, State.FAILS_BY_EDITION)


class CellHistory(Struct, frozen=True, kw_only=True):
    """One aspect of one function on one target over all releases, the oldest first."""

    function: str
    aspect: Aspect
    states: list[tuple[str, State]]

    def __str__(self) -> str:
        return "; ".join(self._clauses()) or "unknown in every release"

    def _clauses(self) -> Iterator[str]:
        """`fails since 3.4.1`, `failed from 3.1.1 to 3.8.0, fixed in 3.9.0`."""
        known = [(v, s) for v, s in self.states if s is not State.UNKNOWN]
        spans = [(fails, [*span]) for fails, span in groupby(known, lambda pair: pair[1].fails)]
        for place, (fails, span) in enumerate(spans):
            if fails:
                after = spans[place + 1 : place + 2]
                next_release = after[0][1][0] if after else None
                yield _clause(span, next_release, begins=place == 0)
        if known and not any(fails for fails, _ in spans):
            yield f"never failed from {known[0][0]} to {known[-1][0]}"


def _clause(
    span: Sequence[tuple[str, State]], after: tuple[str, State] | None, *, begins: bool
) -> str:
    first, last = span[0][0], span[-1][0]
    own = next((version for version, state in span if state is State.FAILS), None)
    texts = "" if own == first else f", by its own docstring since {own}" if own else ""
    texts = ", by the edition's text alone" if own is None else texts
    if after is None:
        since = f"in every release from {first} on" if begins else f"since {first}"
        return f"fails {since}{texts}"
    until = f"in {first}" if first == last else f"from {first} to {last}"
    version, state = after
    end = f"fixed in {version}" if state is State.PASSES else f"{state} in {version}"
    return f"failed {until}, {end}{texts}"


class CellChange(Struct, frozen=True, kw_only=True):
    """A cell that one release broke or mended."""

    version: str
    function: str
    aspect: Aspect
    fixed: bool
    failure: PastFailure | None
    """A violation in the release that has the fault: the new one, or the one before the repair."""

    def __str__(self) -> str:
        verb = "fixes" if self.fixed else "breaks"
        message = "" if self.failure is None else f": {self.failure.id} {self.failure.message}"
        return f"{verb} {self.function} {self.aspect}{message}"


def state(run: PastRun, function: str, aspect: Aspect) -> State:
    """The state of one cell in one release."""
    return _state(run, _bases(run), function, aspect)


_Cells = Mapping[tuple[str, Aspect], set[str]]
"""The bases of the violations in each cell."""


def _bases(run: PastRun) -> _Cells:
    bases: dict[tuple[str, Aspect], set[str]] = {}
    for failure in run.failures:
        bases.setdefault((failure.function, failure.aspect), set()).add(failure.basis)
    return bases


def _state(run: PastRun, bases: _Cells, function: str, aspect: Aspect) -> State:
    if function in run.absent:
        return State.NOT_PROMISED
    verdict = run.cells.get(function, {}).get(aspect)
    if verdict in (Verdict.CONFORMS, Verdict.DIVERGES, Verdict.CHANGED):
        return State.PASSES
    if verdict not in FAILING:
        return State.UNKNOWN
    own = bases.get((function, aspect), set())
    if "release" in own:
        return State.FAILS
    return State.NOT_PROMISED if own == {"none"} else State.FAILS_BY_EDITION


def counts(run: PastRun) -> dict[State, int]:
    """How many cells of a release have which state; states without a cell are left out."""
    bases = _bases(run)
    states = Counter(_state(run, bases, f, a) for f, row in run.cells.items() for a in row)
    return {state: states[state] for state in State if states[state]}


def by_version(runs: Sequence[PastRun]) -> list[PastRun]:
    """The runs of one target, the oldest release first."""
    return sorted(runs, key=lambda run: Version(run.version))


def cell_histories(runs: Sequence[PastRun], function: str | None = None) -> list[CellHistory]:
    """The histories of all cells of one target, or of one function's."""
    ordered = [(run, _bases(run)) for run in by_version(runs) if not run.problem]
    cells = {(f, a): None for run, _ in ordered for f, row in run.cells.items() for a in row}
    return [
        CellHistory(
            function=name,
            aspect=aspect,
            states=[(run.version, _state(run, bases, name, aspect)) for run, bases in ordered],
        )
        for name, aspect in sorted(cells)
        if function is None or name == function
    ]


def changes(runs: Sequence[PastRun]) -> list[CellChange]:
    """The cells that each release broke or mended, the oldest release first.

    A new function that fails is not a regression, nor does a removed function mend a cell.
    """
    by_name = {run.version: run for run in runs}
    cell_changes = [change for cell in cell_histories(runs) for change in _changes(cell, by_name)]
    return sorted(cell_changes, key=lambda change: Version(change.version))


def _changes(cell: CellHistory, runs: Mapping[str, PastRun]) -> Iterator[CellChange]:
    judged = [(v, s) for v, s in cell.states if s.fails or s is State.PASSES]
    for (before, old), (after, new) in pairwise(judged):
        if old.fails != new.fails:
            yield CellChange(
                version=after,
                function=cell.function,
                aspect=cell.aspect,
                fixed=old.fails,
                failure=_failure(runs[before if old.fails else after], cell),
            )


def _failure(run: PastRun, cell: CellHistory) -> PastFailure | None:
    """The first violation of the cell that breaks a text."""
    own = [f for f in run.failures if (f.function, f.aspect) == (cell.function, cell.aspect)]
    return next((f for f in own if f.basis != "none"), None)
