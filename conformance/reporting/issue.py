"""A draft of an issue for the maintainers of an implementation, made of one failure in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conformance.reporting.failures import place_text
from conformance.reporting.listing import ListedFailure
from conformance.reporting.markdown_text import code, escape, fenced, span
from conformance.reporting.safe_text import clean, shortened
from conformance.results import Aspect, AspectResult, Failure, Results

LONGEST_TITLE = 110
"""In characters; GitHub cuts the titles of a list of issues near this length."""
LEAST_CALL = 24
"""In characters; the title has no call if less than this is left of it."""
LONGEST_DIFFERENCE = 200
"""In characters, for a title without a call; GitHub accepts no title of more than 256."""
_OF_RESULTS = (Aspect.VALUE, Aspect.DTYPE, Aspect.GRADIENT, Aspect.STATIC_SHAPE)
"""Aspects that name a property of the result."""
_ANSWER = re.compile(r"^(gives|reports|has the(?= static shape)) ")
"""The verbs of messages whose answer stands beside the expected one."""
_SOURCE = re.compile(r" \((docstring: [^()]*|[a-z]+(-[a-z]+)*)\)$")
"""A docstring or a convention at the end of a message."""
_VERB = re.compile(
    r" (gives|reports|raises|returns|has|is|accepts|changes|ends|lacks|prints|takes|keeps|does)\b"
)
_CONVENTION = re.compile(r"^by convention \([^()]*\): ")
_ACCEPTS_REFUSAL = re.compile(
    r"^except Exception:\n    raise SystemExit\(0\)\n(?!raise AssertionError)", re.MULTILINE
)
"""The end of a `try` in scripts that accept an exception of the call, and do not demand it."""


class DraftedFailure(NamedTuple):
    """A failure, with the run that shows it."""

    run: Results
    entry: ListedFailure
    failure: Failure


def title(drafted: DraftedFailure) -> str:
    """The function, the aspect, the symptom and the call on one line; a long call is cut."""
    function = clean(drafted.entry.function)
    result, expected = _statement_parts(drafted)
    call, symptom = _call_and_symptom(result)
    wish = _CONVENTION.sub("", _SOURCE.sub("", expected))
    text = f"{function}: {_difference(drafted.entry.aspect.aspect, symptom, wish)}"
    room = LONGEST_TITLE - len(text) - len(": ")
    if call in ("", function) or room < LEAST_CALL:
        return shortened(text, LONGEST_DIFFERENCE)
    return f"{text}: {shortened(call.replace(function, function.rpartition('.')[2], 1), room)}"


def _difference(aspect: Aspect, symptom: str, expected: str) -> str:
    """`dtype float32 instead of int32`, or `error: returns; expected an exception`."""
    answer = _ANSWER.sub("", symptom)
    if answer == symptom or not expected:
        return f"{aspect}: {symptom}" + (f"; expected {expected}" if expected else "")
    if not answer.startswith(("shape ", str(aspect))):
        answer = f"{aspect}{' ' if aspect in _OF_RESULTS else ': '}{answer}"
    return f"{answer} instead of {expected}"


def _call_and_symptom(result: str) -> tuple[str, str]:
    """The call of a message, and its symptom, which begins with the first verb outside brackets."""
    depth = 0
    for place, character in enumerate(result):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and (match := _VERB.match(result, place)):
            return result[:place], result[match.start(1) :]
    return "", result


def draft(drafted: DraftedFailure, runs: Sequence[Results], quote: str | None = None) -> str:
    """The issue: title, result and expectation, script, versions, and the answers of other targets.

    `runs` are all available results, and `quote` is the cited line of the document.
    """
    lines = [f"# {span(title(drafted))}", ""]
    lines += _statement(drafted, quote)
    if drafted.failure.script:
        lines += ["", "## Script", "", *_script(drafted)]
    lines += ["", "## Versions", "", *_versions(drafted.run)]
    others = [run for run in runs if run.target.name != drafted.run.target.name]
    rows = list(_other_targets(drafted, others))
    if rows:
        lines += ["", "## Other targets", "", "| target | verdict |", "|---|---|", *rows]
    return "\n".join(lines) + "\n"


def _without_citation(drafted: DraftedFailure) -> str:
    """The message without the citation at its end."""
    message = clean(drafted.failure.message)
    for place in (drafted.failure.citation, drafted.failure.replacement):
        message = message.removesuffix(f" ({place})") if place else message
    return message


def _statement_parts(drafted: DraftedFailure) -> tuple[str, str]:
    """The result and the expectation in the message; the expectation is empty if it has none."""
    result, parted, expected = _without_citation(drafted).rpartition("; expected ")
    return (result, expected) if parted else (expected, "")


def _statement(drafted: DraftedFailure, quote: str | None) -> Iterator[str]:
    result, expected = _statement_parts(drafted)
    yield f"**Result:** {span(result)}"
    if expected:
        yield ""
        yield f"**Expected:** {span(expected)}"
    failure = drafted.failure
    if failure.citation is not None:
        yield ""
        quoted = f": {span(quote.strip())}" if quote else ""
        yield f"**Source:** {escape(str(failure.citation))}{quoted}"
    if isinstance(failure.place, str):
        yield from ("", f"**Place:** {span(clean(failure.place))}")
    elif text := place_text(failure):
        label, _, lines = text.partition(": ")
        yield from ("", f"**{label.capitalize()}:** {span(lines)}")
    if failure.convention:
        yield ""
        convention = code(failure.convention)
        yield f"No document settles this. The suite follows its convention {convention}."
    if failure.output:
        yield from ("", "Output of the implementation:", "", *fenced(failure.output, "text"))


def _script(drafted: DraftedFailure) -> Iterator[str]:
    body = drafted.failure.script or ""
    right = "if the answer is right or the call is refused"
    status = right if _ACCEPTS_REFUSAL.search(body) else "only if the answer is right"
    yield f"The script needs no test suite. It ends with status 0 {status}."
    yield ""
    yield from fenced("\n".join(line for line in body.split("\n") if not line.startswith("#")))


def _versions(run: Results) -> Iterator[str]:
    versions = {"Python": run.target.python, **run.target.versions}
    yield from (f"* {escape(name)} {code(version)}" for name, version in versions.items())
    if isinstance(run.run.machine, str):
        yield f"* {escape(run.run.machine)}"
    suite = f"keras-backend-conformance {code(run.run.suite_version)}"
    yield f"* found by {suite}, target {code(run.target.name)}"


def _other_targets(drafted: DraftedFailure, runs: Sequence[Results]) -> Iterator[str]:
    """For each other target of the edition a row with its verdict on the same aspect."""
    for run in runs:
        aspect = _aspect(drafted, run) if run.target.edition == drafted.run.target.edition else None
        if aspect is not None:
            alike = any(f.id == drafted.failure.id for f in aspect.failures)
            verdict = "the same failure" if alike else str(aspect.verdict)
            yield f"| {code(run.target.name)} | {verdict} |"


def _aspect(drafted: DraftedFailure, run: Results) -> AspectResult | None:
    """The aspect of the drafted failure in another run."""
    aspects = (a for f in run.functions if f.function == drafted.entry.function for a in f.aspects)
    return next((a for a in aspects if a.aspect is drafted.entry.aspect.aspect), None)
