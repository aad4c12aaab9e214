"""The matrix functions x targets for a terminal: rows never break, targets come in groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from conformance.reporting.paint import Paint
from conformance.reporting.plain import MARKS, Column, by_theme, labels

LABEL_WIDTH = 10
GAP = 2
NAME_WIDTH = 28
"""Columns for a function name, indented; fewer if no name needs them."""


def matrix(columns: Sequence[Column], paint: Paint, width: int) -> Iterator[Text]:
    """The lines of the matrix, each at most `width` columns wide (or as wide as one target)."""
    if not columns:
        return
    short = labels([c.name for c in columns], LABEL_WIDTH)
    yield from _legend(columns, short, paint, width)
    themes = by_theme(columns)
    rows = [name for names in themes.values() for name in names]
    name_width = min(NAME_WIDTH, max((len(paint.plain(r)) for r in rows), default=0) + 3)
    per_group = max(1, (width - name_width) // (LABEL_WIDTH + GAP))
    for start in range(0, len(columns), per_group):
        group = slice(start, start + per_group)
        yield Text()
        yield from _table(columns[group], short[group], themes, paint, name_width)


def _legend(
    columns: Sequence[Column], short: Sequence[str], paint: Paint, width: int
) -> Iterator[Text]:
    for column, label in zip(columns, short, strict=True):
        named = f"{column.name}, {column.edition}"
        whole = paint.crop(named, max(width - LABEL_WIDTH - GAP, 20))
        yield Text.assemble(_padded(Text(paint.crop(label, LABEL_WIDTH), "bold")), whole)
    line = Text()
    for verdict, mark in MARKS.items():
        entry = paint.mark(verdict, str(verdict if mark.symbol != "·" else mark.verb))
        if line and len(line) + 3 + len(entry) > width:
            yield line
            line = Text()
        line = Text.assemble(line, "   " if line else "", entry)
    yield line
    yield Text("The figures: aspects that conform / aspects that the edition demands")


def _table(
    columns: Sequence[Column],
    short: Sequence[str],
    themes: dict[str, list[str]],
    paint: Paint,
    name_width: int,
) -> Iterator[Text]:
    heads = [_padded(Text(paint.crop(label, LABEL_WIDTH), "bold")) for label in short]
    yield _trimmed(Text.assemble(" " * name_width, *heads))
    for theme, names in themes.items():
        yield Text(paint.crop(theme, name_width + len(columns) * (LABEL_WIDTH + GAP)), "bold")
        for name in names:
            yield _row(name, columns, paint, name_width)


def _row(name: str, columns: Sequence[Column], paint: Paint, name_width: int) -> Text:
    shown = Text("  " + paint.crop(name, name_width - 3))
    shown.pad_right(name_width - shown.cell_len)
    cells = [_padded(paint.mark(c.verdict(name), c.cell(name))) for c in columns]
    return _trimmed(Text.assemble(shown, *cells))


def _padded(cell: Text) -> Text:
    cell.pad_right(max(LABEL_WIDTH + GAP - cell.cell_len, 0))
    return cell


def _trimmed(line: Text) -> Text:
    line.rstrip()
    return line
