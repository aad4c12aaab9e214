"""The options of composed programs: how many, and how long they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from conformance.cli.options.run import Duration

MOST = 20
"""The most calls of a program."""
DEFAULT = 1000
"""How many programs a run has without --programs and --max-time."""

# a class with a parameter since click 8.4 only
if TYPE_CHECKING:
    _Sizes = click.ParamType[tuple[int, int]]
else:
    _Sizes = click.ParamType


class Size(_Sizes):
    """The fewest and the most calls, from `6` or `2-20`."""

    name = "size"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Both numbers; a usage error for anything else."""
        if isinstance(value, tuple):
            return value
        least, dash, most = value.partition("-")
        numbers = [part for part in (least, most) if part or dash]
        if not all(part.isdecimal() for part in numbers):
            self.fail(
                f"{value!r} is not a size; write one or two numbers, such as 6 or 2-20", param, ctx
            )
        low, high = int(least), int(most or least)
        if not 2 <= low <= high <= MOST:
            self.fail(
                f"{value!r}: programs have 2 to {MOST} calls; write the fewest first, such as 2-20",
                param,
                ctx,
            )
        return low, high


programs_option = click.option(
    "--programs",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Run the programs 0 to N - 1 on each target.  [default: {DEFAULT}; with --max-time all"
    " that cover a pair]",
)
max_time_option = click.option(
    "--max-time",
    type=Duration(),
    metavar="TIME",
    help="End after TIME (90s, 5m, 8h), or when the programs cover every pair; --resume continues.",
)
shard_option = click.option(
    "--shard",
    metavar="I/N",
    help="Run only every N-th program, from the I-th on, counted from 1.",
)
size_option = click.option(
    "--size",
    type=Size(),
    default=(2, MOST),
    metavar="N[-M]",
    help=f"The fewest and the most calls of a program.  [default: 2-{MOST}]",
)
again_option = click.option(
    "--again",
    is_flag=True,
    help="With --resume: first run the programs of all stored failures again and replace their"
    " records.",
)
