"""GitHub's workflow commands: printed by a job, they become annotations of its run.

GitHub shows ten of each level for a step, so failures of one cause share an annotation and the last
one says how many are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from conformance.reporting.causes import Cause, causes, named, shared
from conformance.reporting.listing import listed_failures
from conformance.reporting.safe_text import clean
from conformance.reporting.summary import told_counts
from conformance.results import Results, Verdict
from conformance.results.scores import FAULTS, score

MOST = 10
"""Annotations of one level that GitHub shows for a step."""


def render(results: Iterable[Results]) -> bytes:
    """The commands, a line each."""
    listed = list(results)
    found = [(one, cause) for one in listed for cause in _broken(one)]
    errors = [_error(one, cause) for one, cause in found]
    if len(errors) > MOST:
        left = found[MOST - 1 :]
        names = named(f for _, cause in left for f in cause.failures)
        more = _command("error", "more failures", f"{len(left)} more causes, in {names}")
        errors = [*errors[: MOST - 1], more]
    notices = [_notice(one) for one in listed][:MOST]
    return "".join(f"{line}\n" for line in (*errors, *notices)).encode()


def _broken(results: Results) -> list[Cause]:
    return causes(listed_failures(results.functions, *FAULTS))


def _error(results: Results, cause: Cause) -> str:
    concerned = cause.functions
    one, several = _DOES[cause.verdict]
    does = one if len(concerned) == 1 else several
    title = f"{shared(concerned, 3)} {does} on {results.target.name}"
    left = cause.failures[1:]
    others = f". {len(left)} more are like it: {named(left)}" if left else ""
    first = cause.failures[0].failure
    again = f". To run it again: conformance replay {first.id}" if first is not None else ""
    return _command("error", title, clean(cause.failures[0].message) + others + again)


_DOES: Mapping[Verdict, tuple[str, str]] = {
    Verdict.VIOLATES: ("does not do what the documents say", "do not do what the documents say"),
    Verdict.CRASHED: ("ends the process", "end the process"),
    Verdict.TIMED_OUT: ("gives no answer in time", "give no answer in time"),
}
"""What one function does, and what several do."""
_COUNTED: Mapping[Verdict, str] = {
    Verdict.VIOLATES: "contradict a document",
    Verdict.CRASHED: "end the process",
    Verdict.TIMED_OUT: "give no answer in time",
    Verdict.UNSUPPORTED: "are missing",
    Verdict.NOT_RUN: "were not run",
    Verdict.DIVERGES: "have another answer that is allowed, too",
}
"""What so many aspects do."""


def _notice(results: Results) -> str:
    points = score(results.functions)
    parts = [f"{points.kept} of {points.demanded} aspects are as the documents say"]
    parts += [f"{count} {_COUNTED[verdict]}" for verdict, count in told_counts(results.functions)]
    title = f"{results.target.name} keeps {points.percent} of what the documents demand"
    return _command("notice", title, "; ".join(parts))


def _command(level: str, title: str, message: str) -> str:
    return f"::{level} title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    """Text that cannot end its command or begin another."""
    return clean(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
