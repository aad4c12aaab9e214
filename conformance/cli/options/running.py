"""How much of a plan is run, where, and what it goes on from or is held against."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.options import F, together
from conformance.cli.options.named import Named
from conformance.editions import EDITIONS

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


edition_option = click.option(
    "--edition",
    type=Named(EDITIONS),
    help="Test against this edition instead of the target's own.",
)
detail_options = together(
    click.option("--verbose", "-v", is_flag=True, help="List every failure."),
    click.option("--quiet", "-q", is_flag=True, help="Scores only."),
)


def jobs_option(about: str) -> Callable[[F], F]:
    """`--jobs N`; None is the number of cores."""
    return click.option(
        "--jobs",
        "-j",
        type=click.IntRange(min=1),
        default=None,
        help=f"{about}  [default: the number of cores]",
    )


max_time_option = click.option(
    "--max-time",
    type=Duration(),
    metavar="TIME",
    help="End after TIME (90s, 5m, 1h): each function is looked at once, then those most likely to"
    " fail. What was not reached is `not run`; --resume runs it.",
)
target_time_option = click.option(
    "--max-target-time",
    "target_time",
    type=Duration(),
    metavar="TIME",
    default="6h",
    show_default=True,
    help="End a target that takes longer than TIME; what was not reached is `not run`.",
)
shard_option = click.option(
    "--shard",
    metavar="I/N",
    help="Only the I-th of N parts of the functions, counted from 1, which take about as long;"
    " `conformance report` puts the results together.",
)
resume_option = click.option(
    "--resume",
    is_flag=True,
    help="Go on with the results in --output that a run with the same options left unfinished.",
)
reuse_option = click.option(
    "--reuse",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    metavar="RESULTS",
    help="A results file of an earlier run, or a folder of them: functions are taken from there and"
    " not run if nothing has changed that their results depend on; may be repeated.",
)
scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Run on the Dask cluster with this scheduler (tcp://10.0.0.1:8786), on whose machines the"
    " suite and the targets are installed.",
)
baseline_option = click.option(
    "--baseline",
    type=click.Path(exists=True, path_type=Path),
    metavar="RESULTS",
    help="A results file of an earlier run, or a folder of them: what conformed there must still"
    " conform, and what was offered must still be offered (exit status 1); functions and aspects"
    " that this run leaves out are not compared.",
)
