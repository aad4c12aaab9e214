"""The records of code mutants and what came of them, schema `conformance-code-mutation/1`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from msgspec import Struct, field

SCHEMA: Literal["conformance-code-mutation/1"] = "conformance-code-mutation/1"
How = Literal["unexpected", "more frequent", "stale", "not reached", "does not start", "time over"]
"""How a gate notices: a failure that is not among the known ones; a known one in more cases; a
known one that does not occur; a cell that was not run; a target that does not start; nothing but a
case or a run that did not end in time."""
HOWS: tuple[How, ...] = get_args(How)


class Notice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """By what a gate notices a change."""

    how: How
    function: str = ""
    aspect: str = ""
    verdict: str = ""
    failure: str = ""
    """The failure's id."""
    says: str = ""


class JudgedCodeMutant(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of one code mutant."""

    id: str
    file: str
    line: int
    function: str
    """The function or class of the module that holds the change."""
    operator: str
    before: str
    after: str
    outcome: Literal["killed", "survived"]
    notice: Notice | None = None
    run: list[str] = field(default_factory=list)
    """The documented functions that were run."""
    seconds: float = 0.0
    quiet: list[str] = field(default_factory=list)
    """What is new in the results of a survivor and does not make the gate fail."""


class CodeCount(Struct, frozen=True, kw_only=True):
    """How many code mutants there are of one sort, and what came of them."""

    name: str
    mutants: int
    killed: int
    survived: int
    score: float | None


class CodeMutationReport(Struct, frozen=True, kw_only=True):
    """Code mutants of one target, judged by the gate with its known failures."""

    schema: Literal["conformance-code-mutation/1"] = SCHEMA
    target: str
    edition: str
    implementation: str
    suite_version: str
    profile: str
    minimised: bool
    """Whether failures were made smaller, as `conformance run` does."""
    seed: int
    started: str
    """UTC, ISO 8601."""
    seconds: float
    """Wall time of all starts of the command."""
    population: int
    """How many mutants there are to draw from."""
    sample: int | None = None
    selection: str | None = None
    operators_selected: str | None = None
    interrupted: bool = False
    sources: dict[str, str]
    """SHA-256 of each module that mutants were made of."""
    intermittent: list[str] = field(default_factory=list)
    """Failures that only one of two runs without a change had."""
    again: list[str] = field(default_factory=list)
    """The ids of mutants that survived an earlier start and were judged once more."""
    summary: CodeCount
    operators: list[CodeCount]
    functions: list[CodeCount]
    noticed: dict[str, int]
    """How many were noticed in which way."""
    mutants: list[JudgedCodeMutant]

    @property
    def survivors(self) -> list[JudgedCodeMutant]:
        """Those that the gate did not notice."""
        return [one for one in self.mutants if one.outcome == "survived"]


def code_count(name: str, judged: Iterable[JudgedCodeMutant]) -> CodeCount:
    """The numbers of some mutants."""
    outcomes = [one.outcome for one in judged]
    killed = outcomes.count("killed")
    return CodeCount(
        name=name,
        mutants=len(outcomes),
        killed=killed,
        survived=len(outcomes) - killed,
        score=round(killed / len(outcomes), 4) if outcomes else None,
    )


def code_counts(judged: Iterable[JudgedCodeMutant], of: str) -> list[CodeCount]:
    """The numbers for each operator or function (`of`), in the order of their names."""
    groups: dict[str, list[JudgedCodeMutant]] = {}
    for one in judged:
        groups.setdefault(getattr(one, of), []).append(one)
    return [code_count(name, groups[name]) for name in sorted(groups)]


def notices(judged: Iterable[JudgedCodeMutant]) -> dict[str, int]:
    """How many were noticed in which way."""
    found = [one.notice.how for one in judged if one.notice is not None]
    return {how: found.count(how) for how in HOWS if how in found}
