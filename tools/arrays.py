"""Store the covering arrays of the default profile, which plans are made of.

    python -m tools.arrays

To be run after every change of a spec, of the generators or of programs: the arrays that are stored
are not used any more then, and every run looks for its own. It takes a few minutes.
"""

from __future__ import annotations

from pathlib import Path

import click

from conformance.editions import EDITIONS, Edition
from conformance.engine import PROFILES, Task, plan
from conformance.generators.collect import covering_array
from conformance.generators.coverage.stored import FOLDER, StoredArray, encoded, file_name
from conformance.specs import load


def found(task: Task) -> StoredArray:
    """The array of a function, found anew."""
    array = covering_array(task.spec, task.edition, None, task.own_seed, task.profile.effort)
    return StoredArray(task.own_seed, tuple(draw.made_of for draw in array.kept))


def arrays(edition: Edition) -> dict[str, StoredArray]:
    """The arrays of an edition by function, of those that are tested by single calls."""
    tasks = [task for task in plan(load(), edition, PROFILES["default"], 0) if task.spec.dtype]
    with click.progressbar(tasks, label=edition) as shown:
        return {task.spec.name: found(task) for task in shown}


@click.command()
def main() -> None:
    """Find the arrays of every edition, and write them beside the code."""
    folder = Path(str(FOLDER))
    folder.mkdir(exist_ok=True)
    for edition in EDITIONS:
        (folder / file_name(edition)).write_bytes(encoded(arrays(edition), edition))


if __name__ == "__main__":
    main()
