"""Results other than tensors: arrays, lists of them, and tuples of a given length.

The documents name the type and, of tuples, the length. A class that inherits from the named one
will do. Arrays without axes are left out, because NumPy itself turns them into scalars.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.results import Aspect
from conformance.scenarios.checks import is_a, raises, returns
from conformance.scenarios.model import KERAS_2, Alternative, Array, Problem, Values
from conformance.scenarios.recorder import Book, Lines, Recorder, Result
from conformance.specs.convention_names import ConventionName

BOOK = Book()

ARRAY: dict[str, Lines] = {
    "get_value": {"ja-1": 1066, "ja-1-text": 668, "ja-2.0": 1885, "zh-TW": 1026, "ko-2.2": 2434},
    "eval": {"ja-1": 314, "ja-1-text": 214, "ja-2.0": 626, "zh-TW": 424, "ko-2.2": 535},
    "function": {"ja-2.0": 2546, "ko-2.2": 2542},
    "cast_to_floatx": {"ja-1": 156, "ja-1-text": 114, "ja-2.0": 249, "zh-TW": 155, "ko-2.2": 3938},
}
"""The lines that say that a function returns a NumPy array, or several."""

LIST: Lines = {"ja-1": 1078, "ja-1-text": 675, "ja-2.0": 1903, "zh-TW": 1032, "ko-2.2": 2454}
"""The lines of `batch_get_value`."""
GRADIENTS: Lines = {"ja-1": 1147, "ja-1-text": 716, "ja-2.0": 2565, "ko-2.2": 2567}
RNN: Lines = {"ja-1": 1195, "ja-1-text": 751, "ja-2.0": 2614, "zh-TW": 1103, "ko-2.2": 2629}
STATES: Lines = {"ja-1": 1200, "ja-1-text": 755, "ja-2.0": 2618, "zh-TW": 1107, "ko-2.2": 2635}
NORMALISED: Lines = {"ja-2.0": 1438, "ko-2.2": 1902}
STOPPED: Lines = {"ko-2.2": 2589}
SHAPE: Lines = {"ja-2.0": 1950}
IN_A_TUPLE = Alternative(ConventionName.LIST_OR_TUPLE, "a tuple", is_a("tuple"))

MATRIX = np.array([[1.0, -2.0, 3.5], [4.0, 0.25, -6.0]], "float32")
ROW = np.array([7.0, -8.0], "float32")


def _is(K: Recorder, what: str, result: Result, at: Lines, output: str = "classes") -> None:
    """The result is of a class of this name."""
    classes = K.operator.classes(result).output(output)
    K.expect(f"it is a {what}", classes, is_a(what), f"a {what}", at=at)


def _has(
    K: Recorder,
    count: int,
    what: str,
    items: Result,
    at: Lines,
    *,
    outputs: Sequence[str] = ("last", "beyond"),
) -> None:
    """There is an item of that number, and none after it."""
    for output, place in zip(outputs, (count - 1, count), strict=True):
        K.attempt(K.operator.getitem, items, place).output(output)
    K.expect(f"the number of {what}", outputs, _ends, f"exactly {count} {what}", at=at)


def _ends(last: Values, beyond: Values) -> Problem | None:
    if (missing := returns(last)) is not None:
        return Problem("has fewer", "fewer", got=missing.got, fault="first != 'returns'")
    if raises("IndexError", "TypeError", "ValueError")(beyond) is not None:
        return Problem("has more", "more", fault="values[1][0] == 'returns'")
    return None


def _variable(K: Recorder, name: str, value: object) -> Result:
    return K.variable(K.array(name, value, "float32"), dtype="float32")


VALUES = {"matrix": MATRIX, "row": ROW}


@BOOK.scenario(("get_value", "eval"), "the type of the value of a {name}", name=VALUES)
def value_of_variable(K: Recorder, name: str) -> None:
    """The value of a variable, read or evaluated."""
    _is(K, "ndarray", K[K.tested](_variable(K, "value", VALUES[name])), ARRAY[K.tested])


@BOOK.scenario("eval", "the type of a result")
def evaluated(K: Recorder) -> None:
    """The value of a tensor that is computed from a variable."""
    _is(K, "ndarray", K.eval(K.square(_variable(K, "value", MATRIX))), ARRAY["eval"])


@BOOK.scenario("batch_get_value", "the type of the values of {count}", count=(2, 1))
def several_arrays(K: Recorder, count: int) -> None:
    """The values of two variables, and of one."""
    arrays: Sequence[Array] = (MATRIX, ROW)[-count:]
    values = K.batch_get_value([_variable(K, f"x{i}", a) for i, a in enumerate(arrays)])
    _is(K, "list", values, LIST)
    _has(K, count, "values", values, LIST)
    _is(K, "ndarray", values[0], LIST, "item")


@BOOK.scenario("function", "the types of its results", editions=KERAS_2)
def compiled(K: Recorder) -> None:
    """The values of a function's outputs."""
    x = K.placeholder(shape=(2, 3), dtype="float32")
    results = K.function([x], [K.square(x), K.abs(x)])([K.array("fed", MATRIX)])
    _has(K, 2, "results", results, ARRAY["function"])
    for place in range(2):
        _is(K, "ndarray", results[place], ARRAY["function"], f"item_{place}")


