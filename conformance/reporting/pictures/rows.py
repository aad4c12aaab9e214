"""A chart with a row for each function: a value on a logarithmic scale, perhaps with a limit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from conformance.reporting.pictures.svg import Element, add, label, picture, words
from conformance.reporting.targets import TargetView

_ROW, _NAMES, _PLOT, _FIGURES, _TOP = 18, 190, 560, 110, 34


class ChartRow(NamedTuple):
    """One function with its value, and its limit if it has one."""

    function: str
    value: float
    limit: float | None = None

    @property
    def over_limit(self) -> bool:
        """Whether the value exceeds its limit."""
        return self.limit is not None and self.value > self.limit

    def figures(self, unit: str = "") -> str:
        """The value and the limit in figures."""
        limit = "" if self.limit is None else f" / {self.limit:.3g}"
        return f"{self.value:.3g}{limit}{unit}"


class Scale(NamedTuple):
    """The powers of ten at which the scale begins and ends."""

    least: int
    most: int

    def x(self, value: float) -> float:
        """Where a value is drawn; what is smaller than the scale stands at its beginning."""
        power = math.log10(value) if value > 0 else self.least
        power = min(max(power, self.least), self.most)
        return _NAMES + _PLOT * (power - self.least) / (self.most - self.least)


def row_chart(title: str, rows: Sequence[ChartRow], unit: str, least: int) -> Element:
    """A dot at each value (a cross if beyond the limit), a bar at each limit.

    `least` is the power of ten at which the scale begins.
    """
    biggest = max((max(r.value, r.limit or 0.0) for r in rows), default=1.0)
    scale = Scale(least, max(math.ceil(math.log10(biggest or 1.0)), least + 2))
    height = _TOP + _ROW * len(rows) + 8
    root = picture(_NAMES + _PLOT + _FIGURES, height, title)
    _axis(root, scale, height, unit)
    for index, row in enumerate(rows):
        _row(root, row, _TOP + _ROW * (index + 0.5), scale, unit)
    return root


def _axis(root: Element, scale: Scale, height: float, unit: str) -> None:
    step = max(1, (scale.most - scale.least) // 8)
    for power in range(scale.least, scale.most + 1, step):
        x = scale.x(10.0**power)
        add(root, "line", x1=x, x2=x, y1=_TOP - 8, y2=height, class_="rule")
        shown = f"{10.0**power:g}" if abs(power) < 4 else f"1e{power}"
        text = f"{shown} {unit}" if power == scale.least else shown
        label(root, x, _TOP - 14, text, class_="small faint", text_anchor="middle")


def _row(root: Element, chart_row: ChartRow, y: float, scale: Scale, unit: str) -> None:
    row = add(root, "g")
    words(add(row, "title"), f"{chart_row.function}: {chart_row.figures(f' {unit}')}")
    label(row, _NAMES - 10, y + 4, chart_row.function, text_anchor="end")
    x = scale.x(chart_row.value)
    add(row, "line", x1=float(_NAMES), x2=x, y1=y, y2=y, class_="rule")
    if chart_row.limit is not None:
        bar = scale.x(chart_row.limit)
        add(row, "line", x1=bar, x2=bar, y1=y - 7, y2=y + 7, class_="limit", stroke_width=2)
    if chart_row.over_limit:
        add(row, "path", d=f"M{x - 4:g},{y - 4:g}l8,8m0,-8l-8,8", class_="hollow")
    else:
        add(row, "circle", cx=x, cy=y, r=4, class_="dot")
    label(row, _NAMES + _PLOT + 10, y + 4, chart_row.figures(), class_="small faint")


def measured(target: TargetView) -> list[ChartRow]:
    """The functions whose largest error and limit are known, by theme; in ULP."""
    measures = []
    for function in target.results.functions:
        for aspect in function.aspects:
            error, limit = aspect.max_ulp, aspect.limit_ulp
            if error is not None and limit is not None and math.isfinite(error + limit):
                measures.append(ChartRow(function.function, error, limit))
    return measures


def accuracy_picture(target: TargetView) -> Element:
    """The largest error of each function and its limit; errors below 0.01 ULP stand there."""
    title = f"Largest errors of {target.label} in ULP, and their limits"
    return row_chart(title, measured(target), "ULP", -2)


def timed(target: TargetView) -> list[ChartRow]:
    """The functions whose time is known; in milliseconds."""
    times = target.results.run.milliseconds
    known = [(name, times[name]) for name in target.functions if name in times]
    return [ChartRow(name, time) for name, time in known if math.isfinite(time) and time >= 0]


def times_picture(target: TargetView) -> Element:
    """The time of each function; times below a microsecond stand there."""
    title = f"Mean time of a case on {target.label} in milliseconds"
    return row_chart(title, timed(target), "ms", -3)
