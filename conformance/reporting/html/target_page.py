"""The page of one target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conformance.reporting.causes import Cause, causes
from conformance.reporting.documented import Documented, StatedConvention
from conformance.reporting.html.function_page import FailureGroup
from conformance.reporting.html.overview import Bar, Order, bar
from conformance.reporting.listing import ListedFailure, listed_failures
from conformance.reporting.pictures.history import history_picture
from conformance.reporting.pictures.rows import accuracy_picture, measured, timed, times_picture
from conformance.reporting.pictures.svg import inline
from conformance.reporting.summary import drift_text, time_line
from conformance.reporting.targets import TargetHistory, TargetView
from conformance.results import Verdict
from conformance.results.scores import readings_of

Groups = Mapping[str, Sequence[FailureGroup]]
"""The failures of each function."""

_TITLES = {
    Verdict.VIOLATES: "Violations",
    Verdict.CRASHED: "Crashes",
    Verdict.TIMED_OUT: "Time-outs",
    Verdict.CHANGED: "Changes",
    Verdict.ERROR: "Errors of the suite",
    Verdict.UNSUPPORTED: "Unsupported",
    Verdict.DIVERGES: "Readings",
}


class Section(NamedTuple):
    """All failures with one verdict."""

    verdict: Verdict
    title: str
    causes: list[Cause]

    @property
    def number(self) -> int:
        """How many failures there are."""
        return sum(len(c.failures) for c in self.causes)

    @property
    def aspects(self) -> int:
        """How many aspects show them."""
        return len({(f.function, f.aspect.aspect) for c in self.causes for f in c.failures})


def target_view(
    history: TargetHistory, groups: Groups, documented: Documented, order: Order
) -> dict[str, Any]:
    """The template's values for a target."""
    target, shares = history.newest, measured(history.newest)
    return {
        "target": target,
        "older": history.older,
        "info": target.results.target,
        "run": target.results.run,
        "drift": drift_text(target.results.target),
        "time": time_line(target.results.run),
        "whole": bar(target),
        "themes": list(_themes(target, order)),
        "sections": list(_sections(target)),
        "anchors": _anchors(target, groups),
        "ident": id,
        "unexecuted": _unexecuted(target),
        "measured": shares,
        "beyond": [row for row in shares if row.over_limit],
        "accuracy": inline(accuracy_picture(target)) if shares else None,
        "times": inline(times_picture(target)) if timed(target) else None,
        "history": inline(history_picture([history])) if history.older else None,
        "conventions": documented.conventions,
        "stated": stated,
    }


def stated(cause: Cause, conventions: Mapping[str, StatedConvention]) -> list[StatedConvention]:
    """The conventions whose readings the failures of a cause take."""
    taken = (r for f in cause.failures if f.failure for r in readings_of(f.failure))
    names = dict.fromkeys(r.convention for r in taken)
    return [conventions[name] for name in names if name in conventions]


def _themes(target: TargetView, order: Order) -> Iterator[tuple[str, Bar]]:
    for theme, names in order.items():
        themes = bar(target, names)
        if themes.score.demanded:
            yield theme, themes


def _sections(target: TargetView) -> Iterator[Section]:
    for verdict, title in _TITLES.items():
        if grouped := causes(listed_failures(target.results.functions, verdict)):
            yield Section(verdict, title, grouped)


def _anchors(target: TargetView, groups: Groups) -> Mapping[int, str]:
    """Where each failure stands on its function's page, by the failure's identity in memory."""
    return {
        id(shown.failure): group.anchor
        for failures in groups.values()
        for group in failures
        for shown in group.shown
        if shown.target.key == target.key
    }


def _unexecuted(target: TargetView) -> dict[str, list[str]]:
    """The functions without an executed case, by aspect."""
    cells: dict[str, list[str]] = {}
    for cell in _cells(target):
        if not cell.aspect.cases and cell.aspect.verdict is not Verdict.NOT_APPLICABLE:
            cells.setdefault(str(cell.aspect.aspect), []).append(cell.function)
    return cells


def _cells(target: TargetView) -> Iterator[ListedFailure]:
    for function in target.results.functions:
        for aspect in function.aspects:
            yield ListedFailure(function.function, aspect, None)
