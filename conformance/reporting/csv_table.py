"""Every verdict as a line of a table, for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from conformance.reporting.judgement import GateJudgement
from conformance.reporting.listing import ListedFailure, readings_text
from conformance.reporting.marks import GRAVEST_FIRST
from conformance.reporting.safe_text import clean
from conformance.results import AspectResult, Failure, Results, Verdict
from conformance.results.scores import readings, standing

COLUMNS = (
    "target",
    "edition",
    "started",
    "theme",
    "function",
    "aspect",
    "verdict",
    "cases",
    "max_ulp",
    "limit_ulp",
    "failures",
    "message",
    "citation",
    "convention",
    "standing",
    "readings",
    "failure",
    "failure_ids",
)
"""The head of the table. Message, citation, convention and `failure`, its id, are those of the
aspect's gravest failure; `failure_ids` are the ids of all. `standing` is the verdict over faults
and lacks alone, `readings` are those of all of the aspect's answers."""
JUDGED_COLUMNS = ("judged", "reason")
"""Two more of a run with known failures: `known` or `unexpected`, and why what is known is so."""


def render(results: Iterable[Results], judgement: GateJudgement | None = None) -> bytes:
    """The table in UTF-8, with the line ends of RFC 4180; with known failures two more columns."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow((*COLUMNS, *(JUDGED_COLUMNS if judgement else ())))
    writer.writerows(row for target in results for row in _rows(target, judgement))
    return buffer.getvalue().encode()


def _rows(results: Results, judgement: GateJudgement | None) -> Iterator[list[str]]:
    target = [results.target.name, results.target.edition, results.run.started]
    for function in results.functions:
        for aspect in function.aspects:
            place = [function.theme, function.function, str(aspect.aspect)]
            row = [*target, *place, *_verdict(function.function, aspect)]
            if judgement:
                judged = judgement.of(results.target.name, function.function, aspect)
                known = "known" if judged.reason else ""
                row += ["unexpected" if judged.fails else known, judged.reason]
            yield [*map(_text, row)]


def _verdict(function: str, aspect: AspectResult) -> list[str]:
    failures = [ListedFailure(function, aspect, failure) for failure in aspect.failures]
    worst = min(failures, key=lambda f: GRAVEST_FIRST.index(f.verdict), default=None)
    failure = worst.failure if worst else None
    return [
        str(aspect.verdict),
        str(aspect.cases),
        "" if aspect.max_ulp is None else f"{aspect.max_ulp:.6g}",
        "" if aspect.limit_ulp is None else f"{aspect.limit_ulp:.6g}",
        str(len(aspect.failures)),
        _message(aspect, failure),
        failure.cited if failure else "",
        (failure.convention or "") if failure else "",
        str(standing(aspect)),
        readings_text(readings([aspect])),
        failure.id if failure else "",
        " ".join(item.id for item in aspect.failures),
    ]


def _message(aspect: AspectResult, failure: Failure | None) -> str:
    """The message of the gravest failure; where the suite itself failed, what it says of that."""
    if failure is not None:
        return failure.message
    erring = aspect.verdict is Verdict.ERROR and isinstance(aspect.note, str)
    return str(aspect.note) if erring else ""


def _text(value: str) -> str:
    """The text on one line; where a spreadsheet would take it for a formula, after a quote.

    Every cell of the table passes here, whatever its origin.
    """
    shown = clean(value)
    return f"'{shown}" if shown[:1] in ("=", "+", "-", "@") else shown
