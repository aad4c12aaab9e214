"""A failure of composition as results hold it: its id, its words, its script.

`function` has its own share: errors that it raises, and the sources of its outputs. An
implementation that refuses to compile tensors together, or to compute the compiled function, has
not failed in the calls that made the tensors.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from msgspec import UNSET

from conformance.editions import Edition
from conformance.engine.judging.messages import gist
from conformance.engine.judging.successors import verdict_on_contradiction
from conformance.engine.verdicts.failures import place_of, record
from conformance.engine.verdicts.origins import pack
from conformance.fuzz.bounds.sessions import (
    CALL,
    compiled_outputs,
    graph,
    is_session,
    open_order,
)
from conformance.fuzz.bounds.static_shapes import has_unknown
from conformance.fuzz.bounds.tensors import Array
from conformance.fuzz.judging import Mismatch, Question
from conformance.fuzz.making.placeholders import is_fed
from conformance.fuzz.programs import MEMBER, calls_of, documented, following, references, shape_of
from conformance.program import Case, Program, Ref, Step, call_text, to_json
from conformance.results import Aspect, Citation, Failure, Origin, Replacement, Verdict
from conformance.results.composed import PROFILE, TRIAL
from conformance.results.encoding import plain
from conformance.scripts import Prelude, comparing_script, endings
from conformance.scripts.answers import Bounded, RightAnswer
from conformance.scripts.endings import FLAT
from conformance.specs import Spec, load
from conformance.specs.convention_names import ConventionName
from conformance.specs.load import claims, is_claimed, signature

FUNCTION = "function"
"""The function that compiles tensors, under which its errors are filed."""
_STAGES = ("compile", "call")


def is_of_frame(question: Question, difference: Mismatch) -> bool:
    """Whether the error was raised when a function was compiled or called.

    A program without fed inputs is computed by `eval`.
    """
    if difference.kind != "exception" or question.way is not None:
        return False
    program = question.program
    if not is_session(program):
        return difference.stage in _STAGES and any(map(is_fed, program.inputs))
    step = raising(program, difference)
    return step is not None and step.function in (FUNCTION, CALL)


def raising(program: Program, difference: Mismatch) -> Step | None:
    """The step that raised: for a member of a tuple, the step that made the tuple."""
    if difference.step is None or difference.step >= len(program.steps):
        return None
    step = program.steps[difference.step]
    while step.function == MEMBER:
        of = step.args[0]
        assert isinstance(of, Ref)
        (step,) = following(program, [of.name])
    return step


def outputs_of(question: Question) -> list[str]:
    """The tensors that are computed together: outputs of a function, and observed tensors."""
    program = question.program
    if is_session(program):
        return compiled_outputs(program)
    return [*program.outputs, *sorted(question.cuts - {*program.outputs})]


def fed_names(program: Program) -> list[str]:
    """The inputs of the function that computes a program, the learning phase among them."""
    if not is_session(program):
        return [item.name for item in program.inputs if is_fed(item)]
    (function,) = (s for s in program.steps if s.function == FUNCTION)
    inputs = function.args[0]
    assert isinstance(inputs, list)
    return [value.name for value in inputs if isinstance(value, Ref)]


def independent_outputs(question: Question) -> list[str]:
    """The outputs that are made of nothing that is fed."""
    return [n for n in outputs_of(question) if not depends(question.program, n)]


def depends(program: Program, name: str) -> bool:
    """Whether a tensor is made of something that is fed, or that a loop gives its body."""
    fed = {*fed_names(program)}
    sources = _sources(program, name, phased=_phases(program) & fed)
    names = {*(i.name for i in program.inputs), *(s.result for s in program.steps)}
    return not fed.isdisjoint(sources) or not sources <= names


def _phases(program: Program) -> set[str]:
    return {s.result for s in program.steps if s.function == "learning_phase"}


def _sources(program: Program, name: str, *, phased: set[str]) -> set[str]:
    """All that a tensor is made of; a call that reads the phase does not name it."""
    names = {name}
    for step in reversed(program.steps):
        if step.result in names:
            names |= {*references(step), *(phased if reads_phase(step) else ())}
    return names


def reads_phase(step: Step) -> bool:
    """Whether a call is decided by the learning phase that is fed."""
    phased = step.function in ("in_train_phase", "in_test_phase")
    return phased and "training" not in dict(step.kwargs)


_NAMED = re.compile(r"(?<=used to compute )\w+(?:\{[^{}]*\})?(?=\()")
"""The operation that made a node of Theano's graph, which is named in an error that any of them may
lead to."""
_PARTS = re.compile(r"Function '.*' (?=Forward:|Backward:)")
"""A function of CNTK's, with all that it is made of."""
_RAISED = re.compile(r"raises (\w+) \(\w+\): ")
_VERDICTS = {"crash": Verdict.CRASHED, "time-out": Verdict.TIMED_OUT}


