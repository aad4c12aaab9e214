"""Functions that make tensors: variables, tensors of symbolic shape, names, constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from conformance.editions import EDITIONS, Edition
from conformance.program import Ref
from conformance.program.marks import MAYBE
from conformance.scenarios.checks import (
    controlled,
    has_shape,
    is_array,
    is_one_of,
    plain,
    returns,
)
from conformance.scenarios.model import KERAS_2, LATEST_K, Alternative, Array, Problem, Values
from conformance.scenarios.recorder import Book, Lines, Recorder, Result
from conformance.specs.convention_names import ConventionName

BOOK = Book()

NEW = np.array([[5.0, -6.0], [7.5, 8.0]], "float32")
MATRIX = np.array([[1.0, -2.0], [3.5, 4.0]], "float32")
ZEROS, ONES, IDENTITY = np.zeros((2, 2)), np.ones((2, 2)), np.eye(2)


class Maker(NamedTuple):
    """How a function makes a tensor of shape (2, 2): its arguments, and the value."""

    arguments: tuple[Any, ...]
    holds: Array | None
    """None if it is random."""


START, X = Ref("start"), Ref("x")
"""An array that the program holds, and a variable of it."""
FILLED: dict[str, Maker] = {
    "variable": Maker((START,), MATRIX),
    "constant": Maker((START,), MATRIX),
    "zeros": Maker(((2, 2),), ZEROS),
    "ones": Maker(((2, 2),), ONES),
    "eye": Maker((2,), IDENTITY),
    "zeros_like": Maker((X,), ZEROS),
    "ones_like": Maker((X,), ONES),
    "identity": Maker((X,), MATRIX),
}
RANDOM = Maker(((2, 2), 0.0, 1.0), None)
VARIABLES: dict[str, Lines] = {
    "variable": {"ja-1": 226, "ja-1-text": 161, "ja-2.0": 1365, "ko-2.2": 213},
    "zeros": {"ja-1": 326, "ja-1-text": 221, "ja-2.0": 656, "zh-TW": 84, "ko-2.2": 567},
    "ones": {"ja-1": 338, "ja-1-text": 228, "ja-2.0": 687, "zh-TW": 86, "ko-2.2": 602},
    "eye": {"ja-2.0": 718, "ko-2.2": 637},
    "random_uniform_variable": {"ja-2.0": 832, "zh-TW": 508, "ko-2.2": 763},
    "random_normal_variable": {"ja-2.0": 868, "ko-2.2": 800},
}
"""The lines that call the result of a function a variable."""


def editions_of(lines: Mapping[str, Lines]) -> dict[str, Sequence[Edition]]:
    """For each function the editions whose documents have lines for it."""
    newer = {name: LATEST_K if [*at] == ["ko-2.2"] else KERAS_2 for name, at in lines.items()}
    return {name: EDITIONS if "ja-1" in lines[name] else newer[name] for name in lines}


@BOOK.scenario(editions_of(VARIABLES), "a variable that is set")
def is_variable(K: Recorder) -> None:
    """The result can be set and read; a second one keeps its own value.

    Where `set_value` fails for what `variable` makes, too, this shows nothing.
    """
    maker = FILLED.get(K.tested, RANDOM)
    arguments, holds = maker.arguments, maker.holds
    K.array("start", MATRIX)
    new, other = K.array("new", NEW), K.array("other", MATRIX)
    K.attempt(K.set_value, K.variable(other, dtype="float32"), new).output("control")
    first, second = (K[K.tested](*arguments, dtype="float32") for _ in range(2))
    K.eval(second).output("before")
    K.attempt(K.set_value, first, new).output("set")
    K.eval(first).output("value")
    K.eval(K.square(first)).output("result")
    K.eval(second).output("second")

    def expect(name: str, outputs: Sequence[str], test: Any, demands: str) -> None:
        test = controlled(returns, test, "set_value", "any variable")
        K.expect(name, ("control", *outputs), test, demands, at=VARIABLES[K.tested])

    expect("it can be set", ["set"], _settable, "a variable, which set_value sets")
    expect("it is a variable", ["set", "value"], _if_set(NEW), "the value that was set")
    expect("results follow it", ["set", "result"], _if_set(NEW**2), "the square of it")
    expect("each is its own", ["before", "second"], _same, "the value of the second")
    if holds is not None:
        test = is_array(holds.astype("float32"))
        expect("its first value", ["before"], test, f"{holds.tolist()}")


def _settable(values: Values) -> Problem | None:
    problem = returns(values)
    if problem is None:
        return None
    fault = "values[1][0] != 'returns'"
    return replace(problem, gives=f"gives what set_value refuses: it {problem.gives}", fault=fault)


def _if_set(expected: Array) -> Any:
    """A test of a variable's value after it was set; another check sees a refusal."""

    def test(was_set: Values, value: Values) -> Problem | None:
        return None if plain(was_set) != "returns" else _last(is_array(expected)(value))

    return test


