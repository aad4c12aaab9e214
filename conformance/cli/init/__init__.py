"""`conformance init`: the files with which a project begins to test its backend."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.options.types import Named, UserPath
from conformance.cli.options.values import InitOptions
from conformance.editions import EDITIONS


@click.command("init")
@click.argument(
    "file",
    required=False,
    metavar="[FILE.py]",
    type=UserPath(exists=True, dir_okay=False, path_type=Path),
)
@click.option("--name", help="The target's name.  [default: the first part of the module's name]")
@click.option("--edition", type=Named(EDITIONS), help="The target's edition.  [default: keras-2.2]")
@click.option("--force", is_flag=True, help="Replace existing files.")
def init_command(**values: Any) -> None:
    """Write conformance.toml, a workflow for GitHub and a test module into this folder.

    FILE.py is the backend. Without it, the suite takes the module in this folder that has the most
    functions of the API. It imports the module once, in a separate process, and writes into
    conformance.toml whether the module runs in eager mode and which functions have other names.

    \b
    conformance init mybackend.py
    conformance init src/my_package/backend.py --name mine --edition keras-2.0

    The command asks no questions, and changes existing files only with --force.
    """
    from conformance.cli.init.project import init  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(init(InitOptions(**values)))
