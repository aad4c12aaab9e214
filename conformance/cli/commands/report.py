"""`conformance report`: results files as a site, pictures, and what CI systems read."""

from __future__ import annotations

import inspect
from pathlib import Path

import click

from conformance.cli.options import formats_option, output_option
from conformance.reporting.format_names import FORMAT_NAMES

_ABOUT = "\n".join(f"  {name:<13}{about}" for name, about in FORMAT_NAMES.items())


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

    Without RESULTS: the folder reports. Runs of a part (-k, --aspect, --shard, interrupted) are
    merged: the newest result of each function counts. Of several whole runs of one target the
    newest counts; older ones are its history, and can be compared with it.
    """
    from conformance.cli.report import report  # noqa: PLC0415 - help does not wait for it

    report(results, formats, output, quiet=quiet)


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