def _last(problem: Problem | None) -> Problem | None:
    """A problem of the last of several outputs, for the script."""
    if problem is None or problem.expected is None:
        return problem
    expected = np.asarray(problem.expected).tolist()
    return replace(problem, fault=f"not same(measured(values[-1][0]), {expected!r})")


def _same(before: Values, after: Values) -> Problem | None:
    if before[0].array is None or after[0].array is None:
        return Problem("gives no array", "no array")
    return _last(is_array(before[0].array)(after))


def _expect_filled(K: Recorder, result: Result, rows: int, columns: int) -> None:
    """Zeros or ones of the shape that another tensor has."""
    value, line = {"zeros": (0.0, 568), "ones": (1.0, 603)}[K.tested]
    filled = np.full((rows, columns), value, "float32")
    demands = f"a tensor of shape {filled.shape}, which is known when it is computed"
    K.expect("a symbolic shape", result, is_array(filled), demands, at={"ko-2.2": line})


@BOOK.scenario(("zeros", "ones"), "the shape of a placeholder", editions=LATEST_K)
def shape_of_placeholder(K: Recorder) -> None:
    """A tensor of the shape that another tensor has when it is computed."""
    x = K.placeholder(shape=(None, 3), dtype="float32")
    squares = K.square(K[K.tested](K.shape(x)))  # the square of 0 or 1
    compiled = K.function([x], [squares])
    for rows in (2, 4):
        fed = np.arange(3.0 * rows).reshape(rows, 3).astype("float32")
        result = compiled([K.array(f"fed_{rows}", fed)])[0].output(f"of_{rows}")
        _expect_filled(K, result, rows, 3)


@BOOK.scenario(("zeros", "ones"), "the shape of a variable", editions=LATEST_K)
def shape_of_variable(K: Recorder) -> None:
    """A tensor of the shape of a variable."""
    x = K.variable(K.array("x", MATRIX), dtype="float32")
    _expect_filled(K, K.eval(K[K.tested](K.shape(x))).output("value"), *MATRIX.shape)


NAME: dict[str, Lines] = {
    "variable": {"ja-1": 222, "ja-1-text": 157, "ja-2.0": 1361, "zh-TW": 303, "ko-2.2": 207},
    "constant": {"ja-2.0": 430, "ko-2.2": 247},
    "zeros": {"ja-1": 322, "ja-1-text": 219, "ja-2.0": 652, "zh-TW": 435, "ko-2.2": 563},
    "ones": {"ja-1": 334, "ja-1-text": 226, "ja-2.0": 683, "zh-TW": 449, "ko-2.2": 598},
    "eye": {"ja-1": 346, "ja-1-text": 233, "ja-2.0": 714, "zh-TW": 463, "ko-2.2": 633},
    "zeros_like": {"ja-1": 358, "ja-1-text": 240, "ja-2.0": 745, "zh-TW": 478, "ko-2.2": 668},
    "ones_like": {"ja-1": 370, "ja-1-text": 247, "ja-2.0": 776, "zh-TW": 492, "ko-2.2": 702},
    "identity": {"ko-2.2": 734},
}
"""The lines that name the parameter `name`: it labels a tensor, and changes nothing else."""
LABEL = "example_var"


def arguments_of(K: Recorder, start: Result) -> list[Any]:
    """The arguments of the function under test, without its name."""
    arguments = FILLED[K.tested].arguments
    return [K.variable(start, dtype="float32") if a == X else a for a in arguments]


@BOOK.scenario(editions_of(NAME), f"two tensors named {LABEL}")
def named(K: Recorder) -> None:
    """Two tensors of one name, and one without, hold what they should."""
    arguments, holds = arguments_of(K, K.array("start", MATRIX)), FILLED[K.tested].holds
    maker = K[K.tested]
    tensors = [maker(*arguments, name=LABEL), maker(*arguments, name=LABEL), maker(*arguments)]
    test = is_array(np.asarray(holds, "float32"))
    demands = f"{np.asarray(holds).tolist()}: a name changes no value"
    for place, tensor in enumerate(tensors):
        value = K.eval(tensor).output(f"value_{place}")
        K.expect("a named tensor", value, test, demands, at=NAME[K.tested])


