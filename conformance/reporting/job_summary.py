"""A short Markdown page for a pull request or a CI job: scores, then failures by cause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from conformance.reporting.causes import Cause, causes, named
from conformance.reporting.counting import count_verdicts, score
from conformance.reporting.listing import listed_failures
from conformance.reporting.markdown import code, escape, fenced
from conformance.reporting.marks import BROKEN, MARKS
from conformance.results import Results, Verdict

MOST = 12
"""Causes of one target that are listed."""
LARGEST = 900_000
"""Bytes; GitHub refuses a job's summary from 1 MiB on."""

_COLUMNS = (
    Verdict.CONFORMS,
    Verdict.VIOLATES,
    Verdict.CRASHED,
    Verdict.TIMED_OUT,
    Verdict.DIVERGES,
    Verdict.UNSUPPORTED,
)


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
    gaps = any(count_verdicts(one.functions)[Verdict.NOT_RUN] for one in listed)
    columns = (*_COLUMNS, Verdict.NOT_RUN) if gaps else _COLUMNS
    heads = [f"{MARKS[v].symbol} {v}" for v in columns]
    yield f"| target | score | {' | '.join(heads)} |"
    yield f"| --- | ---: |{' ---: |' * len(heads)}"
    for one in listed:
        points, counts = score(one.functions), count_verdicts(one.functions)
        part = "" if one.run.whole else " (a part)"
        cells = " | ".join(str(counts[v]) for v in columns)
        told = f"**{points.percent}** of {points.demanded}{part}"
        yield f"| {code(one.target.name)} | {told} | {cells} |"


def _failures(results: Results) -> Iterator[str]:
    found = causes(listed_failures(results.functions, *BROKEN))
    if not found:
        return
    count = sum(len(c.failures) for c in found)
    yield ""
    yield f"### {escape(results.target.name)}: {count} failures of {len(found)} causes"
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
