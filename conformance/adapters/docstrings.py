"""Ask a target's worker for the facts in the docstrings of the package that it imports.

The worker reads them (`conformance_worker.docstrings`), so an untrusted package stays in the
sandbox. The answer is bounded like any other answer.
"""

from __future__ import annotations

from conformance.adapters.access import open_session
from conformance.adapters.interpreters import InterpreterNotFoundError
from conformance.adapters.launching import PlaceholderError
from conformance.adapters.session import Session, WorkerStartError
from conformance.adapters.target_records import Target
from conformance.observations import Batch, Raised, Returned
from conformance.program import Program, Step

FACTS = "docstring_facts"
"""The function of the mapping that returns the facts."""
_OUTPUT = "facts"


class DocstringsError(Exception):
    """The docstrings of a target cannot be read; the message says why."""


def docstring_facts(target: Target) -> bytes:
    """The release and the docstrings of the functions that `target` imports, as JSON.

    Raises:
        DocstringsError: the target does not start, or has no mapping with this function.
    """
    try:
        with open_session(target) as session:
            return session_facts(session)
    except (WorkerStartError, PlaceholderError, InterpreterNotFoundError) as error:
        raise DocstringsError(str(error)) from error


def session_facts(session: Session) -> bytes:
    """The same from a worker that runs, in a tenth of a second.

    Raises:
        DocstringsError: its mapping does not have this function.
    """
    program = Program((), (Step(_OUTPUT, FACTS, ()),), (_OUTPUT,))
    outcome = session.run_batch(Batch(program, {}, 1)).draws[0].outcome
    if isinstance(outcome, Raised):
        raise DocstringsError(f"{outcome.type}: {outcome.message}")
    array = outcome.value(_OUTPUT).array if isinstance(outcome, Returned) else None
    if array is None or array.dtype != "uint8":
        raise DocstringsError(f"the worker gave no list of docstrings: {outcome}")
    return array.tobytes()
