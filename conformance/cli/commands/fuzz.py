"""`conformance fuzz`: random programs of several functions."""

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
from conformance.cli.options.fuzzing import (
    again_option,
    max_time_option,
    programs_option,
    shard_option,
    size_option,
)
from conformance.cli.options.gate import gate_options
from conformance.cli.options.given import FuzzOptions
from conformance.cli.options.modules import module_options
from conformance.cli.options.running import (
    detail_options,
    edition_option,
    jobs_option,
    resume_option,
)
from conformance.cli.select import selection_option


@click.command("fuzz")
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@selection_option
@edition_option
@programs_option
@size_option
@seed_option
@jobs_option("Workers at a time; most targets have two.")
@max_time_option
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
def command(**values: Any) -> None:
    """Run random programs of several documented calls, and prove what is wrong.

    Each program has a right answer with an error bound for every element that holds for the program
    as a whole. What differs by more is made smaller; if one of its calls fails by itself, it is put
    down to that function, which `conformance run` tests. What is left are failures of composition:
    of optimisers, caches, shared buffers. With -k, each program calls one of these functions.

    \b
    conformance fuzz                               1000 programs on everything that is ready here
    conformance fuzz torch --programs 5000         more of them on one target
    conformance fuzz theano --max-time 8h -o out   as many as a night has room for
    conformance fuzz theano --resume --max-time 8h -o out     the next ones, on the next night
    conformance fuzz theano --resume --again -o out           what was found, once more
    conformance fuzz torch -k "softmax or dot" --size 2-6     short programs with these functions
    conformance fuzz torch --shard 3/8 -o out      an eighth, on one of eight machines

    A program is made of --seed and its number alone: neither --jobs nor the target changes it.
    The results files are those of `conformance run`: keep them in a folder of their own.

    Exit status: 0 nothing unexpected; 1 an unexpected failure, or a known failure that does not
    occur; 2 wrong usage, a broken file, or results that cannot be written; 3 a target could not be
    run; 70 an error of the suite itself; 130 after Ctrl-C.
    """
    from conformance.cli.fuzz import fuzz_targets  # noqa: PLC0415 - help does not wait for it

    fuzz_targets(FuzzOptions(**values))
