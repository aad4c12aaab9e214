"""`conformance mutate`: how many errors in a correct backend the suite finds."""

from __future__ import annotations

from typing import Any

import click

from conformance.cli.options import config_option, output_option, profile_option, seed_option
from conformance.cli.options.selection import selection_option
from conformance.cli.options.values import MutateOptions


@click.command("mutate")
@click.argument("target", default="reference")
@selection_option
@click.option(
    "--operator", help="Only operators whose names match, such as 'gradient or wrong_default'."
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    help="Only so many mutants of each operator, spread over its functions; with --code so many in"
    " all, drawn at random by --seed.",
)
@click.option(
    "--alone", is_flag=True, help="Do not test survivors with other functions that call them."
)
@click.option(
    "--code",
    is_flag=True,
    help="Change the source of TARGET's own module, and run a gate with known failures.",
)
@click.option(
    "--minimise",
    is_flag=True,
    help="With --code: make failures smaller, as `conformance run` does; slower.",
)
@click.option(
    "--resume", is_flag=True, help="With --code: continue the interrupted run in --output."
)
@click.option(
    "--again",
    is_flag=True,
    help="With --resume: judge survivors again, except equivalent mutants.",
)
@profile_option()
@seed_option
@click.option(
    "--jobs", "-j", type=click.IntRange(min=1), default=1, show_default=True, help="Workers."
)
@output_option("Write TARGET.mutation.json and .md (TARGET.code-mutation.*) into this folder.")
@click.option("--list", "listing", is_flag=True, help="List the mutants, and run nothing.")
@config_option
def mutate_command(**values: Any) -> None:
    """Plant one error after another in TARGET, and count the errors that the suite detects.

    TARGET is a name from `conformance targets`, by default the reference. It must be a module that
    needs neither an adapter nor, without --code, a mapping. A mutant is a function with one error,
    such as "argument ignored". The suite kills a mutant if a verdict on the function becomes worse.
    It then tests survivors with every other function that calls them. It lists equivalent mutants
    with the reason.

    With --code a mutant is one small change in the source of TARGET: an operator, a constant, an
    argument, a statement, a branch, a call, axes. The change is in a documented function or in code
    that such a function calls. The suite runs the functions that reach the change, first with
    `smoke`, then with --profile. All failures of the unchanged TARGET are known failures. A run
    that fails nevertheless kills the mutant.

    \b
    Exit status:
      0     only equivalent mutants survive
      1     another mutant survives, or the list of equivalent mutants is stale
      3     TARGET does not start
      130   Ctrl-C, after the report on the mutants so far

    \b
    conformance mutate                                the reference, all mutants
    conformance mutate -k softmax                     the mutants of one function
    conformance mutate tf_keras --sample 5 -o DIR     five mutants of each operator

    \b
    conformance mutate tf_keras --code --sample 150 -o DIR            a random sample of 150
    conformance mutate tf_keras --code --sample 300 -o DIR --resume   150 more
    conformance mutate tf_keras --code -k softmax --list              only list the changes
    """
    from conformance.cli.mutate.mutate import mutate  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(mutate(MutateOptions(**values)))
