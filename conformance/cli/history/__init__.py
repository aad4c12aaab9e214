"""`conformance history` and `conformance bisect`: one library over many releases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from conformance.cli.options import (
    F,
    config_option,
    output_option,
    profile_option,
    results_option,
    seed_option,
    together,
)
from conformance.cli.options.selection import aspects_option, selection_option
from conformance.cli.options.values import BisectOptions, HistoryOptions

package_option = click.option(
    "--of",
    "package",
    metavar="PACKAGE",
    help="Test releases of this package, such as numpy or jax.  [default: the library's own]",
)
remove_option = click.option(
    "--remove", is_flag=True, help="Remove the folder of each release after its run."
)


def versions_option(about: str) -> Callable[[F], F]:
    """`--versions A..B`."""
    return together(click.option("--versions", metavar="A..B", help=about))


@click.command("history")
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@versions_option(
    "The releases: 3.4..3.9, 3.4.1,3.5.0 or 3.10..nightly. Without it the command prints the"
    " stored history."
)
@click.option("--every", is_flag=True, help="Every final release, not the last of each 3.N.")
@package_option
@selection_option
@aspects_option
@profile_option("smoke")
@seed_option
@click.option(
    "--jobs", "-j", type=click.IntRange(min=1), default=1, show_default=True, help="Workers."
)
@output_option("The folder of the history.  [default: reports/history]")
@click.option("--again", is_flag=True, help="Run stored releases again.")
@click.option("--last", is_flag=True, help="Print the newest stored release alone.")
@remove_option
@config_option
def history_command(**values: Any) -> None:
    """Test TARGET with many releases of its library, and print what each broke or fixed.

    A TARGET is a name from `conformance targets`, or a library for all of its targets. The suite
    puts each release into a folder in front of the target's environment; the other packages stay.
    Each release gets one file, TARGET/VERSION.json.gz. The command skips releases that have a file.
    After Ctrl-C the same command continues.

    A release breaks only its own promises: a function, parameter or section that its docstrings
    lack is `not promised`. docs/history.md explains the rules.

    \b
    conformance history keras3-ops-numpy --versions 3.1..3.15
    conformance history keras3-ops --versions 3.10..nightly -k "softmax or conv"
    conformance history keras3-ops-numpy --versions 2.2..2.4 --of numpy
    conformance history keras3-ops-numpy                    the stored history

    \b
    Exit status:
      0     every release has its file
      2     wrong usage
      3     a target does not start, or a release does not install
      130   Ctrl-C
    """
    from conformance.cli.history.history import history  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(history(HistoryOptions(**values)))


@click.command("bisect")
@click.argument("identity", metavar="ID")
@versions_option("The releases to search.  [default: all of the same major version]")
@package_option
@click.option("--target", help="The target, if the failure occurs on several.")
@results_option("reports, its subfolders, and reports/history")
@remove_option
@config_option
def bisect_command(*, places: tuple[Path, ...], **values: Any) -> None:
    """Search for the release that introduced or fixed the failure ID.

    The command runs the failing case on a few releases and halves the range each time.
    `conformance show FUNCTION` prints the ids.

    \b
    conformance bisect 83562714c235
    conformance bisect 8356 --versions 3.4..3.15 --target keras3-ops-numpy
    conformance bisect 8356 --versions 2.0..2.4 --of numpy

    \b
    Exit status:
      0   the release is known, or all releases agree
      2   wrong usage, or no failure has this id
      3   no release could be tested
    """
    from conformance.cli.history.bisect import bisect  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(bisect(BisectOptions(places=places, **values)))
