"""A known failure: which failures it is about, and what of a run it covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from conformance.cli.known_failures import conditions
from conformance.editions import Edition
from conformance.engine import PROFILES
from conformance.results import Aspect, Failure, FindingKind, Verdict
from conformance.results.kinds import FATAL


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCell:
    """One aspect of one function on one target, as a run judged it."""

    target: str
    function: str
    aspect: Aspect
    verdict: Verdict
    failures: Sequence[Failure] = ()
    edition: str = "keras-2.2"
    versions: Mapping[str, str] = field(default_factory=dict)
    """Version by name of the target's packages, and of its `python`."""
    cases: int = 0
    """How many cases of the aspect were judged, by these profile and seed."""
    profile: str = ""
    seed: int = 0

    @property
    def key(self) -> tuple[str, str, Aspect]:
        """Which cell it is: its target, function and aspect."""
        return self.target, self.function, self.aspect


VARYING = FATAL | {FindingKind.ACCURACY}
"""Kinds of failures whose number varies with the processor and the load of the machine."""


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

        The frequency holds for the same profile, seed and number of cases alone.
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


UNEXPLAINED = "TODO: say why"
"""The reason in an entry that nobody has explained."""
TODO = "todo"
"""How a reason begins that is not filled in, in small letters."""


class Place(NamedTuple):
    """The lines of an entry in its file, with the comment above it; counted from 1."""

    file: Path
    first: int
    last: int

    def __str__(self) -> str:
        lines = str(self.first) if self.first == self.last else f"{self.first}-{self.last}"
        return f"{self.file}:{lines}"


class KnownFailureTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of an `[[expect]]` table."""

    function: str
    aspect: Aspect
    verdict: Verdict
    reason: str
    target: str | None = None
    """A target, or a library for all of its; without, every target."""
    edition: Edition | None = None
    versions: dict[str, str] = {}
    """Package to version specifiers; outside of them the entry says nothing."""
    when: str | None = None
    """A condition on the arguments of the smallest case."""
    failure: str | None = None
    """The id of one failure, or how it begins."""
    intermittent: bool = False
    """Whether it occurs in some runs only: the entry is never stale."""
    issue: str | None = None
    """Where it is reported."""
    cases: Frequency | None = None
    """How often it occurs; more often is not known."""
    profile: str | None = None
    """The profile that found it, if `cases` does not say so."""


class KnownFailure(KnownFailureTable, frozen=True, kw_only=True):
    """One known failure, and where it stands."""

    place: Place
    targets: frozenset[str] | None = None
    """The targets that `target` stands for."""

    @property
    def explained(self) -> bool:
        """Whether somebody has filled in its reason."""
        return not self.reason.strip().lower().startswith(TODO)

    @property
    def narrow(self) -> bool:
        """Whether it is about some failures of its aspect only."""
        return self.when is not None or self.failure is not None

    def concerns(self, target: str, edition: str, versions: Mapping[str, str]) -> bool:
        """Whether the entry is about such a target."""
        return (
            (self.targets is None or target in self.targets)
            and self.edition in (None, edition)
            and all(_within(versions.get(n.lower()), s) for n, s in self.versions.items())
        )

    @property
    def found_by(self) -> str | None:
        """The profile of the run that it was written by, if that is known."""
        return self.profile or (self.cases.profile if self.cases else None)

    def sought_by(self, cell: JudgedCell) -> bool:
        """Whether it is about the cell, in a run that tries at least as much as the marking run."""
        return self.matches(cell) and not tries_less(cell.profile, self.found_by)

    def matches(self, cell: JudgedCell) -> bool:
        """Whether it is about the cell, whatever its verdict."""
        return (self.function, self.aspect) == (cell.function, cell.aspect) and self.concerns(
            cell.target, cell.edition, cell.versions
        )

    def covers(self, cell: JudgedCell) -> bool:
        """Whether this is the cell's failure, or one of them if it is about some only."""
        if not self.matches(cell):
            return False
        if self.narrow:
            return any(self.covers_failure(failure, cell) for failure in cell.failures)
        return cell.verdict is self.verdict

    def covers_failure(self, failure: Failure, cell: JudgedCell) -> bool:
        """Whether this failure of a cell that it is about is a known one."""
        if not self.narrow:
            return cell.verdict is self.verdict
        if failure.verdict is not self.verdict:
            return False
        if self.failure is not None and not failure.id.startswith(self.failure):
            return False
        return self.when is None or conditions.holds(
            self.when, self.function, cell.edition, failure
        )

    def exceeded(self, failure: Failure, cell: JudgedCell) -> bool:
        """Whether a failure that the entry covers has become more frequent."""
        if self.cases is None or self.intermittent:
            return False
        return self.cases.exceeded(failure, cell)

    @property
    def key(self) -> tuple[str, ...]:
        """The sort key of entries in a file."""
        narrower = (self.when or "", self.failure or "", self.edition or "")
        return (self.target or "", self.function, self.aspect, self.verdict, *narrower)

    def __str__(self) -> str:
        of = f" on {self.target}" if self.target else ""
        when = f" when {self.when}" if self.when else ""
        identity = f" ({self.failure})" if self.failure else ""
        return f"{self.function} {self.aspect} {self.verdict}{of}{when}{identity}"


def tries_less(profile: str, other: str | None) -> bool:
    """Whether a profile tries less than the other; False for an unknown profile."""
    order = list(PROFILES)
    return profile in order and other in order[order.index(profile) + 1 :]


def _within(version: str | None, specifiers: str) -> bool:
    """Whether a version is there and meets the specifiers; a strange one meets none."""
    if version is None:
        return False
    try:
        return SpecifierSet(specifiers).contains(Version(version), prereleases=True)
    except InvalidVersion:
        return False
