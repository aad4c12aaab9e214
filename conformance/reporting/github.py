"""GitHub's workflow commands: printed by a job, they become annotations of its run.

GitHub shows ten of each level for a step, so failures of one cause share an annotation and the last
one says how many are left. A change is a notice, after those with the scores. In a run with known
failures only unexpected failures have an annotation, and each stale entry, at its line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from conformance.reporting.causes import Cause, causes, is_one_cause, named, shared
from conformance.reporting.failures import place_text
from conformance.reporting.judgement import GateJudgement, StaleEntry
from conformance.reporting.listing import listed_failures, suite_failures
from conformance.reporting.markdown_text import code, escape, fenced
from conformance.reporting.marks import MARKS, READING
from conformance.reporting.safe_text import clean, counted
from conformance.reporting.summary import shown_counts
from conformance.results import Results, Verdict
from conformance.results.scores import (
    CHANGES,
    DEVIATIONS,
    FAULTS,
    count_diverging,
    count_standings,
    score,
)

MOST_ANNOTATIONS = 10
"""Annotations of one level that GitHub shows for a step."""
MOST_STALE = 4
"""The most of these that are about stale entries."""


def render_annotations(results: Iterable[Results], judgement: GateJudgement | None = None) -> bytes:
    """The commands, a line each; with known failures those of unexpected and stale ones."""
    targets = list(results)
    stale = _stale_entries(judgement.stale) if judgement else []
    broken = [(target, cause) for target in targets for cause in _broken(target, judgement)]
    errors = _annotations("error", broken, MOST_ANNOTATIONS - len(stale), judgement)
    notices = [_notice(target) for target in targets][:MOST_ANNOTATIONS]
    changed = [] if judgement else [(target, c) for target in targets for c in _changed(target)]
    notices += _annotations("notice", changed, MOST_ANNOTATIONS - len(notices))
    return "".join(f"{line}\n" for line in (*errors, *stale, *notices)).encode()


def _annotations(
    level: str,
    broken: Sequence[tuple[Results, Cause]],
    room: int,
    judgement: GateJudgement | None = None,
) -> list[str]:
    """One for each cause, at most `room`; the last of too many says how many are left."""
    lines = [_annotation(level, target, cause, judgement) for target, cause in broken]
    if len(lines) <= room or not room:
        return lines[:room]
    left = broken[room - 1 :]
    names = named(f for _, cause in left for f in cause.failures)
    more = _command(level, _MORE[level], f"{len(left)} more causes, in {names}")
    return [*lines[: room - 1], more]


_MORE = {"error": "more failures", "notice": "more changes"}


def _broken(results: Results, judgement: GateJudgement | None) -> list[Cause]:
    erring = suite_failures(results.functions)
    if judgement is not None:
        return causes([*judgement.unexpected(results), *erring])
    return causes([*listed_failures(results.functions, *FAULTS), *erring])


def _changed(results: Results) -> list[Cause]:
    return causes(listed_failures(results.functions, *CHANGES))


def _stale_entries(stale: Sequence[StaleEntry]) -> list[str]:
    """An annotation for each, in which the last says how many are left."""
    shown = list(stale) if len(stale) <= MOST_STALE else list(stale[: MOST_STALE - 1])
    lines = [_stale_entry(entry, entry.says) for entry in shown]
    if left := stale[len(shown) :]:
        names = "; ".join(entry.entry for entry in left)
        lines.append(_stale_entry(left[0], f"{len(left)} more entries are stale: {names}"))
    return lines


def _stale_entry(stale: StaleEntry, says: str) -> str:
    return _command("error", f"stale: {stale.entry}", says, file=stale.file, line=str(stale.line))


def _annotation(level: str, results: Results, cause: Cause, judgement: GateJudgement | None) -> str:
    concerned = cause.functions
    singular, several = _DOES.get(cause.verdict, _LOST)
    does = singular if len(concerned) == 1 else several
    title = f"{shared(concerned, 3)} {does} on {results.target.name}"
    left = cause.failures[1:]
    others = (
        f". {counted(len(left), 'more failure')} with this cause: {named(left)}" if left else ""
    )
    first = cause.failures[0].failure
    place = place_text(first, 1) if first is not None else ""
    place = f". It is {place}" if place.startswith("raised") else f". {place}" if place else ""
    again = f". Run it again: conformance replay {first.id}" if first is not None else ""
    again += f" --target {results.target.name}" if again else ""
    return _command(
        level,
        title,
        clean(cause.failures[0].message) + _was(results, cause, judgement) + place + others + again,
    )


def _was(results: Results, cause: Cause, judgement: GateJudgement | None) -> str:
    """The earlier verdict of a regression."""
    function, aspect, _ = cause.failures[0]
    was = judgement.of(results.target.name, function, aspect).was if judgement else None
    return f". It was: {was}" if was else ""


_DOES: Mapping[Verdict, tuple[str, str]] = {
    Verdict.VIOLATES: ("contradicts a document", "contradict a document"),
    Verdict.CRASHED: ("ends the process", "end the process"),
    Verdict.TIMED_OUT: ("gives no answer in time", "give no answer in time"),
    Verdict.CHANGED: ("differs from K", "differ from K"),
    Verdict.DIVERGES: ("takes another allowed reading", "take another allowed reading"),
    Verdict.UNSUPPORTED: ("is unsupported", "are unsupported"),
    Verdict.ERROR: (
        "has no verdict because the suite failed",
        "have no verdict because the suite failed",
    ),
}
"""The verb for one function, and for several."""
_LOST = ("was not run", "were not run")
"""The same, for results of a baseline that this run lacks."""
_COUNTED: Mapping[Verdict, str] = {
    Verdict.VIOLATES: "contradict a document",
    Verdict.CRASHED: "end the process",
    Verdict.TIMED_OUT: "give no answer in time",
    Verdict.CHANGED: "differ from K",
    Verdict.UNSUPPORTED: "are missing",
    Verdict.NOT_RUN: "were not run",
    Verdict.ERROR: "have no verdict because the suite failed",
    Verdict.DIVERGES: "take another allowed reading",
}
"""The words for a number of aspects."""


def _notice(results: Results) -> str:
    points = score(results.functions)
    parts = [f"{points.keeping} of {points.demanded} aspects"]
    parts += [f"{count} {_COUNTED[verdict]}" for verdict, count in shown_counts(results.functions)]
    title = f"{points.percent} of the aspects of {results.target.name} follow the documents"
    return _command("notice", title, "; ".join(parts))


def _command(level: str, title: str, message: str, **place: str) -> str:
    properties = {**place, "title": title}
    fields = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {fields}::{_data(message)}"


def _data(text: str) -> str:
    """Text that cannot end its command or begin another."""
    return clean(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


MOST_CAUSES = 12
"""Causes of one target that are listed."""
LARGEST = 900_000
"""Bytes; GitHub refuses a job's summary from 1 MiB on."""

