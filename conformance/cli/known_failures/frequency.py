"""In how many cases a known failure occurs: more of them are a change for the worse."""

from __future__ import annotations

from msgspec import Struct

from conformance.cli.known_failures.judged import JudgedCell
from conformance.results import Failure, FindingKind, Verdict
from conformance.results.kinds import FATAL

VARYING = FATAL | {FindingKind.ACCURACY}
"""What another processor, or a busier machine, may show in other cases."""


class Frequency(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cases of one failure when it was marked, and the run that counted them."""

    most: int
    """In how many cases it occurred."""
    of: int
    """How many cases of its aspect there were."""
    profile: str
    seed: int

    def exceeded(self, failure: Failure, cell: JudgedCell) -> bool:
        """Whether the same cases show the failure more often.

        Of other cases nothing is said: those of another profile or seed, or another number.
        """
        same = (self.of, self.profile, self.seed) == (cell.cases, cell.profile, cell.seed)
        return same and failure.count > self.most

    def __str__(self) -> str:
        shown = f'profile = "{self.profile}", seed = {self.seed}'
        return f"{{ most = {self.most}, of = {self.of}, {shown} }}"


def frequency(failure: Failure, cell: JudgedCell) -> Frequency | None:
    """How frequent a failure of a cell is; None if that may be another number elsewhere."""
    counted = (Verdict.VIOLATES, Verdict.CHANGED)
    if failure.verdict not in counted or failure.kind in VARYING:
        return None
    return Frequency(most=failure.count, of=cell.cases, profile=cell.profile, seed=cell.seed)
