"""GitHub's workflow commands: printed by a job, they become annotations of its run.

GitHub shows ten of each level for a step, so failures of one cause share an annotation and the last
one says how many are left. A change is a notice, after those with the scores. Of a run with known
failures only what is unexpected has an annotation, and each stale entry, at its line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from conformance.reporting.causes import Cause, causes, named, shared
from conformance.reporting.judgement import Judgement, StaleEntry
from conformance.reporting.listing import listed_failures, suite_failures
from conformance.reporting.safe_text import clean
from conformance.reporting.summary import told_counts
from conformance.results import Results, Verdict
from conformance.results.scores import CHANGES, FAULTS, score

MOST = 10
"""Annotations of one level that GitHub shows for a step."""
MOST_STALE = 4
"""Of these, the most that are about stale entries."""


def render(results: Iterable[Results], judgement: Judgement | None = None) -> bytes:
    """The commands, a line each; with known failures of what is unexpected and what is stale."""
    listed = list(results)
    stale = _stale_entries(judgement.stale) if judgement else []
    broken = [(one, cause) for one in listed for cause in _broken(one, judgement)]
    errors = _annotations("error", broken, MOST - len(stale), judgement)
    notices = [_notice(one) for one in listed][:MOST]
    changed = [] if judgement else [(one, c) for one in listed for c in _changed(one)]
    notices += _annotations("notice", changed, MOST - len(notices))
    return "".join(f"{line}\n" for line in (*errors, *stale, *notices)).encode()


def _annotations(
    level: str,
    found: Sequence[tuple[Results, Cause]],
    room: int,
    judgement: Judgement | None = None,
) -> list[str]:
    """One for each cause, at most `room`; the last of too many says how many are left."""
    lines = [_annotation(level, one, cause, judgement) for one, cause in found]
    if len(lines) <= room or not room:
        return lines[:room]
    left = found[room - 1 :]
    names = named(f for _, cause in left for f in cause.failures)
    more = _command(level, _MORE[level], f"{len(left)} more causes, in {names}")
    return [*lines[: room - 1], more]


_MORE = {"error": "more failures", "notice": "more changes"}


def _broken(results: Results, judgement: Judgement | None) -> list[Cause]:
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


def _annotation(level: str, results: Results, cause: Cause, judgement: Judgement | None) -> str:
    concerned = cause.functions
    one, several = _DOES.get(cause.verdict, _LOST)
    does = one if len(concerned) == 1 else several
    title = f"{shared(concerned, 3)} {does} on {results.target.name}"
    left = cause.failures[1:]
    others = f". {len(left)} more are like it: {named(left)}" if left else ""
    first = cause.failures[0].failure
    again = f". To run it again: conformance replay {first.id}" if first is not None else ""
    return _command(
        level,
        title,
        clean(cause.failures[0].message) + _was(results, cause, judgement) + others + again,
    )


def _was(results: Results, cause: Cause, judgement: Judgement | None) -> str:
    """Of a regression what it was."""
    function, aspect, _ = cause.failures[0]
    was = judgement.of(results.target.name, function, aspect).was if judgement else None
    return f". It was: {was}" if was else ""


_DOES: Mapping[Verdict, tuple[str, str]] = {
    Verdict.VIOLATES: ("does not do what the documents say", "do not do what the documents say"),
    Verdict.CRASHED: ("ends the process", "end the process"),
    Verdict.TIMED_OUT: ("gives no answer in time", "give no answer in time"),
    Verdict.CHANGED: ("does not do what it did", "do not do what they did"),
    Verdict.DIVERGES: ("has another answer that is allowed", "have another answer that is allowed"),
    Verdict.UNSUPPORTED: ("is not offered in full", "are not offered in full"),
    Verdict.ERROR: ("was not judged for an error of the suite",) * 2,
}
"""What one function does, and what several do."""
_LOST = ("was not looked at any more", "were not looked at any more")
"""The same, where a baseline has what this run does not."""
_COUNTED: Mapping[Verdict, str] = {
    Verdict.VIOLATES: "contradict a document",
    Verdict.CRASHED: "end the process",
    Verdict.TIMED_OUT: "give no answer in time",
    Verdict.CHANGED: "are changed in the API that replaces the documented one",
    Verdict.UNSUPPORTED: "are missing",
    Verdict.NOT_RUN: "were not run",
    Verdict.ERROR: "were not judged for an error of the suite",
    Verdict.DIVERGES: "have another answer that is allowed, too",
}
"""What so many aspects do."""


def _notice(results: Results) -> str:
    points = score(results.functions)
    parts = [f"{points.kept} of {points.demanded} aspects are as the documents say"]
    parts += [f"{count} {_COUNTED[verdict]}" for verdict, count in told_counts(results.functions)]
    title = f"{results.target.name} keeps {points.percent} of what the documents demand"
    return _command("notice", title, "; ".join(parts))


def _command(level: str, title: str, message: str, **place: str) -> str:
    properties = {**place, "title": title}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {listed}::{_data(message)}"


def _data(text: str) -> str:
    """Text that cannot end its command or begin another."""
    return clean(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