@BOOK.scenario("variable", f"two variables named {LABEL}, one of them set")
def named_variables(K: Recorder) -> None:
    """Two variables of one name are two variables."""
    start, at = K.array("start", MATRIX), NAME["variable"]
    first, second = (K.variable(start, dtype="float32", name=LABEL) for _ in range(2))
    K.set_value(first, K.array("new", NEW))
    first, second = K.get_value(first).output("first"), K.get_value(second).output("second")
    K.expect("the one that is set", first, is_array(NEW), "the new value", at=at)
    K.expect("the other", second, is_array(MATRIX), "its own value", at=at)


PLACEHOLDER_NAME: Lines = {
    "ja-1": 248, "ja-1-text": 175, "ja-2.0": 452, "zh-TW": 330, "ko-2.2": 335,
}  # fmt: skip
BOTH: Lines = {"ja-1": 246, "ja-1-text": 173, "ja-2.0": 449, "zh-TW": 328, "ko-2.2": 332}
PLACEHOLDERS: dict[str, dict[str, Any]] = {
    "two placeholders of one name": {"shape": (2, 2), "name": LABEL},
    "a shape (2, 2) and ndim=3": {"shape": (2, 2), "ndim": 3},
    "a shape (None, 2) and ndim=3": {"shape": (None, 2), "ndim": 3},
    "a shape (2, 2) and ndim=2": {"shape": (2, 2), "ndim": 2},
}


@BOOK.scenario("placeholder", "{what}", what=PLACEHOLDERS)
def placeholders(K: Recorder, what: str) -> None:
    """With a name; and with a shape and an `ndim` that does not fit, where the shape counts."""
    arguments = PLACEHOLDERS[what]
    x, y = (K.placeholder(dtype="float32", **arguments) for _ in range(2))
    rank = K.ndim(x).output("rank")
    function = K.function([x, y], [x + y * 2.0])
    total = function([K.array("of_x", MATRIX), K.array("of_y", NEW)])[0].output("total")
    at = PLACEHOLDER_NAME if "name" in arguments else BOTH
    K.expect("the number of axes", rank, is_one_of(2), "2 axes, those of the shape", at=at)
    K.expect("what is fed", total, is_array(MATRIX + 2 * NEW), "the sum of both", at=at)


@BOOK.scenario("placeholder", "whether it is a placeholder", editions=LATEST_K)
def distinguished(K: Recorder) -> None:
    """`placeholder` makes a placeholder, if `is_placeholder` tells a variable from one."""
    placeholder = K.placeholder(shape=(2, 2), dtype="float32")
    variable = K.variable(K.array("start", MATRIX), dtype="float32")
    asked = {"variable": variable, "placeholder": placeholder}
    answers = [K[f"{MAYBE}is_placeholder"](x).output(name) for name, x in asked.items()]
    demands = "True of is_placeholder, which says False of a variable"
    K.expect("it is one", answers, _not_both_false, demands, at={"ko-2.2": 324})


def _not_both_false(variable: Values, placeholder: Values) -> Problem | None:
    if plain(variable) is not False or plain(placeholder) is not False:
        return None
    fault = "values[0][0] is False and values[1][0] is False"
    return Problem("gives False", "False", got="False", fault=fault)


LISTED: Lines = {"ja-2.0": 427, "ko-2.2": 244}
DIMENSIONS: Lines = {"ja-2.0": 429, "ko-2.2": 246}
CONSTANTS: dict[str, tuple[Any, tuple[int, ...] | None, Any]] = {
    "a list": ([1.5, -2.0, 3.0], None, [1.5, -2.0, 3.0]),
    "a list of lists": ([[1.5, -2.0], [3.0, 4.0]], None, [[1.5, -2.0], [3.0, 4.0]]),
    "a list of integers": ([1, 2, 3], None, [1.0, 2.0, 3.0]),
    "a list and its shape": ([1.5, -2.0, 3.0], (3,), [1.5, -2.0, 3.0]),
    "a list of lists and its shape": ([[1.5, -2.0]], (1, 2), [[1.5, -2.0]]),
    "a number and a shape": (2.5, (2, 3), np.full((2, 3), 2.5)),
    "a number and a shape of one axis": (-3, (4,), np.full(4, -3.0)),
    "a list of as many numbers as a shape has": (
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        (2, 3),
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
    ),
}
"""Arguments of a constant, its shape, and its value."""
BY_COLUMNS = Alternative(
    ConventionName.CONSTANT_ROWS, "by columns", is_array([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]])
)


