"""A run in which nothing conforms: no gate may take it for a success."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import click
from msgspec import UNSET

from conformance.cli import known_failures
from conformance.cli.known_failures import KnownFailure
from conformance.reporting.safe_text import clean
from conformance.results import Aspect, Results, Verdict

_OFFERED = (Aspect.PRESENCE, Aspect.SIGNATURE)
"""What conforms before a function is called once."""
_ANSWERED = (Verdict.CONFORMS, Verdict.DIVERGES)
"""The verdicts on an answer that contradicts no document."""


def something_conforms(results: Iterable[Results], known: Sequence[KnownFailure] = ()) -> bool:
    """Whether something conforms on each target; says of which targets nothing does.

    Of a shard it is only said: a small implementation may have no function in it.
    """
    bare = [one for one in results if is_empty(one, known)]
    for one in bare:
        click.echo(clean(_told(one)), err=True)
        hint = "is it the right module, and are its names those of the edition? `names` maps them"
        click.echo(f"hint: {hint}", err=True)
    return all(one.run.shard is not UNSET for one in bare)


def is_empty(results: Results, known: Sequence[KnownFailure] = ()) -> bool:
    """Whether no aspect beyond presence and signature conforms, diverges or is a known failure.

    If these two alone were asked for, they count.
    """
    cells = known_failures.cells([results])
    called = [cell for cell in cells if cell.aspect not in _OFFERED]
    return not any(
        cell.verdict in _ANSWERED or any(entry.covers(cell) for entry in known)
        for cell in called or cells
    )


def _told(results: Results) -> str:
    aspects = [aspect.verdict for function in results.functions for aspect in function.aspects]
    counts = Counter(aspects)
    listed = ", ".join(f"{counts[v]} {v}" for v in reversed(Verdict) if counts[v])
    said = "error: nothing conforms on" if results.run.shard is UNSET else "nothing conforms on"
    place = "" if results.run.shard is UNSET else f" in shard {results.run.shard}"
    return f"{said} {results.target.name}{place}: of {len(aspects)} aspects {listed or 'none ran'}"
