"""What a run found, held against what was expected."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from conformance.cli.expectations.model import Cell, Expectation
from conformance.results import Results, Verdict


def cells(results: Iterable[Results]) -> list[Cell]:
    """Every aspect that was judged."""
    return [
        Cell(r.target.name, f.function, a.aspect, a.verdict, a.failures, r.target.edition, parts(r))
        for r in results
        for f in r.functions
        for a in f.aspects
    ]


def settled(results: Iterable[Results], worse: Collection[Verdict] = ()) -> list[Cell]:
    """The aspects of functions that were looked at in full, and of the others what fails."""
    listed = list(results)
    unfinished = {(r.target.name, name) for r in listed for name in r.run.unfinished or ()}
    return [
        cell
        for cell in cells(listed)
        if (cell.target, cell.function) not in unfinished or cell.verdict in worse
    ]


def parts(results: Results) -> dict[str, str]:
    """What the target is made of, by name in small letters: its packages and its Python."""
    packages = {name.lower(): version for name, version in results.target.versions.items()}
    return {**packages, "python": results.target.python}


def failing(found: Iterable[Cell], worse: Collection[Verdict]) -> list[Cell]:
    """The aspects with such a verdict, each with its failures that have one, too."""
    return [
        cell._replace(failures=[f for f in cell.failures if f.verdict in worse])
        for cell in found
        if cell.verdict in worse
    ]


def uncovered(bad: Iterable[Cell], known: Sequence[Expectation]) -> list[Cell]:
    """The failing aspects that no expectation covers, each with the failures that none covers."""
    left = (_left(cell, [e for e in known if e.matches(cell)]) for cell in bad)
    return [cell for cell in left if cell is not None]


def _left(cell: Cell, known: Sequence[Expectation]) -> Cell | None:
    if any(e.covers(cell) for e in known if not e.narrow):
        return None
    if not cell.failures:
        return cell
    left = [f for f in cell.failures if not any(e.covers_failure(f, cell) for e in known)]
    return cell._replace(failures=left) if left else None


def idle(found: Sequence[Cell], known: Iterable[Expectation]) -> list[Expectation]:
    """Expectations that the run looked at and that nothing fails for, though it should."""
    steady = [e for e in known if not e.intermittent and _looked_at(found, e)]
    return [e for e in steady if not any(e.covers(cell) for cell in found)]


def stale(results: Sequence[Results], known: Sequence[Expectation]) -> list[Expectation]:
    """Expectations that the run shows to be idle or pointless, in their order."""
    gone = [*idle(settled(results), known), *pointless(results, known)]
    return [e for e in known if e in gone]


def _looked_at(found: Sequence[Cell], expectation: Expectation) -> bool:
    return any(expectation.matches(cell) for cell in found)


def pointless(results: Iterable[Results], known: Iterable[Expectation]) -> list[Expectation]:
    """Expectations of functions that none of their targets has, by runs of all functions."""
    whole = [one for one in results if one.run.whole]
    return [e for e in known if _pointless(whole, e)]


def _pointless(whole: Iterable[Results], expectation: Expectation) -> bool:
    about = [
        {f.function for f in one.functions}
        for one in whole
        if expectation.concerns(one.target.name, one.target.edition, parts(one))
    ]
    return bool(about) and not any(expectation.function in functions for functions in about)
