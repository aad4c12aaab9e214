"""A target that no file describes: a module, and how it is reached."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from conformance.cli.options import together
from conformance.cli.options.types import UserPath
from conformance.editions import Edition

module_options = together(
    click.option(
        "--module", help="Test this module, such as my_package.backend, as a target of its own."
    ),
    click.option(
        "--python",
        help="The interpreter for --module: a version such as 3.11, or a path.  "
        "[default: this one]",
    ),
    click.option(
        "--path",
        "paths",
        multiple=True,
        type=UserPath(exists=True, file_okay=False, path_type=Path),
        help="A folder that --module is imported from; may be repeated.  [default: the current"
        " folder, if it has the module]",
    ),
    click.option(
        "--env",
        "variables",
        multiple=True,
        metavar="KEY=VALUE",
        help="An environment variable for --module; may be repeated.",
    ),
    click.option(
        "--eager",
        is_flag=True,
        help="Test --module in eager mode.  [default: eager if it has neither placeholder nor"
        " function]",
    ),
    click.option(
        "--name",
        "names",
        multiple=True,
        metavar="NAME=OWN",
        help="The function NAME of the documents is called OWN in --module; may be repeated.",
    ),
    click.option(
        "--adapter", help="The adapter for --module: module:Class, or the name of an entry point."
    ),
    click.option(
        "--no-sandbox",
        is_flag=True,
        help="Let --module write files and use the network. CONFORMANCE_SANDBOX=off does so for"
        " all targets.",
    ),
)
"""`--module` and its companions."""


@dataclass(frozen=True, kw_only=True)
class ModuleOptions:
    """The values of these options, and the edition that the module is tested against."""

    module: str | None = None
    python: str | None = None
    paths: tuple[Path, ...] = ()
    variables: tuple[str, ...] = ()
    eager: bool = False
    names: tuple[str, ...] = ()
    adapter: str | None = None
    no_sandbox: bool = False
    edition: Edition | None = None
