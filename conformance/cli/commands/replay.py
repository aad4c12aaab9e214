"""`conformance replay ID`: run failing cases of earlier runs again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.cli.options import config_option
from conformance.cli.options.given import ReplayOptions
from conformance.cli.options.modules import module_options
from conformance.cli.select import selection_option


@click.command("replay")
@click.argument("identities", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="Every failure in the results.")
@click.option("--target", "targets", multiple=True, help="On this target only; may be repeated.")
@selection_option
@click.option(
    "--results",
    "places",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="Folder of results files, or one file; may be repeated.  [default: reports, folders in "
    "it, and what earlier runs here have kept]",
)
@click.option("--script", is_flag=True, help="Print the failure's script; nothing is run.")
@config_option
@module_options
def command(**values: Any) -> None:
    """Run the failing case ID again, on every target that it failed on.

    An ID stands in the results that `conformance run --output DIR` writes, and in what
    `conformance show FUNCTION` and `conformance run --verbose` print; its first digits are enough
    if no other begins so. It is the same in every run, whatever the seed.

    A script needs NumPy and the implementation, nothing of this suite. Its last line says what was
    expected and what came; it ends with 1 where the fault is there, with 0 where it is not.

    \b
    conformance replay 83562714c235
    conformance replay 3575 b3a8 --target keras-2.2.4-tensorflow
    conformance replay --all --target mine --results out
    conformance replay --all --module my_package.backend --path src --results out
    conformance replay 8356 --script | path/to/python

    The answer is `fixed`, `still failing` with what was expected and got, or `cannot run` with the
    reason and what to do.

    Exit status: 0 all are fixed; 1 one is still failing; 2 wrong usage; 3 one cannot be run, and
    the others are fixed.
    """
    from conformance.cli.replay import replay  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(replay(ReplayOptions(**values)))
