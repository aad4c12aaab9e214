"""What a run found: the records of a results file, and the events that announce them."""

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
    Summary,
    TargetInfo,
    Verdict,
    summarise,
)

__all__ = [
    "ASPECTS",
    "SCHEMA",
    "Array",
    "Aspect",
    "AspectResult",
    "Citation",
    "Failure",
    "FunctionResult",
    "Origin",
    "Results",
    "RunInfo",
    "Summary",
    "TargetInfo",
    "Verdict",
    "summarise",
]
