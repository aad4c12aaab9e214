"""Store the covering arrays of the profiles `default` and `smoke`, which plans are made of.

    python -m tools.arrays
    python -m tools.arrays keras-3

Run it after every change of a spec, of the generators or of programs. Until then the suite ignores
the stored arrays, and every run searches again. It takes a few minutes, and prints the table of
docs/plan.md: how many pairs, triples and effects exist in each edition, and occur in the plans.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
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
    """The arrays of a function, and their share of all pairs, triples and effects."""

    stored: StoredArray
    structures: int
    existing: int
    missing: int
    settled: int


def computed(task: Task) -> Found:
    """The arrays of a function, from a new search."""
    seed = task.own_seed
    array = covering_array(task.spec, task.edition, STORED, seed)
    rows = tuple(draw.made_of for draw in array.kept)
    stored = StoredArray(seed, rows[array.begun :], rows[: array.begun])
    shows = table(array)
    counts = (shows.structures, shows.existing, len(shows.missing), shows.settled)
    return Found(stored, *counts)


def arrays(edition: Edition) -> dict[str, Found]:
    """The arrays of an edition by function, of those that are tested by single calls."""
    tasks = [task for task in plan(load(), edition, PROFILES["default"], 0) if task.spec.dtype]
    with click.progressbar(tasks, label=edition) as shown:
        return {task.spec.name: computed(task) for task in shown}


def row(edition: Edition, functions: Iterable[Found]) -> str:
    """The row of docs/plan.md about an edition."""
    sums = Counter[str]()
    for function in functions:
        sums.update({"n": 1, **{name: getattr(function, name) for name in _COUNTED}})
    shown = sums["existing"] - sums["missing"]
    cells = (edition, sums["n"], sums["structures"], sums["existing"], shown, sums["settled"])
    return f"| {' | '.join(map(str, cells))} |"


_COUNTED = ("structures", "existing", "missing", "settled")


@click.command()
@click.argument("editions", nargs=-1, type=click.Choice(list(EDITIONS)))
def main(editions: tuple[Edition, ...]) -> None:
    """Compute the arrays of EDITIONS, or of all, and write them beside the code."""
    folder = Path(str(FOLDER))
    folder.mkdir(exist_ok=True)
    lines = list[str]()
    for edition in editions or EDITIONS:
        every = arrays(edition)
        stored = {name: arrays_of_function.stored for name, arrays_of_function in every.items()}
        (folder / file_name(edition)).write_bytes(encoded(stored, edition))
        lines.append(row(edition, every.values()))
    click.echo("\n".join(lines))


if __name__ == "__main__":
    main()
