"""The largest error of every function beside its limit, in units in the last place (ULP)."""

from __future__ import annotations

import math
from typing import NamedTuple

from conformance.reporting.pictures.svg import Element, add, label, picture, words
from conformance.reporting.targets import TargetView

_ROW, _NAMES, _PLOT, _TOP = 18, 190, 560, 34
_LEAST = -2
"""Errors below 0.01 ULP are drawn there."""


class Measured(NamedTuple):
    """A function's largest error and its limit, in ULP."""

    function: str
    theme: str
    error: float
    limit: float


def measured(target: TargetView) -> list[Measured]:
    """The functions whose largest error and limit are known, by theme."""
    found = []
    for one in target.results.functions:
        for aspect in one.aspects:
            error, limit = aspect.max_ulp, aspect.limit_ulp
            if error is not None and limit is not None and math.isfinite(error) and limit > 0:
                found.append(Measured(one.function, one.theme, error, limit))
    return found


def accuracy_picture(target: TargetView) -> Element:
    """A row for each function: a dot at the error (a cross if beyond), a bar at the limit."""
    listed = measured(target)
    most = max((math.log10(max(m.error, m.limit)) for m in listed), default=1.0)
    decades = max(math.ceil(most), 1)
    height = _TOP + _ROW * len(listed) + 8
    root = picture(_NAMES + _PLOT + 90, height, f"Largest errors of {target.label} in ULP")
    _scale(root, decades, height)
    for index, one in enumerate(listed):
        _row(root, one, _TOP + _ROW * (index + 0.5), decades)
    return root


def _x(value: float, decades: int) -> float:
    power = min(max(math.log10(value) if value > 0 else _LEAST, _LEAST), decades)
    return _NAMES + _PLOT * (power - _LEAST) / (decades - _LEAST)


def _scale(root: Element, decades: int, height: float) -> None:
    step = max(1, (decades - _LEAST) // 8)
    for power in range(_LEAST, decades + 1, step):
        x = _x(10.0**power, decades)
        add(root, "line", x1=x, x2=x, y1=_TOP - 8, y2=height, class_="rule")
        shown = f"{10.0**power:g}" if abs(power) < 4 else f"1e{power}"
        told = f"{shown} ULP" if power == _LEAST else shown
        label(root, x, _TOP - 14, told, class_="small faint", text_anchor="middle")


def _row(root: Element, one: Measured, y: float, decades: int) -> None:
    row = add(root, "g")
    told = f"{one.function}: {one.error:.3g} ULP, limit {one.limit:g} ULP"
    words(add(row, "title"), told)
    label(row, _NAMES - 10, y + 4, one.function, text_anchor="end")
    x, limit = _x(one.error, decades), _x(one.limit, decades)
    add(row, "line", x1=float(_NAMES), x2=x, y1=y, y2=y, class_="rule")
    add(row, "line", x1=limit, x2=limit, y1=y - 7, y2=y + 7, class_="limit", stroke_width=2)
    if one.error > one.limit:
        cross = f"M{x - 4:g},{y - 4:g}l8,8m0,-8l-8,8"
        add(row, "path", d=cross, class_="hollow")
    else:
        add(row, "circle", cx=x, cy=y, r=4, class_="dot")
    label(
        row, _NAMES + _PLOT + 10, y + 4, f"{one.error:.3g} / {one.limit:.3g}", class_="small faint"
    )
