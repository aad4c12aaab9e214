"""Judge a call with invalid input: the documented exception, or that of a convention."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.editions import Document, symbols_of
from conformance.engine.judging.answers import only_value
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.losses import could_not_bind, loss
from conformance.engine.judging.messages import raised
from conformance.engine.judging.readings import of_anything, of_exception
from conformance.engine.judging.refusals import refused_type, refuses_by_name, stumbles
from conformance.observations import DrawObservation, Fault, NotRun, Raised, Returned
from conformance.program import Binding
from conformance.results import Aspect, FindingKind, Verdict
from conformance.specs.model import ErrorCase

LATE = "late"
"""The detail of a finding on symbolic tensors that are accepted, and whose values are refused."""


def invalid_input(prepared: Prepared, draw: DrawObservation) -> Iterator[Finding]:
    """A finding if invalid input is not refused with the documented exception."""
    error, outcome = prepared.structure.error, draw.outcome
    assert error is not None
    match outcome:
        case NotRun():
            return
        case Raised() if could_not_bind(prepared, outcome):
            yield _invalid_input_unmade(error, outcome)
        case Raised() if _is_late(prepared, error, outcome):
            yield _accepted_symbolically(prepared, error, outcome)
        case Raised() if error.exception in ("any", *outcome.bases):
            return
        case Raised():
            yield _not_refused(
                error,
                gives=raised(outcome),
                detail=refused_type(outcome) if refuses_by_name(outcome) else outcome.type,
                unsupported=refuses_by_name(outcome),
            )
        case Returned():
            value = only_value(outcome)
            shape = None if value is None or value.array is None else value.array.shape
            yield _not_refused(error, gives=f"gives a result of shape {shape}", detail="accepted")
        case _:
            yield _fault_in_place_of(error, prepared, outcome)


def _is_late(prepared: Prepared, error: ErrorCase, outcome: Raised) -> bool:
    """Whether symbolic tensors were accepted whose values are refused.

    Where a convention alone rules them out, a mistake of the library's code refuses nothing."""
    if error.convention and stumbles(outcome):
        return False
    symbols = any(i.binding is Binding.PLACEHOLDER for i in prepared.structure.program.inputs)
    return symbols and bool(symbols_of(prepared.structure.edition)) and outcome.stage != "step"


def _accepted_symbolically(prepared: Prepared, error: ErrorCase, outcome: Raised) -> Finding:
    """The finding on symbolic tensors with a shape that no value has. Where a convention alone
    rules the input out, it contradicts what a symbolic tensor is. If the symbolic tensor
    has the right shape, the computation may refuse the input, in words."""
    allowed = of_exception(outcome, (error.late,) if error.late else ())
    edition, says = prepared.structure.edition, f" unless {error.says}"
    places: Mapping[Document, int | str] = {**error.at, **error.sections}
    if error.convention:
        says, places = (
            ", as of the computation",
            {prepared.structure.spec.editions[edition]: str(symbols_of(edition))},
        )
    return Finding.under(
        allowed,
        Aspect.ERROR,
        f"{error.name}, symbolic",
        gives=raised(outcome),
        demands=f"an exception of the symbolic call{says}",
        detail=LATE,
        at=places,
    )


def _invalid_input_unmade(error: ErrorCase, outcome: Raised) -> Finding:
    return Finding(
        Aspect.ERROR,
        Verdict.UNSUPPORTED,
        FindingKind.UNMADE_INPUT,
        gives=raised(outcome),
        demands=error.says,
        detail=outcome.type,
    )


def _not_refused(
    error: ErrorCase, *, gives: str, detail: str, unsupported: bool = False
) -> Finding:
    allowed = of_anything((error.convention,) if error.convention else ())
    return Finding.under(
        allowed,
        Aspect.ERROR,
        error.name,
        gives=gives,
        demands=f"{_exception_of(error)} unless {error.says}",
        detail=detail,
        at={**error.at, **error.sections},
        verdict=Verdict.UNSUPPORTED if unsupported else None,
    )


def _fault_in_place_of(error: ErrorCase, prepared: Prepared, outcome: Fault) -> Finding:
    fault = loss(prepared, outcome)
    return Finding(
        Aspect.ERROR,
        fault.verdict,
        fault.kind,
        gives=fault.gives,
        demands=_exception_of(error),
        detail=fault.detail,
    )


def _exception_of(error: ErrorCase) -> str:
    return "an exception" if error.exception == "any" else error.exception
