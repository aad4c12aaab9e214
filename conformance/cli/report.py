"""`conformance report`: results files as a site, pictures, and what CI systems read."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from conformance.cli.documented import documented
from conformance.cli.errors import UsageProblem
from conformance.cli.options import formats_option, output_option
from conformance.cli.results_files import gathered
from conformance.reporting.formats import FORMATS, File, made, write
from conformance.reporting.safe_text import clean

_ABOUT = "\n".join(f"  {name:<13}{entry.about}" for name, entry in FORMATS.items())


@click.command("report")
@click.argument("results", nargs=-1, type=click.Path(exists=True, path_type=Path))
@formats_option(
    "What to write; may be repeated.  [default: html, and markdown where it is printed]"
)
@output_option("The folder to write into. Without it, a format that is one file is printed.")
@click.option("--quiet", "-q", is_flag=True, help="Do not say what was written.")
def command(
    *, results: tuple[Path, ...], formats: tuple[str, ...], output: Path | None, quiet: bool
) -> None:
    """Make a report of RESULTS: files that `conformance run` wrote, or folders of them.

    Without RESULTS: the folder reports. Files of one target that was run in parts (--shard, or -k
    with other functions) become one. Of several runs of one target the newest counts; older
    ones are its history, and can be compared with it.
    """
    chosen = tuple(dict.fromkeys(formats)) or (("html",) if output else ("markdown",))
    if output is None:
        _check_printable(chosen)
    listed, said = gathered(results), documented()
    for name in chosen:
        files = made(name, listed, said)
        if output is None:
            sys.stdout.buffer.write(b"".join(content for _, content in files))
        else:
            _announce(_written(output, name, files), quiet=quiet)


# click rewraps help texts, but for paragraphs that begin with a mark
command.help = f"{inspect.cleandoc(command.help or '')}\n\n\b\nFormats:\n{_ABOUT}\n\n" + (
    "\b\nExamples:\n"
    "  conformance report --output site\n"
    "  conformance report reports old/reports --output site\n"
    "  conformance report shard-* --format results --format markdown --output reports\n"
    "  conformance report out --format junit --format badges --output ci\n"
    '  conformance report out --format summary >> "$GITHUB_STEP_SUMMARY"\n\n'
    "Exit status: 0; 2 if a file does not hold results, or if shards do not belong to one run."
)


def _check_printable(formats: Sequence[str]) -> None:
    several = [name for name in formats if not FORMATS[name].single]
    if several:
        raise UsageProblem(f"--format {several[0]} has several files", "add --output DIR")
    if len(formats) > 1:
        raise UsageProblem("only one format can be printed", "add --output DIR")


def _written(output: Path, name: str, files: Iterable[File]) -> list[Path]:
    try:
        return write(output, files)
    except OSError as error:
        where = clean(str(error))
        raise UsageProblem(f"--format {name}: {where}", "give --output a writable folder") from None


def _announce(written: Sequence[Path], *, quiet: bool) -> None:
    if not quiet and written:
        shown = next((p for p in written if p.name == "index.html"), written[0])
        more = f" and {len(written) - 1} more files" if len(written) > 1 else ""
        click.echo(f"{clean(str(shown))}{more}")
