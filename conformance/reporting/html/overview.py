"""The first page: scores, and the matrix of functions and targets."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple

from conformance.reporting.documented import Documented
from conformance.reporting.html.environment import SIGNS
from conformance.reporting.matrix import by_theme, column
from conformance.reporting.safe_text import clean
from conformance.reporting.targets import TargetHistory, TargetView
from conformance.results import ASPECTS, Array, AspectResult, Verdict
from conformance.results.scores import (
    DEVIATIONS,
    LACKS,
    UNCOUNTED,
    Score,
    TakenReading,
    count_diverging,
    count_standings,
    diverges,
    readings,
    score,
    worst,
)

Order = Mapping[str, Sequence[str]]
"""Names of functions under their themes."""

NOT_RUN = "not run"
BAR = 1000
"""Units in a whole bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCell:
    """One function on one target."""

    words: str
    """The worst fault, change or lack, or `not run`."""
    symbol: str
    points: str = ""
    letters: str = ""
    diverges: bool = False
    readings: str = ""
    """`2:0,5 4:1`: for each aspect with readings, by its number, the numbers of the readings."""
    dtypes: str = ""
    """The same for the dtypes in the minimal examples of its failures."""
    grade: str = ""
    """The class for the share of its aspects that follow the documents; see `grade`."""
    anchor: str = ""
    """Where the function's page has the record that gives the cell its mark."""


class BarShare(NamedTuple):
    """One verdict's part of a bar."""

    verdict: Verdict
    number: int
    start: int
    width: int


class Bar(NamedTuple):
    """How many aspects have which standing, and how many take another reading."""

    target: TargetView
    score: Score
    shares: list[BarShare]
    diverging: int


def function_order(targets: Sequence[TargetView], documented: Documented) -> dict[str, list[str]]:
    """Documented functions that a target was tested on, then undocumented ones, by theme."""
    by_name = by_theme([column(t.results) for t in targets])
    there = {name for names in by_name.values() for name in names}
    order: dict[str, list[str]] = {}
    for name, function in documented.functions.items():
        if name in there:
            order.setdefault(function.theme, []).append(name)
    for theme, names in by_name.items():
        known = order.setdefault(theme, [])
        known += [n for n in names if n not in documented.functions]
    return {theme: names for theme, names in order.items() if names}


COLUMNS = 32
"""Targets that the matrix shows at first; a reader or a query chooses others."""
LARGEST = 4000
"""Cells that the first page holds itself; a script makes those of a larger matrix."""


def matrix_data(rows: Mapping[str, Sequence[FunctionCell]]) -> dict[str, Any]:
    """The cells of a large matrix: each different one once, and their numbers by row.

    A row is text such as `0x22,3,1`: cell 0 twenty-two times, then cells 3 and 1. Anchors are not
    in it, for a script derives them from the letters.
    """
    numbers: dict[FunctionCell, int] = {}
    lines = []
    for cells in rows.values():
        row = [numbers.setdefault(replace(cell, anchor=""), len(numbers)) for cell in cells]
        runs = [(number, len(list(run))) for number, run in groupby(row)]
        lines.append(",".join(f"{n}x{times}" if times > 1 else str(n) for n, times in runs))
    return {"cells": [_as_data(cell) for cell in numbers], "rows": lines}


def _as_data(cell: FunctionCell) -> list[Any]:
    marks = [cell.words, cell.symbol, cell.points, cell.grade, int(cell.diverges)]
    return [*marks, cell.letters, cell.readings, cell.dtypes]


def overview(
    histories: Sequence[TargetHistory],
    documented: Documented,
    order: Order,
) -> dict[str, Any]:
    """The template's values for the first page."""
    targets = [history.newest for history in histories]
    numbers = reading_numbers(targets)
    dtypes = dtype_numbers(targets)
    rows = {
        name: [_cell(t, name, documented, numbers, dtypes) for t in targets]
        for names in order.values()
        for name in names
    }
    return {
        "bars": [bar(t) for t in targets],
        "editions": sorted({t.edition for t in targets}),
        "themes": [(theme, _theme(theme, names, targets)) for theme, names in order.items()],
        "rows": rows,
        "columns": COLUMNS,
        "as_data": len(rows) * len(targets) > LARGEST,
        "verdicts": [str(v) for v in (*DEVIATIONS, *LACKS, Verdict.ERROR, Verdict.CONFORMS)],
        "readings": list(numbers),
        "conventions": list(dict.fromkeys(reading.convention for reading in numbers)),
        "profiles": sorted({t.results.run.profile for t in targets}),
        "dtypes": list(dtypes),
        "examples": query_examples(targets, list(order), list(dtypes)),
        "grade": grade,
        "total": sum(map(len, order.values())),
    }


def query_examples(
    targets: Sequence[TargetView], themes: Sequence[str], dtypes: Sequence[str]
) -> dict[str, str]:
    """Values of each key of the query language that this site has, as a reader types them."""
    names = {
        "target": targets[0].label if targets else "torch",
        "other": targets[-1].label if targets else "jax",
        "dtype": dtypes[0] if dtypes else "float32",
        "theme": themes[0] if themes else "theme",
        "edition": targets[0].edition if targets else "edition",
    }
    return {key: query_value(clean(name)) for key, name in names.items()}


