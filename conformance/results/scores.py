"""The score of a target: aspects that follow the documents, are missing or changed, and readings.

A divergence is not a fault. Where the documents leave a point open, several answers are allowed. An
aspect follows the documents if every answer is one of these; reports show its readings beside its
verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from conformance.results.kinds import FindingKind
from conformance.results.model import Aspect, AspectResult, Failure, FunctionResult, Verdict

FAULTS: tuple[Verdict, ...] = (Verdict.VIOLATES, Verdict.CRASHED, Verdict.TIMED_OUT)
"""The verdicts on acts of a target against the documents, the gravest first."""
CHANGES: tuple[Verdict, ...] = (Verdict.CHANGED,)
"""The verdicts on what another API does that replaces the documents' and does not promise them."""
DEVIATIONS: tuple[Verdict, ...] = (*FAULTS, *CHANGES)
"""The verdicts on answers that are not as the documents say, the gravest first."""
LACKS: tuple[Verdict, ...] = (Verdict.UNSUPPORTED, Verdict.NOT_RUN)
"""The verdicts on demands of the documents that the target did not show."""
UNCOUNTED: tuple[Verdict, ...] = (Verdict.NOT_APPLICABLE, Verdict.ERROR)
"""The verdicts that no score counts: nothing is demanded, or the suite itself failed."""
CONTRACT = "contract"
"""The theme of a backend's duties beside its functions."""
_NOTHING = "nothing demanded"
_GRAVEST_FIRST = (
    *FAULTS,
    Verdict.ERROR,
    *CHANGES,
    *LACKS,
    Verdict.CONFORMS,
    Verdict.NOT_APPLICABLE,
)


class TakenReading(NamedTuple):
    """An allowed reading of a convention other than the suite's own."""

    convention: str
    name: str = ""
    """Empty where the results name the convention only."""

    def __str__(self) -> str:
        return f"{self.convention}: {self.name}" if self.name else self.convention


class Score(NamedTuple):
    """Counts of the aspects that the edition demands: following the documents, missing, changed.

    The others are faults. Aspects in which the suite itself failed are counted apart.
    """

    keeping: int
    missing: int
    demanded: int
    changed: int = 0
    errors: int = 0
    """Aspects of which nothing is known, because the suite itself failed."""

    def __str__(self) -> str:
        return f"{self.keeping}/{self.demanded}"

    @property
    def percent(self) -> str:
        """The share that follows the documents, with one decimal; never 100.0 unless all do."""
        return _share(self.keeping, self.demanded)

    @property
    def percent_missing(self) -> str:
        """The share that is missing, with one decimal; never 0.0 unless nothing is."""
        return _share(self.missing, self.demanded)

    @property
    def figures(self) -> str:
        """`90.5 % (412/455), 31 missing, 12 changed, 8 not judged: an error in the suite`."""
        return f"{self.percent} ({self}){self.besides}{self.unjudged}"

    @property
    def besides(self) -> str:
        """`, 31 missing, 12 changed`: what is neither kept nor a fault, where there is some."""
        counts = {"missing": self.missing, "changed": self.changed}
        return "".join(f", {count} {word}" for word, count in counts.items() if count)

    @property
    def unjudged(self) -> str:
        """`, 8 not judged: an error in the suite`; empty if there was none."""
        return f", {self.errors} not judged: an error in the suite" if self.errors else ""


