"""`conformance report`: results files as a site, pictures, and what CI systems read."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from conformance.cli.documented import documented
from conformance.cli.errors import UsageProblem
from conformance.cli.outputs import writing
from conformance.cli.results_files import gathered
from conformance.reporting.formats import FORMATS, File, made, write
from conformance.reporting.safe_text import clean


def report(
    results: Sequence[Path], formats: Sequence[str], output: Path | None, *, quiet: bool
) -> None:
    """Write or print the formats; UsageProblem if that cannot be."""
    chosen = tuple(dict.fromkeys(formats)) or (("html",) if output else ("markdown",))
    if output is None:
        _check_printable(chosen)
    listed, said = gathered(results), documented()
    for name in chosen:
        files = made(name, listed, said)
        if output is None:
            sys.stdout.buffer.write(b"".join(content for _, content in files))
        else:
            _announce(_written(output, files), quiet=quiet)


def _check_printable(formats: Sequence[str]) -> None:
    several = [name for name in formats if not FORMATS[name].single]
    if several:
        raise UsageProblem(f"--format {several[0]} has several files", "add --output DIR")
    if len(formats) > 1:
        raise UsageProblem("only one format can be printed", "add --output DIR")


def _written(output: Path, files: Iterable[File]) -> list[Path]:
    with writing(output):
        return write(output, files)


def _announce(written: Sequence[Path], *, quiet: bool) -> None:
    if not quiet and written:
        shown = next((p for p in written if p.name == "index.html"), written[0])
        more = f" and {len(written) - 1} more files" if len(written) > 1 else ""
        click.echo(f"{clean(str(shown))}{more}")