def query_value(name: str) -> str:
    """A name as a value in a query: in quotation marks if it has spaces or commas."""
    return f'"{name}"' if re.search(r"[\s,]", name) else name


def reading_numbers(targets: Sequence[TargetView]) -> dict[TakenReading, int]:
    """The readings that targets take, sorted and numbered."""
    aspects = (a for t in targets for f in t.results.functions for a in f.aspects)
    return {reading: number for number, reading in enumerate(readings(aspects))}


def bar(target: TargetView, names: Sequence[str] | None = None) -> Bar:
    """The standings of a target's aspects, over all functions or some."""
    chosen = [f for n, f in target.functions.items() if names is None or n in names]
    counts = count_standings(chosen)
    whole = sum(n for v, n in counts.items() if v not in UNCOUNTED)
    shares, start = [], 0
    for verdict in (Verdict.CONFORMS, *reversed((*DEVIATIONS, *LACKS))):
        width = round(counts[verdict] * BAR / whole) if whole else 0
        if counts[verdict]:
            width = max(min(width, BAR - start), 4)
            shares.append(BarShare(verdict, counts[verdict], start, width))
            start += width
    return Bar(target, score(chosen), shares, count_diverging(chosen))


def _theme(theme: str, names: Sequence[str], targets: Sequence[TargetView]) -> dict[str, Any]:
    return {
        "name": theme,
        "functions": names,
        "scores": [score([t.functions[n] for n in names if n in t.functions]) for t in targets],
    }


GRADES = 4
"""How many grades a cell has that keeps a part of its demands."""


def grade(keeping: int, demanded: int) -> str:
    """The class `g-0` (nothing is kept) to `g-3`; `g-4` if all is, empty if nothing is demanded."""
    return f"g-{keeping * GRADES // demanded}" if demanded else ""


GRAVEST = "VXTEMURDC"
"""The letters of `TargetView.letters`, the gravest first; the scripts use the same order."""


def _anchor(target: TargetView, letters: str) -> str:
    """`at-value-mine`: the record of the first of the aspects with the gravest letter."""
    gravest = next((letter for letter in GRAVEST if letter in letters), "")
    return record_anchor(target, str(ASPECTS[letters.index(gravest)])) if gravest else ""


def record_anchor(target: TargetView, aspect: str) -> str:
    """Where a function's page has the record that gives an aspect of a target its mark."""
    return f"at-{aspect.replace(' ', '-')}-{target.key}"


def dtype_numbers(targets: Sequence[TargetView]) -> dict[str, int]:
    """The dtypes in the minimal examples of failures, sorted and numbered."""
    aspects = (a for t in targets for f in t.results.functions for a in f.aspects)
    names = {dtype for aspect in aspects for dtype in _dtypes(aspect)}
    return {name: number for number, name in enumerate(sorted(names))}


def _dtypes(aspect: AspectResult) -> set[str]:
    """The dtypes of the inputs of an aspect's failures, each as one word."""
    return {
        "_".join(clean(value.dtype).split())
        for failure in aspect.failures
        for value in failure.inputs.values()
        if isinstance(value, Array)
    }


def _numbered_dtypes(target: TargetView, function: str, numbers: Mapping[str, int]) -> str:
    aspects = target.aspects(function)
    parts = []
    for index, aspect in enumerate(map(str, ASPECTS)):
        names = sorted(_dtypes(aspects[aspect])) if aspect in aspects else []
        parts += [f"{index}:{','.join(str(numbers[n]) for n in names)}"] if names else []
    return " ".join(parts)


def _cell(
    target: TargetView,
    name: str,
    documented: Documented,
    numbers: Mapping[TakenReading, int],
    dtypes: Mapping[str, int],
) -> FunctionCell:
    result = target.functions.get(name)
    if result is None:
        known = documented.functions.get(name)
        absent = known is not None and target.edition not in known.editions
        words, symbol = ("not in this edition", "·") if absent else (NOT_RUN, "○")
        return FunctionCell(words=words, symbol=symbol)
    verdict = worst(result.aspects)
    points = score([result])
    shown = str(points) if points.demanded else ""
    return FunctionCell(
        words=str(verdict),
        symbol=SIGNS[verdict].symbol,
        points=shown,
        letters=target.letters(name),
        grade=grade(points.keeping, points.demanded),
        anchor=_anchor(target, target.letters(name)),
        dtypes=_numbered_dtypes(target, name, dtypes),
        diverges=any(map(diverges, result.aspects)),
        readings=numbered(target, name, numbers),
    )


def numbered(target: TargetView, function: str, numbers: Mapping[TakenReading, int]) -> str:
    """`2:0,5 4:1`: the numbers of the readings that a function takes, by number of aspect."""
    aspects = target.aspects(function)
    taken = ((i, readings([aspects[str(a)]])) for i, a in enumerate(ASPECTS) if str(a) in aspects)
    return " ".join(f"{i}:{','.join(str(numbers[r]) for r in of)}" for i, of in taken if of)
