"""`conformance init`: the files with which a project begins to test its backend."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.options.given import InitOptions
from conformance.cli.options.named import Named
from conformance.editions import EDITIONS


@click.command("init")
@click.argument(
    "file",
    required=False,
    metavar="[FILE.py]",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option("--name", help="What the target is called.  [default: the module's first name]")
@click.option("--edition", type=Named(EDITIONS), help="What it offers.  [default: keras-2.2]")
@click.option("--force", is_flag=True, help="Write anew what is there already.")
def command(**values: Any) -> None:
    """Write conformance.toml, a workflow for GitHub and a test module into this folder.

    FILE.py is the backend; without it, the module here that has the most functions of the API. The
    module is imported once, in a process of its own: whether it computes at once, and which
    functions it has under other names, is written into conformance.toml.

    \b
    conformance init mybackend.py
    conformance init src/my_package/backend.py --name mine --edition keras-2.0

    Nothing is asked, and nothing that exists is changed without --force.
    """
    from conformance.cli.starting.init import init  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(init(InitOptions(**values)))
