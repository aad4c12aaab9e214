"""Known failures against the aspects that a run judged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from conformance.cli.known_failures.model import JudgedCell, KnownFailure
from conformance.results import Aspect, Failure, Results, Verdict
from conformance.results.scores import demanded

Of = TypeVar("Of", JudgedCell, KnownFailure)


def by_aspect(items: Iterable[Of]) -> Mapping[tuple[str, Aspect], Sequence[Of]]:
    """The cells or entries of each aspect of each function: an entry is about cells of its own."""
    groups: dict[tuple[str, Aspect], list[Of]] = {}
    for item in items:
        groups.setdefault((item.function, item.aspect), []).append(item)
    return groups


def about(entry: KnownFailure, groups: Mapping[tuple[str, Aspect], Sequence[Of]]) -> Sequence[Of]:
    """The members of `by_aspect` for the aspect of an entry."""
    return groups.get((entry.function, entry.aspect), ())


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


def settled(results: Iterable[Results], worse: Collection[str] = ()) -> list[JudgedCell]:
    """The aspects of functions that were looked at in full, and of the others what fails."""
    runs = list(results)
    unfinished = {(r.target.name, name) for r in runs for name in r.run.unfinished or ()}
    return [
        cell
        for cell in cells(runs)
        if (cell.target, cell.function) not in unfinished or _stays(cell, worse)
    ]


def _stays(cell: JudgedCell, worse: Collection[str]) -> bool:
    """Whether the aspect fails whatever the cases show that were not run."""
    if cell.verdict is Verdict.UNSUPPORTED and not any(map(demanded, cell.failures)):
        return False
    return cell.verdict in worse or any(fails_by(f, worse) for f in cell.failures)


def fails_by(failure: Failure, worse: Collection[str]) -> bool:
    """Whether a failure has such a verdict, or diverges by such a reading."""
    diverges = failure.verdict is Verdict.DIVERGES
    return failure.verdict in worse or (diverges and any(r in worse for r in failure.readings))


def parts(results: Results) -> dict[str, str]:
    """The versions of the target's packages and of its Python, by name in small letters."""
    packages = {name.lower(): version for name, version in results.target.versions.items()}
    return {**packages, "python": results.target.python}


def failing(judged: Sequence[JudgedCell], worse: Collection[str]) -> list[JudgedCell]:
    """The aspects with such a verdict or failure, each with its failures that have one. `worse` has
    verdicts, and readings of divergences.

    Where a function is missing, that is the failure: its other aspects are left out.
    """
    missing = missing_functions(judged)
    bad = (_failing(cell, worse) for cell in judged if not follows(cell, missing))
    return [cell for cell in bad if cell is not None]


def missing_functions(judged: Iterable[JudgedCell]) -> set[tuple[str, str]]:
    """Target and name of each function that is not there."""
    absent = (Aspect.PRESENCE, Verdict.UNSUPPORTED)
    return {(c.target, c.function) for c in judged if (c.aspect, c.verdict) == absent}


def follows(cell: JudgedCell, missing: Collection[tuple[str, str]]) -> bool:
    """Whether nothing can be said of the aspect because its function is among the missing."""
    alone = cell.verdict is Verdict.UNSUPPORTED and cell.aspect is not Aspect.PRESENCE
    return alone and not cell.failures and (cell.target, cell.function) in missing


def _failing(cell: JudgedCell, worse: Collection[str]) -> JudgedCell | None:
    unchecked = cell.verdict is Verdict.UNSUPPORTED
    bad = [f for f in cell.failures if fails_by(f, worse) and (unchecked or demanded(f))]
    return replace(cell, failures=bad) if bad or cell.verdict in worse else None


def new_refusals(cell: JudgedCell, ids: Collection[str]) -> JudgedCell | None:
    """The aspect with its refusals that documents do not allow and that have none of these ids;
    None without any."""
    refusals = [f for f in cell.failures if f.verdict is Verdict.UNSUPPORTED and demanded(f)]
    new = [failure for failure in refusals if failure.id not in ids]
    return replace(cell, failures=new) if new else None


def uncovered(bad: Iterable[JudgedCell], known: Sequence[KnownFailure]) -> list[JudgedCell]:
    """The failing aspects that no entry covers, each with the failures that none covers.

    A failure that has become more frequent than its entry says is not covered.
    """
    entries = by_aspect(known)
    mine = ((cell, entries.get((cell.function, cell.aspect), ())) for cell in bad)
    left = (_left(cell, [e for e in own if e.matches(cell)]) for cell, own in mine)
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
    narrow = [e for e in known if e.narrow and e.matches(cell)]
    return next((e for f in cell.failures[:1] for e in narrow if e.covers_failure(f, cell)), None)


def not_failing(cells: Sequence[JudgedCell], known: Iterable[KnownFailure]) -> list[KnownFailure]:
    """Entries whose cells were judged and that nothing fails for, though it should."""
    judged = by_aspect(cells)
    steady = [e for e in known if not e.intermittent and _looked_at(about(e, judged), e)]
    return [e for e in steady if not any(e.covers(cell) for cell in about(e, judged))]


def stale(results: Sequence[Results], known: Sequence[KnownFailure]) -> list[KnownFailure]:
    """Entries that do not occur in the run, or whose function no target has; in their order."""
    gone = {id(e) for e in not_failing(settled(results), known)}
    gone |= {id(e) for e in without_function(results, known)}
    return [e for e in known if id(e) in gone]


def _looked_at(cells: Sequence[JudgedCell], entry: KnownFailure) -> bool:
    return any(entry.sought_by(cell) for cell in cells)


def not_sought(cells: Sequence[JudgedCell], known: Iterable[KnownFailure]) -> list[KnownFailure]:
    """Entries of a larger profile that this run did not show: not stale."""
    judged = ((entry, about(entry, by)) for by in (by_aspect(cells),) for entry in known)
    unseen = [(e, own) for e, own in judged if any(map(e.matches, own)) and not _looked_at(own, e)]
    return [e for e, own in unseen if not any(e.covers(cell) for cell in own)]


def without_function(
    results: Iterable[Results], known: Iterable[KnownFailure]
) -> list[KnownFailure]:
    """Entries whose function none of their targets has, according to runs of all functions."""
    whole = [
        (run.target, parts(run), {f.function for f in run.functions})
        for run in results
        if run.run.whole
    ]

    def lacks(entry: KnownFailure) -> bool:
        concerned = [f for t, run_parts, f in whole if entry.concerns(t.name, t.edition, run_parts)]
        return bool(concerned) and not any(entry.function in functions for functions in concerned)

    return [e for e in known if lacks(e)]
