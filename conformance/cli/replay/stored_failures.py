"""Failures in results files, found by their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from conformance.cli.errors import UsageProblem
from conformance.near_names import misspelt, question
from conformance.reporting.safe_text import clean, counted
from conformance.results import AspectResult, Failure, Results, RunInfo, TargetInfo

_NEAR = 0.7
"""How like an id must be: letters and digits at random are like many."""
MOST = 8
"""Failures that are named where a prefix fits several."""


class StoredFailure(Struct, frozen=True, kw_only=True):
    """A failure with the target, the run, the function and the aspect that it was found in."""

    target: TargetInfo
    run: RunInfo
    function: str
    aspect: AspectResult
    failure: Failure

    def __str__(self) -> str:
        return clean(
            f"{self.failure.id}  {self.function} {self.aspect.aspect} on {self.target.name}"
        )


def failures(results: Iterable[Results]) -> list[StoredFailure]:
    """All failures in results, with those that only cases of earlier runs show."""
    return [
        StoredFailure(
            target=run.target,
            run=run.run,
            function=function.function,
            aspect=aspect,
            failure=failure,
        )
        for run in results
        for function in run.functions
        for aspect in function.aspects
        for failure in (*aspect.failures, *aspect.earlier_failures)
    ]


def chosen_failures(
    known: Iterable[StoredFailure],
    targets: Sequence[str] = (),
    select: Callable[[str], bool] = lambda _: True,
) -> list[StoredFailure]:
    """The failures of these targets (of all, if none is named) and of selected functions.

    Among several runs of one target, the newest with the failure counts.
    """
    newest: dict[tuple[str, str, str], StoredFailure] = {}
    for failure in sorted(known, key=lambda failure: failure.run.started):
        if select(failure.function) and (not targets or failure.target.name in targets):
            newest[failure.target.name, failure.target.edition, failure.failure.id] = failure
    return list(newest.values())


def with_id(text: str, known: Sequence[StoredFailure]) -> list[StoredFailure]:
    """The failure with this id, or the only one whose id begins so, on every target that has it.

    Raises:
        UsageProblem: no failure or more than one failure begins so.
    """
    matches = [stored for stored in known if stored.failure.id == text] or [
        stored for stored in known if text and stored.failure.id.startswith(text)
    ]
    ids = sorted({stored.failure.id for stored in matches})
    if not ids:
        there = sorted({stored.failure.id for stored in known})
        hint = (
            question(misspelt(text, there, alike=_NEAR)) or "`conformance show FUNCTION` lists ids"
        )
        raise UsageProblem(f"no failure {clean(text)!r} in these results", hint)
    if len(ids) > 1:
        lines = "\n".join(f"  {_with_targets(identity, matches)}" for identity in ids[:MOST])
        more = f"\n  and {len(ids) - MOST} more" if len(ids) > MOST else ""
        raise UsageProblem(f"{len(ids)} failures begin with {text!r}:\n{lines}{more}", "write more")
    return matches


def _with_targets(identity: str, matches: Sequence[StoredFailure]) -> str:
    """One failure, with the number of the targets besides the first that have it."""
    first, *others = (stored for stored in matches if stored.failure.id == identity)
    more = f" and {counted(len(others), 'other target')}" if others else ""
    return f"{first}{more}"
