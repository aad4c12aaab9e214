"""The results of branches and loops, whose bodies run along with their bounds.

* `stop_gradient` returns its argument. `in_train_phase`, `in_test_phase` and `switch` return one of
  two.
* `map_fn` returns the result of its body for each element, and `foldl` that of the last element.
* `rnn` runs its step function at each time step. Outputs and states are the results of that
  function, within their reach. At a masked step a state keeps its value, and the output is a
  convention. Therefore a call with a mask has known states alone. An implementation may multiply by
  the mask (m x + (1 - m) y), which rounds once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from conformance.editions import Edition
from conformance.fuzz.bounds.admissible import Answered, in_domains, is_ordinary, open_points
from conformance.fuzz.bounds.tensors import Array, Known, Typed
from conformance.fuzz.programs import MEMBER, STATES, ProgramCall, Special, calls_of
from conformance.oracle.rounding import arithmetic, ulp
from conformance.program import Argument, Function, Program, Ref, Step

Answer = tuple[Typed, Known]


class BodyCourse(Answered, Protocol):
    """The part of `course.Course` that a body needs."""

    cuts: dict[str, str]
    phase: int | None
    calls: list[ProgramCall | Special]
    sweeps: dict[str, Any]
    """Each tensor's share of a loss, by the name of the loss."""

    def add(self, call: ProgramCall | Special, edition: Edition) -> None:
        """Answer one call more."""

    def argument(self, name: str) -> Known:
        """The tensor as a call receives it."""

    def copied(self) -> BodyCourse:
        """The same so far."""


def states_of(body: Function) -> list[str]:
    """The names that the body of `rnn` has for the states that it is given."""
    return [step.result for step in body.steps if takes_state(body, step)]


def takes_state(body: Function, step: Step) -> bool:
    """Whether the step takes one of the states that the body is given."""
    return step.function == MEMBER and step.args[0] == Ref(body.parameters[-1])


def run_body(
    course: BodyCourse,
    body: Function,
    parameters: Mapping[str, Answer],
    results: Sequence[Argument],
    edition: Edition,
) -> list[Answer]:
    """Knowledge of these `results` of the body, for these `parameters`.

    ValueError: no document settles what it computes.
    """
    inner = course.copied()
    before = set(course.cuts)
    for name, (kind, known) in parameters.items():
        inner.types[name], inner.known[name] = kind, known
        inner.cuts.pop(name, None)
    steps = tuple(step for step in body.steps if not takes_state(body, step))
    for inside in calls_of(Program((), steps, ()), edition):
        inner.types.pop(inside.result, None)
        inner.cuts.pop(inside.result, None)
        _add(inner, inside, edition)
    lost = bool(inner.unjudged - course.unjudged or inner.cuts.keys() - before)
    return [_result(inner, value, lost=lost) for value in results]


def _add(inner: BodyCourse, call: ProgramCall | Special, edition: Edition) -> None:
    if any(open_points(inner, call, edition)):
        raise ValueError("no document settles what the body computes")
    if not in_domains(inner, call):
        raise ValueError("the body is given numbers for which a function is not defined")
    inner.add(call, edition)
    if not is_ordinary(inner, call):
        raise ValueError("the body leaves the numbers of which the documents speak")


def _result(inner: BodyCourse, value: Argument, *, lost: bool) -> Answer:
    """Knowledge of one result: none if the body would have to be cut, because its tensors cannot be
    observed."""
    assert isinstance(value, Ref)
    kind, known = inner.types[value.name], inner.known[value.name]
    if not lost:
        return kind, known
    return kind, Known(known.value, np.full(known.value.shape, np.inf))


LAST = 0
"""The place of the last output in what `rnn` returns, which is followed by all outputs."""


def rnn_answer(course: BodyCourse, call: Special, edition: Edition) -> Answer:
    """The type of one of the results, and its value with the reach.

    Raises:
        ValueError: it has none.
    """
    options = dict(call.step.kwargs)
    mask = options.get("mask")
    if mask is not None and call.place < STATES:
        raise ValueError("the output at a masked step is a convention")
    outputs, states = _iterated(course, call, options, edition)
    if call.place >= STATES:
        return states[call.place - STATES]
    return outputs[-1] if call.place == LAST else _stacked(outputs)


def _iterated(
    course: BodyCourse, call: Special, options: Mapping[str, Argument], edition: Edition
) -> tuple[list[Answer], list[Answer]]:
    """The output of each step, in the order of iteration, and the last states."""
    body, inputs, initial = call.step.args[:3]
    assert isinstance(body, Function)
    assert isinstance(body.returns, tuple)
    assert isinstance(initial, list)
    states = [_tensor(course, value) for value in initial]
    _of_the_same_samples(_tensor(course, inputs), states)
    output, new = body.returns
    assert isinstance(new, list)
    outputs = []
    for step, used in _steps(course, inputs, options):
        parameters = {body.parameters[0]: step, **dict(zip(states_of(body), states, strict=True))}
        out, *after = run_body(course, body, parameters, [output, *new], edition)
        states = [_state(a, b, used) for a, b in zip(after, states, strict=True)]
        outputs.append(out)
    return outputs, states


def _of_the_same_samples(sequence: Answer, states: Sequence[Answer]) -> None:
    samples = sequence[0].shape[:1]
    if any(kind.shape[:1] != samples for kind, _ in states):
        raise ValueError("each state has the samples of the sequence")


