"""The mean time of a case of every function, in milliseconds."""

from __future__ import annotations

import math

from conformance.reporting.pictures.rows import ChartRow, row_chart
from conformance.reporting.pictures.svg import Element
from conformance.reporting.targets import TargetView


def timed(target: TargetView) -> list[ChartRow]:
    """The functions whose time is known; in milliseconds."""
    times = target.results.run.milliseconds
    known = [(name, times[name]) for name in target.functions if name in times]
    return [ChartRow(name, time) for name, time in known if math.isfinite(time) and time >= 0]


def times_picture(target: TargetView) -> Element:
    """The time of each function; times below a microsecond stand there."""
    title = f"Mean time of a case on {target.label} in milliseconds"
    return row_chart(title, timed(target), "ms", -3)
