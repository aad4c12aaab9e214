"""The columns of the matrix: one for each target, with a short label."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from conformance.reporting.marks import MARKS, Mark
from conformance.reporting.safe_text import clean
from conformance.results import FunctionResult, Results, Verdict
from conformance.results.scores import count_diverging, count_standings, diverges, score, worst


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
    """Short, distinct column labels: the name, or its last word that is no version, or numbered."""
    wanted = [_short(clean(name), width) for name in names]
    given: list[str] = []
    for label in wanted:
        given.append(_distinct(label, given, width))
    return given


def _short(name: str, width: int) -> str:
    if len(name) <= width and name:
        return name
    words = [w for w in re.split(r"[^\w.]+", name) if w and not re.fullmatch(r"v?[\d.]+\w*", w)]
    return (words[-1] if words else name or "target")[:width]


def _distinct(label: str, given: Sequence[str], width: int) -> str:
    number, candidate = 1, label
    while candidate in given:
        number += 1
        candidate = f"{label[: width - len(str(number)) - 1]}#{number}"
    return candidate
