"""The effect of known failures and a baseline on a run, for the formats that CI systems read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.reporting.listing import ListedFailure
from conformance.results import Aspect, AspectResult, Failure, Results, Verdict

AspectKey = tuple[str, str, Aspect]
"""Target, function and aspect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AspectJudgement:
    """The known facts about one aspect, and the failures that make the run fail."""

    known: Sequence[Failure] = ()
    reason: str = ""
    """Why these are known, or the aspect as a whole; empty where no entry is about it."""
    unexpected: Sequence[Failure] = ()
    fails: bool = False
    """Whether something is unexpected, be it a failure or the verdict alone."""
    was: Verdict | None = None
    """The aspect's verdict in the baseline, if it has become worse since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleEntry:
    """An entry of a file of known failures that covers nothing any more."""

    file: str
    line: int
    entry: str
    """The subject of the entry, in a few words."""
    says: str
    """The run's statement in its place, and the cure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateJudgement:
    """The judgement of a run with known failures or a baseline: aspects that they concern, and
    stale entries."""

    aspects: Mapping[AspectKey, AspectJudgement] = field(default_factory=dict)
    stale: Sequence[StaleEntry] = ()

    def of(self, target: str, function: str, aspect: AspectResult) -> AspectJudgement:
        """The judgement of an aspect; nothing, if neither an entry nor the baseline concerns it."""
        return self.aspects.get((target, function, aspect.aspect), _NOTHING)

    def unexpected(self, results: Results) -> Iterator[ListedFailure]:
        """The failures that make the run fail on a target, in the order of the results."""
        for function in results.functions:
            for aspect in function.aspects:
                judged = self.of(results.target.name, function.function, aspect)
                failing: Sequence[Failure | None] = judged.unexpected or [None]
                for failure in failing if judged.fails else ():
                    yield ListedFailure(function.function, aspect, failure)


_NOTHING = AspectJudgement()
