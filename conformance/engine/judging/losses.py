"""Outcomes without an answer: the worker died, hung or answered garbage, or got no input."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import RESULT_OF, Finding
from conformance.engine.judging.messages import without_stack
from conformance.observations import Crashed, Fault, Garbled, Outcome, Stage, TimedOut
from conformance.program import Program, call_text
from conformance.results import Aspect, FindingKind, Verdict


def loss(
    prepared: Prepared, outcome: Fault, conventions: tuple[str, ...] = (), number: int = 0
) -> Finding:
    """The finding on a draw that lost its worker."""
    # the rule for the shape may have no answer for invalid input
    demands = "" if prepared.structure.error else f"{RESULT_OF}shape {prepared.shape}"
    verdict, kind, gives, detail = without_answer(outcome, prepared.structure.program)
    if could_not_bind(prepared, outcome):
        verdict, kind = Verdict.UNSUPPORTED, FindingKind.UNMADE_INPUT
    return Finding(
        Aspect.VALUE,
        verdict,
        kind,
        gives=gives,
        demands=demands,
        detail=detail,
        conventions=conventions,
        draw=number,
        got=without_stack(outcome.tail),
    )


def could_not_bind(prepared: Prepared, outcome: Outcome) -> bool:
    """Whether an input could not be made. The function under test was then not called."""
    stage = getattr(outcome, "stage", None)
    return stage == "bind" and prepared.structure.claimed == "result"


_DURING: Mapping[Stage, str] = {
    "import": "in the import",
    "session": "in clear_session",
    "bind": "while its inputs are made",
    "step": "when it is called",
    "claim": "in dtype or int_shape",
    "compile": "in function",
    "call": "while it is computed",
    "read": "while it is read",
}
"""The activity of the process, by the stage in which it was lost."""


def _during(outcome: TimedOut | Crashed, program: Program) -> str:
    """The activity of the process, if it is known; the step, if the program has several."""
    if outcome.step is not None and 1 < len(program.steps) > outcome.step:
        return f" in {call_text(program.steps[outcome.step])}"
    return "" if outcome.stage is None else f" {_DURING[outcome.stage]}"


def without_answer(outcome: Outcome, program: Program) -> tuple[Verdict, str, str, str]:
    """Verdict, kind, message and detail of an outcome without an answer.

    Raises:
        TypeError: the outcome is an answer.
    """
    match outcome:
        case TimedOut():
            gives = f"gives no answer within {outcome.limit:g} s{_during(outcome, program)}"
            return Verdict.TIMED_OUT, FindingKind.TIME_OUT, gives, ""
        case Garbled():
            gives = f"makes the worker answer garbage ({outcome.reason})"
            return Verdict.CRASHED, FindingKind.GARBAGE, gives, ""
        case Crashed(limit=str(limit)):
            gives = f"takes more than {limit} and is ended{_during(outcome, program)}"
            return Verdict.CRASHED, FindingKind.LIMIT, gives, limit
        case Crashed():
            how = fault_name(outcome)
            gives = f"ends the process ({how}){_during(outcome, program)}"
            return Verdict.CRASHED, FindingKind.CRASH, gives, how
    raise TypeError(f"{type(outcome).__name__} is an answer")


def fault_name(fault: Fault) -> str:
    """Why a worker was lost, in a few words."""
    match fault:
        case TimedOut():
            return f"no answer within {fault.limit:g} s"
        case Garbled():
            return "a garbled answer"
        case Crashed(limit=str(limit)):
            return f"more than {limit}"
        case Crashed(signal=int(number)) if number:
            return f"signal {number}"
    return f"exit status {fault.exit_code}"
