"""`conformance export --pytest FILE`: the failures of results as a test module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.options.given import ExportOptions
from conformance.cli.options.paths import written_file
from conformance.cli.select import selection_option


@click.command("export")
@click.argument(
    "places", nargs=-1, metavar="[RESULTS]...", type=click.Path(exists=True, path_type=Path)
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
@click.option("--all", "everything", is_flag=True, help="Divergences and what is missing, too.")
def command(**values: Any) -> None:
    """Write the failures of RESULTS as one test module for pytest.

    RESULTS are files that `conformance run` wrote, or folders of them; by default `reports`. The
    module needs pytest, the implementation, and nothing of this suite: each test runs the script of
    one failure in a process of its own, and fails as long as the fault is there.

    \b
    conformance run mine --output results
    conformance export results --pytest test_faults.py
    pytest test_faults.py
    CONFORMANCE_PYTHON=/path/to/python3.6 pytest test_faults.py    in another interpreter

    Exit status: 0 written; 2 wrong usage, or no failure with a script in these results.
    """
    from conformance.cli.exporting import export  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(export(ExportOptions(**values)))
