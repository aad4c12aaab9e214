"""`conformance issue ID`: a draft for the maintainers of an implementation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from conformance.cli.errors import UsageProblem
from conformance.cli.files.documents import known_texts
from conformance.cli.files.outputs import STRANGERS, write_file
from conformance.cli.files.results import DEFAULT_FOLDER, LAST_FOLDER, default_places, in_folders
from conformance.cli.options.values import IssueOptions
from conformance.cli.show.show import read_places
from conformance.near_names import did_you_mean
from conformance.reporting.issue import DraftedFailure, draft
from conformance.reporting.listing import ListedFailure
from conformance.reporting.marks import GRAVEST_FIRST
from conformance.reporting.safe_text import clean
from conformance.results import Results, Verdict

BLAMELESS = {
    Verdict.DIVERGES: "no document settles this: the answer takes a reading that the suite allows",
    Verdict.CHANGED: "this is a change between K and Keras 3, which nothing forbids",
    Verdict.UNSUPPORTED: "the implementation refuses this call, which it may",
    Verdict.NOT_APPLICABLE: "this aspect does not apply to the target",
}
"""Verdicts that are not faults, and the warning for a draft about one."""


def draft_issue(options: IssueOptions) -> None:
    """Print or write the draft.

    Raises:
        UsageProblem: no failure has the id, several have, or the target does not show it.
    """
    runs = _results(options.places)
    drafted = _chosen([*_failures(runs)], options)
    citation = drafted.failure.citation
    quote = None
    if citation is not None and isinstance(citation.line, int):
        quote = known_texts(options.documents).line(citation.document, citation.line)
    text = draft(drafted, runs, quote)
    if options.output is None:
        click.echo(text, nl=False)
    else:
        write_file(options.output, text.encode("utf-8", "replace"))
    if reason := BLAMELESS.get(drafted.entry.verdict):
        click.echo(f"note: {reason}", err=True)
    click.echo(STRANGERS, err=True)


def _results(places: Sequence[Path]) -> list[Results]:
    """The newest results of each target, in `reports` and its folders by default."""
    others = () if places else in_folders().values()
    return [*read_places(places), *(run for files in others for run in read_places(files))]


def _places_text(places: Sequence[Path]) -> str:
    """The files and folders that were read, in words."""
    folders = places or [*default_places(), *in_folders()]
    default = f"{DEFAULT_FOLDER} and {LAST_FOLDER}, which have no results here"
    return clean(", ".join(map(str, folders))) if folders else default


def _where_to_look(places: Sequence[Path]) -> str:
    ids = "`conformance show FUNCTION` prints the id of each failure"
    return ids if places else f"name the folder of your results with --results DIR; {ids}"


def _failures(runs: Sequence[Results]) -> Iterator[DraftedFailure]:
    for run in runs:
        for function in run.functions:
            for aspect in function.aspects:
                for failure in (*aspect.failures, *aspect.earlier_failures):
                    entry = ListedFailure(function.function, aspect, failure)
                    yield DraftedFailure(run, entry, failure)


def _chosen(failures: Sequence[DraftedFailure], options: IssueOptions) -> DraftedFailure:
    """The failure with the id, on the requested target or where it is gravest."""
    alike = [f for f in failures if f.failure.id.startswith(options.identity)]
    ids = sorted({f.failure.id for f in alike})
    if not alike:
        known = sorted({f.failure.id for f in failures})
        raise UsageProblem(
            f"no failure {clean(options.identity)!r} in {_places_text(options.places)}",
            did_you_mean(options.identity, known) or _where_to_look(options.places),
        )
    if len(ids) > 1:
        some = ", ".join(map(clean, ids[:8]))
        raise UsageProblem(f"{len(ids)} failures begin with {clean(options.identity)!r}", some)
    targets = list(dict.fromkeys(f.run.target.name for f in alike))
    if options.target not in (None, *targets):
        there = ", ".join(map(clean, targets))
        raise UsageProblem(
            f"target {clean(options.target or '')!r} has no failure {ids[0]}", f"it is on {there}"
        )
    shown = [f for f in alike if options.target in (None, f.run.target.name)]
    return min(shown, key=lambda f: GRAVEST_FIRST.index(f.entry.verdict))