@BOOK.scenario("gradients", "the type of the gradients by {count}", Aspect.GRADIENT, count=(1, 2))
def gradients(K: Recorder, count: int) -> None:
    """A list, which keras-1 names; later documents speak of a tensor of gradients (C093)."""
    variables = [_variable(K, f"x{i}", ROW + i) for i in range(count)]
    loss = K.sum(K.square(variables[0]))
    for other in variables[1:]:
        loss = loss + K.sum(other)
    classes = K.operator.classes(K.gradients(loss, variables)).output("classes")
    demands = "a list, one gradient for each variable"
    others = () if K.edition == "keras-1" else (IN_A_TUPLE,)
    K.expect("it is a list", classes, is_a("list"), demands, at=GRADIENTS, alternatives=others)


@BOOK.scenario("stop_gradient", "the type of a list", editions=("keras-2.2",))
def stopped(K: Recorder) -> None:
    """A list of constants for gradients, of a list."""
    pair = [_variable(K, "x", ROW), _variable(K, "y", MATRIX)]
    _is(K, "list", K.stop_gradient(pair), STOPPED)


@BOOK.scenario("rnn", how=((1, False), (2, False), (1, True)))
def recurrent(K: Recorder, how: tuple[int, bool]) -> None:
    """The tuple of rnn, and its list of states, one and two of them; looped and unrolled."""
    count, unroll = how
    K.title = f"the types of results with {count} states{', unrolled' if unroll else ''}"

    def step(x: Result, states: Result) -> Any:
        before = [states[i] for i in range(count)]
        total = x + before[0]
        return total, [total, *before[1:]]

    inputs = _variable(K, "inputs", np.arange(12.0).reshape(2, 3, 2))
    initial = [_variable(K, f"state{i}", np.zeros((2, 2))) for i in range(count)]
    results = K.rnn(
        step, inputs, initial, **({"unroll": True, "input_length": 3} if unroll else {})
    )
    _is(K, "tuple", results, RNN)
    _has(K, 3, "results", results, RNN)
    new = results[2]
    classes = K.operator.classes(new).output("of_states")
    K.expect("it is a list", classes, is_a("list"), "a list", at=STATES, alternatives=(IN_A_TUPLE,))
    _has(K, count, "new states", new, STATES, outputs=("last_state", "no_state"))


@BOOK.scenario(
    "normalize_batch_in_training",
    "the types of results of rank {rank}",
    editions=KERAS_2,
    rank=(2, 4),
)
def normalised(K: Recorder, rank: int) -> None:
    """The tuple of normalize_batch_in_training, by axis 0 and by all axes but the last."""
    shape = (4, 3) if rank == 2 else (2, 2, 2, 3)
    x = _variable(K, "x", np.arange(float(np.prod(shape))).reshape(shape))
    gamma, beta = (_variable(K, n, np.full(3, v)) for n, v in (("gamma", 1.0), ("beta", 0.0)))
    results = K.normalize_batch_in_training(x, gamma, beta, list(range(rank - 1)))
    _is(K, "tuple", results, NORMALISED)
    _has(K, 3, "results", results, NORMALISED)


@BOOK.scenario("cast_to_floatx", "the type of the array")
def cast(K: Recorder) -> None:
    """The array that is cast is one of NumPy."""
    numbers = K.array("value", MATRIX, "float64")
    _is(K, "ndarray", K.cast_to_floatx(numbers), ARRAY["cast_to_floatx"])


@BOOK.scenario("get_variable_shape", "its type", editions=("keras-2.0",))
def shape_of_variable(K: Recorder) -> None:
    """The shape is a tuple."""
    _is(K, "tuple", K.get_variable_shape(_variable(K, "x", MATRIX)), SHAPE)


FAMILIES = BOOK.families
