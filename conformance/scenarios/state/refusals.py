"""Refusals of functions and variables, variables as inputs in keras-1, and shapes of variables."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.results import Aspect
from conformance.scenarios.checks import Test, is_array, of_last, plain, raises, returns, shown
from conformance.scenarios.model import KERAS_2, Problem, Values
from conformance.scenarios.recorder import Book, Lines, Recorder
from conformance.scenarios.state.machine import DTYPES, SHAPES, Kind, Machine
from conformance.scenarios.state.variables import OF_K
from conformance.specs.convention_names import ConventionName

BOOK = Book()
KEYWORDS: Lines = {"ja-2.0": 2542, "ko-2.2": 2546}
INPUTS: Lines = {"ja-1": 1133, "ja-2.0": 2539, "ko-2.2": 2535}
SAME_SHAPE: dict[str, Lines] = {
    "set_value": {"ja-2.0": 1918, "ko-2.2": 2471},
    "batch_set_value": {"ja-1": 1107, "ja-2.0": 1932, "ko-2.2": 2487},
}
SHAPE_OF: Lines = {"ja-2.0": 1942}
REFUSED = (ConventionName.INVALID_INPUT,)
Draw = st.DrawFn


def _kind(draw: Draw) -> Kind:
    return draw(st.sampled_from(SHAPES[:4])), draw(st.sampled_from(DTYPES))


@BOOK.scenario(
    "function",
    "a keyword that nobody knows",
    Aspect.ERROR,
    editions=KERAS_2,
    word=("no_such_option", "update", "outputz"),
)
def keywords(K: Recorder, word: str) -> None:
    """Unknown keyword arguments: keras-2.2 refuses them, keras-2.0 ignores them on TensorFlow."""
    x = K.placeholder(shape=(2,), dtype="float32")
    function = K.attempt(K.function, [x], [x + x], **{word: True}).output("made")
    name, demands = "unknown keywords", f"a ValueError, for there is no {word}"
    if K.edition != "keras-2.0":
        K.expect(name, function, raises("ValueError"), demands, at=KEYWORDS)
        return
    both = function, K.backend().output("backend")
    K.expect(name, both, _unused, "that it is not used", at=KEYWORDS)


def _unused(function: Values, backend: Values) -> Problem | None:
    """The keyword did no harm. On another backend than TensorFlow no document says so."""
    problem = returns(function)
    if problem is None or plain(backend) == "tensorflow":
        return problem
    return replace(problem, conventions=(ConventionName.UNKNOWN_KEYWORDS,))


NO_FIT = "a call with inputs that do not fit"


@BOOK.scenario("function", NO_FIT, Aspect.ERROR, editions=OF_K, share=0.5)
def wrong_inputs(K: Recorder, draw: Draw) -> None:
    """Too many values, none, or one of another shape."""
    machine, kind = Machine(K, draw), _kind(draw)
    x = K.placeholder(shape=kind[0], dtype=kind[1])
    function = K.function([x], [x + x])
    refused = K.attempt(K.operator.call, function, _wrong_values(machine, kind)).output("refused")
    name, demands = "wrong inputs are refused", "an exception: the inputs do not fit"
    K.expect(name, refused, raises(), demands, at=INPUTS, conventions=REFUSED)


def _wrong_values(machine: Machine, kind: Kind) -> list[Any]:
    shape, dtype = kind
    choice = machine.draw(st.sampled_from(("too many", "none", "another shape")))
    if choice == "none":
        return []
    if choice == "another shape":
        return [machine.array(machine.numbers(((*shape[:-1], shape[-1] + 1), dtype)))]
    return [machine.array(machine.numbers(kind))] * 2


FED = "a variable among the inputs"


@BOOK.scenario("function", FED, editions=("keras-1",), share=0.5)
def fed_variables(K: Recorder, draw: Draw) -> None:
    """A variable among the inputs takes the value that is fed, for this call."""
    machine, kind = Machine(K, draw), _kind(draw)
    variable = machine.make(kind).ref
    values = [machine.numbers(kind) for _ in range(2)]
    x = K.placeholder(shape=kind[0], dtype=kind[1])
    function = K.function([variable, x], [variable + x])
    total = function([machine.array(v) for v in values]).output("total")
    expected = values[0] + values[1]
    test, demands = is_array(expected, dtype=True), shown(expected)
    K.expect("a fed variable", total, test, demands, at=INPUTS)


OTHER_SHAPE, ASPECTS = "an array of another shape", (Aspect.ERROR, Aspect.STATE)
SETTERS = {"set_value": KERAS_2, "batch_set_value": OF_K}


@BOOK.scenario(SETTERS, OTHER_SHAPE, *ASPECTS, share=0.25)
def other_shapes(K: Recorder, draw: Draw) -> None:
    """A variable refuses an array of another shape, and keeps its value."""
    machine, kind = Machine(K, draw), _kind(draw)
    variable = machine.make(kind)
    shape = draw(st.sampled_from(((5,), (2, 4), (3, 1))))
    pair = variable.ref, machine.array(machine.numbers((shape, kind[1])))
    arguments = pair if K.tested == "set_value" else (_pairs(machine, pair),)
    refused = K.attempt(K[K.tested], *arguments).output("refused")
    after = K.get_value(variable.ref).output("after")
    demands, at = f"an exception, for {shape} is not {kind[0]}", SAME_SHAPE[K.tested]
    K.expect("another shape is refused", refused, raises(), demands, at=at, conventions=REFUSED)
    K.expect(
        "a refused call changes nothing",
        (refused, after),
        partial(if_refused, is_array(variable.value, dtype=True)),
        f"{shown(variable.value)} as before",
        aspect=Aspect.STATE,
        at=at,
        conventions=(ConventionName.REFUSED_UNCHANGED,),
    )


def _pairs(machine: Machine, pair: Any) -> list[Any]:
    """The pair, half of the time as the last of two."""
    if not machine.draw(st.booleans()):
        return [pair]
    kind = _kind(machine.draw)
    return [(machine.make(kind).ref, machine.array(machine.numbers(kind))), pair]


def if_refused(test: Test, refused: Values, value: Values) -> Problem | None:
    """A test of a value that is made only where the attempt before it raised."""
    return None if plain(refused) == "returns" else of_last(test(value))


OF_VARIABLE = "the shape of a variable"


@BOOK.scenario("get_variable_shape", OF_VARIABLE, editions=("keras-2.0",), share=0.5)
def shapes(K: Recorder, draw: Draw) -> None:
    """The shape of a variable as integers."""
    machine = Machine(K, draw)
    kind = (draw(st.sampled_from(((2, 3), (4, 2, 3), *SHAPES))), draw(st.sampled_from(DTYPES)))
    variable = machine.make(kind)
    shape = K.get_variable_shape(variable.ref).output("shape")
    machine.read_back(variable)
    test, demands = partial(_is_shape, kind[0]), f"the integers of {kind[0]}"
    K.expect("the shape", shape, test, demands, at=SHAPE_OF)
    K.aspect = Aspect.STATE
    machine.expect_noted()


def _is_shape(shape: tuple[int, ...], values: Values) -> Problem | None:
    arrays = [value.array for value in values if value.array is not None]
    whole = all(array.dtype.kind in "iu" for array in arrays)
    if whole and np.array_equal(arrays, shape):
        return None
    return Problem(f"gives {plain(values)}", "shape", got=repr(plain(values)))


FAMILIES = BOOK.families
