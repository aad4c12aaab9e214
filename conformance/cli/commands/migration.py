"""`conformance migration RESULT…`: a page on what takes the place of each function."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("migration")
@click.argument(
    "places", nargs=-1, required=True, metavar="RESULT...", type=click.Path(True, path_type=Path)
)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write this file.")
@click.option("--check", is_flag=True, help="Hold the mapping to the results; write no page.")
def command(*, places: tuple[Path, ...], output: Path | None, check: bool) -> None:
    """Print, in Markdown, what takes the place of each function, and how it fares.

    RESULT is a file that `conformance run` wrote, or a folder of them. Only targets that are
    reached through a mapping count (keras3-numpy, keras3-jax, …).

    \b
    conformance run keras3 --output results
    conformance migration results --output docs/migration.md
    conformance migration results --check

    With --check the exit status is 1 where the mapping says that nothing differs and a case
    contradicts a document, or says that something differs and no case shows it.
    """
    from conformance.cli.migration import migration  # noqa: PLC0415 - help does not wait for it

    migration(places, output, check=check)
