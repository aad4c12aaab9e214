"""`conformance report` and `conformance export`: files from results."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import click

from conformance.cli.options import formats_option, output_option
from conformance.cli.options.selection import selection_option
from conformance.cli.options.types import UserPath, written_file
from conformance.cli.options.values import ExportOptions
from conformance.reporting import FORMAT_NAMES

_ABOUT = "\n".join(f"  {name:<13}{about}" for name, about in FORMAT_NAMES.items())


@click.command("report")
@click.argument("results", nargs=-1, type=UserPath(exists=True, path_type=Path))
@formats_option("The format to write; may be repeated.  [default: html; without --output markdown]")
@output_option("The folder to write into. Without it, a format that is one file is printed.")
@click.option("--quiet", "-q", is_flag=True, help="Do not list the written files.")
def report_command(
    *, results: tuple[Path, ...], formats: tuple[str, ...], output: Path | None, quiet: bool
) -> None:
    """Make a report of RESULTS: files that `conformance run` wrote, or folders of them.

    Without RESULTS the suite reads the folder reports. It merges partial runs (-k, --aspect,
    --shard, interrupted): the newest result of each function counts. A target with several whole
    runs shows the newest; older runs are its history, which the site compares.
    """
    from conformance.cli.report.report import report  # noqa: PLC0415 - help does not wait for it

    report(results, formats, output, quiet=quiet)


# click rewraps help texts, except paragraphs that begin with a mark
report_command.help = (
    f"{inspect.cleandoc(report_command.help or '')}\n\n\b\nFormats:\n{_ABOUT}\n\n"
    + (
        "\b\nExamples:\n"
        "  conformance report --output site\n"
        "  conformance report reports old/reports --output site\n"
        "  conformance report shard-* --format results --format markdown --output reports\n"
        "  conformance report out --format junit --format badges --output ci\n"
        '  conformance report out --format summary >> "$GITHUB_STEP_SUMMARY"\n\n'
        "\b\nExit status:\n"
        "  0   the report is written\n"
        "  2   a file does not hold results, or shards do not belong to one run"
    )
)


@click.command("export")
@click.argument(
    "places", nargs=-1, metavar="[RESULTS]...", type=UserPath(exists=True, path_type=Path)
)
@click.option(
    "--pytest",
    "file",
    required=True,
    type=written_file(),
    help="Write this file, a test module.",
)
@click.option("--target", "targets", multiple=True, help="This target only; may be repeated.")
@selection_option
@click.option(
    "--all", "everything", is_flag=True, help="Include divergences and missing functions."
)
def export_command(**values: Any) -> None:
    """Write the failures of RESULTS as one test module for pytest.

    RESULTS are files that `conformance run` wrote, or folders of them; by default `reports`. The
    module needs pytest and the implementation, and nothing of this suite. Each test runs the script
    of one failure in a separate process, and fails until the fault is fixed.

    \b
    conformance run mine --output results
    conformance export results --pytest test_faults.py
    pytest test_faults.py
    CONFORMANCE_PYTHON=/path/to/python3.6 pytest test_faults.py    in another interpreter

    \b
    Exit status:
      0   the module is written
      2   wrong usage, or no failure with a script in these results
    """
    from conformance.cli.report.report import export  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(export(ExportOptions(**values)))
