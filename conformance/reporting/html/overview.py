"""What the first page shows: scores, and the matrix of functions and targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from conformance.reporting.columns import by_theme, column
from conformance.reporting.counting import Score, count_verdicts, score
from conformance.reporting.documented import Documented
from conformance.reporting.html.environment import SIGNS
from conformance.reporting.marks import GRAVEST_FIRST, worst
from conformance.reporting.targets import TargetHistory, TargetView
from conformance.results import Verdict

Order = Mapping[str, Sequence[str]]
"""Names of functions under their themes."""

NOT_RUN = "not run"
BAR = 1000
"""Units in a whole bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCell:
    """One function on one target."""

    words: str
    """The worst verdict, or `not run`."""
    symbol: str
    points: str = ""
    letters: str = ""


class Share(NamedTuple):
    """One verdict's part of a bar."""

    verdict: Verdict
    number: int
    start: int
    width: int


class Bar(NamedTuple):
    """How many aspects got which verdict."""

    target: TargetView
    score: Score
    shares: list[Share]


def function_order(targets: Sequence[TargetView], documented: Documented) -> dict[str, list[str]]:
    """Documented functions that a target was tested on, then undocumented ones, by theme."""
    found = by_theme([column(t.results) for t in targets])
    there = {name for names in found.values() for name in names}
    order: dict[str, list[str]] = {}
    for name, function in documented.functions.items():
        if name in there:
            order.setdefault(function.theme, []).append(name)
    for theme, names in found.items():
        known = order.setdefault(theme, [])
        known += [n for n in names if n not in documented.functions]
    return {theme: names for theme, names in order.items() if names}


def overview(
    listed: Sequence[TargetHistory],
    documented: Documented,
    order: Order,
    anchors: Mapping[tuple[str, str], str],
) -> dict[str, Any]:
    """What the template of the first page is given; `anchors` by function and target's key."""
    targets = [one.newest for one in listed]
    return {
        "bars": [bar(t) for t in targets],
        "editions": sorted({t.edition for t in targets}),
        "themes": [(theme, _theme(theme, names, targets)) for theme, names in order.items()],
        "rows": {
            name: [_cell(t, name, documented) for t in targets]
            for names in order.values()
            for name in names
        },
        "verdicts": [str(v) for v in GRAVEST_FIRST if v is not Verdict.NOT_APPLICABLE],
        "profiles": sorted({t.results.run.profile for t in targets}),
        "anchors": anchors,
        "total": sum(map(len, order.values())),
    }


def bar(target: TargetView, names: Sequence[str] | None = None) -> Bar:
    """The verdicts of a target, over all functions or some."""
    chosen = [f for n, f in target.functions.items() if names is None or n in names]
    counts = count_verdicts(chosen)
    whole = sum(n for v, n in counts.items() if v is not Verdict.NOT_APPLICABLE)
    shares, start = [], 0
    for verdict in (Verdict.CONFORMS, *reversed(GRAVEST_FIRST[:-2])):
        width = round(counts[verdict] * BAR / whole) if whole else 0
        if counts[verdict]:
            width = max(min(width, BAR - start), 4)
            shares.append(Share(verdict, counts[verdict], start, width))
            start += width
    return Bar(target, score(chosen), shares)


def _theme(theme: str, names: Sequence[str], targets: Sequence[TargetView]) -> dict[str, Any]:
    return {
        "name": theme,
        "functions": names,
        "scores": [score([t.functions[n] for n in names if n in t.functions]) for t in targets],
    }


def _cell(target: TargetView, name: str, documented: Documented) -> FunctionCell:
    result = target.functions.get(name)
    if result is None:
        known = documented.functions.get(name)
        absent = known is not None and target.edition not in known.editions
        words, symbol = ("not in this edition", "·") if absent else (NOT_RUN, "○")
        return FunctionCell(words=words, symbol=symbol)
    verdict = worst(a.verdict for a in result.aspects)
    points = score([result])
    shown = str(points) if points.demanded else ""
    return FunctionCell(
        words=str(verdict),
        symbol=SIGNS[verdict].symbol,
        points=shown,
        letters=target.letters(name),
    )
