"""`conformance show FUNCTION`: what the documents say, and how each target fares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.options import documents_option
from conformance.cli.options.given import ShowOptions
from conformance.cli.options.named import Named
from conformance.editions import EDITIONS


@click.command("show")
@click.argument("function")
@click.option(
    "--results",
    "places",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="Folder of results files, or one file; may be repeated.  [default: reports, or a folder "
    "in it that has the function]",
)
@click.option("--edition", type=Named(EDITIONS), help="This edition of the API only.")
@click.option("--target", "wanted", multiple=True, help="This target only; may be repeated.")
@click.option("--failure", "identity", help="The failure with this id (or the start of it).")
@documents_option
@click.option("--script", is_flag=True, help="Print the gravest failure's script, nothing else.")
@click.option(
    "--plan", "planned", is_flag=True, help="Print what the plan shows of it, nothing else."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The seed of the plan.",
)
def command(**values: Any) -> None:
    """Show what the documents say of FUNCTION, and how each target fares.

    The targets' part is read from results files that `conformance run` wrote. With --script the
    output can be piped to the Python of the target's environment.

    \b
    conformance show softmax                            of the results in reports
    conformance show softmax --results out --target mine
    conformance show softmax --failure 0123 --script    a script, by the beginning of its id
    conformance show softmax --edition keras-1          what this edition alone demands
    conformance show softmax --plan                     what its cases combine

    Exit status: 0; with --plan 1 if the plan lacks something that exists; 2 for a wrong name.
    """
    from conformance.cli.show import show  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(show(ShowOptions(**values)))
