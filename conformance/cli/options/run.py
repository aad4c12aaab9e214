"""Options of runs: how much of a plan, where, and from or against which results."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.options import F, together
from conformance.cli.options.types import Named, UserPath
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
    help="End after TIME (90s, 5m, 1h). The suite tries each function once, then those most likely"
    " to fail. The rest is `not run`; --resume runs it.",
)
target_time_option = click.option(
    "--max-target-time",
    "target_time",
    type=Duration(),
    metavar="TIME",
    default="6h",
    show_default=True,
    help="End a target that takes longer than TIME; the rest is `not run`.",
)
call_timeout_option = click.option(
    "--call-timeout",
    "call_timeout",
    type=Duration(),
    metavar="TIME",
    help="Wait TIME for the answer to a call, and 1s more for each draw. After that the call is"
    " `timed out`.  [default: the target's own `call_timeout`, 10s]",
)
shard_option = click.option(
    "--shard",
    metavar="I/N",
    help="Run only the I-th of N parts of the functions, counted from 1. The parts take about the"
    " same time; `conformance report` merges the results.",
)
resume_option = click.option(
    "--resume",
    is_flag=True,
    help="Continue an interrupted run with the same options, from its results in --output.",
)
reuse_option = click.option(
    "--reuse",
    type=UserPath(exists=True, path_type=Path),
    multiple=True,
    metavar="RESULTS",
    help="A results file of an earlier run, or a folder of them; may be repeated. The suite reuses"
    " the results of a function unless something that they depend on has changed.",
)
vectors_option = click.option(
    "--vectors",
    type=UserPath(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Run the calls in this folder of `conformance vectors` and judge by its values, with its"
    " profile and seed.",
)
scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Run on the Dask cluster with this scheduler (tcp://10.0.0.1:8786). Its machines need the"
    " suite and the targets.",
)
locate_option = click.option(
    "--locate/--no-locate",
    default=None,
    help="Rank the lines of the implementation that may be the cause of a wrong answer.  [default:"
    " yes, except with the profile smoke]",
)
baseline_option = click.option(
    "--baseline",
    type=UserPath(exists=True, path_type=Path),
    metavar="RESULTS",
    help="A results file of an earlier run, or a folder of them. The exit status is 1 if an aspect"
    " that conformed there no longer conforms, or if a function that existed there is missing. The"
    " suite compares only functions and aspects of this run.",
)
