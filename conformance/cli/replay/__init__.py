"""`conformance replay ID`: run failing cases of earlier runs again."""

from __future__ import annotations

from typing import Any

import click

from conformance.cli.options import config_option, results_option
from conformance.cli.options.modules import module_options
from conformance.cli.options.selection import selection_option
from conformance.cli.options.values import ReplayOptions


@click.command("replay")
@click.argument("identities", nargs=-1, metavar="[ID]...")
@click.option(
    "--all", "everything", is_flag=True, help="Every violation, crash and time-out in the results."
)
@click.option("--target", "targets", multiple=True, help="On this target only; may be repeated.")
@selection_option
@results_option("reports, its subfolders, and the failing cases that earlier runs here stored")
@click.option("--script", is_flag=True, help="Print the failure's script, and run nothing.")
@config_option
@module_options
def replay_command(**values: Any) -> None:
    """Run the failing case ID again, on every target on which it failed.

    `conformance run --verbose`, `conformance show FUNCTION` and results files show the ID. Its
    first digits are enough if they are unique. It is the same in every run, whatever the seed.

    With --script the command prints a script that needs only NumPy and the implementation. Its
    last line says the expected and the actual result. It exits with 1 while the fault exists, else
    with 0.

    \b
    conformance replay 83562714c235
    conformance replay 3575 b3a8 --target keras-2.2.4-tensorflow
    conformance replay --all --target mine --results out
    conformance replay --all --module my_package.backend --path src --results out
    conformance replay 8356 --script | path/to/python

    The answer is `fixed`, `still failing` with the expected and the actual result, or `cannot run`
    with the reason and the cure.

    \b
    Exit status:
      0   all are fixed
      1   at least one is still failing
      2   wrong usage
      3   at least one cannot run, and the others are fixed
    """
    from conformance.cli.replay.replay import replay  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(replay(ReplayOptions(**values)))
