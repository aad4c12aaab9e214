"""Try a target as a run would: a worker imports it, through its adapter, and computes once.

The check computes only with shipped targets, where a wrong softmax is a sign of a broken
environment. The run judges a user's own backend, and the functions that it lacks.
"""

from __future__ import annotations

import numpy as np

from conformance.adapters import registry
from conformance.adapters.access import launch
from conformance.adapters.interpreters import InterpreterNotFoundError
from conformance.adapters.launching import PlaceholderError
from conformance.adapters.layout import ImportCheck
from conformance.adapters.session import CallLimits, Session, WorkerStartError
from conformance.adapters.target_records import Target
from conformance.observations import Array, Batch, Outcome, Raised, Returned
from conformance.program import Binding, Input, Program, Ref, Step

_SOFTMAX = ("softmax", "keras.ops.softmax")
"""Its names in the editions."""
_LIMITS = CallLimits(start=300, structure=300)
"""The first import after an installation compiles every module of a library."""
_TAIL = 12  # lines of a failed import that a reason shows


def tried(target: Target) -> tuple[ImportCheck, str | None]:
    """The result of importing the target, and the remedy for a failure, if it is known."""
    try:
        with Session(launch(target), functions=_SOFTMAX, limits=_LIMITS) as session:
            versions = dict(session.identity.versions)
            shipped = target.name in registry.shipped()
            problem = _wrong(session) if shipped else None
    except WorkerStartError as error:
        return ImportCheck(problem=_shortened(str(error))), error.hint
    except (PlaceholderError, InterpreterNotFoundError) as error:
        return ImportCheck(problem=str(error)), None
    if problem is not None:
        return ImportCheck(problem=f"{target.module} does not work: {problem}"), None
    return ImportCheck(versions=versions), None


def _shortened(message: str) -> str:
    """The reason in a line, and the end of the output."""
    reason, *printed = message.splitlines()
    return "\n".join([reason, *printed[-_TAIL:]])


def _wrong(session: Session) -> str | None:
    """The fault in the softmax of two zeros; None if it has none or is missing."""
    functions = session.identity.functions
    name = next((name for name in _SOFTMAX if functions[name].present), None)
    return None if name is None else _complaint(session.run_batch(_of_zeros(name)).draws[0].outcome)


def _of_zeros(name: str) -> Batch:
    item = Input("x", (1, 2), "float32", Binding.VARIABLE)
    program = Program((item,), (Step("y", name, (Ref("x"),)),), ("y",))
    return Batch(program, {"x": np.zeros((1, 1, 2), np.float32)}, 1)


def _complaint(outcome: Outcome) -> str | None:
    if isinstance(outcome, Raised):
        return f"softmax of two zeros raised {outcome.type}: {outcome.message}"
    if not isinstance(outcome, Returned):
        return f"softmax of two zeros ended its worker: {outcome}"
    value = outcome.value("y").array
    return None if _is_half(value) else f"softmax of two zeros gave {value}"


def _is_half(value: Array | None) -> bool:
    return value is not None and value.shape == (1, 2) and np.allclose(value, 0.5)
