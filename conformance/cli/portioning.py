"""`--max-time` and `--shard`: how much of a plan is run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.errors import UsageProblem
from conformance.editions import Edition
from conformance.engine import Shard, Task, bundles

_SECONDS = {"s": 1, "m": 60, "h": 3600}
_HINT = "write a number and s, m or h, such as 90s, 5m, 1h or 1h30m"


# a class with a parameter since click 8.4 only
if TYPE_CHECKING:
    _Seconds = click.ParamType[float]
else:
    _Seconds = click.ParamType


class Duration(_Seconds):
    """Seconds, from `90s`, `5m`, `1h30m`."""

    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The seconds; a usage error for anything else."""
        if isinstance(value, int | float):
            return float(value)
        parts = re.findall(r"(\d+(?:\.\d+)?)([smh])", value)
        if not parts or "".join(n + unit for n, unit in parts) != value:
            self.fail(f"{value!r} is not a duration; {_HINT}", param, ctx)
        seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
        if not seconds:
            self.fail(f"{value!r} is a duration of zero; {_HINT}", param, ctx)
        return seconds


max_time_option = click.option(
    "--max-time",
    type=Duration(),
    metavar="TIME",
    help="End after TIME (90s, 5m, 1h): each function is looked at once, then those most likely to"
    " fail. What was not reached is `not run`; --resume runs it.",
)
shard_option = click.option(
    "--shard",
    metavar="I/N",
    help="Only the I-th of N parts of the functions, counted from 1, which take about as long;"
    " `conformance report` puts the results together.",
)


def shard(text: str | None) -> Shard | None:
    """What `--shard` says. UsageProblem if it is not `I/N`."""
    if text is None:
        return None
    part, sign, parts = text.partition("/")
    if not (sign and part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise UsageProblem(f"--shard {text!r}", "write --shard I/N with I from 1 to N, such as 1/3")
    return Shard(int(part), int(parts))


def check_shards(chosen: Shard | None, plans: Mapping[Edition, Sequence[Task]]) -> None:
    """UsageProblem if a shard would have nothing to run."""
    for edition, tasks in plans.items():
        most = len(bundles(tasks))
        if chosen is not None and most < chosen.parts:
            raise UsageProblem(
                f"--shard {chosen}: {edition} has only {most} functions to share",
                f"write --shard I/N with N up to {most}",
            )
