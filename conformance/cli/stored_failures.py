"""Failures in results files, found by their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from conformance.cli.errors import UsageProblem
from conformance.near_names import misspelt, question
from conformance.reporting.counting import counted
from conformance.reporting.safe_text import clean
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
            target=one.target,
            run=one.run,
            function=function.function,
            aspect=aspect,
            failure=failure,
        )
        for one in results
        for function in one.functions
        for aspect in function.aspects
        for failure in (*aspect.failures, *aspect.earlier_failures)
    ]


def chosen_failures(
    known: Iterable[StoredFailure],
    targets: Sequence[str] = (),
    select: Callable[[str], bool] = lambda _: True,
) -> list[StoredFailure]:
    """The failures of these targets (of all, if none is named) and of selected functions.

    Of several runs of one target the newest that has the failure counts.
    """
    found: dict[tuple[str, str, str], StoredFailure] = {}
    for one in sorted(known, key=lambda one: one.run.started):
        if select(one.function) and (not targets or one.target.name in targets):
            found[one.target.name, one.target.edition, one.failure.id] = one
    return list(found.values())


def with_id(text: str, known: Sequence[StoredFailure]) -> list[StoredFailure]:
    """The failure with this id, or the only one whose id begins so, on every target that has it.

    UsageProblem if there is none, or if several begin so.
    """
    found = [one for one in known if one.failure.id == text] or [
        one for one in known if text and one.failure.id.startswith(text)
    ]
    ids = sorted({one.failure.id for one in found})
    if not ids:
        there = sorted({one.failure.id for one in known})
        hint = question(misspelt(text, there, alike=_NEAR)) or "`conformance show FUNCTION` has ids"
        raise UsageProblem(f"no failure {clean(text)!r} in these results", hint)
    if len(ids) > 1:
        listed = "\n".join(f"  {_with_targets(one, found)}" for one in ids[:MOST])
        more = f"\n  and {len(ids) - MOST} more" if len(ids) > MOST else ""
        raise UsageProblem(
            f"{len(ids)} failures begin with {text!r}:\n{listed}{more}", "write more"
        )
    return found


def _with_targets(identity: str, found: Sequence[StoredFailure]) -> str:
    """One failure, with the number of the targets besides the first that have it."""
    first, *others = (one for one in found if one.failure.id == identity)
    more = f" and {counted(len(others), 'other target')}" if others else ""
    return f"{first}{more}"
