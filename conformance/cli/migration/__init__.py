"""`conformance migration`: what takes the place of each function of K, and of each use of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.options.types import Named, UserPath, written_file
from conformance.cli.options.values import MigrationOptions

FORMS = ("text", "json", "sarif")
BACKENDS = ("numpy", "jax", "tensorflow", "torch")
FAIL_ON = ("differs", "absent", "never")


@click.command("migration")
@click.argument(
    "places", nargs=-1, metavar="[RESULT]...", type=UserPath(exists=True, path_type=Path)
)
@click.option("--output", type=written_file(), help="Write this file.")
@click.option("--check", is_flag=True, help="Check the mapping against the results; write no page.")
@click.option(
    "--scan",
    "scanned",
    multiple=True,
    metavar="PATH",
    type=UserPath(exists=True, path_type=Path),
    help="List each use of K in this Python file, or those of a folder; may be repeated.",
)
@click.option(
    "--format",
    "form",
    type=Named(FORMS),
    default="text",
    show_default=True,
    help="The format of --scan.",
)
@click.option(
    "--fail-on",
    type=Named(FAIL_ON),
    default="differs",
    show_default=True,
    help="The uses with which --scan exits with 1. differs: uses that differ, are refused, have no"
    " replacement, are undocumented or unfinished. absent: the same without uses that differ."
    " never: none.",
)
@click.option(
    "--backend",
    type=Named(BACKENDS),
    metavar="BACKEND",
    help="With --scan, say what differs on this backend alone: " + ", ".join(BACKENDS) + ".",
)
@click.option(
    "--diff", is_flag=True, help="With --scan, print a patch that puts the new calls in place."
)
@click.option("--write", is_flag=True, help="With --scan, put the new calls in the files.")
def migration_command(**values: Any) -> None:
    """Print, in Markdown, the replacement of each function of K in Keras 3, and its verdicts.

    RESULT is a file that `conformance run` wrote, or a folder of them. Only targets with a mapping
    count (keras3-numpy, keras3-jax, …).

    \b
    conformance run keras3 --output results
    conformance migration results --output docs/migration.md
    conformance migration results --check
    conformance migration --scan src
    conformance migration --scan src --backend torch --diff
    conformance migration results --scan src --format sarif --output keras3.sarif

    With --scan the command lists each use of K in old code: its line, its replacement in Keras 3,
    and the known differences. With RESULTs it adds the cases in which such arguments fail. It
    reads the code and never runs it.

    --diff prints the changes as a patch, and --write makes them. Both also list the calls that they
    do not change, with the reason. Read the differences that --scan lists before you use them. Both
    need libcst: pip install libcst.

    \b
    Exit status:
      0   otherwise
      1   with --check, if the results contradict the mapping; with --scan, as --fail-on says
      2   wrong usage; with --scan, a folder without Python files
      3   with --scan, if a file is not Python 3
    """
    from conformance.cli.migration.migration import migration  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(migration(MigrationOptions(**values)))
