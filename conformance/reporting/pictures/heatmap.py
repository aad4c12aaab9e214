"""The whole matrix as one small picture: a row for each target, a column for each function."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.reporting.listing import readings_text
from conformance.reporting.matrix import by_theme, column
from conformance.reporting.pictures.svg import Element, add, label, name, picture, words
from conformance.reporting.targets import TargetView
from conformance.results import Verdict
from conformance.results.scores import DEVIATIONS, diverges, readings, worst

_WIDE, _HIGH, _GAP, _TOP, _SCORE = 6, 22, 5, 92, 190
_SIGNS = {
    Verdict.VIOLATES: "M{x0},{y0}L{x1},{y1}M{x1},{y0}L{x0},{y1}",
    Verdict.CHANGED: "M{x0},{y1}L{x1},{y0}",
    Verdict.CRASHED: "M{c},{y0}L{c},{y1}",
    Verdict.TIMED_OUT: "M{c},{y0}L{c},{y1}",
    Verdict.ERROR: "M{x0},{y0}L{x1},{y0}M{x0},{y1}L{x1},{y1}",
}
"""The signs of a cell besides its colour."""
_LEGEND = (Verdict.CONFORMS, *DEVIATIONS, Verdict.UNSUPPORTED, Verdict.NOT_APPLICABLE)


def heatmap(targets: Sequence[TargetView], order: dict[str, list[str]] | None = None) -> Element:
    """The matrix; what a cell is can be read in its tooltip, and seen by its sign."""
    themes = order or by_theme([column(t.results) for t in targets])
    left = 24 + 7 * max((len(t.label) for t in targets), default=10)
    functions = sum(map(len, themes.values()))
    width = left + functions * _WIDE + len(themes) * _GAP + _SCORE
    root = picture(width, _TOP + len(targets) * _HIGH + 44, "Conformance of targets by function")
    places = _columns(root, themes, left)
    for index, target in enumerate(targets):
        y = _TOP + index * _HIGH
        label(root, left - 10, y + 14, target.label, text_anchor="end")
        label(root, width - _SCORE + 8, y + 14, _title(target), class_="small")
        for function, x in places.items():
            _cell(root, target, function, x, y + 2)
    erring = any(target.score.errors for target in targets)
    verdicts = (*_LEGEND, Verdict.ERROR) if erring else _LEGEND
    _legend(root, left, _TOP + len(targets) * _HIGH + 26, verdicts)
    return root


def _columns(root: Element, themes: dict[str, list[str]], left: float) -> dict[str, float]:
    places, x = {}, float(left)
    for theme, names in themes.items():
        middle = x + len(names) * _WIDE / 2
        turned = f"rotate(-45 {middle:g} {_TOP - 8})"
        label(root, middle, _TOP - 8, theme, class_="small faint", transform=turned)
        for function in names:
            places[function] = x
            x += _WIDE
        x += _GAP
    return places


def _title(target: TargetView) -> str:
    return f"{target.score.figures}{', part' if target.partial else ''}"


def _cell(root: Element, target: TargetView, function: str, x: float, y: float) -> None:
    result = target.functions.get(function)
    aspects = result.aspects if result else []
    verdict = worst(aspects)
    cell = add(root, "rect", x=x, y=y, width=_WIDE - 1, height=_HIGH - 4, class_=name(verdict))
    taken = f"; readings: {readings_text(readings(aspects))}" if any(map(diverges, aspects)) else ""
    words(add(cell, "title"), f"{function}: {verdict if result else 'not run'}{taken}")
    _sign(root, verdict, x, y + (_HIGH - 4) / 2)
    if taken:
        _dot(root, x, y)


def _dot(root: Element, x: float, y: float) -> None:
    """The quiet mark of another reading, at the foot of a cell."""
    add(root, "circle", cx=x + (_WIDE - 1) / 2, cy=y + _HIGH - 7, r=1.1, class_="reading")


def _sign(root: Element, verdict: Verdict, x: float, middle: float) -> None:
    if verdict in _SIGNS:
        at = {"x0": x + 1, "x1": x + _WIDE - 2, "c": x + _WIDE / 2 - 0.5, "m": middle}
        at |= {"y0": middle - 3, "y1": middle + 3}
        add(root, "path", d=_SIGNS[verdict].format(**at), class_=f"sign on-{name(verdict)[2:]}")


def _legend(root: Element, x: float, y: float, verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        add(root, "rect", x=x, y=y - 10, width=10, height=12, class_=name(verdict))
        _sign(root, verdict, x + 2, y - 4)
        text = "not applicable or not run" if verdict is Verdict.NOT_APPLICABLE else str(verdict)
        label(root, x + 15, y, text, class_="small")
        x += 33 + 6 * len(text)
    add(root, "rect", x=x, y=y - 10, width=10, height=12, class_=name(Verdict.CONFORMS))
    _dot(root, x + 2.5, y - 16)
    label(root, x + 15, y, "another allowed reading", class_="small")
