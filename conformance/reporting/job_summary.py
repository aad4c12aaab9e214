"""A short Markdown page for a pull request or a CI job: scores, then failures by cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from conformance.reporting.causes import Cause, causes, named
from conformance.reporting.listing import listed_failures, suite_failures
from conformance.reporting.markdown import code, escape, fenced
from conformance.reporting.marks import MARKS, READING
from conformance.results import Results, Verdict
from conformance.results.scores import (
    CHANGES,
    DEVIATIONS,
    FAULTS,
    count_diverging,
    count_standings,
    score,
)

MOST = 12
"""Causes of one target that are listed."""
LARGEST = 900_000
"""Bytes; GitHub refuses a job's summary from 1 MiB on."""

_COLUMNS = (*FAULTS, Verdict.UNSUPPORTED)
_RARE = (*CHANGES, Verdict.NOT_RUN, Verdict.ERROR)
"""Verdicts that have a column only where they occur."""


def render(results: Iterable[Results]) -> bytes:
    """The page."""
    listed = list(results)
    lines = ["## Keras backend API conformance", "", *_scores(listed)]
    for one in listed:
        lines += _failures(one)
    page = "\n".join(lines).rstrip().encode("utf-8", "backslashreplace") + b"\n"
    if len(page) <= LARGEST:
        return page
    short = "\n".join(lines[: 4 + len(listed)])
    return f"{short}\n\nThe failures are too many for a summary; the report has them.\n".encode()


def _scores(listed: Sequence[Results]) -> Iterator[str]:
    counts = [count_standings(one.functions) for one in listed]
    occurring = (v for v in _RARE if any(count[v] for count in counts))
    columns = (*_COLUMNS, *occurring)
    heads = ["keeps the documents", "missing", *(f"{MARKS[v].symbol} {v}" for v in columns)]
    heads.append(f"{READING.symbol} other readings")
    yield f"| target | {' | '.join(heads)} |"
    yield f"| --- |{' ---: |' * len(heads)}"
    yield from (_score(one, columns) for one in listed)


def _score(one: Results, columns: Sequence[Verdict]) -> str:
    points, counts = score(one.functions), count_standings(one.functions)
    part = "" if one.run.whole else " (a part)"
    cells = [
        code(one.target.name),
        f"**{points.percent}** of {points.demanded}{part}",
        points.percent_missing,
        *(str(counts[v]) for v in columns),
        str(count_diverging(one.functions)),
    ]
    return f"| {' | '.join(cells)} |"


def _failures(results: Results) -> Iterator[str]:
    erring = suite_failures(results.functions)
    found = causes([*listed_failures(results.functions, *DEVIATIONS), *erring])
    if not found:
        return
    count = sum(len(c.failures) for c in found)
    what = "failures" if any(c.verdict in FAULTS for c in found) else "changes"
    yield ""
    yield f"### {escape(results.target.name)}: {count} {what} of {len(found)} causes"
    yield ""
    for cause in found[:MOST]:
        yield from _cause(cause)
    if len(found) > MOST:
        names = named(f for cause in found[MOST:] for f in cause.failures)
        yield f"* and {len(found) - MOST} more causes, in {escape(names)}"


def _cause(cause: Cause) -> Iterator[str]:
    first = cause.failures[0]
    names = escape(named(cause.failures))
    yield f"* {MARKS[cause.verdict].symbol} **{names}**: {escape(first.message)}"
    if first.failure is not None and first.failure.script:
        block = ["<details><summary>script</summary>", "", *fenced(first.failure.script)]
        yield ""
        yield from (f"  {line}".rstrip() for line in (*block, "", "</details>"))
        yield ""