def function_of(question: Question, difference: Mismatch) -> str:
    """The function under which a failure is filed: the function that raised or whose result is
    wrong, or the last; `function` for its own errors."""
    if is_of_frame(question, difference):
        return FUNCTION
    calls = list(calls_of(graph(question.program), question.edition))
    raised = raising(question.program, difference)
    if raised is not None and (name := _name_of(raised, question.edition)):
        return name
    wrong = _tensor(question.program, difference)
    for call in calls:
        if call.result == wrong:
            return call.spec.name
    return calls[-1].spec.name if calls else "function"


def _name_of(step: Step, edition: Edition) -> str | None:
    """The documented function that a step calls; None for what none is, such as an operator."""
    spec = documented(edition).get(step.function)
    if spec is not None:
        return spec.name
    return step.function if step.function in load() else None


def _tensor(program: Program, difference: Mismatch) -> str:
    """The tensor whose value is wrong: that of an output, or of a place among what a call gave."""
    calls = {step.result for step in program.steps if step.function == CALL}
    if difference.output not in calls or difference.place is None:
        return difference.output
    return compiled_outputs(program)[difference.place]


def failure(
    question: Question,
    difference: Mismatch,
    prelude: Prelude,
    *,
    seed: int,
    number: int,
    shapeless: bool = False,
    tried: bool = True,
    replacements: Mapping[str, Replacement] | None = None,
) -> Failure:
    """The failure of a program that was made smaller; `number` is that of the program before it was
    made smaller.

    `shapeless` says that it fails because the target does not know the shape of a result, `tried`
    that each of its calls was tried alone; `replacements` are those of the subject.
    """
    spec = load()[function_of(question, difference)]
    conventions = _conventions(question, difference, spec, shapeless=shapeless)
    usual = Verdict.DIVERGES if conventions else verdict_on_contradiction(replacements)
    verdict = _VERDICTS.get(difference.kind, usual)
    aspect = Aspect.DTYPE if difference.kind == Aspect.DTYPE else Aspect.VALUE
    contradicts = verdict in (Verdict.VIOLATES, Verdict.CHANGED)
    citation = cite(spec, question.edition, aspect) if contradicts else None
    row = (replacements or {}).get(signature(spec, question.edition).name) if citation else None
    cited = "; ".join(str(place) for place in (citation, row) if place)
    message = _message(question, difference, cited, tried=tried)
    arrays = question.arrays[0]
    expected = difference.expected
    unfiled = Failure(
        id=identifier(question, difference, conventions),
        verdict=verdict,
        kind=difference.kind,
        message=message,
        count=1,
        citation=citation,
        replacement=row or UNSET,
        convention=", ".join(conventions) or None,
        program=to_json(question.asked()),
        inputs={n: record(a) for n, a in arrays.items()},
        expected=None if expected is None else record(expected.value),
        got=difference.says if difference.got is None else record(difference.got),
        script=_script(question, difference, prelude, message),
        origin=_origin(arrays, seed, number),
    )
    return plain(unfiled)


def _origin(arrays: Mapping[str, Array], seed: int, number: int) -> Origin:
    packed = {name: pack(array) for name, array in arrays.items()}
    return Origin(profile=PROFILE, seed=seed, trial=f"{TRIAL}{number}", arrays=packed)


def _conventions(
    question: Question, difference: Mismatch, spec: Spec, *, shapeless: bool
) -> list[str]:
    """The open points of the documents that decide here.

    These are the order of updates, the known dimensions of a result, outputs that depend on no fed
    tensor, and the dtype of most results.
    """
    program = question.program
    conventions = open_order(program) if is_session(program) else []
    refused = shapeless or (difference.kind == "exception" and has_unknown(program))
    if refused:
        conventions = [*conventions, str(ConventionName.PRECISE_STATIC_SHAPE)]
    if is_of_frame(question, difference) and independent_outputs(question):
        conventions = [*conventions, str(ConventionName.INDEPENDENT_OUTPUT)]
    if difference.kind == Aspect.DTYPE and not is_claimed(spec, Aspect.DTYPE, question.edition):
        conventions = [*conventions, str(ConventionName.RESULT_DTYPE)]
    return conventions


