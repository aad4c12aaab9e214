"""Options that decide whether a run fails: known failures, failing cases of earlier runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from conformance.cli.options import together
from conformance.cli.options.types import Named, UserPath, written_file, written_folder

DEFAULT = "violation"
Mark = Literal["failure", "cell"]
MARKS: tuple[Mark, ...] = ("failure", "cell")
"""The subjects of an entry of known failures."""

gate_options = together(
    click.option(
        "--fail-on",
        default=DEFAULT,
        show_default=True,
        metavar="WHAT[,WHAT]",
        help="The verdicts that make the exit status 1. violation includes crashes and time-outs."
        " The other words add verdicts to these. With accuracy, inaccurate results count. With"
        " divergence, all allowed readings count. With change, differences of an API that replaces"
        " the documented one count. With unsupported, missing functions count. With never, nothing"
        " counts. Join words with commas.",
    ),
    click.option(
        "--expectations",
        type=UserPath(exists=True, dir_okay=False, path_type=Path),
        help="A TOML file of known failures. A known failure that does not occur fails the run.",
    ),
    click.option(
        "--write-expectations",
        type=written_file(),
        help="Write the failures of this run into a file for --expectations. You fill in the "
        "reasons. Text that you wrote there earlier stays.",
    ),
    click.option(
        "--expectations-by",
        type=Named(MARKS),
        help="The subject of each new entry of --write-expectations: one failure, by its id; or"
        " a cell (an aspect of a function) with all failures of one verdict.  [default: failure]",
    ),
    click.option(
        "--strict",
        is_flag=True,
        help="Fail also for an entry of --expectations without a reason.",
    ),
)
"""`--fail-on`, and the options about a file of known failures."""


@dataclass(frozen=True, kw_only=True)
class GateOptions:
    """The values of these options."""

    fail_on: str = DEFAULT
    expectations: Path | None = None
    write_expectations: Path | None = None
    expectations_by: Mark | None = None
    strict: bool = False


DEFAULT_DATABASE = Path(".conformance") / "examples"
DATABASE_VARIABLE = "CONFORMANCE_DATABASE"

database_options = together(
    click.option(
        "--database",
        type=written_folder(),
        help="Store failing cases in this folder. The next run tries them first, and "
        "lists failures that only they show in a separate section.  "
        f"[default: ${DATABASE_VARIABLE}, or {DEFAULT_DATABASE} where CI is not set]",
    ),
    click.option(
        "--no-database",
        is_flag=True,
        help="Store no failing cases, and try none of earlier runs.",
    ),
    click.option(
        "--fail-on-kept",
        is_flag=True,
        help="Fail also for a failure that only cases of earlier runs show.",
    ),
)
"""`--database DIR`, `--no-database` and `--fail-on-kept`."""


@dataclass(frozen=True, kw_only=True)
class DatabaseOptions:
    """The values of these options."""

    database: Path | None = None
    no_database: bool = False
    fail_on_kept: bool = False
