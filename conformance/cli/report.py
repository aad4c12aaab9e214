"""`conformance report RESULT…`: results files into one matrix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from conformance.adapters import registry
from conformance.cli.errors import UsageProblem
from conformance.reporting.json_results import JsonWriter, ResultsError, read_results
from conformance.reporting.markdown import MATRIX, render
from conformance.reporting.merging import MergeError, merge
from conformance.reporting.writer import write_atomically
from conformance.results import Results
from conformance.results.events import TargetFinished
from conformance.specs import load


@click.command("report")
@click.argument(
    "places",
    nargs=-1,
    required=True,
    metavar="RESULT...",
    type=click.Path(exists=True, path_type=Path),
)
@click.option(
    "--output",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write matrix.md, and TARGET.json of each target, into this folder.  [default: print]",
)
def command(places: tuple[Path, ...], output: Path | None) -> None:
    """Merge results into one compatibility matrix, in Markdown.

    A RESULT is a file that `conformance run --output DIR` wrote, or a folder of them. Files of one
    target that was run in parts (--shard, or -k with other functions) become one.

    \b
    conformance report reports                       print the matrix of a folder
    conformance report a.json b.json > matrix.md     of two targets
    conformance report shard-* --output reports      put shards together

    Exit status: 0; 2 if a file is none of results, or two do not belong together.
    """
    results = ordered(_merged(found(places)))
    page = render(results).encode("utf-8", "backslashreplace")
    if output is None:
        click.echo(page, nl=False)
        return
    writer = JsonWriter(output)
    for one in results:
        writer.handle(TargetFinished(one))
    write_atomically(output / MATRIX, page)


def found(places: Iterable[Path]) -> dict[Path, Results]:
    """The results in files and folders, each file once. UsageProblem if there are none."""
    read: dict[Path, Results] = {}
    for place in places:
        files = sorted(place.glob("*.json")) if place.is_dir() else [place]
        if not files:
            hint = f"`conformance run --output {place}` writes them"
            raise UsageProblem(f"{place} holds no results files", hint)
        read |= {file.resolve(): read_file(file) for file in files}
    return read


def read_file(file: Path) -> Results:
    """The results in a file. UsageProblem if it holds something else."""
    try:
        return read_results(file)
    except ResultsError as error:
        raise UsageProblem(f"{file}: at {error.place}: {error.problem}", error.hint) from None
    except OSError as error:
        raise UsageProblem(f"{file}: {error.strerror or error}") from None


def ordered(results: Iterable[Results]) -> list[Results]:
    """The suite's own targets first, the reference before them, then others by name."""
    known = ["reference", *registry.shipped()]

    def place(one: Results) -> tuple[int, str]:
        name = one.target.name
        return (known.index(name) if name in known else len(known), name)

    return sorted(results, key=place)


def _merged(read: dict[Path, Results]) -> list[Results]:
    parts: dict[str, list[Path]] = {}
    for file, results in read.items():
        parts.setdefault(results.target.name, []).append(file)
    return [_one([read[f] for f in files], files) for files in parts.values()]


def _one(parts: Sequence[Results], files: Sequence[Path]) -> Results:
    try:
        return merge(parts, list(load()))
    except MergeError as error:
        listed = ", ".join(map(str, files))
        raise UsageProblem(f"{listed}: {error}", "give parts of one run, or one of them") from None
