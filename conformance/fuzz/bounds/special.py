"""What is known of the results of calls whose meaning is in what they are given.

* `stop_gradient` gives what it is given; `in_train_phase`, `in_test_phase` and `switch` one of two.
* `map_fn` gives the result of its body for each element, `foldl` that of the last one: the body
  runs along with its bound as a program does. `rnn` is told of in `recurrence`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from conformance.editions import Edition
from conformance.fuzz.bounds.bodies import Answer, Course, run_body
from conformance.fuzz.bounds.known import Known
from conformance.fuzz.bounds.recurrence import rnn_answer
from conformance.fuzz.bounds.types import Typed
from conformance.fuzz.calls import Special
from conformance.program import Argument, Function, Ref


def special_answer(course: Course, call: Special, edition: Edition) -> Answer:
    """The type of the result and what is known of it. ValueError: it has none."""
    return _ANSWERS[call.function](course, call, edition)


def _tensor(course: Course, value: Argument) -> Answer:
    if not isinstance(value, Ref):
        raise TypeError(f"{value!r} is no tensor of the program")
    return course.types[value.name], course.given(value.name)


def _same(course: Course, call: Special, _: Edition) -> Answer:
    return _tensor(course, call.step.args[0])


def _of_phase(training: bool) -> Callable[[Course, Special, Edition], Answer]:
    """The first tensor in training (or in testing), else the second."""

    def answer(course: Course, call: Special, _: Edition) -> Answer:
        x, alt = (_tensor(course, value) for value in call.step.args[:2])
        told = dict(call.step.kwargs).get("training")
        phase = course.phase if told is None else told
        if phase is None:
            raise ValueError("the learning phase is not known")
        return _one_of(bool(phase) == training, x, alt)

    return answer


def _one_of(first: bool, x: Answer, alt: Answer) -> Answer:
    if x[0] != alt[0]:
        raise ValueError("both tensors must be of one type")
    return x if first else alt


def _switch(course: Course, call: Special, _: Edition) -> Answer:
    condition = _tensor(course, call.step.args[0])[1]
    x, alt = (_tensor(course, value) for value in call.step.args[1:3])
    if condition.value.ndim:
        raise ValueError("the condition is no scalar")
    kind, found = _one_of(bool(condition.value), x, alt)
    if condition.exact:
        return kind, found
    return kind, Known(found.value, np.full(found.value.shape, np.inf))


def _map_fn(course: Course, call: Special, edition: Edition) -> Answer:
    body, elements = _body(course, call)
    made = [_run(course, body, {body.parameters[0]: one}, edition) for one in elements]
    first = made[0][0]
    kind = Typed((len(made), *first.shape), first.dtypes)
    value = np.stack([known.value for _, known in made])
    return kind, Known(value, np.stack([known.reach for _, known in made]))


def _foldl(course: Course, call: Special, edition: Edition) -> Answer:
    body, elements = _body(course, call)
    held = elements[0]
    for one in elements[1:]:
        given = {body.parameters[0]: held, body.parameters[1]: one}
        found = _run(course, body, given, edition)
        if found[0] != held[0]:
            raise ValueError("the body must give what it is given")
        held = found
    return held


def _body(course: Course, call: Special) -> tuple[Function, list[Answer]]:
    body = call.step.args[0]
    assert isinstance(body, Function)
    kind, known = _tensor(course, call.step.args[1])
    element = Typed(kind.shape[1:], kind.dtypes)
    pairs = zip(known.value, known.reach, strict=True)
    return body, [(element, Known(np.asarray(v), np.asarray(r))) for v, r in pairs]


def _run(course: Course, body: Function, given: Mapping[str, Answer], edition: Edition) -> Answer:
    """The result of the body for these parameters."""
    (found,) = run_body(course, body, given, [body.returns], edition)
    return found


_ANSWERS: Mapping[str, Callable[[Course, Special, Edition], Answer]] = {
    "stop_gradient": _same,
    "in_train_phase": _of_phase(training=True),
    "in_test_phase": _of_phase(training=False),
    "switch": _switch,
    "map_fn": _map_fn,
    "foldl": _foldl,
    "rnn": rnn_answer,
}
