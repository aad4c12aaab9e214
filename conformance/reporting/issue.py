"""A draft of an issue for the maintainers of an implementation, made of one failure in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conformance.reporting.failures import place_text
from conformance.reporting.listing import ListedFailure
from conformance.reporting.markdown_text import code, escape, fenced, span
from conformance.reporting.safe_text import clean
from conformance.results import AspectResult, Failure, Results

LONGEST_TITLE = 110
"""In characters; GitHub cuts the titles of a list of issues near this length."""


class DraftedFailure(NamedTuple):
    """A failure, with the run that shows it."""

    run: Results
    entry: ListedFailure
    failure: Failure


def title(drafted: DraftedFailure) -> str:
    """The target and the symptom on one line."""
    text = f"{clean(drafted.run.target.name)}: {_without_citation(drafted)}"
    return text if len(text) <= LONGEST_TITLE else text[: LONGEST_TITLE - 1].rstrip() + "…"


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


def _statement(drafted: DraftedFailure, quote: str | None) -> Iterator[str]:
    result, parted, expected = _without_citation(drafted).rpartition("; expected ")
    yield f"**Result:** {span(result if parted else expected)}"
    if parted:
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
    yield "The script needs no test suite. It ends with status 0 only if the answer is right."
    yield ""
    body = drafted.failure.script or ""
    yield from fenced("\n".join(line for line in body.split("\n") if not line.startswith("#")))


def _versions(run: Results) -> Iterator[str]:
    versions = {"Python": run.target.python, **run.target.versions}
    yield from (f"* {escape(name)} {code(version)}" for name, version in versions.items())
    if isinstance(run.run.machine, str):
        yield f"* {escape(run.run.machine)}"
    yield f"* found by keras-backend-conformance {code(run.run.suite_version)}"


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
