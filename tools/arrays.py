"""Store the covering arrays of the profiles `default` and `smoke`, which plans are made of.

    python -m tools.arrays

To be run after every change of a spec, of the generators or of programs: the arrays that are stored
are not used any more then, and every run looks for its own. It takes a few minutes, and prints the
table of docs/plan.md: how many pairs, triples and effects exist in each theme, and are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import click

from conformance.editions import EDITIONS, Edition
from conformance.engine import PROFILES, Task, plan
from conformance.generators.coverage.effort import STORED
from conformance.generators.coverage.rows import covering_array
from conformance.generators.coverage.stored import FOLDER, StoredArray, encoded, file_name
from conformance.generators.coverage.table import table
from conformance.specs import load


class Found(NamedTuple):
    """The arrays of a function, and what they show of all pairs, triples and effects."""

    theme: str
    stored: StoredArray
    structures: int
    existing: int
    missing: int
    settled: int


def found(task: Task) -> Found:
    """The arrays of a function, found anew."""
    seed = task.own_seed
    array = covering_array(task.spec, task.edition, STORED, seed)
    rows = tuple(draw.made_of for draw in array.kept)
    stored = StoredArray(seed, rows[array.begun :], rows[: array.begun])
    shows = table(array)
    counts = (shows.structures, shows.existing, len(shows.missing), shows.settled)
    return Found(task.theme, stored, *counts)


def arrays(edition: Edition) -> dict[str, Found]:
    """The arrays of an edition by function, of those that are tested by single calls."""
    tasks = [task for task in plan(load(), edition, PROFILES["default"], 0) if task.spec.dtype]
    with click.progressbar(tasks, label=edition) as shown:
        return {task.spec.name: found(task) for task in shown}


def rows(edition: Edition, functions: Iterable[Found]) -> Iterator[str]:
    """The rows of docs/plan.md about an edition: one for each theme."""
    themes: dict[str, Counter[str]] = {}
    for one in functions:
        counts = {"n": 1, **{name: getattr(one, name) for name in _COUNTED}}
        themes.setdefault(one.theme, Counter()).update(counts)
    for theme, sums in themes.items():
        shown = sums["existing"] - sums["missing"]
        cells = (edition, theme, sums["n"], sums["structures"], sums["existing"], shown)
        yield f"| {' | '.join(map(str, cells))} | {sums['settled']} |"


_COUNTED = ("structures", "existing", "missing", "settled")


@click.command()
def main() -> None:
    """Find the arrays of every edition, and write them beside the code."""
    folder = Path(str(FOLDER))
    folder.mkdir(exist_ok=True)
    lines = list[str]()
    for edition in EDITIONS:
        every = arrays(edition)
        stored = {name: one.stored for name, one in every.items()}
        (folder / file_name(edition)).write_bytes(encoded(stored, edition))
        lines += rows(edition, every.values())
    click.echo("\n".join(lines))


if __name__ == "__main__":
    main()
