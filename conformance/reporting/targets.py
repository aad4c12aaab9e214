"""The targets of a report: each with its newest results, and with older ones as its history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec import UNSET

from conformance.reporting.marks import MARKS
from conformance.reporting.safe_text import slug
from conformance.reporting.summary import limits
from conformance.results import ASPECTS, AspectResult, FunctionResult, Results, Verdict
from conformance.results.scores import Score, diverges, score, standing

NOT_DEMANDED = "."
"""The letter of an aspect that is not demanded of a function, or was not run."""


class TargetView(NamedTuple):
    """One results file of one target, as reports show it."""

    key: str
    """Safe in file names and addresses, and different for each results file of the report."""
    label: str
    results: Results
    functions: Mapping[str, FunctionResult]

    @property
    def edition(self) -> str:
        """The edition that it was tested against."""
        return self.results.target.edition

    @property
    def score(self) -> Score:
        """Over all functions."""
        return score(self.results.functions)

    @property
    def partial(self) -> str:
        """Why not every demanded cell was looked at; empty if all were."""
        run = self.results.run
        if not run.complete:
            return "not finished" if run.ended_by is UNSET else f"ended by {run.ended_by}"
        return ", ".join(limits(run))

    def aspects(self, function: str) -> dict[str, AspectResult]:
        """The aspects of a function by name; none if it was not run."""
        result = self.functions.get(function)
        return {str(a.aspect): a for a in result.aspects} if result else {}

    def letters(self, function: str) -> str:
        """One letter for each of `ASPECTS`, as in docs/results.md; empty if it was not run."""
        aspects = self.aspects(function)
        if not aspects:
            return ""
        return "".join(_letter(aspects.get(str(aspect))) for aspect in ASPECTS)


def _letter(aspect: AspectResult | None) -> str:
    if aspect is None or aspect.verdict is Verdict.NOT_APPLICABLE:
        return NOT_DEMANDED
    verdict = standing(aspect)
    kept_otherwise = verdict is Verdict.CONFORMS and diverges(aspect)
    return MARKS[Verdict.DIVERGES if kept_otherwise else verdict].letter


class TargetHistory(NamedTuple):
    """A target's results, the newest first."""

    newest: TargetView
    older: list[TargetView]


def target_histories(results: Iterable[Results]) -> list[TargetHistory]:
    """The results under their targets, in the order in which the targets first appear.

    Targets of one name that were tested against different editions are different targets; results
    that are given twice count once.
    """
    grouped: dict[tuple[str, str], list[Results]] = {}
    for target in results:
        grouped.setdefault((target.target.name, target.target.edition), []).append(target)
    names = [name for name, _ in grouped]
    histories = []
    for (name, edition), views in grouped.items():
        label = name if names.count(name) == 1 else f"{name} ({edition})"
        newest, *older = _different(sorted(views, key=lambda r: r.run.started, reverse=True))
        previous = [_view(f"{label} of {r.run.started}", r, i) for i, r in enumerate(older, 2)]
        histories.append(TargetHistory(_view(label, newest), previous))
    return histories


def _different(ordered: Iterable[Results]) -> list[Results]:
    """Without those that are given twice."""
    different: list[Results] = []
    for target in ordered:
        if not different or target != different[-1]:
            different.append(target)
    return different


def _view(label: str, results: Results, number: int = 1) -> TargetView:
    key = slug(label if number == 1 else f"{results.target.name}@{label}#{number}")
    return TargetView(key, label, results, {f.function: f for f in results.functions})
