"""What a run found: the records of a results file, and the events that announce them."""

from conformance.results.kinds import FindingKind
from conformance.results.model import (
    ASPECTS,
    SCHEMA,
    Array,
    Aspect,
    AspectResult,
    Citation,
    Failure,
    FunctionResult,
    Origin,
    Results,
    RunInfo,
    Spent,
    Summary,
    TargetInfo,
    Verdict,
    summarise,
    timeless,
)

__all__ = [
    "ASPECTS",
    "SCHEMA",
    "Array",
    "Aspect",
    "AspectResult",
    "Citation",
    "Failure",
    "FindingKind",
    "FunctionResult",
    "Origin",
    "Results",
    "RunInfo",
    "Spent",
    "Summary",
    "TargetInfo",
    "Verdict",
    "summarise",
    "timeless",
]
