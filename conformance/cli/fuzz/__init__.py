"""`conformance fuzz`: planned programs of several functions."""

from __future__ import annotations

from typing import Any

import click

from conformance.cli.options import (
    config_option,
    documents_option,
    formats_option,
    output_option,
    seed_option,
)
from conformance.cli.options.fuzz import (
    again_option,
    max_time_option,
    programs_option,
    shard_option,
    size_option,
)
from conformance.cli.options.gate import gate_options
from conformance.cli.options.modules import module_options
from conformance.cli.options.run import (
    call_timeout_option,
    detail_options,
    edition_option,
    jobs_option,
    resume_option,
)
from conformance.cli.options.selection import selection_option
from conformance.cli.options.values import FuzzOptions


@click.command("fuzz")
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@selection_option
@edition_option
@programs_option
@size_option
@seed_option
@jobs_option("How many workers run at a time; most targets use two.")
@max_time_option
@call_timeout_option
@shard_option
@resume_option
@again_option
@output_option("Write TARGET.json and matrix.md into this folder.")
@formats_option(
    "Also write this format into --output, as `conformance report` does; may be repeated."
)
@gate_options
@config_option
@module_options
@documents_option
@detail_options
def fuzz_command(**values: Any) -> None:
    """Run programs of several documented calls and find faults that no single call shows.

    The suite plans which function feeds which argument of which other one, beginning with pairs
    that optimisers rewrite. Each program has a right answer with a proved bound for each element.

    If a result differs by more, the suite runs each call alone. A call that fails alone counts for
    its function, which `conformance run` tests. Otherwise the suite minimises the program and
    reports a failure of composition: of an optimiser, a cache or a shared buffer.

    \b
    conformance fuzz                               1,000 programs on every target that is ready
    conformance fuzz torch --programs 5000         more programs on one target
    conformance fuzz theano --max-time 8h -o out   8 hours, or until the programs cover every pair
    conformance fuzz theano --resume --max-time 8h -o out     the next programs, the next night
    conformance fuzz theano --resume --again -o out           the recorded failures again
    conformance fuzz torch -k "softmax or dot" --size 2-6     short programs with these functions
    conformance fuzz keras3-ops-jax                programs of keras.ops
    conformance fuzz torch --shard 3/8 -o out      an eighth, on one of eight machines

    --seed and its number determine a program; --jobs and the target do not change it. The results
    files have the same names as those of `conformance run`, so choose a separate folder.

    \b
    Exit status:
      0     nothing unexpected
      1     an unexpected failure, or a known failure that no longer occurs
      2     wrong usage, a broken file, or results that the suite cannot write
      3     a target does not start
      70    an error in the suite itself
      130   Ctrl-C
    """
    from conformance.cli.fuzz.fuzz import fuzz_targets  # noqa: PLC0415 - help does not wait for it

    fuzz_targets(FuzzOptions(**values))