@BOOK.scenario("constant", "{what}", editions=KERAS_2, what=CONSTANTS)
def constants(K: Recorder, what: str) -> None:
    """Constants of lists, and of numbers that fill a shape."""
    value, shape, holds = CONSTANTS[what]
    expected = np.asarray(holds, "float32")
    result = K.eval(K.constant(value, **({} if shape is None else {"shape": shape}))).output(
        "value"
    )
    reshaped = expected.ndim > np.ndim(value) > 0
    K.conventions = (ConventionName.CONSTANT_ROWS,) if reshaped else ()
    at, others = LISTED if shape is None else DIMENSIONS, (BY_COLUMNS,) if reshaped else ()
    test, demands = is_array(expected), f"{expected.tolist()}"
    K.expect("its value", result, test, demands, at=at, alternatives=others)


@BOOK.scenario("constant", "a constant and set_value", editions=KERAS_2)
def unchangeable(K: Recorder) -> None:
    """A constant keeps its value, whether a call can set it or not."""
    constant = K.constant(K.array("start", MATRIX), dtype="float32")
    attempt = K.attempt(K.set_value, constant, K.array("new", NEW)).output("set")
    value, test = K.eval(constant).output("value"), partial(_of_second, is_array(MATRIX))
    demands, at = f"{MATRIX.tolist()} as before: it is a constant", {"ja-2.0": 434, "ko-2.2": 251}
    K.expect("a constant is not set", (attempt, value), test, demands, at=at)


def _of_second(test: Any, _: Values, values: Values) -> Problem | None:
    return _last(test(values))


RANDOM_NAME: dict[str, Lines] = {
    "random_uniform_variable": {"ja-2.0": 827, "zh-TW": 516, "ko-2.2": 758},
    "random_normal_variable": {"ja-2.0": 863, "ko-2.2": 795},
}


@BOOK.scenario(RANDOM_NAME.keys(), f"a variable named {LABEL}", editions=KERAS_2)
def named_random(K: Recorder) -> None:
    """Random variables also take a name."""
    value = K.get_value(K[K.tested]((2, 2), 0.0, 1.0, name=LABEL)).output("value")
    test, demands = has_shape((2, 2)), "a variable of shape (2, 2)"
    K.expect("a named variable", value, test, demands, at=RANDOM_NAME[K.tested])


CONSTRAINT: Lines = {"ko-2.2": 208}


@BOOK.scenario("variable", "a constraint before any update", editions=LATEST_K)
def constrained(K: Recorder) -> None:
    """A constraint changes nothing but what an optimiser has updated."""

    def projected(w: Result) -> Result:
        return K.relu(w)

    x = K.variable(K.array("start", MATRIX), dtype="float32", constraint=projected)
    before = K.get_value(x).output("before")
    K.set_value(x, K.array("new", -NEW))
    after, lasting = (
        K.get_value(x).output("after"),
        "as it was given: only optimisers apply the constraint",
    )
    for name, result, array in (("first value", before, MATRIX), ("value set", after, -NEW)):
        demands = f"{array.tolist()}, {lasting}"
        K.expect(f"the {name}", result, is_array(array), demands, at=CONSTRAINT)


MOVED, PROJECTED = np.array([-1.5, 1.5], "float32"), np.array([0.0, 1.5], "float32")


@BOOK.scenario("variable", "a constraint and an optimiser", editions=LATEST_K)
def optimised(K: Recorder) -> None:
    """One step of gradient descent: the constrained variable is projected, the other is not."""

    def projected(w: Result) -> Result:
        return K.relu(w)

    start = K.array("start", [-1.0, 2.0], "float32")
    free = K.variable(start, dtype="float32")
    bound = K.variable(start, dtype="float32", constraint=projected)
    loss = K.sum(free + bound)
    updates = K.operator.attribute(K.keras.optimizers.SGD(lr=0.5), "get_updates")
    K.function([], [loss], updates(loss=loss, params=[free, bound]))([])
    results = K.get_value(free).output("free"), K.get_value(bound).output("bound")
    demands = f"{PROJECTED.tolist()}: the update is projected"
    K.expect("an update is projected", results, _is_projected, demands, at=CONSTRAINT)


def _is_projected(free: Values, bound: Values) -> Problem | None:
    if is_array(MOVED)(free) is not None:
        return Problem("shows nothing: the optimiser does another step", "step", unmade=True)
    return _last(is_array(PROJECTED)(bound))


FAMILIES = BOOK.families
