"""A failure of composition as results hold it: its id, its words, its script."""

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
from conformance.engine.verdicts.failures import record
from conformance.engine.verdicts.origins import pack
from conformance.fuzz.bounds.known import Array
from conformance.fuzz.bounds.sessions import (
    CALL,
    compiled_outputs,
    graph,
    is_session,
    open_order,
)
from conformance.fuzz.bounds.statics import has_unknown
from conformance.fuzz.calls import calls_of, documented
from conformance.fuzz.frame import FUNCTION, independent_outputs, is_of_frame, raising
from conformance.fuzz.judging import Difference, Question
from conformance.fuzz.programs import shape_of
from conformance.program import Case, Prelude, Program, Step, call_text, endings, to_json
from conformance.program.script import comparing_script
from conformance.results import Aspect, Citation, Failure, Origin, Replacement, Verdict
from conformance.results.composed import PROFILE, TRIAL
from conformance.results.encoding import plain
from conformance.specs import Spec, load
from conformance.specs.convention_names import ConventionName
from conformance.specs.load import claims, is_claimed, signature

_NAMED = re.compile(r"(?<=used to compute )\w+(?:\{[^{}]*\})?(?=\()")
"""The operation that made a node of Theano's graph, which is named in an error that any of them may
lead to."""
_PARTS = re.compile(r"Function '.*' (?=Forward:|Backward:)")
"""A function of CNTK's, with all that it is made of."""
_RAISED = re.compile(r"raises (\w+) \(\w+\): ")
_VERDICTS = {"crash": Verdict.CRASHED, "time-out": Verdict.TIMED_OUT}


def function_of(question: Question, difference: Difference) -> str:
    """The function under which a failure is filed: the one that raised or whose result is wrong, or
    the last; `function` for what it raises itself."""
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


def _tensor(program: Program, difference: Difference) -> str:
    """The tensor whose value is wrong: that of an output, or of a place among what a call gave."""
    calls = {step.result for step in program.steps if step.function == CALL}
    if difference.output not in calls or difference.place is None:
        return difference.output
    return compiled_outputs(program)[difference.place]


def failure(
    question: Question,
    difference: Difference,
    prelude: Prelude,
    *,
    seed: int,
    number: int,
    shapeless: bool = False,
    tried: bool = True,
    replacements: Mapping[str, Replacement] | None = None,
) -> Failure:
    """The failure of a program that was made smaller; `number` is that of the one it came from.

    `shapeless` says that it fails because the target does not know the shape of a result, `tried`
    that each of its calls was tried alone; `replacements` are those of the subject.
    """
    spec = load()[function_of(question, difference)]
    conventions = _conventions(question, difference, spec, shapeless=shapeless)
    usual = Verdict.DIVERGES if conventions else verdict_on_contradiction(replacements)
    verdict = _VERDICTS.get(difference.kind, usual)
    aspect = Aspect.DTYPE if difference.kind == Aspect.DTYPE else Aspect.VALUE
    contradicts = verdict in (Verdict.VIOLATES, Verdict.CHANGED)
    citation = _citation(spec, question.edition, aspect) if contradicts else None
    row = (replacements or {}).get(signature(spec, question.edition).name) if citation else None
    cited = "; ".join(str(place) for place in (citation, row) if place)
    message = _message(question, difference, cited, tried=tried)
    arrays = question.arrays[0]
    expected = difference.expected
    made = Failure(
        id=identifier(question, difference, conventions),
        verdict=verdict,
        kind=difference.kind,
        message=message,
        count=1,
        citation=citation,
        replacement=row or UNSET,
        convention=", ".join(conventions) or None,
        program=to_json(question.program),
        inputs={n: record(a) for n, a in arrays.items()},
        expected=None if expected is None else record(expected.value),
        got=difference.says if difference.got is None else record(difference.got),
        script=_script(question, difference, prelude, message),
        origin=_origin(arrays, seed, number),
    )
    return plain(made)


def _origin(arrays: Mapping[str, Array], seed: int, number: int) -> Origin:
    packed = {name: pack(array) for name, array in arrays.items()}
    return Origin(profile=PROFILE, seed=seed, trial=f"{TRIAL}{number}", arrays=packed)


def _conventions(
    question: Question, difference: Difference, spec: Spec, *, shapeless: bool
) -> list[str]:
    """What the documents leave open: the order of updates, which dimensions of a result are known,
    without which another call may be refused, whether a function may have an output that nothing
    fed is in, and the dtype of most results."""
    program = question.program
    found = open_order(program) if is_session(program) else []
    refused = shapeless or (difference.kind == "exception" and has_unknown(program))
    if refused:
        found = [*found, str(ConventionName.PRECISE_STATIC_SHAPE)]
    if is_of_frame(question, difference) and independent_outputs(question):
        found = [*found, str(ConventionName.INDEPENDENT_OUTPUT)]
    if difference.kind == Aspect.DTYPE and not is_claimed(spec, Aspect.DTYPE, question.edition):
        found = [*found, str(ConventionName.RESULT_DTYPE)]
    return found


