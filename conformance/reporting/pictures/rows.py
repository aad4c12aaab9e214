"""A chart with a row for each function: a value on a logarithmic scale, perhaps with a limit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from conformance.reporting.pictures.svg import Element, add, label, picture, words

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
        told = f"{shown} {unit}" if power == scale.least else shown
        label(root, x, _TOP - 14, told, class_="small faint", text_anchor="middle")


def _row(root: Element, one: ChartRow, y: float, scale: Scale, unit: str) -> None:
    row = add(root, "g")
    words(add(row, "title"), f"{one.function}: {one.figures(f' {unit}')}")
    label(row, _NAMES - 10, y + 4, one.function, text_anchor="end")
    x = scale.x(one.value)
    add(row, "line", x1=float(_NAMES), x2=x, y1=y, y2=y, class_="rule")
    if one.limit is not None:
        bar = scale.x(one.limit)
        add(row, "line", x1=bar, x2=bar, y1=y - 7, y2=y + 7, class_="limit", stroke_width=2)
    if one.over_limit:
        add(row, "path", d=f"M{x - 4:g},{y - 4:g}l8,8m0,-8l-8,8", class_="hollow")
    else:
        add(row, "circle", cx=x, cy=y, r=4, class_="dot")
    label(row, _NAMES + _PLOT + 10, y + 4, one.figures(), class_="small faint")
