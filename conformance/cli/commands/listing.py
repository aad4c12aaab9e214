"""`conformance list`: the documented functions, and what results say of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.options.given import ListOptions
from conformance.cli.options.named import Named
from conformance.cli.select import selection_option
from conformance.editions import EDITIONS


@click.command("list")
@click.argument(
    "places", nargs=-1, metavar="[RESULTS]...", type=click.Path(exists=True, path_type=Path)
)
@selection_option
@click.option("--theme", help="Only the functions of this theme, such as 'linear algebra'.")
@click.option("--edition", type=Named(EDITIONS), help="Only the functions of this edition.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array instead of text.")
def command(**values: Any) -> None:
    """List the documented functions by theme, with the editions that have them.

    RESULTS are files that `conformance run` wrote, or folders of them: with these, each function
    has how many targets keep the documents (✓), violate them (✗), and so on.

    \b
    conformance list                         all of them
    conformance list -k "dot or conv"        those with such names
    conformance list --edition keras-1       what the oldest edition offers, under its own names
    conformance list --theme activations
    conformance list reports                 how targets fare with each
    """
    from conformance.cli.listing import list_functions  # noqa: PLC0415 - help waits for nothing

    raise SystemExit(list_functions(ListOptions(**values)))
