"""`conformance run`: test targets and report."""

from __future__ import annotations

import atexit
import gc
from typing import Any

import click

from conformance.cli.options import (
    config_option,
    documents_option,
    formats_option,
    output_option,
    profile_option,
    seed_option,
)
from conformance.cli.options.gate import database_options, gate_options
from conformance.cli.options.modules import module_options
from conformance.cli.options.run import (
    baseline_option,
    call_timeout_option,
    detail_options,
    edition_option,
    jobs_option,
    locate_option,
    max_time_option,
    resume_option,
    reuse_option,
    scheduler_option,
    shard_option,
    target_time_option,
    vectors_option,
)
from conformance.cli.options.selection import aspects_option, selection_option
from conformance.cli.options.values import RunOptions


@click.command("run")
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@selection_option
@aspects_option
@edition_option
@profile_option()
@seed_option
@locate_option
@vectors_option
@jobs_option("How many workers run at a time; most targets use two.")
@max_time_option
@target_time_option
@call_timeout_option
@shard_option
@resume_option
@reuse_option
@scheduler_option
@output_option("Write TARGET.json and matrix.md into this folder.")
@formats_option(
    "Also write this format into --output, as `conformance report` does; may be repeated."
)
@gate_options
@baseline_option
@database_options
@config_option
@module_options
@documents_option
@detail_options
def run_command(**values: Any) -> None:
    """Test targets against the documents of the Keras backend API.

    A TARGET is a name from `conformance targets`, a library (tensorflow, theano, cntk) for all of
    its targets, or a Python file. Without a TARGET the suite tests the reference and every target
    that is ready.

    \b
    conformance run                              every target that is ready here
    conformance run theano -k "softmax or sum"   some functions on one library
    conformance run mybackend.py                 your own backend, in this interpreter
    conformance run --module my_package.backend  the same, from a package
    conformance run my-backend                   a target from conformance.toml
    conformance run --max-time 5m -o out         as much as five minutes allow
    conformance run --resume -o out              the rest
    conformance run --reuse out -o out           only functions with a change since then
    conformance run --shard 3/8 -o out           an eighth, on one of eight machines
    conformance run theano --vectors vectors     the calls and answers of `conformance vectors`

    \b
    conformance run mine --write-expectations known.toml   list the failures; you add the reasons
    conformance run mine --expectations known.toml         pass if exactly these failures occur
    conformance run mine --baseline old/mine.json          pass if nothing has regressed

    \b
    Exit status:
      0     nothing unexpected
      1     an unexpected failure, a known failure that no longer occurs, or a regression
      2     wrong usage, a broken file, or results that the suite cannot write
      3     a target does not start, nothing conforms on it, or some functions were not reached
      70    an error in the suite itself
      130   Ctrl-C
    """
    gc.disable()  # among modules there is no garbage to search for, now and later
    try:
        from conformance.cli.run.run import run_targets  # noqa: PLC0415 - help does not wait for it
    finally:
        gc.freeze()
        gc.enable()
    # the system takes the memory of a process that ends; Python would search all of it before
    atexit.register(gc.freeze)
    run_targets(RunOptions(**values))