def identifier(question: Question, difference: Mismatch, conventions: Sequence[str]) -> str:
    """A key that is the same for one cause, as far as the results show.

    One cause has the same open conventions, errors in the same words, or the same calls wired in
    the same way.
    """
    parts = [question.edition, "composed", difference.kind, *conventions]
    if difference.kind == "exception":
        parts.append(words_of(difference.says))
    elif not conventions:
        parts += shape_of(question.program)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def words_of(says: str) -> str:
    """The common part of errors with one cause: the type, and the words that belong to no single
    case."""
    raised = _RAISED.match(says)
    if raised is None:
        return says
    plain = _PARTS.sub("", _NAMED.sub("", _RAISED.sub("raises E: ", says)))
    return f"{raised[1]}: {gist(plain)}"


def cite(spec: Spec, edition: Edition, aspect: Aspect) -> Citation:
    """The first claim of the document about an aspect of a function, or else its signature."""
    document = spec.editions[edition]
    of_claims = (place_of(spec, claim, document) for claim in claims(spec, aspect))
    stated = next((place for place in of_claims if place is not None), None)
    signed = spec.signatures[document].line or f"{spec.name}: signature"
    return Citation(document, signed if stated is None else stated)


def _message(question: Question, difference: Mismatch, cited: str, *, tried: bool) -> str:
    calls = "; ".join(f"{s.result} = {call_text(s)}" for s in question.program.steps)
    how = question.way
    bound = ", ".join(
        f"{i.name} {i.dtype} {i.shape} ({how or i.binding})" for i in question.program.inputs
    )
    where = _where(question.program, difference)
    what = f"{where} {difference.says}" if where else difference.says
    line = f" ({cited})" if cited else ""
    alone = "; each call alone conforms" if tried else ""
    return f"{calls} with {bound}: {what}{_element(difference)}{line}{alone}"


def _where(program: Program, difference: Mismatch) -> str:
    """The output in words: which of several results of a call."""
    tensor = _tensor(program, difference)
    return tensor if tensor == difference.output else f"{tensor} in {difference.output}"


def _element(difference: Mismatch) -> str:
    """The element that is furthest beyond its bound, in words."""
    known, got = difference.expected, difference.got
    if difference.kind != "value" or known is None or got is None:
        return ""
    index = _place(difference)
    reach = float(known.reach[index])
    at = f" at {list(index)}" if index else ""
    return f": {got[index].item()!r} in place of {known.value[index].item()!r} ± {reach:.3g}{at}"


def _place(difference: Mismatch) -> tuple[int, ...]:
    known, got = difference.expected, difference.got
    assert known is not None
    assert got is not None
    with np.errstate(all="ignore"):
        beyond = np.abs(got.astype(np.float64) - known.value.astype(np.float64)) - known.reach
    place = int(np.nan_to_num(beyond, nan=np.inf).argmax())
    return tuple(int(i) for i in np.unravel_index(place, known.value.shape))


def _script(question: Question, difference: Mismatch, prelude: Prelude, title: str) -> str:
    hidden = difference.output and difference.output not in question.program.outputs
    program = question.asked((difference.output,) if hidden else ())
    ending = _ending(difference, program.outputs)
    used = program.functions() & set(documented(question.edition))
    own = replace(prelude, absent=prelude.absent - used)
    case = Case(program, dict(question.arrays[0]))
    if is_session(program):
        values = "".join(f"flat({name}), " for name in program.outputs)
        observe = (f"values = [{values}]",)
        helpers = (*ending.helpers, *FLAT)
        ending = replace(ending, helpers=helpers, observe=observe, computes=False)
        return comparing_script(case, own, ending, title, outputs="values")
    return comparing_script(case, own, ending, title)


def _ending(difference: Mismatch, outputs: tuple[str, ...]) -> endings.ScriptEnding:
    known = difference.expected
    death = None
    if difference.kind in _VERDICTS:
        late = endings.PATIENCE if difference.kind == "time-out" else None
        death = endings.Death(seconds=late)
    if not difference.output or known is None:
        return replace(endings.answers(), death=death)
    got = "got" if len(outputs) == 1 else f"got[{outputs.index(difference.output)}]"
    if difference.place is not None:
        got = f"values[{outputs.index(difference.output)}][{difference.place}]"
    expected = known.value.astype(np.float64) if known.value.dtype.kind == "f" else known.value
    numbers = Bounded(expected, known.reach)
    compares = difference.kind == "value" and difference.got is not None
    answer = RightAnswer(
        (numbers if compares else numbers.generous("float32"),),
        tuple(difference.dtypes) if difference.kind == "dtype" else (),
        index=_place(difference) if compares else (),
        wrong=(difference.got,) if compares and difference.got is not None else (),
    )
    return replace(endings.is_answer(answer, got, ""), death=death)
