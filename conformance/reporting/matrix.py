"""The matrix functions x targets for a terminal: rows never break, targets come in groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.text import Text

from conformance.reporting.columns import MatrixColumn, by_theme, labels, marks_of
from conformance.reporting.marks import Mark
from conformance.reporting.paint import Paint
from conformance.results import Verdict

LABEL_WIDTH = 10
GAP = 2
NAME_WIDTH = 28
"""Columns for a function name, indented; fewer if no name needs them."""


def matrix(columns: Sequence[MatrixColumn], paint: Paint, width: int) -> Iterator[Text]:
    """The lines of the matrix, each at most `width` columns wide (or as wide as one target)."""
    if not columns:
        return
    yield from legend(columns, paint, width)
    yield Text("The figures: aspects that keep the documents / aspects that the edition demands")

    def cell(entry: MatrixColumn, name: str) -> Text:
        told = paint.mark(entry.verdict(name), entry.cell(name))
        return paint.with_reading(told) if entry.diverges(name) else told

    yield from grid(columns, by_theme(columns), cell, paint, width)


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
    """What a legend says of a mark."""
    if verdict is Verdict.DIVERGES:
        return "another allowed reading in some answers"
    if verdict is Verdict.CHANGED:
        return "changed: a successor's call differs, which is no fault"
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
    name_width = min(NAME_WIDTH, longest + 3)
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
