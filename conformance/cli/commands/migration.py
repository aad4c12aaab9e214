"""`conformance migration`: what takes the place of each function of K, and of each use of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.options.given import MigrationOptions
from conformance.cli.options.named import Named
from conformance.cli.options.paths import written_file

FORMS = ("text", "json", "sarif")
FAIL_ON = ("differs", "absent", "never")


@click.command("migration")
@click.argument("places", nargs=-1, metavar="[RESULT]...", type=click.Path(True, path_type=Path))
@click.option("--output", type=written_file(), help="Write this file.")
@click.option("--check", is_flag=True, help="Hold the mapping to the results; write no page.")
@click.option(
    "--scan",
    "scanned",
    multiple=True,
    metavar="PATH",
    type=click.Path(exists=True, path_type=Path),
    help="List each use of K in this Python file, or those of a folder; may be repeated.",
)
@click.option(
    "--format", "form", type=Named(FORMS), default="text", show_default=True, help="Of --scan."
)
@click.option(
    "--fail-on",
    type=Named(FAIL_ON),
    default="differs",
    show_default=True,
    help="What makes --scan end with 1: a use that differs, is refused, has nothing to take its"
    " place or is in no document; absent: all but the first; or never.",
)
def command(**values: Any) -> None:
    """Print, in Markdown, what takes the place of each function, and how it fares.

    RESULT is a file that `conformance run` wrote, or a folder of them. Only targets that are
    reached through a mapping count (keras3-numpy, keras3-jax, …).

    \b
    conformance run keras3 --output results
    conformance migration results --output docs/migration.md
    conformance migration results --check
    conformance migration --scan src
    conformance migration results --scan src --format sarif --output keras3.sarif

    With --scan it lists each use of K in old code with its line, what it becomes in Keras 3, and
    what was shown to differ; with RESULTs also the cases that such arguments fail in. The code is
    read and never run.

    With --check the exit status is 1 where the mapping says that nothing differs and a case
    contradicts a document, or says that something differs and no case shows it. With --scan it is
    1 as --fail-on says, and 3 where a file is not Python 3.
    """
    from conformance.cli.migration import migration  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(migration(MigrationOptions(**values)))
