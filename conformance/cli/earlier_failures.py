"""Failures that only cases kept from earlier runs show: listed, and decisive only on request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import click

from conformance.cli import known_failures
from conformance.cli.gate import MOST, Gate
from conformance.cli.known_failures import JudgedCell
from conformance.reporting.counting import counted as in_words
from conformance.reporting.safe_text import clean
from conformance.results import Results


def holds_earlier(results: Iterable[Results], checked: Gate, *, counted: bool) -> bool:
    """Whether a run passes as far as these failures go; lists them on stderr.

    They decide nothing unless `counted` is set (`--fail-on-kept`). Then `--fail-on` and the known
    failures judge them as they judge the failures of the run.
    """
    shown = [cell for one in results for cell in _cells(one)]
    bad = known_failures.failing(shown, checked.worse) if counted else []
    unexpected = known_failures.uncovered(bad, checked.known)
    if shown:
        click.echo(_head(len(shown), len(unexpected), counted=counted), err=True)
    _list("unexpected", unexpected)
    _list("kept", [cell for cell in shown if cell not in unexpected])
    return not unexpected


def _cells(results: Results) -> list[JudgedCell]:
    """A cell for each of these failures, with its verdict."""
    listed = (f for function in results.functions for f in function.aspects)
    pairs = zip(known_failures.cells([results]), listed, strict=True)
    return [
        replace(cell, failures=[failure], verdict=failure.verdict)
        for cell, aspect in pairs
        for failure in aspect.earlier_failures
    ]


def _head(count: int, failing: int, *, counted: bool) -> str:
    shown = f"only cases kept from earlier runs show {in_words(count, 'failure')}"
    if counted:
        return f"{shown}; {failing} unexpected (--fail-on-kept)"
    return (
        f"{shown}; verdicts, score and exit status are those of this run's own cases "
        "(--fail-on-kept counts these failures, --no-database tries no kept case)"
    )


def _list(word: str, cells: Sequence[JudgedCell]) -> None:
    for cell in cells[:MOST]:
        (failure,) = cell.failures
        which = f"{cell.function} {cell.aspect} {cell.verdict} on {cell.target}"
        click.echo(clean(f"{word}: {which}: {failure.id}: {failure.message}"), err=True)
    if len(cells) > MOST:
        click.echo(f"{word}: and {len(cells) - MOST} more", err=True)
