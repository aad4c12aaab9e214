"""`conformance diff A B`: where two targets differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.options import config_option, profile_option
from conformance.cli.options.selection import aspects_option, selection_option
from conformance.cli.options.types import Named, UserPath
from conformance.cli.options.values import DiffOptions


@click.command("diff")
@click.argument("a")
@click.argument("b")
@selection_option
@aspects_option
@click.option(
    "--format",
    "shape",
    type=Named(["terminal", "markdown", "json"]),
    default="terminal",
    show_default=True,
    help="The format of the output.",
)
@click.option(
    "--results",
    "folder",
    type=UserPath(exists=True, file_okay=False, path_type=Path),
    help="Folder of stored results.  [default: reports and its folders]",
)
@click.option(
    "--run", "run_again", is_flag=True, help="Run both targets, even if their results are stored."
)
@profile_option("smoke", "How many cases the suite tries if it runs a target.")
@click.option("--verbose", "-v", is_flag=True, help="Also print arrays and scripts of every case.")
@config_option
def diff_command(**values: Any) -> None:
    """Show where A and B differ, function by function, with the smallest case for each difference.

    A and B are targets, results files, or folders with the results of one target. The suite reads
    the stored results of a target, and runs a target that has none.

    \b
    conformance diff keras-2.2.4-tensorflow keras-2.2.4-theano -k "softmax or batch_dot"
    conformance diff old/mine.json reports/mine.json --aspect value
    conformance diff reference mine --format markdown > porting.md

    \b
    Exit status:
      0   no difference
      1   a difference
      2   wrong usage
      3   a target does not start
    """
    from conformance.cli.diff.diff import diff  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(diff(DiffOptions(**values)))
