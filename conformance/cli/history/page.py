"""`history.md` in the folder of a history: the regressions and fixes of each release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from conformance.files import write_atomically
from conformance.history import CellChange, PastRun, changes
from conformance.history.spans import State, counts
from conformance.reporting.markdown_text import code, escape, joined

PAGE = "history.md"
_MOST = 40
"""Changes of one kind that the page lists for a release."""


def write_page(folder: Path, stored: Mapping[str, Sequence[PastRun]]) -> None:
    """Write the page.

    Raises:
        OSError: the folder cannot be written.
    """
    write_atomically(folder / PAGE, joined(_lines(stored)).encode())


def _lines(stored: Mapping[str, Sequence[PastRun]]) -> Iterator[str]:
    yield "# History"
    yield ""
    yield "`conformance history` writes this page. docs/history.md explains the states."
    for target, runs in stored.items():
        cell_changes = changes(runs)
        yield ""
        yield f"## {escape(target)}"
        yield ""
        yield from _table(runs, cell_changes)
        for past in runs:
            yield from _release(past, [c for c in cell_changes if c.version == past.version])


def _table(runs: Sequence[PastRun], cell_changes: Sequence[CellChange]) -> Iterator[str]:
    """A row for each release: cells by state, regressions and fixes."""
    yield f"| release | {' | '.join(State)} | regressions | fixes |"
    yield "|---|" + "---:|" * (len(State) + 2)
    for past in runs:
        name = f"{past.package} {past.version}"
        if past.problem:
            yield f"| {escape(name)} | cannot run: {escape(past.problem)} |"
            continue
        own = [change for change in cell_changes if change.version == past.version]
        fixed = sum(change.fixed for change in own)
        states = counts(past)
        cells = [*(states.get(state, 0) for state in State), len(own) - fixed, fixed]
        yield f"| {escape(name)} | {' | '.join(map(str, cells))} |"


def _release(past: PastRun, own: Sequence[CellChange]) -> Iterator[str]:
    if not own:
        return
    yield ""
    yield "### " + escape(f"{past.target.name}: {past.package} {past.version}")
    for title, part in (
        ("Regressions", [change for change in own if not change.fixed]),
        ("Fixes", [change for change in own if change.fixed]),
    ):
        if part:
            yield ""
            yield f"{title}:"
            yield ""
            yield from (_item(change) for change in part[:_MOST])
            if len(part) > _MOST:
                yield f"* {len(part) - _MOST} more"


def _item(change: CellChange) -> str:
    cell = f"* {code(change.function)} {change.aspect}"
    if change.failure is None:
        return cell
    return f"{cell}, {change.failure.id}: {escape(change.failure.message)}"
