"""How many aspects got which verdict, and how many conform."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from conformance.results import FunctionResult, Verdict


class Score(NamedTuple):
    """How many of the aspects that the edition demands conform."""

    conforming: int
    demanded: int

    def __str__(self) -> str:
        return f"{self.conforming}/{self.demanded}"

    @property
    def percent(self) -> str:
        """The share with one decimal; never 100.0 unless all conform."""
        if not self.demanded:
            return "nothing demanded"
        tenths = self.conforming * 1000 // self.demanded
        return f"{tenths // 10}.{tenths % 10} %"


def count_verdicts(functions: Iterable[FunctionResult]) -> Counter[Verdict]:
    """How often each verdict was given over all aspects."""
    return Counter(a.verdict for f in functions for a in f.aspects)


def score(functions: Iterable[FunctionResult]) -> Score:
    """The score over these functions; aspects that do not apply are not demanded."""
    counts = count_verdicts(functions)
    return Score(counts[Verdict.CONFORMS], counts.total() - counts[Verdict.NOT_APPLICABLE])
