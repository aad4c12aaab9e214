"""The records of a mutation report, schema `conformance-mutation/1`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct, field

from conformance.results import Aspect, Verdict

SCHEMA: Literal["conformance-mutation/1"] = "conformance-mutation/1"
MutantOutcome = Literal["killed", "survived", "masked", "equivalent", "not made"]
"""`masked`: it survives where the target fails without it, so that no verdict could be worse."""


class Kill(Struct, frozen=True, kw_only=True):
    """The cell that shows an error: its verdict, and the one without the error."""

    function: str
    aspect: Aspect
    verdict: Verdict
    was: Verdict
    kind: str
    """What sort of failure it is: `value`, `shape`, `exception`, ..."""
    gives: str
    """What happened, in words that follow the call."""


class JudgedMutant(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of one mutant."""

    name: str
    function: str
    theme: str
    operator: str
    outcome: MutantOutcome
    shown: Kill | None = None
    """Where it was killed."""
    reason: str = ""
    """Why it is equivalent or masked, or why it could not be made."""


class Count(Struct, frozen=True, kw_only=True):
    """How many mutants there are of one sort, and what came of them."""

    name: str
    mutants: int
    killed: int
    survived: int
    masked: int
    equivalent: int
    not_made: int
    score: float | None
    """Killed among those killed or surviving; None if there are neither."""


class MutationReport(Struct, frozen=True, kw_only=True):
    """A mutation score of the suite on one target."""

    schema: Literal["conformance-mutation/1"] = SCHEMA
    target: str
    edition: str
    implementation: str
    suite_version: str
    profile: str
    seed: int
    started: str
    """UTC, ISO 8601."""
    seconds: float
    sample: int | None = None
    """How many functions of each operator were drawn; None for all."""
    selection: str | None = None
    interrupted: bool = False
    summary: Count
    themes: list[Count]
    operators: list[Count]
    mutants: list[JudgedMutant]
    stale: list[str] = field(default_factory=list)
    """What is wrong with the list of equivalent mutants."""


def count(name: str, judged: Iterable[JudgedMutant]) -> Count:
    """The numbers of some mutants."""
    outcomes = [one.outcome for one in judged]
    killed, survived = outcomes.count("killed"), outcomes.count("survived")
    return Count(
        name=name,
        mutants=len(outcomes),
        killed=killed,
        survived=survived,
        masked=outcomes.count("masked"),
        equivalent=outcomes.count("equivalent"),
        not_made=outcomes.count("not made"),
        score=round(killed / (killed + survived), 4) if killed + survived else None,
    )


def counts(names: Iterable[str], judged: Iterable[JudgedMutant], of: str) -> list[Count]:
    """The numbers for each theme or operator (`of`) of which there are mutants."""
    groups: dict[str, list[JudgedMutant]] = {name: [] for name in names}
    for one in judged:
        groups[getattr(one, of)].append(one)
    return [count(name, members) for name, members in groups.items() if members]
