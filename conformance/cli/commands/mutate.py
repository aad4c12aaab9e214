"""`conformance mutate`: how many errors in a correct backend the suite finds."""

from __future__ import annotations

from typing import Any

import click

from conformance.cli.options import config_option, output_option, profile_option, seed_option
from conformance.cli.options.given import MutateOptions
from conformance.cli.select import selection_option


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
    "--alone", is_flag=True, help="Do not look for what survives with other functions that call it."
)
@click.option(
    "--code",
    is_flag=True,
    help="Change the source of TARGET's own module, and see what a gate with known failures says.",
)
@click.option(
    "--minimise",
    is_flag=True,
    help="With --code: make failures smaller, as `conformance run` does; slower.",
)
@click.option(
    "--resume", is_flag=True, help="With --code: go on with what an earlier start left in --output."
)
@click.option(
    "--again",
    is_flag=True,
    help="With --resume: judge what survived once more, but for what is listed as equivalent.",
)
@profile_option()
@seed_option
@click.option(
    "--jobs", "-j", type=click.IntRange(min=1), default=1, show_default=True, help="Workers."
)
@output_option("Write TARGET.mutation.json and .md (TARGET.code-mutation.*) into this folder.")
@click.option("--list", "listing", is_flag=True, help="List the mutants, and run nothing.")
@config_option
def command(**values: Any) -> None:
    """Give TARGET one error after another, and see which the suite finds.

    TARGET is a name from `conformance targets` (by default the reference) that is reached as a
    module. A mutant is an operator, such as "argument ignored", and a function. It is killed if
    a verdict on the function is worse than without the error; what survives is looked for with
    every other function that calls it. Mutants that are no errors are listed with the reason.

    With --code a mutant is one small change in the source of TARGET, in a documented function or
    in what it reaches: an operator, a constant, an argument, a statement, a branch, a call, axes.
    The functions that reach the change are run. It is killed if the gate fails that passes
    without it: `conformance run` with each failure of the unchanged TARGET among the known ones.

    Exit status: 0 no mutant survives but equivalent ones; 1 one does, or the list of equivalent
    mutants is stale; 3 TARGET cannot be run; 130 after Ctrl-C, with what was judged written.

    \b
    conformance mutate                                the reference, all mutants
    conformance mutate -k softmax                     the mutants of one function
    conformance mutate tf_keras --sample 5 -o DIR     five mutants of each operator

    \b
    conformance mutate tf_keras --code --sample 150 -o DIR            a random sample of 150
    conformance mutate tf_keras --code --sample 300 -o DIR --resume   150 more
    conformance mutate tf_keras --code -k softmax --list              what would be changed
    """
    from conformance.cli.mutate import mutate  # noqa: PLC0415 - help does not wait for it

    raise SystemExit(mutate(MutateOptions(**values)))
