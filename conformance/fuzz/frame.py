"""What belongs to `function` in a program: errors that it raises, and what its outputs are made of.

An implementation that refuses to compile tensors together, or to compute what it has compiled, has
not failed in the calls that made the tensors.
"""

from __future__ import annotations

from conformance.fuzz.bounds.sessions import CALL, compiled_outputs, is_session
from conformance.fuzz.calls import MEMBER
from conformance.fuzz.judging import Difference, Question
from conformance.fuzz.making.freedom import is_fed
from conformance.fuzz.programs import following, references
from conformance.program import Program, Ref, Step

FUNCTION = "function"
"""The function that compiles tensors, under which its errors are filed."""
_STAGES = ("compile", "call")


def is_of_frame(question: Question, difference: Difference) -> bool:
    """Whether the error was raised when a function was compiled or called.

    What nothing is fed to is computed by `eval`.
    """
    if difference.kind != "exception":
        return False
    program = question.program
    if not is_session(program):
        return difference.stage in _STAGES and any(map(is_fed, program.inputs))
    step = raising(program, difference)
    return step is not None and step.function in (FUNCTION, CALL)


def raising(program: Program, difference: Difference) -> Step | None:
    """The step that raised: of a member of a tuple the one that made the tuple."""
    if difference.step is None or difference.step >= len(program.steps):
        return None
    step = program.steps[difference.step]
    while step.function == MEMBER:
        of = step.args[0]
        assert isinstance(of, Ref)
        (step,) = following(program, [of.name])
    return step


def outputs_of(question: Question) -> list[str]:
    """The tensors that are computed together: outputs of a function, and what is observed."""
    program = question.program
    if is_session(program):
        return compiled_outputs(program)
    return [*program.outputs, *sorted(question.cuts - {*program.outputs})]


def fed_names(program: Program) -> list[str]:
    """The inputs of the function that computes a program, the learning phase among them."""
    if not is_session(program):
        return [item.name for item in program.inputs if is_fed(item)]
    (made,) = (s for s in program.steps if s.function == FUNCTION)
    listed = made.args[0]
    assert isinstance(listed, list)
    return [value.name for value in listed if isinstance(value, Ref)]


def independent_outputs(question: Question) -> list[str]:
    """The outputs that are made of nothing that is fed."""
    return [n for n in outputs_of(question) if not depends(question.program, n)]


def depends(program: Program, name: str) -> bool:
    """Whether a tensor is made of something that is fed, or that a loop gives its body."""
    fed = {*fed_names(program)}
    found = _sources(program, name, phased=_phases(program) & fed)
    made = {*(i.name for i in program.inputs), *(s.result for s in program.steps)}
    return not fed.isdisjoint(found) or not found <= made


def _phases(program: Program) -> set[str]:
    return {s.result for s in program.steps if s.function == "learning_phase"}


def _sources(program: Program, name: str, *, phased: set[str]) -> set[str]:
    """All that a tensor is made of; a call that reads the phase does not name it."""
    found = {name}
    for step in reversed(program.steps):
        if step.result in found:
            found |= {*references(step), *(phased if reads_phase(step) else ())}
    return found


def reads_phase(step: Step) -> bool:
    """Whether a call is decided by the learning phase that is fed."""
    phased = step.function in ("in_train_phase", "in_test_phase")
    return phased and "training" not in dict(step.kwargs)
