"""What makes a run fail: the options about known failures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from conformance.cli.options import together
from conformance.cli.options.named import Named
from conformance.cli.options.paths import written_file

DEFAULT = "violation"
Mark = Literal["failure", "cell"]
MARKS: tuple[Mark, ...] = ("failure", "cell")
"""What an entry of known failures is about."""

gate_options = together(
    click.option(
        "--fail-on",
        default=DEFAULT,
        show_default=True,
        metavar="WHAT[,WHAT]",
        help="What makes the exit status 1: violation (with crashes and time-outs); these and"
        " change (what a successor of the API does otherwise), divergence, or unsupported (what the"
        " edition demands and the target lacks); several as divergence,unsupported; or never.",
    ),
    click.option(
        "--expectations",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="A TOML file of known failures; one that does not occur is an error (exit status 1).",
    ),
    click.option(
        "--write-expectations",
        type=written_file(),
        help="Write the failures of this run into such a file, with the reasons left to fill in; "
        "what you wrote into it before stays.",
    ),
    click.option(
        "--expectations-by",
        type=Named(MARKS),
        help="What each new entry of --write-expectations is about: one failure, by its id, so that"
        " another one of the same aspect is unexpected; or a cell (an aspect of a function), with"
        " whatever fails there in the same way.  [default: failure]",
    ),
    click.option(
        "--strict",
        is_flag=True,
        help="An entry of --expectations without a reason is an error, too.",
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
