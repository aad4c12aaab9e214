"""A mutation report in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.mutation.records import Count, JudgedMutant, MutationReport
from conformance.reporting.markdown import escape


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
    yield from _listed("Survivors", [m for m in report.mutants if m.outcome == "survived"])
    yield from _listed("Masked", [m for m in report.mutants if m.outcome == "masked"])
    yield from _listed("Equivalent", [m for m in report.mutants if m.outcome == "equivalent"])
    yield from _listed("Not made", [m for m in report.mutants if m.outcome == "not made"])


def _table(title: str, counted: Sequence[Count]) -> Iterator[str]:
    if title:
        yield f"## {title}"
        yield ""
    yield "| | mutants | killed | survived | masked | equivalent | not made | score |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for one in counted:
        score = "" if one.score is None else f"{100 * one.score:.1f} %"
        numbers = (one.mutants, one.killed, one.survived, one.masked, one.equivalent, one.not_made)
        yield f"| {escape(one.name)} | " + " | ".join(map(str, (*numbers, score))) + " |"
    yield ""


def _listed(title: str, mutants: Sequence[JudgedMutant]) -> Iterator[str]:
    if not mutants:
        return
    yield f"## {title}"
    yield ""
    for mutant in mutants:
        reason = f": {escape(mutant.reason)}" if mutant.reason else ""
        yield f"* {escape(mutant.name)}{reason}"
    yield ""
