"""The matrix of functions and targets: its columns, and its lines on a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rich.text import Text

from conformance.reporting.marks import MARKS, Mark
from conformance.reporting.paint import Paint
from conformance.reporting.safe_text import clean
from conformance.results import FunctionResult, Results, Verdict
from conformance.results.scores import (
    count_diverging,
    count_standings,
    diverges,
    is_absent,
    score,
    worst,
)


class MatrixColumn(NamedTuple):
    """One target in the matrix: what was judged of it."""

    name: str
    edition: str
    functions: dict[str, FunctionResult]

    def verdict(self, function: str) -> Verdict:
        """The worst fault, change or lack over the aspects; `not applicable` if it was not run."""
        result = self.functions.get(function)
        return worst(result.aspects if result else ())

    def cell(self, function: str) -> str:
        """The function's score, or nothing if nothing is demanded of it."""
        points = score(self._chosen(function))
        return str(points) if points.demanded else ""

    def diverges(self, function: str) -> bool:
        """Whether one of the aspects takes another reading than the suite's."""
        return any(diverges(a) for f in self._chosen(function) for a in f.aspects)

    def _chosen(self, function: str) -> list[FunctionResult]:
        return [self.functions[function]] if function in self.functions else []


def column(results: Results) -> MatrixColumn:
    """The column of a whole results file."""
    functions = {f.function: f for f in results.functions}
    return MatrixColumn(results.target.name, results.target.edition, functions)


def marks_of(columns: Iterable[MatrixColumn]) -> dict[Verdict, Mark]:
    """The marks for a legend; those that seldom occur stand in it only where they do."""
    functions = [f for entry in columns for f in entry.functions.values()]
    counts = count_standings(functions)
    counts[Verdict.DIVERGES] = count_diverging(functions)
    rare = (Verdict.NOT_RUN, Verdict.ERROR, Verdict.DIVERGES, Verdict.CHANGED)
    return {v: m for v, m in MARKS.items() if v not in rare or counts[v]}


def by_theme(columns: Sequence[MatrixColumn]) -> dict[str, list[str]]:
    """The functions of all columns under their theme, in the order in which they first occur."""
    theme_of: dict[str, str] = {}
    for entry in columns:
        for function in entry.functions.values():
            theme_of.setdefault(function.function, function.theme)
    themes: dict[str, list[str]] = {}
    for name, theme in theme_of.items():
        themes.setdefault(theme, []).append(name)
    return themes


def labels(names: Sequence[str], width: int = 10) -> list[str]:
    """Short, distinct column labels: the name, or its last word that is not a version, or
    numbered."""
    short = [_short(clean(name), width) for name in names]
    distinct: list[str] = []
    for label in short:
        distinct.append(_distinct(label, distinct, width))
    return distinct


def _short(name: str, width: int) -> str:
    if len(name) <= width and name:
        return name
    words = [w for w in re.split(r"[^\w.]+", name) if w and not re.fullmatch(r"v?[\d.]+\w*", w)]
    return (words[-1] if words else name or "target")[:width]


def _distinct(label: str, taken: Sequence[str], width: int) -> str:
    number, candidate = 1, label
    while candidate in taken:
        number += 1
        candidate = f"{label[: width - len(str(number)) - 1]}#{number}"
    return candidate


LABEL_WIDTH = 10
GAP = 2
NAME_WIDTH = 28
"""Columns for a function name, indented; fewer if no name needs them, and more where all targets
fit beside longer names."""


FEW = 5
"""So many rows of absent functions are shown anyway."""


