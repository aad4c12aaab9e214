"""Scenarios of `gradients` and `stop_gradient`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.oracle import Expectation
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import OTHER_DTYPES, agrees_with, has_dtype, is_array
from conformance.scenarios.gradients.closed_forms import KNOWN_GRADIENTS, KnownGradient
from conformance.scenarios.model import Check, Family, Problem, Scenario, Values
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

Array = npt.NDArray[Any]
Test = Callable[..., Problem | None]
UNCONNECTED = ConventionName.UNCONNECTED_GRADIENT
SLACK = 64.0
"""How many units of roundoff a smooth loss may lose: it has about ten rounded operations."""

LISTS = {"ko-2.2": 2588}
"""The line that says that a list gives a list."""
LISTING: tuple[Edition, ...] = ("keras-2.2",)
"""The editions in which a list gives a list."""

X = np.array([[1.0, -2.0, 3.0], [0.0, 4.0, -1.0]])
Y = np.array([[2.0, 5.0, -3.0], [1.0, -4.0, 2.0]])


def _variable(w: ProgramWriter, name: str, value: Array, dtype: str = "float32") -> Ref:
    return w.call("variable", w.array(name, value, dtype), dtype=dtype)


def _mul(w: ProgramWriter, x: Argument, y: Argument) -> Ref:
    return w.call("operator.mul", x, y)


def _sum(w: ProgramWriter, x: Ref, *others: Ref) -> Ref:
    for other in others:
        x = w.call("operator.add", x, other)
    return w.call("sum", x)


def _item(w: ProgramWriter, output: str, items: Ref, index: int) -> None:
    w.observe(output, "eval", w.call("operator.getitem", items, index))


def _equals(output: str, expected: Array, demands: str) -> Check:
    test = is_array(expected)
    return Check("gradient", Aspect.GRADIENT, outputs=(output,), test=test, demands=demands)


def _unchanged(output: str, expected: Array, demands: str) -> Check:
    return Check("value", Aspect.VALUE, outputs=(output,), test=is_array(expected), demands=demands)


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


def known(form: KnownGradient, shape: tuple[int, ...], dtype: str, seed: int) -> Scenario:
    """The gradients of a loss with respect to all its variables, evaluated one by one."""
    w = ProgramWriter()
    numbers = form.numbers(shape, seed)
    variables = [_variable(w, f"x{i}", value, dtype) for i, value in enumerate(numbers)]
    gradients = w.call("gradients", form.build(w, *variables), variables)
    checks: list[Check] = []
    for i, slope in enumerate(map(np.asarray, form.slopes(*numbers))):
        _item(w, f"g{i}", gradients, i)
        checks += _typed_gradient(form, f"g{i}", slope, dtype)
    conventions = unsettled_of(shape, dtype)
    return Scenario(
        "gradients",
        form.name,
        program=w.program(),
        arrays=w.arrays,
        checks=tuple(checks),
        conventions=conventions,
    )


def _typed_gradient(
    form: KnownGradient, output: str, slope: Array, dtype: str
) -> tuple[Check, Check]:
    test = is_array(slope) if form.exact else _within(slope, dtype)
    demands = f"the gradient of {form.name}"
    return (
        Check("gradient", Aspect.GRADIENT, outputs=(output,), test=test, demands=demands),
        Check(
            "dtype",
            Aspect.DTYPE,
            outputs=(output,),
            test=has_dtype(dtype),
            demands="the dtype of the variable",
            alternatives=OTHER_DTYPES,
        ),
    )


def _known(_edition: Edition) -> st.SearchStrategy[Scenario]:
    shapes = st.lists(st.integers(1, 4), min_size=0, max_size=3).map(tuple)
    dtypes = st.sampled_from(("float32", "float64"))
    return st.builds(known, st.sampled_from(KNOWN_GRADIENTS), shapes, dtypes, st.integers(0, 2**16))


def _gradients(
    title: str, w: ProgramWriter, *checks: Check, resting: Sequence[str] = ()
) -> Scenario:
    return Scenario(
        "gradients",
        title,
        program=w.program(),
        arrays=w.arrays,
        checks=checks,
        conventions=tuple(resting),
    )


def order() -> Scenario:
    """Gradients come in the order of the variables, also where some variables are left out."""
    w = ProgramWriter()
    x, y = _variable(w, "x", X), _variable(w, "y", Y[0])
    loss = w.call("operator.add", _sum(w, w.call("square", x)), _sum(w, _mul(w, 3.0, y)))
    both, part = w.call("gradients", loss, [y, x]), w.call("gradients", loss, [x])
    _item(w, "of y", both, 0)
    _item(w, "of x", both, 1)
    _item(w, "of x alone", part, 0)
    return _gradients(
        "one gradient for each variable",
        w,
        _equals("of y", np.full(3, 3.0), "the gradient of the first variable first"),
        _equals("of x", 2 * X, "the gradient of the second variable second"),
        _equals("of x alone", 2 * X, "a list of one gradient for one variable"),
    )


def changed() -> Scenario:
    """A gradient is evaluated with the current values of the variables."""
    w = ProgramWriter()
    x = _variable(w, "x", X)
    gradients = w.call("gradients", _sum(w, w.call("square", x)), [x])
    _item(w, "before", gradients, 0)
    _item(w, "again", gradients, 0)
    w.call("set_value", x, w.array("new", Y, "float32"))
    _item(w, "after", gradients, 0)
    return _gradients(
        "after set_value",
        w,
        _equals("before", 2 * X, "the gradient"),
        _equals("again", 2 * X, "the same gradient again"),
        _equals("after", 2 * Y, "the gradient at the new value"),
    )


def called() -> Scenario:
    """A gradient that depends on a fed value, through a function called twice."""
    w = ProgramWriter()
    x, fed = _variable(w, "x", X), w.call("placeholder", shape=(2, 3), dtype="float32")
    gradients = w.call("gradients", _sum(w, _mul(w, fed, w.call("square", x))), [x])
    function = w.call("function", [fed], [w.call("operator.getitem", gradients, 0)])
    for name, value in (("first", Y), ("second", X)):
        w.observe(name, "operator.call", function, [w.array(f"{name} fed", value, "float32")])
    return _gradients(
        "through function",
        w,
        _equals("first", 2 * X * Y, "the gradient with the value fed"),
        _equals("second", 2 * X * X, "the gradient with the value fed next"),
    )


def of_a_placeholder() -> Scenario:
    """The gradient with respect to what is fed."""
    w = ProgramWriter()
    fed = w.call("placeholder", shape=(2, 3), dtype="float32")
    gradients = w.call("gradients", _sum(w, _mul(w, fed, w.call("square", fed))), [fed])
    function = w.call("function", [fed], [w.call("operator.getitem", gradients, 0)])
    w.observe("gradient", "operator.call", function, [w.array("value", X, "float32")])
    check = _equals("gradient", 3 * X * X, "the gradient with respect to a placeholder")
    return _gradients("of a placeholder", w, check, resting=(ConventionName.GRADIENT_OF_TENSORS,))


def of_an_intermediate_tensor() -> Scenario:
    """The gradient with respect to a tensor between a variable and the loss."""
    w = ProgramWriter()
    square = w.call("square", _variable(w, "x", X))
    gradients = w.call("gradients", _sum(w, w.call("square", square)), [square])
    _item(w, "gradient", gradients, 0)
    check = _equals("gradient", 2 * X * X, "the gradient with respect to a tensor")
    return _gradients(
        "of a tensor on the way", w, check, resting=(ConventionName.GRADIENT_OF_TENSORS,)
    )


def no_scalar() -> Scenario:
    """A loss with several elements."""
    w = ProgramWriter()
    x = _variable(w, "x", X)
    _item(w, "gradient", w.call("gradients", w.call("square", x), [x]), 0)
    check = _equals("gradient", 2 * X, "the gradient of the sum")
    return _gradients(
        "a loss with several elements", w, check, resting=(ConventionName.GRADIENT_OF_SUM,)
    )


def unconnected() -> Scenario:
    """A variable that the loss does not depend on."""
    w = ProgramWriter()
    x, y = _variable(w, "x", X), _variable(w, "y", Y[0])
    w.observe("gradients", "gradients", _sum(w, w.call("square", x)), [x, y])

    def test(values: Values) -> Problem | None:
        if len(values) != 2:
            return Problem(f"gives {len(values)} results", "count")
        return is_array(2 * X)(values[:1]) or _zero(Y[0])(values[1:])

    demands = "the gradient of x, and zeros or None for y"
    check = Check("gradients", Aspect.GRADIENT, outputs=("gradients",), test=test, demands=demands)
    return _gradients("of a variable not in the loss", w, check, resting=(UNCONNECTED,))


def twice() -> Scenario:
    """The gradient of a gradient."""
    w = ProgramWriter()
    x = _variable(w, "x", X)
    cube = _mul(w, x, w.call("square", x))
    first = w.call("operator.getitem", w.call("gradients", _sum(w, cube), [x]), 0)
    _item(w, "second", w.call("gradients", _sum(w, first), [x]), 0)
    return _gradients("a gradient of a gradient", w, _equals("second", 6 * X, "6 x for x cubed"))


def descent() -> Scenario:
    """Steps against the gradient, by updates: x becomes x - (x - y)/2, three times."""
    w = ProgramWriter()
    x, y = _variable(w, "x", 8 * X), _variable(w, "y", 8 * Y)
    loss = _sum(w, w.call("square", w.call("operator.sub", x, y)))
    slope = w.call("operator.getitem", w.call("gradients", loss, [x]), 0)
    moved = w.call("operator.sub", x, _mul(w, 0.25, slope))
    step = w.call("function", [], [loss], [(x, moved)])
    for _ in range(3):
        w.call("operator.call", step, [])
    w.observe("moved", "get_value", x)
    check = _equals("moved", X + 7 * Y, "half of the way to the minimum in each step")
    return _gradients("steps of gradient descent", w, check)


def _stopping(
    title: str, w: ProgramWriter, *checks: Check, resting: Sequence[str] = ()
) -> Scenario:
    return Scenario(
        "stop_gradient",
        title,
        program=w.program(),
        arrays=w.arrays,
        checks=checks,
        conventions=tuple(resting),
    )


def forwards(shape: tuple[int, ...], dtype: str, seed: int) -> Scenario:
    """stop_gradient leaves the values of variables and of other tensors unchanged."""
    w = ProgramWriter()
    unit = 0.125 + (2.0**-26 if dtype == "float64" else 0.0)  # more digits than float32 has
    value = np.random.default_rng(seed).integers(-40, 41, shape) * unit
    x = _variable(w, "x", value, dtype)
    w.observe("variable", "eval", w.call("stop_gradient", x))
    w.observe("tensor", "eval", w.call("stop_gradient", w.call("square", x)))
    kept = Check(
        "dtype",
        Aspect.DTYPE,
        outputs=("variable",),
        test=has_dtype(dtype),
        demands="the dtype of the variable",
        alternatives=OTHER_DTYPES,
    )
    return _stopping(
        "values",
        w,
        _unchanged("variable", value, "the value of the variable"),
        _unchanged("tensor", value**2, "the value of the tensor"),
        kept,
        resting=unsettled_of(shape, dtype),
    )


def _forwards(_edition: Edition) -> st.SearchStrategy[Scenario]:
    shapes = st.lists(st.integers(1, 4), min_size=0, max_size=4).map(tuple)
    dtypes = st.sampled_from(("float32", "float64"))
    return st.builds(forwards, shapes, dtypes, st.integers(0, 2**16))


def _controlled(w: ProgramWriter, x: Ref, *checks: Check) -> tuple[Check, ...]:
    """The checks, if `gradients` at least knows the gradient of the sum of x squared.

    Where it does not, nothing shows what stop_gradient does.
    """
    _item(w, "control", w.call("gradients", _sum(w, w.call("square", x)), [x]), 0)
    return tuple(
        dataclasses.replace(c, outputs=("control", *c.outputs), test=_given(is_array(2 * X), c))
        for c in checks
    )


def _given(control: Test, check: Check) -> Test:
    def test(known: Values, *values: Values) -> Problem | None:
        if control(known) is None:
            return check.test(*values)
        gives = "shows nothing, because gradients fails for the sum of squares"
        return Problem(gives, "gradients", unmade=True)

    return test


def constant_factor() -> Scenario:
    """x times x stopped: the derivative is x, not 2 x."""
    w = ProgramWriter()
    x = _variable(w, "x", X)
    loss = _sum(w, _mul(w, x, w.call("stop_gradient", x)))
    _item(w, "gradient", w.call("gradients", loss, [x]), 0)
    checks = _controlled(w, x, _equals("gradient", X, "the value of x"))
    return _stopping("x stop_gradient(x)", w, *checks)


def constant_term() -> Scenario:
    """A stopped term adds nothing."""
    w = ProgramWriter()
    x = _variable(w, "x", X)
    stopped = w.call("stop_gradient", w.call("square", x))
    loss = _sum(w, stopped, _mul(w, 3.0, x))
    _item(w, "gradient", w.call("gradients", loss, [x]), 0)
    check = _equals("gradient", np.full(X.shape, 3.0), "the gradient of the other term")
    return _stopping("stop_gradient(square(x)) + 3 x", w, *_controlled(w, x, check))


def other_variable() -> Scenario:
    """Stopped y is a constant for x, and y keeps the gradient of its other uses."""
    w = ProgramWriter()
    x, y = _variable(w, "x", X), _variable(w, "y", Y)
    loss = _sum(w, _mul(w, x, w.call("stop_gradient", y)), _mul(w, 2.0, y))
    gradients = w.call("gradients", loss, [x, y])
    _item(w, "of x", gradients, 0)
    _item(w, "of y", gradients, 1)
    checks = _controlled(
        w,
        x,
        _equals("of x", Y, "the value of y"),
        _equals("of y", np.full(Y.shape, 2.0), "the gradient of the other term"),
    )
    return _stopping("x stop_gradient(y) + 2 y", w, *checks)


def alone() -> Scenario:
    """A loss that consists of a stopped tensor alone."""
    w = ProgramWriter()
    x = _variable(w, "x", X)
    w.observe("gradient", "gradients", _sum(w, w.call("stop_gradient", x)), [x])
    demands = "zeros, or None"
    check = Check(
        "gradient", Aspect.GRADIENT, outputs=("gradient",), test=_zero(X), demands=demands
    )
    return _stopping("stop_gradient(x) alone", w, check, resting=(UNCONNECTED,))


def several() -> Scenario:
    """A list gives a list."""
    w = ProgramWriter()
    x, y = _variable(w, "x", X), _variable(w, "y", Y[0])
    w.observe("stopped", "stop_gradient", [x, y])

    def test(values: Values) -> Problem | None:
        if len(values) != 2:
            kind = values[0].python_type if len(values) == 1 else f"list of {len(values)}"
            return Problem(f"gives a {kind}", kind)
        return is_array(X)(values[:1]) or is_array(Y[0])(values[1:])

    demands = "a list of both values"
    return _stopping(
        "a list",
        w,
        Check("list", Aspect.VALUE, outputs=("stopped",), test=test, demands=demands, at=LISTS),
    )


def several_constants() -> Scenario:
    """Each item of a list is a constant."""
    w = ProgramWriter()
    x, y = _variable(w, "x", X), _variable(w, "y", Y)
    stopped = w.call("stop_gradient", [x, y])
    items = [w.call("operator.getitem", stopped, i) for i in range(2)]
    loss = _sum(w, _mul(w, x, items[0]), _mul(w, x, items[1]))
    _item(w, "gradient", w.call("gradients", loss, [x]), 0)
    checks = _controlled(w, x, _equals("gradient", X + Y, "the value of x + y"))
    return _stopping("constants from a list", w, *checks)


def _fixed(*made: Callable[[], Scenario]) -> Callable[[Edition], Sequence[Scenario]]:
    return lambda _edition: [make() for make in made]


GRADIENT = frozenset({Aspect.GRADIENT})
FAMILIES: tuple[Family, ...] = (
    Family("gradients", frozenset({Aspect.GRADIENT, Aspect.DTYPE}), make=_known),
    Family(
        "gradients",
        GRADIENT,
        make=_fixed(
            order,
            changed,
            called,
            of_a_placeholder,
            of_an_intermediate_tensor,
            no_scalar,
            unconnected,
            twice,
            descent,
        ),
    ),
    Family("stop_gradient", frozenset({Aspect.VALUE, Aspect.DTYPE}), make=_forwards, share=0.5),
    Family(
        "stop_gradient",
        GRADIENT,
        make=_fixed(constant_factor, constant_term, other_variable, alone),
    ),
    Family("stop_gradient", frozenset({Aspect.VALUE}), make=_fixed(several), editions=LISTING),
    Family("stop_gradient", GRADIENT, make=_fixed(several_constants), editions=LISTING),
)