def _share(part: int, whole: int) -> str:
    """A part in percent, rounded to one decimal; 0.0 and 100.0 of none and all alone."""
    if not whole:
        return _NOTHING
    least, most = int(part > 0), 1000 - int(part < whole)
    tenths = min(max((2000 * part + whole) // (2 * whole), least), most)
    return f"{tenths // 10}.{tenths % 10} %"


def demanded(failure: Failure) -> bool:
    """Whether the documents demand the failing function.

    They do not demand an unsupported function that they leave open, or whose input another function
    could not make.
    """
    if failure.verdict is not Verdict.UNSUPPORTED:
        return True
    return failure.convention is None and failure.kind != FindingKind.UNMADE_INPUT


def standing(aspect: AspectResult) -> Verdict:
    """The verdict over faults and lacks alone; never `diverges`.

    An aspect that diverges conforms here, unless the target refuses something in it that the
    documents demand.
    """
    if aspect.verdict is not Verdict.DIVERGES:
        return aspect.verdict
    refused = any(f.verdict is Verdict.UNSUPPORTED and demanded(f) for f in aspect.failures)
    return Verdict.UNSUPPORTED if refused else Verdict.CONFORMS


def worst(aspects: Iterable[AspectResult]) -> Verdict:
    """The gravest standing of the aspects; `not applicable` if there are none."""
    return min(map(standing, aspects), key=_GRAVEST_FIRST.index, default=Verdict.NOT_APPLICABLE)


def scored(functions: Iterable[FunctionResult]) -> list[FunctionResult]:
    """The functions that a score counts: the contract counts only where nothing else stands."""
    every = list(functions)
    return [function for function in every if function.theme != CONTRACT] or every


def of_contract(functions: Iterable[FunctionResult]) -> list[FunctionResult]:
    """The contract beside other functions, which has a score of its own; else nothing."""
    every = list(functions)
    counted = {function.function for function in scored(every)}
    return [function for function in every if function.function not in counted]


def count_standings(functions: Iterable[FunctionResult]) -> Counter[Verdict]:
    """How many aspects that a score counts have each standing."""
    return Counter(standing(a) for f in scored(functions) for a in f.aspects)


def score(functions: Iterable[FunctionResult]) -> Score:
    """The score over the functions that are `scored`, without aspects that are `UNCOUNTED`."""
    counts = count_standings(functions)
    missing = sum(counts[verdict] for verdict in LACKS)
    demanded = counts.total() - sum(counts[verdict] for verdict in UNCOUNTED)
    changed, errors = counts[Verdict.CHANGED], counts[Verdict.ERROR]
    return Score(counts[Verdict.CONFORMS], missing, demanded, changed, errors)


def is_absent(function: FunctionResult) -> bool:
    """Whether the implementation lacks the function."""
    of = {aspect.aspect: aspect.verdict for aspect in function.aspects}
    return of.get(Aspect.PRESENCE) is Verdict.UNSUPPORTED


def suite_errors(functions: Iterable[FunctionResult]) -> list[str]:
    """The functions in which the suite itself failed."""
    erring = (f for f in functions if any(a.verdict is Verdict.ERROR for a in f.aspects))
    return [function.function for function in erring]


def readings_of(failure: Failure) -> tuple[TakenReading, ...]:
    """The readings that a divergence takes, by name; nothing for another failure.

    A convention of the failure without a reading stands alone: files of older versions, and
    conventions whose readings nobody has listed.
    """
    if failure.verdict is not Verdict.DIVERGES:
        return ()
    named = [_named(text) for text in failure.readings]
    conventions = (failure.convention or "").split(", ")
    known = {"", *(reading.convention for reading in named)}
    return (*named, *(TakenReading(name) for name in conventions if name not in known))


def _named(text: str) -> TakenReading:
    convention, _, name = text.partition(": ")
    return TakenReading(convention, name)


def readings(aspects: Iterable[AspectResult]) -> tuple[TakenReading, ...]:
    """The readings that these aspects take, each once, sorted by convention and name."""
    failures = (failure for aspect in aspects for failure in aspect.failures)
    return tuple(sorted({reading for f in failures for reading in readings_of(f)}))


def diverges(aspect: AspectResult) -> bool:
    """Whether an answer takes another allowed reading than the suite's, whatever else it does."""
    return aspect.verdict is Verdict.DIVERGES or any(
        failure.verdict is Verdict.DIVERGES for failure in aspect.failures
    )


def count_diverging(functions: Iterable[FunctionResult]) -> int:
    """How many aspects that a score counts diverge."""
    return sum(diverges(aspect) for function in scored(functions) for aspect in function.aspects)
