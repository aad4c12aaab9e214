"""`--baseline`: aspects that conformed in an earlier run must still conform, or still exist.

An aspect that had failures must not refuse more documented calls than it did.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from conformance.cli import known_failures
from conformance.cli.errors import UsageProblem
from conformance.cli.files.results import gathered
from conformance.cli.known_failures import JudgedCell, KnownFailure
from conformance.editions import Edition
from conformance.engine import Subject, Task
from conformance.reporting.safe_text import clean
from conformance.results import Aspect, Results, Verdict

LACKS = (Verdict.UNSUPPORTED, Verdict.NOT_RUN, Verdict.ERROR, Verdict.NOT_APPLICABLE)
"""The verdicts on aspects that a target lacks, or that a run did not reach or judge."""

Key = tuple[str, Aspect]


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """One target's aspects, then and now."""

    compared: int
    regressions: Sequence[tuple[Verdict, JudgedCell]]
    """The earlier verdict, and the present aspect."""
    known: int
    """Regressions besides these that entries of a file of known failures cover."""
    improvements: int
    """Aspects that conform now and did not."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The earlier results of each target."""

    place: Path
    results: Mapping[str, Results]

    def holds(self, results: Iterable[Results], known: Sequence[KnownFailure]) -> bool:
        """Whether no target has regressed; prints regressions and the number of improvements."""
        held = True
        for now in results:
            then = self.results[now.target.name]
            comparison = compare(then, now, known)
            for line in self._lines(then, now, comparison):
                click.echo(clean(line), err=True)
            held = held and not comparison.regressions
        return held

    def _lines(self, then: Results, now: Results, comparison: BaselineComparison) -> Iterator[str]:
        name = now.target.name
        yield from (f"{self.place}: {name}: {line}" for line in _other_circumstances(then, now))
        for was, cell in comparison.regressions:
            yield f"regression: {name}: {transition(was, cell)}"
        total = sum(len(function.aspects) for function in then.functions)
        excused = f" ({comparison.known} more are known failures)" if comparison.known else ""
        yield (
            f"{self.place}: {name}: {comparison.compared} of {total} aspects compared: "
            f"regressions {len(comparison.regressions)}{excused}, "
            f"improvements {comparison.improvements}"
        )


def baseline(
    place: Path | None, subjects: Iterable[Subject], plans: Mapping[Edition, Sequence[Task]]
) -> Baseline | None:
    """The earlier results of these targets; `plans` has the tasks of each edition.

    Raises:
        UsageProblem: there are no results of a target, or none to compare with.
    """
    if place is None:
        return None
    held = gathered([place])
    pairs = [(subject, _of(subject, held, place)) for subject in subjects]
    for subject, then in pairs:
        _check_common(then, plans[subject.edition], place)
    return Baseline(place, {subject.name: then for subject, then in pairs})


def _check_common(then: Results, plan: Sequence[Task], place: Path) -> None:
    """UsageProblem if nothing would be compared: this must not look like agreement."""
    planned = {(task.spec.name, aspect) for task in plan for aspect in task.aspects}
    if not planned & {_key(cell) for cell in _finished(then)}:
        raise UsageProblem(
            clean(f"--baseline {place}: it has none of the planned results of {then.target.name}"),
            "name results of these functions and aspects, or select others with -k and --aspect",
        )


def _of(subject: Subject, held: Sequence[Results], place: Path) -> Results:
    """The one run of a target in its edition."""
    mine = [results for results in held if results.target.name == subject.name]
    names = ", ".join(dict.fromkeys(results.target.name for results in held))
    if not mine:
        raise UsageProblem(
            clean(f"--baseline {place}: it has no results of {subject.name}, only of {names}"),
            "name results of this target, or run those targets",
        )
    runs = [results for results in mine if results.target.edition == subject.edition]
    if not runs:
        raise UsageProblem(
            clean(f"--baseline {place}: {subject.name} was run against {mine[0].target.edition}"),
            f"name results against {subject.edition}, or add --edition {mine[0].target.edition}",
        )
    if len(runs) > 1:
        raise UsageProblem(
            clean(f"--baseline {place}: it has {len(runs)} runs of {subject.name}"),
            "name the file of one of them",
        )
    return runs[0]


def compare(then: Results, now: Results, known: Sequence[KnownFailure] = ()) -> BaselineComparison:
    """The regressions and improvements of a target, among the aspects of both runs."""
    earlier = {_key(c): c for c in _finished(then)}
    before = {key: c.verdict for key, c in earlier.items()}
    pairs = [(before[_key(c)], c) for c in _judged(now) if _key(c) in before]
    missing = known_failures.missing_functions([cell for _, cell in pairs])
    lost = [
        (was, cell)
        for was, cell in pairs
        if _lost(was, cell.verdict) and not known_failures.follows(cell, missing)
    ]
    lost += [(was, cell) for was, c in pairs if (cell := _refusing(was, earlier[_key(c)], c))]
    unknown = {c.key for c in known_failures.uncovered([cell for _, cell in lost], known)}
    new = [(was, cell) for was, cell in lost if cell.key in unknown]
    won = sum(was is not Verdict.CONFORMS is cell.verdict for was, cell in pairs)
    return BaselineComparison(len(pairs), new, len(lost) - len(new), won)


def transition(was: Verdict, cell: JudgedCell) -> str:
    """The earlier and the present verdict on an aspect, with its gravest failure."""
    worst = f": {cell.failures[0].id}: {cell.failures[0].message}" if cell.failures else ""
    if was is not Verdict.CONFORMS and cell.verdict not in LACKS:
        return f"{cell.function} {cell.aspect}: a documented call is refused{worst}"
    return f"{cell.function} {cell.aspect}: {was} → {cell.verdict}{worst}"


def _lost(was: Verdict, now: Verdict) -> bool:
    if was is Verdict.CONFORMS:
        return now is not Verdict.CONFORMS
    return was not in LACKS and now in LACKS


def _refusing(was: Verdict, then: JudgedCell, cell: JudgedCell) -> JudgedCell | None:
    """The aspect, which failed and fails, with the documented calls that it refuses now."""
    if was is Verdict.CONFORMS or was in LACKS or cell.verdict in LACKS:
        return None
    return known_failures.new_refusals(cell, {failure.id for failure in then.failures})


def _finished(results: Results) -> list[JudgedCell]:
    """The aspects that were looked at, of functions of which all cases were run."""
    unfinished = results.run.unfinished or ()
    cells = known_failures.cells([results])
    return [c for c in cells if c.function not in unfinished and c.verdict is not Verdict.NOT_RUN]


def _judged(results: Results) -> list[JudgedCell]:
    """The aspects whose verdict can be compared: of an unfinished function those that fail."""
    unfinished = results.run.unfinished or ()
    passing = (Verdict.CONFORMS, *LACKS)
    cells = known_failures.cells([results])
    return [c for c in cells if c.function not in unfinished or c.verdict not in passing]


def _key(cell: JudgedCell) -> Key:
    return cell.function, cell.aspect


def _other_circumstances(then: Results, now: Results) -> Iterator[str]:
    """Differences of the runs' cases: fewer cases hide failures, and other cases show some."""
    facts = {
        "profile": (then.run.profile, now.run.profile),
        "seed": (then.run.seed, now.run.seed),
        "version of the suite": (then.run.suite_version, now.run.suite_version),
    }
    for what, (was, is_now) in facts.items():
        if was != is_now:
            yield (
                f"warning: the {what} was {was} and is {is_now}: other cases may hide or show "
                "failures without a change of the target"
            )
