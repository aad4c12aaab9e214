"""The failures of a run, compared with the known ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from conformance.cli.known_failures.judged import JudgedCell
from conformance.cli.known_failures.model import KnownFailure
from conformance.results import Aspect, Failure, Results, Verdict
from conformance.results.scores import demanded


def cells(results: Iterable[Results]) -> list[JudgedCell]:
    """Every aspect that was judged."""
    return [
        JudgedCell(
            target=r.target.name,
            function=f.function,
            aspect=a.aspect,
            verdict=a.verdict,
            failures=a.failures,
            edition=r.target.edition,
            versions=parts(r),
            cases=a.cases,
            profile=r.run.profile,
            seed=r.run.seed,
        )
        for r in results
        for f in r.functions
        for a in f.aspects
    ]


def settled(results: Iterable[Results], worse: Collection[Verdict] = ()) -> list[JudgedCell]:
    """The aspects of functions that were looked at in full, and of the others what fails."""
    listed = list(results)
    unfinished = {(r.target.name, name) for r in listed for name in r.run.unfinished or ()}
    return [
        cell
        for cell in cells(listed)
        if (cell.target, cell.function) not in unfinished or _stays(cell, worse)
    ]


def _stays(cell: JudgedCell, worse: Collection[Verdict]) -> bool:
    """Whether the aspect fails whatever the cases show that were not run."""
    if cell.verdict is Verdict.UNSUPPORTED and not any(map(demanded, cell.failures)):
        return False
    return cell.verdict in worse


def parts(results: Results) -> dict[str, str]:
    """What the target is made of, by name in small letters: its packages and its Python."""
    packages = {name.lower(): version for name, version in results.target.versions.items()}
    return {**packages, "python": results.target.python}


def failing(found: Sequence[JudgedCell], worse: Collection[Verdict]) -> list[JudgedCell]:
    """The aspects with such a verdict or failure, each with its failures that have one.

    Where a function is missing, that is the failure: its other aspects are left out.
    """
    missing = missing_functions(found)
    bad = (_failing(cell, worse) for cell in found if not follows(cell, missing))
    return [cell for cell in bad if cell is not None]


def missing_functions(found: Iterable[JudgedCell]) -> set[tuple[str, str]]:
    """Target and name of each function that is not there."""
    absent = (Aspect.PRESENCE, Verdict.UNSUPPORTED)
    return {(c.target, c.function) for c in found if (c.aspect, c.verdict) == absent}


def follows(cell: JudgedCell, missing: Collection[tuple[str, str]]) -> bool:
    """Whether nothing can be said of the aspect because its function is among the missing."""
    alone = cell.verdict is Verdict.UNSUPPORTED and cell.aspect is not Aspect.PRESENCE
    return alone and not cell.failures and (cell.target, cell.function) in missing


def _failing(cell: JudgedCell, worse: Collection[Verdict]) -> JudgedCell | None:
    unchecked = cell.verdict is Verdict.UNSUPPORTED
    bad = [f for f in cell.failures if f.verdict in worse and (unchecked or demanded(f))]
    return replace(cell, failures=bad) if bad or cell.verdict in worse else None


def uncovered(bad: Iterable[JudgedCell], known: Sequence[KnownFailure]) -> list[JudgedCell]:
    """The failing aspects that no entry covers, each with the failures that none covers.

    A failure that has become more frequent than its entry says is not covered.
    """
    left = (_left(cell, [e for e in known if e.matches(cell)]) for cell in bad)
    return [cell for cell in left if cell is not None]


def _left(cell: JudgedCell, known: Sequence[KnownFailure]) -> JudgedCell | None:
    if any(e.covers(cell) for e in known if not e.narrow):
        return None
    if not cell.failures:
        return cell
    left = [f for f in cell.failures if not any(_known(f, cell, e) for e in known)]
    return replace(cell, failures=left) if left else None


def _known(failure: Failure, cell: JudgedCell, entry: KnownFailure) -> bool:
    return entry.covers_failure(failure, cell) and not entry.exceeded(failure, cell)


def more_frequent(cell: JudgedCell, known: Iterable[KnownFailure]) -> KnownFailure | None:
    """The entry that would cover the gravest failure of a cell if it were as rare as it was."""
    about = [e for e in known if e.narrow and e.matches(cell)]
    return next((e for f in cell.failures[:1] for e in about if e.covers_failure(f, cell)), None)


def not_failing(found: Sequence[JudgedCell], known: Iterable[KnownFailure]) -> list[KnownFailure]:
    """Entries whose cells were judged and that nothing fails for, though it should."""
    steady = [e for e in known if not e.intermittent and _looked_at(found, e)]
    return [e for e in steady if not any(e.covers(cell) for cell in found)]


def stale(results: Sequence[Results], known: Sequence[KnownFailure]) -> list[KnownFailure]:
    """Entries that do not occur in the run, or whose function no target has; in their order."""
    gone = [*not_failing(settled(results), known), *without_function(results, known)]
    return [e for e in known if e in gone]


def _looked_at(found: Sequence[JudgedCell], entry: KnownFailure) -> bool:
    return any(entry.sought_by(cell) for cell in found)


def not_sought(found: Sequence[JudgedCell], known: Iterable[KnownFailure]) -> list[KnownFailure]:
    """Entries that a run did not find which tries less than the one that did: not stale."""
    about = [e for e in known if any(e.matches(c) for c in found) and not _looked_at(found, e)]
    return [e for e in about if not any(e.covers(cell) for cell in found)]


def without_function(
    results: Iterable[Results], known: Iterable[KnownFailure]
) -> list[KnownFailure]:
    """Entries whose function none of their targets has, according to runs of all functions."""
    whole = [one for one in results if one.run.whole]
    return [e for e in known if _without_function(whole, e)]


def _without_function(whole: Iterable[Results], entry: KnownFailure) -> bool:
    about = [
        {f.function for f in one.functions}
        for one in whole
        if entry.concerns(one.target.name, one.target.edition, parts(one))
    ]
    return bool(about) and not any(entry.function in functions for functions in about)
