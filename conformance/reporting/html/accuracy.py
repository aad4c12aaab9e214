"""What the page of accuracy shows: the largest error / its bound, by function and target."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from conformance.reporting.html.arrays import ulp
from conformance.reporting.targets import TargetView
from conformance.results import AspectResult, Failure, FindingKind, Verdict

STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Up to which share of the bound each shade goes; what is beyond the last breaks the bound."""


BROKEN = 1e9
"""More than any share of a bound that is kept."""


class Share(NamedTuple):
    """The largest error of one function on one target, as a share of its bound."""

    value: float
    error: float
    bound: float
    broken: bool = False
    """Whether another answer violates the documents by more than its bound."""

    @property
    def shade(self) -> int:
        """The number of the first of `STEPS` that it does not exceed; their number if `broken`."""
        return len(STEPS) if self.broken else sum(self.value > step for step in STEPS)

    @property
    def key(self) -> float:
        """What cells are sorted by: broken bounds before all others."""
        return self.value + (BROKEN if self.broken else 0.0)

    @property
    def figure(self) -> str:
        """Three figures at most; a share within the bound is never rounded up to 1."""
        if self.value in (0.0, 1.0):
            return f"{self.value:.0f}"
        if 0.995 <= self.value < 1:
            return "<1"
        if self.value < 0.005:
            return "<.01"
        return f"{self.value:.2f}" if self.value < 10 else f"{self.value:.2g}"

    @property
    def words(self) -> str:
        """Error and bound in units in the last place."""
        told = f"error {ulp(self.error) or '∞'} ULP, bound {ulp(self.bound)}"
        return f"{told}; another answer is beyond its bound" if self.broken else told


class AccuracyRow(NamedTuple):
    """One aspect of a function on all targets."""

    function: str
    aspect: str
    shares: list[Share | None]

    @property
    def largest(self) -> Share:
        """The largest share of all targets."""
        return max((s for s in self.shares if s), key=lambda share: share.key)


def accuracy_view(
    targets: Sequence[TargetView], order: Mapping[str, Sequence[str]]
) -> Mapping[str, Any]:
    """What the template is given: rows, the largest share first, and the measured targets."""
    names = [name for section in order.values() for name in section]
    rows = [row for name in names for row in _rows(name, targets)]
    measured = [any(row.shares[i] for row in rows) for i in range(len(targets))]
    shown = [
        row._replace(shares=[s for s, there in zip(row.shares, measured, strict=True) if there])
        for row in sorted(rows, key=lambda row: -row.largest.key)
    ]
    columns = [t for t, there in zip(targets, measured, strict=True) if there]
    return {"rows": shown, "columns": columns, "steps": STEPS}


def _rows(function: str, targets: Sequence[TargetView]) -> list[AccuracyRow]:
    found: dict[str, dict[int, Share]] = {}
    for index, target in enumerate(targets):
        for aspect, result in target.aspects(function).items():
            if share := share_of(result):
                found.setdefault(aspect, {})[index] = share
    every = range(len(targets))
    return [AccuracyRow(function, a, [of.get(i) for i in every]) for a, of in found.items()]


def share_of(result: AspectResult) -> Share | None:
    """The largest error by its bound; None where one of them is not known."""
    error, bound = result.max_ulp, result.limit_ulp
    if error is None or bound is None or not math.isfinite(bound):
        return None
    broken = any(map(_breaks, result.failures))
    if bound == 0:
        return Share(0.0 if error == 0 else math.inf, error, bound, broken)
    return Share(error / bound, error, bound, broken)


def _breaks(failure: Failure) -> bool:
    return failure.kind == FindingKind.ACCURACY and failure.verdict is Verdict.VIOLATES