def _steps(
    course: BodyCourse, inputs: Argument, options: Mapping[str, Argument]
) -> list[tuple[Answer, Array | None]]:
    """The slice of the inputs at each time step, in the order of iteration, with the samples whose
    step is not masked."""
    kind, known = _tensor(course, inputs)
    mask = options.get("mask")
    used = None if mask is None else _tensor(course, mask)[1]
    if used is not None and not used.exact:
        raise ValueError("the mask is not known")
    if used is not None and used.value.shape[:2] != kind.shape[:2]:
        raise ValueError("a mask has the samples and the time steps of the sequence")
    order = range(kind.shape[1])
    element = Typed((kind.shape[0], *kind.shape[2:]), kind.dtypes)
    return [
        (
            (element, Known(known.value[:, t], known.reach[:, t])),
            None if used is None else used.value[:, t] != 0,
        )
        for t in (reversed(order) if options.get("go_backwards") else order)
    ]


def _state(new: Answer, old: Answer, used: Array | None) -> Answer:
    """The new state; of samples whose step is masked the old one."""
    if new[0] != old[0]:
        raise ValueError("a state keeps its type")
    if used is None:
        return new
    where = used.reshape(used.shape + (1,) * (new[1].value.ndim - 1))
    value = np.where(where, new[1].value, old[1].value)
    model = arithmetic(value.dtype.name, False)
    assert model is not None
    reach = np.where(where, new[1].reach, old[1].reach)
    rounding = ulp(np.abs(value).astype(np.longdouble) + reach, model)
    return new[0], Known(value, np.asarray(reach + rounding, np.float64))


def _stacked(outputs: list[Answer]) -> Answer:
    (samples, *rest), dtypes = outputs[0][0].shape, outputs[0][0].dtypes
    value = np.stack([known.value for _, known in outputs], axis=1)
    reach = np.stack([known.reach for _, known in outputs], axis=1)
    return Typed((samples, len(outputs), *rest), dtypes), Known(value, reach)


def special_answer(course: BodyCourse, call: Special, edition: Edition) -> Answer:
    """The type of the result, and its value with the reach.

    Raises:
        ValueError: it has none.
    """
    return _ANSWERS[call.function](course, call, edition)


def _tensor(course: BodyCourse, value: Argument) -> Answer:
    if not isinstance(value, Ref):
        raise TypeError(f"{value!r} is not a tensor of the program")
    return course.types[value.name], course.argument(value.name)


def _same(course: BodyCourse, call: Special, _: Edition) -> Answer:
    return _tensor(course, call.step.args[0])


def _of_phase(training: bool) -> Callable[[BodyCourse, Special, Edition], Answer]:
    """The first tensor in training (or in testing), else the second."""

    def answer(course: BodyCourse, call: Special, _: Edition) -> Answer:
        x, alt = (_tensor(course, value) for value in call.step.args[:2])
        training_phase = dict(call.step.kwargs).get("training")
        phase = course.phase if training_phase is None else training_phase
        if phase is None:
            raise ValueError("the learning phase is not known")
        return _one_of(bool(phase) == training, x, alt)

    return answer


def _one_of(first: bool, x: Answer, alt: Answer) -> Answer:
    if x[0] != alt[0]:
        raise ValueError("both tensors must be of one type")
    return x if first else alt


def _switch(course: BodyCourse, call: Special, _: Edition) -> Answer:
    condition = _tensor(course, call.step.args[0])[1]
    x, alt = (_tensor(course, value) for value in call.step.args[1:3])
    if condition.value.ndim:
        raise ValueError("the condition must be a scalar")
    kind, known = _one_of(bool(condition.value), x, alt)
    if condition.exact:
        return kind, known
    return kind, Known(known.value, np.full(known.value.shape, np.inf))


def _map_fn(course: BodyCourse, call: Special, edition: Edition) -> Answer:
    body, elements = _body(course, call)
    results = [_run(course, body, {body.parameters[0]: element}, edition) for element in elements]
    first = results[0][0]
    kind = Typed((len(results), *first.shape), first.dtypes)
    value = np.stack([known.value for _, known in results])
    return kind, Known(value, np.stack([known.reach for _, known in results]))


def _foldl(course: BodyCourse, call: Special, edition: Edition) -> Answer:
    body, elements = _body(course, call)
    held = elements[0]
    for element in elements[1:]:
        parameters = {body.parameters[0]: held, body.parameters[1]: element}
        result = _run(course, body, parameters, edition)
        if result[0] != held[0]:
            raise ValueError("the body must give what it is given")
        held = result
    return held


def _body(course: BodyCourse, call: Special) -> tuple[Function, list[Answer]]:
    body = call.step.args[0]
    assert isinstance(body, Function)
    kind, known = _tensor(course, call.step.args[1])
    element = Typed(kind.shape[1:], kind.dtypes)
    pairs = zip(known.value, known.reach, strict=True)
    return body, [(element, Known(np.asarray(v), np.asarray(r))) for v, r in pairs]


def _run(
    course: BodyCourse, body: Function, parameters: Mapping[str, Answer], edition: Edition
) -> Answer:
    """The result of the body for these parameters."""
    (result,) = run_body(course, body, parameters, [body.returns], edition)
    return result


_ANSWERS: Mapping[str, Callable[[BodyCourse, Special, Edition], Answer]] = {
    "stop_gradient": _same,
    "in_train_phase": _of_phase(training=True),
    "in_test_phase": _of_phase(training=False),
    "switch": _switch,
    "map_fn": _map_fn,
    "foldl": _foldl,
    "rnn": rnn_answer,
}
