"""Where failing cases are kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from conformance.cli.options import together
from conformance.cli.options.paths import written_folder

DEFAULT = Path(".conformance") / "examples"
VARIABLE = "CONFORMANCE_DATABASE"

database_options = together(
    click.option(
        "--database",
        type=written_folder(),
        help="Keep failing cases in this folder and try them first in the next run, which "
        "lists apart what its own cases do not show.  "
        f"[default: ${VARIABLE}, or {DEFAULT} where CI is not set]",
    ),
    click.option(
        "--no-database",
        is_flag=True,
        help="Keep no failing cases, and try none of earlier runs.",
    ),
    click.option(
        "--fail-on-kept",
        is_flag=True,
        help="A failure that only cases of earlier runs show fails the run as well.",
    ),
)
"""`--database DIR`, `--no-database` and `--fail-on-kept`."""


@dataclass(frozen=True, kw_only=True)
class DatabaseOptions:
    """The values of these options."""

    database: Path | None = None
    no_database: bool = False
    fail_on_kept: bool = False
