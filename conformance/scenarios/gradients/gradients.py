"""Scenarios of `gradients` and `stop_gradient`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from hypothesis import strategies as st

from conformance.oracle import Expectation
from conformance.results import Aspect
from conformance.scenarios.checks import (
    OTHER_DTYPES,
    Test,
    agrees_with,
    controlled,
    has_dtype,
    is_array,
)
from conformance.scenarios.gradients.closed_forms import KNOWN_GRADIENTS, KnownGradient
from conformance.scenarios.model import LATEST_K, Array, Problem, Values
from conformance.scenarios.recorder import Book, Recorder, Result
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

BOOK = Book()
GRADIENTS, STOP, GRADIENT = "gradients", "stop_gradient", Aspect.GRADIENT
SLACK = 64.0
"""How many units of roundoff a smooth loss may lose: it has about ten rounded operations."""

LISTS = {"ko-2.2": 2588}
"""The line that says that a list gives a list."""

X = np.array([[1.0, -2.0, 3.0], [0.0, 4.0, -1.0]])
Y = np.array([[2.0, 5.0, -3.0], [1.0, -4.0, 2.0]])
DTYPES, SEEDS = st.sampled_from(("float32", "float64")), st.integers(0, 2**16)


def _variable(K: Recorder, name: str, value: Array, dtype: str = "float32") -> Result:
    return K.variable(K.array(name, value, dtype), dtype=dtype)


def _expect(K: Recorder, output: Result | str, expected: Array, demands: str) -> None:
    K.expect("gradient", output, is_array(expected), demands)


def _expect_dtype(K: Recorder, output: Result, dtype: str) -> None:
    test, demands, others = has_dtype(dtype), "the dtype of the variable", OTHER_DTYPES
    K.expect("dtype", output, test, demands, aspect=Aspect.DTYPE, alternatives=others)


def _within(value: Array, dtype: str) -> Test:
    """A test for gradients that round: absolute below 1, relative above."""
    bound = SLACK * float(np.finfo(dtype).eps) * np.maximum(np.abs(value), 1)
    return agrees_with(Expectation(value.astype("float64"), bound.astype("float64"), dtype))


def _zero(expected: Array) -> Test:
    """The output is zeros of that shape, or None."""
    zeros = is_array(np.zeros_like(expected))

    def test(values: Values) -> Problem | None:
        if len(values) == 1 and values[0].python_type == "NoneType":
            return None
        return zeros(values)

    return test


@BOOK.scenario(
    GRADIENTS,
    "{form.name}",
    GRADIENT,
    Aspect.DTYPE,
    form=st.sampled_from(KNOWN_GRADIENTS),
    shape=st.lists(st.integers(1, 4), min_size=0, max_size=3).map(tuple),
    dtype=DTYPES,
    seed=SEEDS,
)
def known(K: Recorder, form: KnownGradient, shape: tuple[int, ...], dtype: str, seed: int) -> None:
    """The gradients of a loss with respect to all its variables, evaluated one by one."""
    numbers = form.numbers(shape, seed)
    variables = [_variable(K, f"x{i}", value, dtype) for i, value in enumerate(numbers)]
    gradients = K.gradients(form.build(K, *variables), variables)
    for i, slope in enumerate(map(np.asarray, form.slopes(*numbers))):
        gradient = K.eval(gradients[i]).output(f"g{i}")
        test = is_array(slope) if form.exact else _within(slope, dtype)
        K.expect("gradient", gradient, test, f"the gradient of {form.name}")
        _expect_dtype(K, gradient, dtype)
    K.conventions = unsettled_of(shape, dtype)


@BOOK.scenario(GRADIENTS, "one gradient for each variable", GRADIENT)
def order(K: Recorder) -> None:
    """Gradients have the order of the variables, also where some variables are left out."""
    x, y = _variable(K, "x", X), _variable(K, "y", Y[0])
    loss = K.sum(K.square(x)) + K.sum(3.0 * y)
    both, part = K.gradients(loss, [y, x]), K.gradients(loss, [x])
    of_y, of_x = K.eval(both[0]).output("of_y"), K.eval(both[1]).output("of_x")
    alone = K.eval(part[0]).output("of_x_alone")
    _expect(K, of_y, np.full(3, 3.0), "the gradient of the first variable first")
    _expect(K, of_x, 2 * X, "the gradient of the second variable second")
    _expect(K, alone, 2 * X, "a list of one gradient for one variable")


@BOOK.scenario(GRADIENTS, "after set_value", GRADIENT)
def changed(K: Recorder) -> None:
    """A gradient is evaluated with the current values of the variables."""
    x = _variable(K, "x", X)
    gradients = K.gradients(K.sum(K.square(x)), [x])
    before, again = K.eval(gradients[0]).output("before"), K.eval(gradients[0]).output("again")
    K.set_value(x, K.array("new", Y, "float32"))
    after = K.eval(gradients[0]).output("after")
    _expect(K, before, 2 * X, "the gradient")
    _expect(K, again, 2 * X, "the same gradient again")
    _expect(K, after, 2 * Y, "the gradient at the new value")


@BOOK.scenario(GRADIENTS, "through function", GRADIENT)
def called(K: Recorder) -> None:
    """A gradient that depends on a fed value, through a function called twice."""
    x, fed = _variable(K, "x", X), K.placeholder(shape=(2, 3), dtype="float32")
    function = K.function([fed], [K.gradients(K.sum(fed * K.square(x)), [x])[0]])
    first = function([K.array("first_fed", Y, "float32")]).output("first")
    second = function([K.array("second_fed", X, "float32")]).output("second")
    _expect(K, first, 2 * X * Y, "the gradient with the value fed")
    _expect(K, second, 2 * X * X, "the gradient with the value fed next")


@BOOK.scenario(GRADIENTS, "of a placeholder", GRADIENT)
def of_a_placeholder(K: Recorder) -> None:
    """The gradient with respect to a fed tensor."""
    fed = K.placeholder(shape=(2, 3), dtype="float32")
    function = K.function([fed], [K.gradients(K.sum(fed * K.square(fed)), [fed])[0]])
    gradient = function([K.array("value", X, "float32")]).output("gradient")
    _expect(K, gradient, 3 * X * X, "the gradient with respect to a placeholder")
    K.conventions = (ConventionName.GRADIENT_OF_TENSORS,)


@BOOK.scenario(GRADIENTS, "of a tensor on the way", GRADIENT)
def of_an_intermediate_tensor(K: Recorder) -> None:
    """The gradient with respect to a tensor between a variable and the loss."""
    square = K.square(_variable(K, "x", X))
    gradient = K.eval(K.gradients(K.sum(K.square(square)), [square])[0]).output("gradient")
    _expect(K, gradient, 2 * X * X, "the gradient with respect to a tensor")
    K.conventions = (ConventionName.GRADIENT_OF_TENSORS,)


@BOOK.scenario(GRADIENTS, "a loss with several elements", GRADIENT)
def no_scalar(K: Recorder) -> None:
    """A loss with several elements."""
    x = _variable(K, "x", X)
    gradient = K.eval(K.gradients(K.square(x), [x])[0]).output("gradient")
    _expect(K, gradient, 2 * X, "the gradient of the sum")
    K.conventions = (ConventionName.GRADIENT_OF_SUM,)


@BOOK.scenario(GRADIENTS, "of a variable not in the loss", GRADIENT)
def unconnected(K: Recorder) -> None:
    """A variable that the loss does not depend on."""
    x, y = _variable(K, "x", X), _variable(K, "y", Y[0])
    gradients = K.gradients(K.sum(K.square(x)), [x, y]).output("gradients")
    test, demands = _zero_for_second, "the gradient of x, and zeros or None for y"
    K.expect("gradients", gradients, test, demands)
    K.conventions = (ConventionName.UNCONNECTED_GRADIENT,)


def _zero_for_second(values: Values) -> Problem | None:
    if len(values) != 2:
        return Problem(f"gives {len(values)} results", "count")
    return is_array(2 * X)(values[:1]) or _zero(Y[0])(values[1:])


@BOOK.scenario(GRADIENTS, "a gradient of a gradient", GRADIENT)
def twice(K: Recorder) -> None:
    """The gradient of a gradient."""
    x = _variable(K, "x", X)
    first = K.gradients(K.sum(x * K.square(x)), [x])[0]
    second = K.eval(K.gradients(K.sum(first), [x])[0]).output("second")
    _expect(K, second, 6 * X, "6 x for x cubed")


@BOOK.scenario(GRADIENTS, "steps of gradient descent", GRADIENT)
def descent(K: Recorder) -> None:
    """Steps against the gradient, by updates: x becomes x - (x - y)/2, three times."""
    x, y = _variable(K, "x", 8 * X), _variable(K, "y", 8 * Y)
    loss = K.sum(K.square(x - y))
    slope = K.gradients(loss, [x])[0]
    step = K.function([], [loss], [(x, x - 0.25 * slope)])
    for _ in range(3):
        step([])
    moved = K.get_value(x).output("moved")
    _expect(K, moved, X + 7 * Y, "half of the way to the minimum in each step")


@BOOK.scenario(
    STOP,
    "values",
    Aspect.VALUE,
    Aspect.DTYPE,
    share=0.5,
    shape=st.lists(st.integers(1, 4), min_size=0, max_size=4).map(tuple),
    dtype=DTYPES,
    seed=SEEDS,
)
def forwards(K: Recorder, shape: tuple[int, ...], dtype: str, seed: int) -> None:
    """stop_gradient leaves the values of variables and of other tensors unchanged."""
    unit = 0.125 + (2.0**-26 if dtype == "float64" else 0.0)  # more digits than float32 has
    value = np.random.default_rng(seed).integers(-40, 41, shape) * unit
    x = _variable(K, "x", value, dtype)
    variable = K.eval(K.stop_gradient(x)).output("variable")
    tensor = K.eval(K.stop_gradient(K.square(x))).output("tensor")
    K.expect("value", variable, is_array(value), "the value of the variable")
    K.expect("value", tensor, is_array(value**2), "the value of the tensor")
    _expect_dtype(K, variable, dtype)
    K.conventions = unsettled_of(shape, dtype)


def _expect_slopes(
    K: Recorder, loss: Result, variables: list[Result], expected: Mapping[str, tuple[Array, str]]
) -> None:
    """Each gradient by its name, if `gradients` knows that of the sum of squares.

    Where it does not, nothing shows what stop_gradient does.
    """
    gradients, x = K.gradients(loss, variables), variables[0]
    for place, name in enumerate(expected):
        K.eval(gradients[place]).output(name)
    K.eval(K.gradients(K.sum(K.square(x)), [x])[0]).output("control")
    where, control = "the sum of squares", is_array(2 * X)
    for name, (array, demands) in expected.items():
        test = controlled(control, is_array(array), "gradients", where)
        K.expect("gradient", ("control", name), test, demands)


@BOOK.scenario(STOP, "x stop_gradient(x)", GRADIENT)
def constant_factor(K: Recorder) -> None:
    """x times x stopped: the derivative is x, not 2 x."""
    x = _variable(K, "x", X)
    loss = K.sum(x * K.stop_gradient(x))
    _expect_slopes(K, loss, [x], {"gradient": (X, "the value of x")})


OTHER_TERM = "the gradient of the other term"


@BOOK.scenario(STOP, "stop_gradient(square(x)) + 3 x", GRADIENT)
def constant_term(K: Recorder) -> None:
    """A stopped term adds nothing."""
    x = _variable(K, "x", X)
    loss = K.sum(K.stop_gradient(K.square(x)) + 3.0 * x)
    _expect_slopes(K, loss, [x], {"gradient": (np.full(X.shape, 3.0), OTHER_TERM)})


@BOOK.scenario(STOP, "x stop_gradient(y) + 2 y", GRADIENT)
def other_variable(K: Recorder) -> None:
    """Stopped y is a constant for x, and y keeps the gradient of its other uses."""
    x, y = _variable(K, "x", X), _variable(K, "y", Y)
    loss = K.sum(x * K.stop_gradient(y) + 2.0 * y)
    of_y = (np.full(Y.shape, 2.0), OTHER_TERM)
    _expect_slopes(K, loss, [x, y], {"of_x": (Y, "the value of y"), "of_y": of_y})


@BOOK.scenario(STOP, "stop_gradient(x) alone", GRADIENT)
def alone(K: Recorder) -> None:
    """A loss that consists of a stopped tensor alone."""
    x = _variable(K, "x", X)
    gradient = K.gradients(K.sum(K.stop_gradient(x)), [x]).output("gradient")
    K.expect("gradient", gradient, _zero(X), "zeros, or None")
    K.conventions = (ConventionName.UNCONNECTED_GRADIENT,)


@BOOK.scenario(STOP, "a list", editions=LATEST_K)
def several(K: Recorder) -> None:
    """A list gives a list."""
    x, y = _variable(K, "x", X), _variable(K, "y", Y[0])
    stopped = K.stop_gradient([x, y]).output("stopped")
    K.expect("list", stopped, _both_values, "a list of both values", at=LISTS)


def _both_values(values: Values) -> Problem | None:
    if len(values) != 2:
        kind = values[0].python_type if len(values) == 1 else f"list of {len(values)}"
        return Problem(f"gives a {kind}", kind)
    return is_array(X)(values[:1]) or is_array(Y[0])(values[1:])


@BOOK.scenario(STOP, "constants from a list", GRADIENT, editions=LATEST_K)
def several_constants(K: Recorder) -> None:
    """Each item of a list is a constant."""
    x, y = _variable(K, "x", X), _variable(K, "y", Y)
    stopped = K.stop_gradient([x, y])
    first, second = stopped[0], stopped[1]
    loss = K.sum(x * first + x * second)
    _expect_slopes(K, loss, [x], {"gradient": (X + Y, "the value of x + y")})


FAMILIES = BOOK.families
