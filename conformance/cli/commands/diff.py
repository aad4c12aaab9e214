"""`conformance diff A B`: where two targets differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.options import config_option, profile_option
from conformance.cli.options.given import DiffOptions
from conformance.cli.options.named import Named
from conformance.cli.select import aspects_option, selection_option


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
    help="What is printed.",
)
@click.option(
    "--results",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of stored results.  [default: reports, if it is there]",
)
@click.option(
    "--run", "run_again", is_flag=True, help="Run both targets, whatever results are stored."
)
@profile_option("smoke", "How many cases are tried where a target is run.")
@click.option("--verbose", "-v", is_flag=True, help="Arrays and scripts of every case, too.")
@config_option
def command(**values: Any) -> None:
    """Show where A and B differ, function by function, with the smallest case for each difference.

    A and B are targets, or results files. For a target its stored results are taken; where there
    are none, it is run.

    \b
    conformance diff keras-2.2.4-tensorflow keras-2.2.4-theano -k "softmax or batch_dot"
    conformance diff old/mine.json reports/mine.json --aspect value
    conformance diff reference mine --format markdown > porting.md

    Exit status: 0 no difference; 1 a difference; 2 wrong usage; 3 a target could not be run.
    """
    from conformance.cli.diff import diff  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(diff(DiffOptions(**values)))
