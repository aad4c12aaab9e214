"""What is known of the results of `rnn`: its step function runs along time step by time step.

Outputs and states are what the step function gave, within its reach; nothing is computed of them
besides. At a masked step a state stays as it was, and what is put out is a convention: of a call
with a mask the states alone are known. A mask may be multiplied with (m x + (1 - m) y), which
rounds once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance.editions import Edition
from conformance.fuzz.bounds.bodies import Answer, Course, run_body, states_of
from conformance.fuzz.bounds.known import Array, Known
from conformance.fuzz.bounds.types import Typed
from conformance.fuzz.calls import STATES, Special
from conformance.oracle.rounding import arithmetic, ulp
from conformance.program import Argument, Function, Ref

LAST = 0
"""The place of the last output in what `rnn` returns, which is followed by all outputs."""


def rnn_answer(course: Course, call: Special, edition: Edition) -> Answer:
    """The type of one of the results, and what is known of it. ValueError: it has none."""
    told = dict(call.step.kwargs)
    mask = told.get("mask")
    if mask is not None and call.place < STATES:
        raise ValueError("what a masked step gives is a convention")
    outputs, states = _run(course, call, told, edition)
    if call.place >= STATES:
        return states[call.place - STATES]
    return outputs[-1] if call.place == LAST else _stacked(outputs)


def _run(
    course: Course, call: Special, told: Mapping[str, Argument], edition: Edition
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
    for step, used in _steps(course, inputs, told):
        given = {body.parameters[0]: step, **dict(zip(states_of(body), states, strict=True))}
        out, *after = run_body(course, body, given, [output, *new], edition)
        states = [_kept(a, b, used) for a, b in zip(after, states, strict=True)]
        outputs.append(out)
    return outputs, states


def _of_the_same_samples(sequence: Answer, states: Sequence[Answer]) -> None:
    samples = sequence[0].shape[:1]
    if any(kind.shape[:1] != samples for kind, _ in states):
        raise ValueError("each state has the samples of the sequence")


def _tensor(course: Course, value: Any) -> Answer:
    assert isinstance(value, Ref)
    return course.types[value.name], course.given(value.name)


def _steps(
    course: Course, inputs: Argument, told: Mapping[str, Argument]
) -> list[tuple[Answer, Array | None]]:
    """The slice of the inputs at each time step, in the order of iteration, with the samples whose
    step is not masked."""
    kind, known = _tensor(course, inputs)
    mask = told.get("mask")
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
        for t in (reversed(order) if told.get("go_backwards") else order)
    ]


def _kept(new: Answer, old: Answer, used: Array | None) -> Answer:
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
