"""Whether results bear out what a mapping claims of each function: the same, different, absent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.reporting.listing import ListedFailure, listed_failures
from conformance.results import Aspect, FunctionResult, Results, Verdict
from conformance.results.scores import DEVIATIONS

NOT_OF_CALLS = frozenset({Aspect.PRESENCE, Aspect.SIGNATURE, Aspect.GRADIENT})
"""What says nothing of a call: a table has the documented signatures, and gradients are taken by
other means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """One function: its documented signature, and the lines or the expression that replace it."""

    name: str
    old: str
    new: str
    """Empty where nothing takes its place."""
    differs: str = ""
    remark: str = ""
    on: Mapping[str, str] = field(default_factory=dict)
    """What differs on one target alone."""
    left_out: Sequence[str] = ()
    """The parameters that the new call leaves out."""
    refuses: Sequence[str] = ()
    """What it refuses by itself."""


def unproven(rows: Iterable[Replacement], results: Sequence[Results]) -> Iterator[str]:
    """One line for each claim that the results do not bear out.

    A function that no result has is passed over; a claim that something differs has to be shown by
    a case of a whole run.
    """
    for row in rows:
        found = {one.target.name: f for one in results if (f := _of(one, row.name))}
        if row.new:
            yield from _unnoted(row, found)
            yield from _unshown(row, found)
        else:
            yield from _present(row, found)


def tried(
    functions: Iterable[FunctionResult], verdicts: Iterable[Verdict] = Verdict
) -> list[ListedFailure]:
    """The failures with these verdicts in the aspects that a call is judged by, gravest first."""
    return [f for f in listed_failures(functions, *verdicts) if f.aspect.aspect not in NOT_OF_CALLS]


def _of(results: Results, name: str) -> FunctionResult | None:
    return next((f for f in results.functions if f.function == name), None)


def _unnoted(row: Replacement, found: Mapping[str, FunctionResult]) -> Iterator[str]:
    for target, function in found.items():
        if row.differs or target in row.on:
            continue
        for one in tried([function], DEVIATIONS):
            text = f"{one.failure.id}: {one.failure.message}" if one.failure else "no case"
            where = f"{one.aspect.aspect} {one.verdict} on {target}"
            yield f"{row.name}: nothing is said to differ, but {where}: {text}"


def _unshown(row: Replacement, found: Mapping[str, FunctionResult]) -> Iterator[str]:
    claims = [(row.differs, list(found))] if row.differs else []
    claims += [(text, [name]) for name, text in row.on.items() if name in found]
    for text, targets in claims:
        if targets and not any(_shows(found[name]) for name in targets):
            where = ", ".join(targets)
            yield f"{row.name}: no case on {where} shows what is said to differ: {text}"


def _shows(function: FunctionResult) -> bool:
    other = (*DEVIATIONS, Verdict.DIVERGES, Verdict.UNSUPPORTED)
    return any(a.aspect not in NOT_OF_CALLS and a.verdict in other for a in function.aspects)


def _present(row: Replacement, found: Mapping[str, FunctionResult]) -> Iterator[str]:
    for target, function in found.items():
        presence = (a for a in function.aspects if a.aspect is Aspect.PRESENCE)
        if any(a.verdict is Verdict.CONFORMS for a in presence):
            yield f"{row.name}: said to be absent, but {target} has it"
