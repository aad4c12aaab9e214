"""The result and the effect of an update, moving averages, and the shapes that updates refuse."""

from __future__ import annotations

from functools import partial

import numpy as np
from hypothesis import strategies as st

from conformance.results import Aspect
from conformance.scenarios.checks import Test, is_array, of_array, of_last, plain, raises, shown
from conformance.scenarios.model import KERAS_2, Array, Problem, Values
from conformance.scenarios.recorder import Book, Lines, Recorder, Result
from conformance.scenarios.state.machine import Machine
from conformance.scenarios.state.variable_model import ModelVariable
from conformance.scenarios.state.variables import programs
from conformance.specs.convention_names import ConventionName

BOOK = Book()
AVERAGE = "moving_average_update"
GIVES: dict[str, Lines] = {
    "update": {"ja-2.0": 970, "ko-2.2": 905},
    "update_add": {"ja-2.0": 989, "ko-2.2": 926},
    "update_sub": {"ja-2.0": 1008, "ko-2.2": 947},
}
SAME_SHAPE: dict[str, Lines] = {
    "update": {"ja-2.0": 966, "ko-2.2": 901},
    "update_add": {"ja-2.0": 985, "ko-2.2": 922},
    "update_sub": {"ja-2.0": 1004, "ko-2.2": 943},
    AVERAGE: {"ja-2.0": 1023, "ko-2.2": 964},
}
MEAN: Lines = {"ja-2.0": 1018, "ko-2.2": 959}


def _started(K: Recorder, draw: st.DrawFn) -> tuple[Machine, ModelVariable]:
    """A program with one variable."""
    machine = Machine(K, draw)
    shape = draw(st.sampled_from(((2,), (1,), (2, 3))))
    return machine, machine.make((shape, draw(st.sampled_from(("float32", "float64")))))


def _updated(machine: Machine, variable: ModelVariable) -> tuple[Result, Array]:
    """The step that makes an update of the variable, and its new value."""
    K, old = machine.K, variable.value
    operand = machine.numbers(variable.kind)
    tensor = K.variable(machine.array(operand), dtype=variable.kind[1])
    values = {"update": operand, "update_add": old + operand, "update_sub": old - operand}
    return K[K.tested](variable.ref, tensor), values[K.tested]


@BOOK.scenario(GIVES.keys(), "the updated variable that is returned", editions=KERAS_2, share=0.5)
def gives_the_variable(K: Recorder, draw: st.DrawFn) -> None:
    """The update returns the updated variable: it has the new value."""
    update, value = _updated(*_started(K, draw))
    updated, demands = (
        K.eval(update).output("updated"),
        f"the variable with its new value, {shown(value)}",
    )
    test, at = is_array(value, dtype=True), GIVES[K.tested]
    K.expect("the updated variable is returned", updated, test, demands, at=at)


AFTER = "a variable after an update was evaluated"


@BOOK.scenario(GIVES.keys(), AFTER, Aspect.STATE, editions=KERAS_2, share=0.5)
def changes_the_variable(K: Recorder, draw: st.DrawFn) -> None:
    """After the update has been evaluated the variable has the new value."""
    machine, variable = _started(K, draw)
    update, value = _updated(machine, variable)
    evaluated = K.attempt(K.eval, update).output("evaluated")
    after = K.get_value(variable.ref).output("after")
    name, demands = "an evaluated update changes the variable", f"{shown(value)} after the update"
    test = partial(_if_evaluated, is_array(value, dtype=True))
    K.expect(name, (evaluated, after), test, demands)


def _if_evaluated(test: Test, evaluated: Values, value: Values) -> Problem | None:
    return of_last(test(value)) if plain(evaluated) == "returns" else None


OTHER_SHAPE = "a tensor of another shape"


SHAPES = ((5,), (2, 4), (3, 2), (1, 3), (2, 3, 1))
"""Shapes other than (2, 3): of other rank, of other lengths, and such as broadcast."""


@BOOK.scenario(SAME_SHAPE.keys(), OTHER_SHAPE, Aspect.ERROR, editions=KERAS_2, shape=SHAPES)
def refuses_another_shape(K: Recorder, shape: tuple[int, ...]) -> None:
    """The new value must have the shape of the variable."""
    variable = K.variable(K.array("x", np.ones((2, 3), "float32")), dtype="float32")
    tensor = K.variable(K.array("value", np.full(shape, 2, "float32")), dtype="float32")
    momentum = [0.5] if K.tested == AVERAGE else []
    refused = K.attempt(K[K.tested], variable, tensor, *momentum).output("refused")
    demands = f"an exception, for {shape} is not (2, 3)"
    at, rests = SAME_SHAPE[K.tested], (ConventionName.INVALID_INPUT,)
    K.expect("another shape is refused", refused, raises(), demands, at=at, conventions=rests)


@BOOK.scenario(AVERAGE, "a moving average after some steps", Aspect.STATE, editions=KERAS_2)
def averages(K: Recorder, draw: st.DrawFn) -> None:
    """A moving average never leaves the range of the values, whatever its formula."""
    machine, variable = _started(K, draw)
    (shape, dtype), values = variable.kind, [variable.value]
    fed = K.placeholder(shape=shape, dtype=dtype)
    momentum = draw(st.sampled_from((0.5, 0.9, 0.25, 0.99)))
    update = K.moving_average_update(variable.ref, fed, momentum)
    step = K.function([fed], [fed + fed], updates=[update])
    equal = draw(st.booleans())
    for number in range(draw(st.integers(1, 3))):
        values.append(variable.value if equal else machine.numbers(variable.kind))
        step([machine.array(values[-1])])
        after, averaged = K.get_value(variable.ref).output(f"after_{number}"), np.array(values)
        demands = f"elements from {shown(averaged.min(axis=0))} to {shown(averaged.max(axis=0))}"
        test = of_array(partial(_between, averaged))
        K.expect("an average lies between what is averaged", after, test, demands, at=MEAN)


def _between(averaged: Array, got: Array) -> Problem | None:
    """No element leaves the range of the values that are averaged."""
    low, high = averaged.min(axis=0), averaged.max(axis=0)
    if got.shape != low.shape:
        return Problem(f"gives shape {got.shape}", "shape", got=got)
    scale, eps = np.abs(averaged).max(), np.finfo(averaged.dtype).eps
    outside = np.maximum(low - got, got - high).max()
    if outside <= 64 * eps * scale:
        return None
    # no document states an accuracy: what keeps half of the digits, or as many as momentum
    # has as a float32, is inaccurate, not wrong
    allowed = max(np.sqrt(eps), 16 * np.finfo("float32").eps)
    inaccurate = (ConventionName.ACCURACY,) if outside <= allowed * scale else ()
    return Problem(f"gives {shown(got)}", "outside", conventions=inaccurate, got=got)


programs(
    BOOK,
    AVERAGE,
    "a function that updates moving averages",
    Aspect.STATE,
    *("call", "set", "get", "compile"),
    updates=("moving_average_update",),
    editions=KERAS_2,
    share=0.5,
)
FAMILIES = BOOK.families
