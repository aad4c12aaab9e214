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
_SETTINGS = ("configuration", "session")
"""The themes of functions that compute nothing: no module starts without some of them."""
_CONFORMS = Verdict.CONFORMS
_ANSWERED = (_CONFORMS, Verdict.DIVERGES)
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
    """Whether no answer of a function that computes conforms, diverges or is a known failure.

    Presence, signature and the settings count where nothing else was asked for. Where the suite
    itself failed in all functions, nothing is known.
    """
    settings = {f.function for f in results.functions if f.theme in _SETTINGS}
    cells = [c for c in known_failures.cells([results]) if c.verdict is not Verdict.ERROR]
    called = [c for c in cells if c.aspect not in _OFFERED and c.function not in settings]
    return bool(cells) and not any(
        cell.verdict in _ANSWERED or any(entry.covers(cell) for entry in known)
        for cell in called or cells
    )


def _told(results: Results) -> str:
    verdicts = [aspect.verdict for function in results.functions for aspect in function.aspects]
    counts = Counter(verdicts)
    besides = (
        f" but names, signatures or settings ({counts[_CONFORMS]})" if counts[_CONFORMS] else ""
    )
    rest = ", ".join(f"{counts[v]} {v}" for v in reversed(Verdict) if counts[v] and v != _CONFORMS)
    level, part = "error: ", ""
    if isinstance(results.run.shard, str):
        level, part = "", f" in shard {results.run.shard}"
    return (
        f"{level}{results.target.name}: nothing conforms{besides}{part}; "
        f"of {len(verdicts)} aspects {rest or 'none was run'}"
    )