_COLUMNS = (*FAULTS, Verdict.UNSUPPORTED)
_RARE = (*CHANGES, Verdict.NOT_RUN, Verdict.ERROR)
"""Verdicts that have a column only where they occur."""


def render_summary(results: Iterable[Results]) -> bytes:
    """The page."""
    targets = list(results)
    lines = ["## Keras backend API conformance", "", *_scores(targets)]
    for target in targets:
        lines += _failures(target)
    page = "\n".join(lines).rstrip().encode("utf-8", "backslashreplace") + b"\n"
    if len(page) <= LARGEST:
        return page
    short = "\n".join(lines[: 4 + len(targets)])
    return f"{short}\n\nThe failures do not fit here; the report has them.\n".encode()


def _scores(targets: Sequence[Results]) -> Iterator[str]:
    counts = [count_standings(target.functions) for target in targets]
    occurring = (v for v in _RARE if any(count[v] for count in counts))
    columns = (*_COLUMNS, *occurring)
    heads = ["follows the documents", "missing", *(f"{MARKS[v].symbol} {v}" for v in columns)]
    heads.append(f"{READING.symbol} other readings")
    yield f"| target | {' | '.join(heads)} |"
    yield f"| --- |{' ---: |' * len(heads)}"
    yield from (_score(target, columns) for target in targets)


def _score(target: Results, columns: Sequence[Verdict]) -> str:
    points, counts = score(target.functions), count_standings(target.functions)
    part = "" if target.run.whole else " (a part)"
    cells = [
        code(target.target.name),
        f"**{points.percent}** of {points.demanded}{part}",
        points.percent_missing,
        *(str(counts[v]) for v in columns),
        str(count_diverging(target.functions)),
    ]
    return f"| {' | '.join(cells)} |"


def _failures(results: Results) -> Iterator[str]:
    erring = suite_failures(results.functions)
    grouped = causes([*listed_failures(results.functions, *DEVIATIONS), *erring])
    if not grouped:
        return
    count = sum(len(c.failures) for c in grouped)
    what = "failures" if any(c.verdict in FAULTS for c in grouped) else "changes"
    yield ""
    yield f"### {escape(results.target.name)}: {count} {what} of {len(grouped)} causes"
    yield ""
    for cause in grouped[:MOST_CAUSES]:
        yield from _cause(cause)
    if len(grouped) > MOST_CAUSES:
        names = named(f for cause in grouped[MOST_CAUSES:] for f in cause.failures)
        yield f"* and {len(grouped) - MOST_CAUSES} more causes, in {escape(names)}"


def _cause(cause: Cause) -> Iterator[str]:
    first = cause.failures[0]
    count, symbol = len(cause.failures), MARKS[cause.verdict].symbol
    names = escape(named(cause.failures))
    if count > 1 and is_one_cause(first):
        yield f"* {symbol} {count} failures, {escape(cause.title)}: **{names}**. The first:"
        yield f"  {escape(first.message)}"
    else:
        yield f"* {symbol} **{names}**: {escape(first.message)}"
    if first.failure is not None and first.failure.script:
        block = ["<details><summary>script</summary>", "", *fenced(first.failure.script)]
        yield ""
        yield from (f"  {line}".rstrip() for line in (*block, "", "</details>"))
        yield ""
