"""The gate that judges code mutants: `--fail-on violation`, with known failures by identity."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from conformance.cli import known_failures
from conformance.cli.fail_on import failing_verdicts
from conformance.cli.known_failures import JudgedCell, KnownFailure
from conformance.cli.options.gate import DEFAULT
from conformance.mutation.code.records import Notice
from conformance.reporting.safe_text import clean
from conformance.results import Aspect, Failure, Results, Verdict

WORSE = failing_verdicts(DEFAULT)


@dataclass(slots=True)
class IdentityGate:
    """What `conformance run --expectations FILE` says, FILE being written by two control runs.

    The entries are about one failure each. One that only one of the two runs has is marked as
    intermittent, so that it may be absent.
    """

    known: dict[str, list[KnownFailure]] = field(default_factory=dict)
    """The known failures of each function."""
    _seen: dict[str, set[str]] = field(default_factory=dict)
    """The ids of all failures of each function, also of those that do not fail a run."""
    _not_run: set[tuple[str, str, Aspect]] = field(default_factory=set)
    """The cells that are not run without a change."""

    def learn(self, first: Results, second: Results) -> None:
        """Mark what fails in these two runs."""
        entries = _entries([first, second])
        gone = [e for one in (first, second) for e in known_failures.stale([one], entries)]
        marked = [replace(e, intermittent=True) if e in gone else e for e in entries]
        marked = [replace(e, cases=None) if _varies(e, first, second) else e for e in marked]
        for result in (*first.functions, *second.functions):
            name = result.function
            self.known[name] = [e for e in marked if e.function == name]
            ids = {f.id for a in result.aspects for f in a.failures}
            self._seen.setdefault(name, set()).update(ids)
        cells = known_failures.cells([first, second])
        self._not_run |= {c.key for c in cells if c.verdict is Verdict.NOT_RUN}

    @property
    def intermittent(self) -> list[str]:
        """Failures that only one of two control runs had."""
        every = (e for entries in self.known.values() for e in entries)
        return sorted(f"{e.function} {e.aspect} {e.failure}" for e in every if e.intermittent)

    def noticed(self, results: Results) -> Notice | None:
        """The first thing that makes the gate fail; None if it passes."""
        known = [e for f in results.functions for e in self.known[f.function]]
        bad = known_failures.failing(known_failures.settled([results], WORSE), WORSE)
        found = [_unexpected(cell, known) for cell in known_failures.uncovered(bad, known)]
        for notice in sorted(found, key=lambda one: one.how == "time over"):
            return notice
        for entry in known_failures.stale([results], known):
            return Notice(
                how="stale",
                function=entry.function,
                aspect=entry.aspect,
                verdict=entry.verdict,
                failure=entry.failure or "",
            )
        for cell in known_failures.cells([results]):
            if cell.verdict is Verdict.NOT_RUN and cell.key not in self._not_run:
                return Notice(how="not reached", function=cell.function, aspect=cell.aspect)
        return None

    def quiet(self, results: Results) -> list[str]:
        """Failures that no control run had."""
        return [
            clean(f"{f.function} {a.aspect} {one.verdict} {one.id}: {one.message}")
            for f in results.functions
            for a in f.aspects
            for one in a.failures
            if one.id not in self._seen[f.function]
        ]


def _varies(entry: KnownFailure, first: Results, second: Results) -> bool:
    """Whether the failure of an entry has another number of cases in the second run."""
    return _counts(entry, first) != _counts(entry, second)


def _counts(entry: KnownFailure, results: Results) -> list[int]:
    """In how many cases its failures occur."""
    about = [cell for cell in _failing(results) if entry.matches(cell)]
    return [f.count for cell in about for f in cell.failures if entry.covers_failure(f, cell)]


def _unexpected(cell: JudgedCell, known: Sequence[KnownFailure]) -> Notice:
    """What the gate says of a cell; a failure to answer in time only if there is no other."""
    told = sorted(cell.failures, key=lambda f: f.verdict is Verdict.TIMED_OUT)
    worst: Failure | None = told[0] if told else None
    late = (worst.verdict if worst else cell.verdict) is Verdict.TIMED_OUT
    often = known_failures.more_frequent(cell, known) is not None
    return Notice(
        how="time over" if late else "more frequent" if often else "unexpected",
        function=cell.function,
        aspect=cell.aspect,
        verdict=worst.verdict if worst else cell.verdict,
        failure=worst.id if worst else "",
        says=clean(worst.message) if worst else "",
    )


def _entries(runs: Sequence[Results]) -> list[KnownFailure]:
    """The entries that `--write-expectations` writes for each of the runs, together."""
    with tempfile.TemporaryDirectory(prefix="conformance-known-") as folder:
        file = Path(folder, "known.toml")
        text, entries = "", list[KnownFailure]()
        for one in runs:
            text = known_failures.updated(text, entries, [], _failing(one), mark="failure")
            file.write_text(text, "utf-8")
            entries = known_failures.read(file, _alone(runs))
    return entries


def _failing(one: Results) -> list[JudgedCell]:
    return known_failures.failing(known_failures.settled([one], WORSE), WORSE)


def _alone(runs: Iterable[Results]) -> dict[str, list[str]]:
    return {one.target.name: [one.target.name] for one in runs}