def matrix(
    columns: Sequence[MatrixColumn], paint: Paint, width: int, *, whole: bool = True
) -> Iterator[Text]:
    """The lines of the matrix, each at most `width` columns wide (or as wide as one target).

    Unless `whole`, many functions that no target has become one line.
    """
    if not columns:
        return
    yield from legend(columns, paint, width)
    yield Text("Figures: aspects that follow the documents / aspects that the edition demands")

    def cell(entry: MatrixColumn, name: str) -> Text:
        text = paint.mark(entry.verdict(name), entry.cell(name))
        return paint.with_reading(text) if entry.diverges(name) else text

    themes = by_theme(columns)
    absent = [] if whole else _absent_everywhere(columns)
    if len(absent) > FEW:
        rows = {t: [n for n in names if n not in absent] for t, names in themes.items()}
        themes = {theme: names for theme, names in rows.items() if names}
    yield from grid(columns, themes, cell, paint, width)
    if len(absent) > FEW:
        yield paint.text(f"{len(absent)} functions are absent; --verbose lists them", "dim")


def _absent_everywhere(columns: Sequence[MatrixColumn]) -> list[str]:
    """The functions that no target has."""
    names = dict.fromkeys(name for entry in columns for name in entry.functions)
    return [
        name
        for name in names
        if all(is_absent(e.functions[name]) for e in columns if name in e.functions)
    ]


def legend(columns: Sequence[MatrixColumn], paint: Paint, width: int) -> Iterator[Text]:
    """A legend: the target of each label, and the meaning of each mark."""
    for column, label in zip(columns, _labels(columns), strict=True):
        named = f"{column.name}, {column.edition}"
        whole = paint.crop(named, max(width - LABEL_WIDTH - GAP, 20))
        yield Text.assemble(_padded(Text(paint.crop(label, LABEL_WIDTH), "bold")), whole)
    line = Text()
    for verdict, mark in marks_of(columns).items():
        entry = paint.mark(verdict, legend_name(verdict, mark))
        if line and len(line) + 3 + len(entry) > width:
            yield line
            line = Text()
        line = Text.assemble(line, "   " if line else "", entry)
    yield line


def legend_name(verdict: Verdict, mark: Mark) -> str:
    """A legend's words for a mark."""
    if verdict is Verdict.DIVERGES:
        return "some answers differ where the documents are silent"
    if verdict is Verdict.CHANGED:
        return "changed: a successor's call differs, which is not a fault"
    if verdict is Verdict.ERROR:
        return "error of the suite, not judged"
    return mark.verb if verdict is Verdict.NOT_APPLICABLE else str(verdict)


def grid(
    columns: Sequence[MatrixColumn],
    sections: Mapping[str, Sequence[str]],
    cell: Callable[[MatrixColumn, str], Text],
    paint: Paint,
    width: int,
) -> Iterator[Text]:
    """Named rows in titled sections, one column for each target; as many tables as fit."""
    names = [name for section in sections.values() for name in section]
    longest = max((len(paint.plain(name)) for name in names), default=0)
    spare = width - len(columns) * (LABEL_WIDTH + GAP)
    name_width = min(max(NAME_WIDTH, spare), longest + 3)
    per_group = max(1, (width - name_width) // (LABEL_WIDTH + GAP))
    short = _labels(columns)
    for start in range(0, len(columns), per_group):
        group = slice(start, start + per_group)
        yield Text()
        heads = [_padded(Text(paint.crop(label, LABEL_WIDTH), "bold")) for label in short[group]]
        yield _trimmed(Text.assemble(" " * name_width, *heads))
        for title, section in sections.items():
            yield from [Text(paint.crop(title, max(width, name_width)), "bold")] if title else []
            for name in section:
                cells = [_padded(cell(column, name)) for column in columns[group]]
                yield _row(name, cells, paint, name_width)


def _labels(columns: Sequence[MatrixColumn]) -> list[str]:
    return labels([column.name for column in columns], LABEL_WIDTH)


def _row(name: str, cells: Sequence[Text], paint: Paint, name_width: int) -> Text:
    shown = Text("  " + paint.crop(name, name_width - 3))
    shown.pad_right(name_width - shown.cell_len)
    return _trimmed(Text.assemble(shown, *cells))


def _padded(cell: Text) -> Text:
    cell.pad_right(max(LABEL_WIDTH + GAP - cell.cell_len, 0))
    return cell


def _trimmed(line: Text) -> Text:
    line.rstrip()
    return line
