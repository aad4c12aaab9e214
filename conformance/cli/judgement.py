"""What a run is held against, in the form in which the formats for CI systems show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from conformance.cli import known_failures
from conformance.cli.baseline import Baseline, compare
from conformance.cli.gate import Gate, told_stale
from conformance.cli.known_failures import JudgedCell, KnownFailure
from conformance.reporting.judgement import AspectJudgement, AspectKey, Judgement, StaleEntry
from conformance.results import Failure, Results, Verdict
from conformance.results.scores import FAULTS


def judgement(
    checked: Gate, earlier: Baseline | None, results: Sequence[Results]
) -> Judgement | None:
    """What is known and what is unexpected; None where the run is held against nothing.

    Faults that nobody has marked stay failures whatever --fail-on says, as without a file.
    """
    if checked.file is None and earlier is None:
        return None
    verdicts = tuple(dict.fromkeys([*checked.worse, *FAULTS]))
    found = known_failures.settled(results, verdicts)
    bad = known_failures.uncovered(known_failures.failing(found, verdicts), checked.known)
    lost = _lost(earlier, results, checked.known)
    return Judgement(
        aspects=dict(_aspects(found, bad, lost, checked.known)),
        stale=[_stale(e, found) for e in known_failures.stale(results, checked.known)],
    )


_Lost = Mapping[AspectKey, tuple[Verdict, JudgedCell]]


def _lost(
    earlier: Baseline | None, results: Iterable[Results], known: Sequence[KnownFailure]
) -> _Lost:
    """The regressions that no entry covers: what each aspect was, and what it is."""
    if earlier is None:
        return {}
    return {
        cell.key: (was, cell)
        for now in results
        for was, cell in compare(earlier.results[now.target.name], now, known).regressions
    }


def _aspects(
    found: Iterable[JudgedCell],
    bad: Iterable[JudgedCell],
    lost: _Lost,
    known: Sequence[KnownFailure],
) -> Iterator[tuple[AspectKey, AspectJudgement]]:
    left = {cell.key: cell for cell in bad}
    for cell in found:
        was, regressed = lost.get(cell.key, (None, None))
        entries = [e for e in known if e.covers(cell)]
        failing = left.get(cell.key) or _unknown(regressed, known)
        if entries or failing:
            yield (
                cell.key,
                AspectJudgement(
                    known=[f for f in cell.failures if _is_known(f, cell, entries)],
                    reason="; ".join(dict.fromkeys(e.reason for e in entries)),
                    unexpected=failing.failures if failing else (),
                    fails=failing is not None,
                    was=was,
                ),
            )


def _unknown(regressed: JudgedCell | None, known: Sequence[KnownFailure]) -> JudgedCell | None:
    """What of a regression no entry covers."""
    return next(iter(known_failures.uncovered([regressed] if regressed else [], known)), None)


def _is_known(failure: Failure, cell: JudgedCell, entries: Iterable[KnownFailure]) -> bool:
    return any(e.covers_failure(failure, cell) and not e.exceeded(failure, cell) for e in entries)


def _stale(entry: KnownFailure, found: Sequence[JudgedCell]) -> StaleEntry:
    return StaleEntry(
        file=str(entry.place.file),
        line=entry.place.first,
        entry=str(entry),
        says=told_stale(entry, found),
    )
