"""The largest error of every function beside its limit, in units in the last place (ULP)."""

from __future__ import annotations

import math

from conformance.reporting.pictures.rows import ChartRow, row_chart
from conformance.reporting.pictures.svg import Element
from conformance.reporting.targets import TargetView


def measured(target: TargetView) -> list[ChartRow]:
    """The functions whose largest error and limit are known, by theme; in ULP."""
    found = []
    for one in target.results.functions:
        for aspect in one.aspects:
            error, limit = aspect.max_ulp, aspect.limit_ulp
            if error is not None and limit is not None and math.isfinite(error + limit):
                found.append(ChartRow(one.function, error, limit))
    return found


def accuracy_picture(target: TargetView) -> Element:
    """The largest error of each function and its limit; errors below 0.01 ULP stand there."""
    title = f"Largest errors of {target.label} in ULP, and their limits"
    return row_chart(title, measured(target), "ULP", -2)
