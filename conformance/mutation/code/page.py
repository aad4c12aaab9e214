"""A report on code mutants in Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from conformance.files import write_atomically
from conformance.json_schemas import schema_of
from conformance.mutation.code.editing import OPERATOR_NAMES
from conformance.mutation.code.records import (
    KINDS,
    SCHEMA,
    Classified,
    CodeCount,
    CodeMutationReport,
    JudgedCodeMutant,
    Kind,
    OtherTests,
    classes,
    compared,
    other_tests_file,
    read_other_tests,
)
from conformance.reporting.containers import content_of
from conformance.reporting.markdown_text import escape
from conformance.results.encoding import as_json

_HOW = {
    "unexpected": "a failure that is not among the known ones",
    "more frequent": "a known failure occurs in more cases",
    "stale": "a known failure does not occur",
    "refused": "a documented call is refused",
    "not reached": "a cell was not run",
    "does not start": "the target does not start",
    "time over": "a case, or the run, does not end in time, and nothing else fails",
}


def code_page(
    report: CodeMutationReport, known: Mapping[str, Classified], other: OtherTests | None = None
) -> str:
    """The page; `known` says what survivors are, by their ids, and `other` what other tests do."""
    return "\n".join(_lines(report, known, other)).rstrip() + "\n"


def kinds(report: CodeMutationReport, known: Mapping[str, Classified]) -> dict[Kind, int]:
    """How many survivors are of each kind."""
    survivors = [_kind(mutant, known) for mutant in report.survivors]
    return {kind: survivors.count(kind) for kind in KINDS}


def score(report: CodeMutationReport, known: Mapping[str, Classified]) -> float | None:
    """The share of the killed among the mutants that are not equivalent."""
    real = report.summary.mutants - kinds(report, known)["equivalent"]
    return report.summary.killed / real if real else None


def interval(killed: int, mutants: int) -> tuple[float, float]:
    """Where the share of all mutants lies with 95 % confidence, by Wilson's formula; 0 to 1.

    E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference, Journal of
    the American Statistical Association 22, 1927.

    It takes the sample as drawn from infinitely many: from fewer, the interval is narrower.
    """
    if not mutants:
        return 0.0, 1.0
    z, share = 1.959964, killed / mutants
    middle = share + z * z / (2 * mutants)
    half = z * math.sqrt(share * (1 - share) / mutants + z * z / (4 * mutants * mutants))
    scale = 1 + z * z / mutants
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def _lines(
    report: CodeMutationReport, known: Mapping[str, Classified], other: OtherTests | None
) -> Iterator[str]:
    yield f"# Code mutants of {escape(report.target)}"
    yield ""
    yield from _head(report)
    yield ""
    yield from _result(report, known)
    yield from _noticed(report)
    if other is not None:
        yield from _beside(report, other)
    yield from _table("Operators", report.operators, OPERATOR_NAMES)
    yield from _table("Functions", report.functions, {})
    yield from _survivors(report, known)


def _head(report: CodeMutationReport) -> Iterator[str]:
    smaller = "" if report.minimised else ", failures not made smaller"
    yield f"{escape(report.implementation)}, {report.edition}, profile {report.profile}{smaller},"
    drawn = "all" if report.sample is None else f"a random sample of {report.sample}"
    yield (
        f"{drawn} of {report.population} mutants, seed {report.seed}, suite {report.suite_version},"
        f" {report.seconds / 60:.0f} minutes."
    )
    if report.interrupted:
        yield f"Interrupted: {report.summary.mutants} of them are judged."
    if report.again:
        yield f"{len(report.again)} that survived an earlier start were judged once more later."


def _result(report: CodeMutationReport, known: Mapping[str, Classified]) -> Iterator[str]:
    counted = kinds(report, known)
    names = ["mutants", "killed", "survived", *counted, "score", "score without equivalent ones"]
    yield "| " + " | ".join(names) + " |"
    yield "|" + "---:|" * len(names)
    whole = _percent(report.summary.score)
    numbers = [report.summary.mutants, report.summary.killed, report.summary.survived]
    row = [*map(str, [*numbers, *counted.values()]), whole, _percent(score(report, known))]
    yield "| " + " | ".join(row) + " |"
    yield ""
    if report.sample is not None:
        real = report.summary.mutants - counted["equivalent"]
        least, most = interval(report.summary.killed, real)
        yield "Of all mutants that are not equivalent, the gate notices, with 95 % confidence,"
        yield f"between {_percent(least)} and {_percent(most)}."
        yield ""


def _noticed(report: CodeMutationReport) -> Iterator[str]:
    yield "## How the gate notices"
    yield ""
    yield "| | mutants |"
    yield "|---|---:|"
    for how, count in report.noticed.items():
        yield f"| {_HOW[how]} | {count} |"
    yield ""


def _beside(report: CodeMutationReport, other: OtherTests) -> Iterator[str]:
    comparison = compared(report, other)
    yield "## Other tests on the same sample"
    yield ""
    yield f"{escape(other.about)}: {len(other.passing)} tests pass without a change;"
    yield f"{len(other.failing)} do not, and say nothing."
    yield ""
    yield "| | the tests notice | they do not |"
    yield "|---|---:|---:|"
    yield f"| the gate notices | {len(comparison.both)} | {len(comparison.gate_only)} |"
    yield f"| it does not | {len(comparison.tests_only)} | {len(comparison.neither)} |"
    yield ""
    for mutant in report.mutants:
        if mutant.id in comparison.tests_only:
            failing = ", ".join(f"`{name}`" for name in other.noticed[mutant.id])
            yield f"* `{mutant.id}` {escape(mutant.function)}: only by {failing}"
    yield ""


def _table(title: str, counted: Sequence[CodeCount], says: Mapping[str, str]) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    yield "| | mutants | killed | survived | |"
    yield "|---|---:|---:|---:|---:|"
    for row in counted:
        name = f"{row.name}: {says[row.name]}" if row.name in says else escape(row.name)
        numbers = f"{row.mutants} | {row.killed} | {row.survived} | {_percent(row.score)}"
        yield f"| {name} | {numbers} |"
    yield ""


def _survivors(report: CodeMutationReport, known: Mapping[str, Classified]) -> Iterator[str]:
    for kind, about in KINDS.items():
        survivors = [mutant for mutant in report.survivors if _kind(mutant, known) == kind]
        if survivors:
            yield f"## Survivors: {kind} ({len(survivors)})"
            yield ""
            yield about
            yield ""
            yield from (line for mutant in survivors for line in _survivor(mutant, known))
            yield ""


def _survivor(mutant: JudgedCodeMutant, known: Mapping[str, Classified]) -> Iterator[str]:
    place = f"{mutant.file}:{mutant.line}"
    yield f"* `{mutant.id}` {place} {escape(mutant.function)}, {mutant.operator}"
    yield f"  * {_code(mutant.before)}"
    yield f"  * {_code(mutant.after)}"
    if mutant.id in known:
        yield f"  * {escape(known[mutant.id].reason)}"


def _kind(mutant: JudgedCodeMutant, known: Mapping[str, Classified]) -> Kind:
    return known[mutant.id].kind if mutant.id in known else "not looked at"


def _code(text: str) -> str:
    return f"`` {text} ``"


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


SCHEMA_ID = "urn:keras-backend-conformance:schema:code-mutation-1"


class ReportError(Exception):
    """A report cannot be read; the message says why."""


def report_file(folder: Path, target: str) -> Path:
    """Where the JSON report on a target is in a folder."""
    return folder / f"{target}.code-mutation.json"


def write_report(report: CodeMutationReport, folder: Path, known: list[Classified]) -> None:
    """Write TARGET.code-mutation.json and .md.

    Raises:
        OSError: the files cannot be written.
    """
    file = report_file(folder, report.target)
    write_atomically(file, encode(report))
    other = read_other_tests(other_tests_file(folder, report.target))
    page = code_page(report, classes(known, report.target), other)
    write_atomically(file.with_suffix(".md"), page.encode())


def encode(report: CodeMutationReport) -> bytes:
    """The bytes of the report as JSON."""
    return as_json(report)


def read_report(file: Path) -> CodeMutationReport:
    """The report in a file.

    Raises:
        ReportError: the file is not a report.
    """
    try:
        return msgspec.json.decode(content_of(file), type=CodeMutationReport)
    except (OSError, ValueError) as error:
        raise ReportError(f"{file}: {getattr(error, 'strerror', None) or error}") from error


def encode_schema() -> bytes:
    """The bytes of the published `code-mutation-1.schema.json`."""
    schema = schema_of(CodeMutationReport, SCHEMA_ID, f"Code mutants of a backend ({SCHEMA})")
    return as_json(schema)
