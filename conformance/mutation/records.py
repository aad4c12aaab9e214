"""Mutation reports: the records (schema `conformance-mutation/1`), and their files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from conformance.files import write_atomically
from conformance.json_schemas import schema_of
from conformance.reporting.markdown_text import escape
from conformance.results import Aspect, Verdict
from conformance.results.encoding import as_json

SCHEMA: Literal["conformance-mutation/1"] = "conformance-mutation/1"
MutantOutcome = Literal["killed", "survived", "masked", "equivalent", "not made"]
"""A `masked` mutant survives in a cell that fails without it: no verdict could be worse."""


class Kill(Struct, frozen=True, kw_only=True):
    """The cell that shows an error: its verdict, and the one without the error."""

    function: str
    aspect: Aspect
    verdict: Verdict
    was: Verdict
    kind: str
    """The kind of the failure: `value`, `shape`, `exception`, ..."""
    gives: str
    """The behaviour, in words that follow the call."""


class JudgedMutant(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One mutant with its outcome."""

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
    """The number of mutants of one kind, and of each outcome."""

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
    """The mistakes in the list of equivalent mutants."""


def count(name: str, judged: Iterable[JudgedMutant]) -> Count:
    """The numbers of some mutants."""
    outcomes = [mutant.outcome for mutant in judged]
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
    """The numbers for each theme or operator (`of`) with mutants."""
    groups: dict[str, list[JudgedMutant]] = {name: [] for name in names}
    for mutant in judged:
        groups[getattr(mutant, of)].append(mutant)
    return [count(name, members) for name, members in groups.items() if members]


SCHEMA_ID = "urn:keras-backend-conformance:schema:mutation-1"


def write(report: MutationReport, folder: Path) -> None:
    """Write TARGET.mutation.json and TARGET.mutation.md.

    Raises:
        OSError: the files cannot be written.
    """
    name = f"{report.target}.mutation"
    write_atomically(folder / f"{name}.json", encode(report))
    write_atomically(folder / f"{name}.md", page(report).encode())


def encode(report: MutationReport) -> bytes:
    """The bytes of the report as JSON."""
    return as_json(report)


def encode_schema() -> bytes:
    """The bytes of the published `mutation-1.schema.json`."""
    schema = schema_of(MutationReport, SCHEMA_ID, f"A mutation score of the suite ({SCHEMA})")
    return as_json(schema)


def page(report: MutationReport) -> str:
    """The whole page: score, scores by theme and operator, and every survivor."""
    return "\n".join(_lines(report)).rstrip() + "\n"


def _lines(report: MutationReport) -> Iterator[str]:
    yield f"# Mutants of {escape(report.target)}"
    yield ""
    yield f"{escape(report.implementation)}, {report.edition}, profile {report.profile}, "
    yield f"seed {report.seed}, suite {report.suite_version}."
    yield ""
    yield from _table("", [report.summary])
    yield from _table("Themes", report.themes)
    yield from _table("Operators", report.operators)
    yield from _listing("Survivors", [m for m in report.mutants if m.outcome == "survived"])
    yield from _listing("Masked", [m for m in report.mutants if m.outcome == "masked"])
    yield from _listing("Equivalent", [m for m in report.mutants if m.outcome == "equivalent"])
    yield from _listing("Not made", [m for m in report.mutants if m.outcome == "not made"])


def _table(title: str, counted: Sequence[Count]) -> Iterator[str]:
    if title:
        yield f"## {title}"
        yield ""
    yield "| | mutants | killed | survived | masked | equivalent | not made | score |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for row in counted:
        score = "" if row.score is None else f"{100 * row.score:.1f} %"
        numbers = (row.mutants, row.killed, row.survived, row.masked, row.equivalent, row.not_made)
        yield f"| {escape(row.name)} | " + " | ".join(map(str, (*numbers, score))) + " |"
    yield ""


def _listing(title: str, mutants: Sequence[JudgedMutant]) -> Iterator[str]:
    if not mutants:
        return
    yield f"## {title}"
    yield ""
    for mutant in mutants:
        reason = f": {escape(mutant.reason)}" if mutant.reason else ""
        yield f"* {escape(mutant.name)}{reason}"
    yield ""