def identifier(question: Question, difference: Difference, conventions: Sequence[str]) -> str:
    """The same for one cause, as far as can be told: what the same conventions leave open, errors
    in the same words, and of other differences the same calls wired in the same way."""
    parts = [question.edition, "composed", difference.kind, *conventions]
    if difference.kind == "exception":
        parts.append(words_of(difference.says))
    elif not conventions:
        parts += shape_of(question.program)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def words_of(says: str) -> str:
    """What errors of one cause have in common: the type, and the words that are of no one case."""
    raised = _RAISED.match(says)
    if raised is None:
        return says
    plain = _PARTS.sub("", _NAMED.sub("", _RAISED.sub("raises E: ", says)))
    return f"{raised[1]}: {gist(plain)}"


def _citation(spec: Spec, edition: Edition, aspect: Aspect) -> Citation:
    document = spec.editions[edition]
    lines = [c.at[document] for c in claims(spec, aspect) if document in c.at]
    return Citation(document, [*lines, spec.signatures[document].line][0])


def _message(question: Question, difference: Difference, cited: str, *, tried: bool) -> str:
    said = "; ".join(f"{s.result} = {call_text(s)}" for s in question.program.steps)
    bound = ", ".join(
        f"{i.name} {i.dtype} {i.shape} ({i.binding})" for i in question.program.inputs
    )
    where = _where(question.program, difference)
    what = f"{where} {difference.says}" if where else difference.says
    line = f" ({cited})" if cited else ""
    alone = "; each call alone conforms" if tried else ""
    return f"{said} with {bound}: {what}{_element(difference)}{line}{alone}"


def _where(program: Program, difference: Difference) -> str:
    """The output in words: of what a call gave, which of several."""
    tensor = _tensor(program, difference)
    return tensor if tensor == difference.output else f"{tensor} in {difference.output}"


def _element(difference: Difference) -> str:
    """The element that is furthest beyond its bound, in words."""
    known, got = difference.expected, difference.got
    if difference.kind != "value" or known is None or got is None:
        return ""
    index = _place(difference)
    reach = float(known.reach[index])
    at = f" at {list(index)}" if index else ""
    return f": {got[index].item()!r} in place of {known.value[index].item()!r} ± {reach:.3g}{at}"


def _place(difference: Difference) -> tuple[int, ...]:
    known, got = difference.expected, difference.got
    assert known is not None
    assert got is not None
    with np.errstate(all="ignore"):
        beyond = np.abs(got.astype(np.float64) - known.value.astype(np.float64)) - known.reach
    place = int(np.nan_to_num(beyond, nan=np.inf).argmax())
    return tuple(int(i) for i in np.unravel_index(place, known.value.shape))


def _script(question: Question, difference: Difference, prelude: Prelude, title: str) -> str:
    program = question.program
    if difference.output and difference.output not in program.outputs:
        program = replace(program, outputs=(*program.outputs, difference.output))
    ending = _ending(difference, program.outputs)
    used = program.functions() & set(documented(question.edition))
    made = replace(prelude, absent=prelude.absent - used)
    case = Case(program, dict(question.arrays[0]))
    if is_session(program):
        listed = "".join(f"flat({name}), " for name in program.outputs)
        observe = (f"values = [{listed}]",)
        ending = replace(ending, helpers=(*ending.helpers, *endings.FLAT), observe=observe)
        return comparing_script(case, made, ending, title, outputs="values")
    return comparing_script(case, made, ending, title)


def _ending(difference: Difference, outputs: tuple[str, ...]) -> endings.Ending:
    if difference.kind in _VERDICTS:
        late = endings.PATIENCE if difference.kind == "time-out" else None
        return endings.dies("an answer", endings.Death(seconds=late))
    if not difference.output or difference.expected is None:
        return endings.answers("an answer")
    got = f"got[{outputs.index(difference.output)}]"
    if difference.place is not None:
        got = f"values[{outputs.index(difference.output)}][{difference.place}]"
    known = difference.expected
    if difference.kind == "shape":
        return endings.has_shape(known.value.shape, got)
    if difference.kind == "dtype":
        return endings.has_dtype(difference.dtypes, got)
    if difference.kind != "value":
        return endings.is_one_array(known.value.shape, f"[{got}]")
    wanted = known.value.astype(np.float64) if known.value.dtype.kind == "f" else known.value
    return endings.has_elements(wanted, known.reach, _place(difference), got)
