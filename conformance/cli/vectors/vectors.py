"""`conformance vectors`: write the folder, function by function."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from typing import NamedTuple

import click

from conformance.cli.errors import UsageProblem
from conformance.cli.files.outputs import check_writable, writing
from conformance.cli.options.selection import nothing_selected
from conformance.cli.options.values import VectorsOptions
from conformance.cli.run.output_folder import NAME as LOCK
from conformance.cli.run.output_folder import locked
from conformance.editions import EDITIONS, Edition
from conformance.reporting.safe_text import clean, counted
from conformance.specs import load
from conformance.vectors.calls import call_tasks
from conformance.vectors.folder import (
    INDEX,
    VectorsError,
    WrittenFiles,
    read_index,
    write_function,
    write_index,
)
from conformance.vectors.records import VectorsIndex


class _Place(NamedTuple):
    """A function of an edition."""

    edition: Edition
    function: str


def write_vectors(options: VectorsOptions) -> None:
    """Write the vectors and print their number.

    Raises:
        UsageProblem: an option is wrong, or the folder cannot be written.
    """
    places = _places(options)
    check_writable(options.output)
    _check_replaceable(options.output)
    with locked(options.output), writing(options.output):
        written = _written(options, places)
        index = write_index(options.output, options.profile, options.seed, written)
    _show(options.output, index)


def _places(options: VectorsOptions) -> list[_Place]:
    """The functions that are selected.

    Raises:
        UsageProblem: there are none, or no single calls are made of them.
    """
    editions = options.editions or EDITIONS
    specs = load()
    mine = [
        _Place(edition, name)
        for edition in editions
        for name, spec in specs.items()
        if edition in spec.editions and options.select(name)
    ]
    if not mine:
        where = options.editions[0] if len(options.editions) == 1 else None
        raise nothing_selected(options.selection, list(specs), where)
    places = [place for place in mine if specs[place.function].dtype is not None]
    if not places:
        raise UsageProblem(
            f"{mine[0].function} has no vectors: programs of several calls test it",
            "select other functions, or use `conformance run`",
        )
    return places


def _check_replaceable(folder: Path) -> None:
    """Check that nothing is in the folder but vectors.

    Raises:
        UsageProblem: it holds other files, or its index is damaged.
    """
    if (folder / INDEX).exists():
        try:
            read_index(folder)
        except VectorsError as error:
            raise UsageProblem(
                clean(error.problem), f"delete {INDEX}, or name a new folder"
            ) from error
    elif others := sorted(f.name for f in folder.iterdir() if f.name not in (LOCK, *EDITIONS)):
        raise UsageProblem(
            clean(f"--output {folder} has other files, such as {others[0]}, and no {INDEX}"),
            "name a new or empty folder",
        )


def _written(options: VectorsOptions, places: Sequence[_Place]) -> list[WrittenFiles]:
    """Write the files of each function, with a bar on a terminal."""
    write = partial(_write, options.output, options.profile, options.seed)
    jobs = min(options.jobs or os.cpu_count() or 1, len(places))
    with click.progressbar(_results(write, places, jobs), len(places), "vectors") as bar:
        return [written for written in bar if written is not None]


def _results(
    write: partial[WrittenFiles | None], places: Sequence[_Place], jobs: int
) -> Iterator[WrittenFiles | None]:
    if jobs == 1:
        yield from map(write, places)
        return
    # Ctrl-C ends this process alone, which then ends the others
    executor = ProcessPoolExecutor(jobs, initializer=signal, initargs=(SIGINT, SIG_IGN))
    try:
        yield from executor.map(write, places)
    finally:
        executor.shutdown(cancel_futures=True)


def _write(folder: Path, profile: str, seed: int, place: _Place) -> WrittenFiles | None:
    (task,) = call_tasks(place.edition, profile, seed, lambda name: name == place.function)
    try:
        return write_function(folder, task)
    except Exception as error:
        error.add_note(f"while writing the vectors of {place.function} in {place.edition}")
        raise


def _show(folder: Path, index: VectorsIndex) -> None:
    for edition, entries in index.editions.items():
        vectors = sum(entry.vectors for entry in entries.values())
        click.echo(
            f"{edition}: {counted(vectors, 'vector')} of {counted(len(entries), 'function')}"
        )
    size = sum(file.bytes for file in index.files.values())
    click.echo(clean(f"{folder / INDEX}: {counted(index.vectors, 'vector')}, {size / 1e6:.1f} MB"))
