"""keras.Variable and keras.StatelessScope: creation, assignment, attributes, autocasting.

The numbers are small integers, which every dtype holds exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.results import Aspect
from conformance.scenarios.checks import (
    has_dtype,
    is_a,
    is_array,
    is_one_of,
    is_static_shape,
    raises,
    shown,
)
from conformance.scenarios.contract.parts import attribute, method, ones, section, tensor
from conformance.scenarios.drawn_arrays import small
from conformance.scenarios.model import KERAS_3, Array
from conformance.scenarios.recorder import Book, Recorder, Result

BOOK = Book()
VARIABLE, SCOPE = "keras.Variable", "keras.StatelessScope"
ARGS, ATTRIBUTES, EXAMPLES = section("Args"), section("Attributes"), section("Examples")
SUMMARY = section("Summary")
DTYPES = ("float32", "float64", "float16", "int32", "int64", "int8", "uint8", "bool")
SHAPES = ((), (3,), (2, 3), (0, 2))
DESCRIBED = (Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE)
Draw = st.DrawFn


def _trained(dtype: str) -> dict[str, bool]:
    """The keyword for a dtype that has no gradient: `trainable_integers` tries the default."""
    return {} if dtype.startswith("float") else {"trainable": False}


def _numbers(shape: tuple[int, ...], dtype: str) -> Array:
    return (np.arange(int(np.prod(shape))) % 3).reshape(shape).astype(dtype)


def _expect_described(K: Recorder, variable: Result, x: Array) -> None:
    """Value, dtype, shape and rank of a variable are those of the array."""
    value = K.eval(attribute(K, variable, "value")).output("value")
    whole = K.eval(variable).output("converted")
    dtype = attribute(K, variable, "dtype").output("dtype")
    shape = K.int_shape(variable).output("shape")
    rank = attribute(K, variable, "ndim").output("ndim")
    words = shown(x)
    K.expect("the value", value, is_array(x), words, at=ATTRIBUTES)
    K.expect("the variable as an array", whole, is_array(x), words, at=ATTRIBUTES)
    K.expect("the rank", rank, is_one_of(x.ndim), str(x.ndim), at=ATTRIBUTES)
    name, of_dtype, of_shape = x.dtype.name, Aspect.DTYPE, Aspect.STATIC_SHAPE
    K.expect("the dtype", dtype, is_one_of(name), name, aspect=of_dtype, at=ATTRIBUTES)
    K.expect("the value's dtype", value, has_dtype(name), name, aspect=of_dtype, at=ATTRIBUTES)
    test = is_static_shape(x.shape)
    K.expect("the shape", shape, test, str(x.shape), aspect=of_shape, at=ATTRIBUTES)


@BOOK.scenario(
    VARIABLE, "an array in {dtype}", *DESCRIBED, editions=KERAS_3, dtype=DTYPES, shape=SHAPES
)
def of_array(K: Recorder, dtype: str, shape: tuple[int, ...]) -> None:
    """A variable of an array, in the dtype that the call names."""
    x = _numbers(shape, dtype)
    _expect_described(K, K[K.tested](K.array("x", x), dtype=dtype, **_trained(dtype)), x)


@BOOK.scenario(VARIABLE, "trainable, in {dtype}", editions=KERAS_3, dtype=("int32", "bool"))
def trainable_integers(K: Recorder, dtype: str) -> None:
    """A variable of integers or truth values can be made with the default of `trainable`."""
    x = _numbers((2, 3), dtype)
    value = K.eval(K[K.tested](K.array("x", x), dtype=dtype)).output("value")
    K.expect("the value", value, is_array(x), shown(x), at=ARGS)


FORMS = ("a tensor", "a list", "another variable", "an array of integers")


@BOOK.scenario(VARIABLE, "{form}", *DESCRIBED, editions=KERAS_3, form=FORMS)
def of_others(K: Recorder, form: str) -> None:
    """A variable of a tensor, a list, another variable, or an array of another dtype."""
    x = _numbers((2, 3), "float32")
    start: Any = x.tolist()
    if form == "a tensor":
        start = tensor(K, "x", x)
    elif form == "another variable":
        start = K[K.tested](K.array("x", x))
    elif form == "an array of integers":
        start = K.array("x", x.astype("int32"))
    _expect_described(K, K[K.tested](start, dtype="float32"), x)


INITIALIZERS = ("a function", "an initializer", "the name of one")


@BOOK.scenario(
    VARIABLE,
    "{initializer}",
    *DESCRIBED,
    editions=KERAS_3,
    initializer=INITIALIZERS,
    dtype=("float32", "int32", "float16"),
)
def initialized(K: Recorder, initializer: str, dtype: str) -> None:
    """A callable takes the shape and the dtype."""
    start: Any = "ones"
    if initializer == "a function":
        start = K.body("start", ones(K))
    elif initializer == "an initializer":
        start = K.keras.initializers.Ones()
    variable = K[K.tested](start, shape=(2, 3), dtype=dtype, **_trained(dtype))
    _expect_described(K, variable, np.ones((2, 3), dtype))


@BOOK.scenario(VARIABLE, "a function without a shape", Aspect.ERROR, editions=KERAS_3)
def without_shape(K: Recorder) -> None:
    """The shape is required beside a callable."""
    start = K.body("start", ones(K))
    result = K.attempt(K[K.tested], start, dtype="float32").output("attempt")
    K.expect("it is refused", result, raises(), "an exception", at=ARGS)


@BOOK.scenario(VARIABLE, "an unknown aggregation", Aspect.ERROR, editions=KERAS_3)
def unknown_aggregation(K: Recorder) -> None:
    """The docstring lists what `aggregation` may be."""
    x = K.array("x", np.ones(2, "float32"))
    result = K.attempt(K[K.tested], x, aggregation="median").output("attempt")
    K.expect("it is refused", result, raises(), "an exception", at=ARGS)


KEYWORDS: tuple[tuple[str, dict[str, Any], Any], ...] = (
    ("trainable", {}, True),
    ("trainable", {"trainable": False}, False),
    ("autocast", {}, True),
    ("autocast", {"autocast": False}, False),
    ("aggregation", {}, "none"),
    ("aggregation", {"aggregation": "mean"}, "mean"),
    ("name", {"name": "scale"}, "scale"),
    ("path", {"name": "scale"}, "scale"),
)


@BOOK.scenario(VARIABLE, "an attribute", editions=KERAS_3, case=KEYWORDS)
def attributes(K: Recorder, case: tuple[str, dict[str, Any], Any]) -> None:
    """Attributes are what the arguments say, or their defaults."""
    name, keywords, expected = case
    variable = K[K.tested](K.array("x", np.ones(2, "float32")), **keywords)
    K.title = f"the attribute {name}"
    seen = attribute(K, variable, name).output("attribute")
    K.expect(f"the attribute {name}", seen, is_one_of(expected), repr(expected), at=ATTRIBUTES)


@BOOK.scenario(
    VARIABLE,
    "trainable set to {trainable}",
    Aspect.STATE,
    editions=KERAS_3,
    trainable=(True, False),
)
def set_trainable(K: Recorder, trainable: bool) -> None:
    """Whether it is trainable can change, and its value stays."""
    x = np.ones(2, "float32")
    variable = K[K.tested](K.array("x", x), trainable=not trainable)
    method(K, variable, "__setattr__", "trainable", trainable)
    seen = attribute(K, variable, "trainable").output("trainable")
    value = K.eval(variable).output("value")
    K.expect("it is set", seen, is_one_of(trainable), str(trainable), at=ATTRIBUTES)
    K.expect("the value stays", value, is_array(x), shown(x), at=ATTRIBUTES)


HELD = (("constraint", "NonNeg", "constraints"), ("regularizer", "L2", "regularizers"))


@BOOK.scenario(VARIABLE, "a callable that it holds", Aspect.STATE, editions=KERAS_3, case=HELD)
def holds(K: Recorder, case: tuple[str, str, str]) -> None:
    """A variable keeps the constraint or the regularizer that it is given."""
    name, kind, module = case
    K.title = f"a {name}"
    variable = K[K.tested](K.array("x", np.ones(2, "float32")))
    method(K, variable, "__setattr__", name, K[f"keras.{module}.{kind}"]())
    classes = K.operator.classes(attribute(K, variable, name)).output("classes")
    K.expect(f"the {name} is kept", classes, is_a(kind), f"a {kind}", at=SUMMARY)


CHANGES = ("assign", "assign_add", "assign_sub")
FROM = ("an array", "a tensor", "a variable", "a list", "an array of float64", "an array of int32")
UNSETTLED = ("a list", "an array of float64", "an array of int32")
"""No docstring says what the sum of a tensor and one of these is."""


@BOOK.scenario(
    VARIABLE,
    "{change} of {source}",
    Aspect.STATE,
    editions=KERAS_3,
    change=CHANGES,
    source=FROM,
    dtype=("float32", "float16", "int32"),
)
def changed(K: Recorder, change: str, source: str, dtype: str) -> None:
    """The value changes, and shape and dtype stay."""
    x, y = _numbers((2, 3), dtype), _numbers((2, 3), dtype)[::-1] + np.asarray(3, dtype)
    variable = K[K.tested](K.array("x", x), dtype=dtype, **_trained(dtype))
    if change != "assign" and source in UNSETTLED:
        source = "a tensor"
    method(K, variable, change, _passed(K, y, source, dtype))
    after = {"assign": y, "assign_add": x + y, "assign_sub": x - y}[change]
    _expect_state(K, variable, after, dtype)


def _passed(K: Recorder, y: Array, source: str, dtype: str) -> Any:
    match source:
        case "a list":
            return y.tolist()
        case "a tensor":
            return tensor(K, "y", y, dtype)
        case "a variable":
            return K.keras.Variable(K.array("y", y), dtype=dtype, **_trained(dtype))
    other = source.rpartition(" ")[2] if source.startswith("an array of") else dtype
    return K.array("y", y.astype(other))


def _expect_state(K: Recorder, variable: Result, after: Array, dtype: str) -> None:
    value = K.eval(variable).output("after")
    named = attribute(K, variable, "dtype").output("dtype")
    shape = K.int_shape(variable).output("shape")
    K.expect("the new value", value, is_array(after), shown(after), at=EXAMPLES)
    K.expect("the dtype stays", named, is_one_of(dtype), dtype, at=ATTRIBUTES)
    K.expect("the value's dtype stays", value, has_dtype(dtype), dtype, at=ATTRIBUTES)
    test = is_static_shape(after.shape)
    K.expect("the shape stays", shape, test, str(after.shape), at=ATTRIBUTES)


@BOOK.scenario(VARIABLE, "a value of shape {shape}", Aspect.STATE, editions=KERAS_3, shape=SHAPES)
def other_shape(K: Recorder, shape: tuple[int, ...]) -> None:
    """The attribute stays the shape of the value, whether a value of another shape is refused."""
    x, other = _numbers((2, 2), "float32"), _numbers(shape, "float32")
    variable = K[K.tested](K.array("x", x))
    K.attempt(K.operator.call, attribute(K, variable, "assign"), K.array("y", other)).output(
        "attempt"
    )
    rank = K.int_shape(variable).output("shape")
    value = K.eval(variable).output("after")
    K.expect("the shape of the value", value, is_array(x), shown(x), at=ATTRIBUTES)
    K.expect("the shape", rank, is_static_shape(x.shape), str(x.shape), at=ATTRIBUTES)


@BOOK.scenario(VARIABLE, "a variable of another", Aspect.STATE, editions=KERAS_3)
def independent(K: Recorder) -> None:
    """A variable that is made of another one has a value of its own."""
    x = np.ones(3, "float32")
    first = K[K.tested](K.array("x", x))
    second = K[K.tested](first)
    method(K, first, "assign", K.array("y", 2 * x))
    value = K.eval(second).output("second")
    K.expect("the other variable stays", value, is_array(x), shown(x), at=SUMMARY)


@BOOK.scenario(VARIABLE, "several changes", Aspect.STATE, editions=KERAS_3)
def many_changes(K: Recorder, draw: Draw) -> None:
    """Changes follow one another."""
    shape = draw(st.sampled_from(((), (3,), (2, 2))))
    state = small(draw, shape)
    variable = K[K.tested](K.array("start", state))
    for number in range(draw(st.integers(2, 5))):
        change, y = draw(st.sampled_from(CHANGES)), small(draw, shape)
        method(K, variable, change, K.array(f"y_{number}", y))
        state = {"assign": y, "assign_add": state + y, "assign_sub": state - y}[change]
    _expect_state(K, variable, state, "float32")


OPERATORS = ("add", "sub", "mul", "truediv", "pow")


@BOOK.scenario(
    VARIABLE, "the operator {operator}", editions=KERAS_3, operator=OPERATORS, first=(True, False)
)
def operators(K: Recorder, operator: str, first: bool) -> None:
    """Python's operators take the variable as its value."""
    x, y = np.array([1, 2, 4], "float32"), np.array([2, 4, 1], "float32")
    variable, other = K[K.tested](K.array("x", x)), tensor(K, "y", y)
    pair = (variable, other) if first else (other, variable)
    value = K.eval(K[f"operator.{operator}"](*pair)).output("value")
    numbers = (x, y) if first else (y, x)
    names = {"sub": "subtract", "truediv": "true_divide", "mul": "multiply", "pow": "power"}
    expected = getattr(np, names.get(operator, operator))(*numbers)
    K.expect("the numbers", value, is_array(expected), shown(expected), at=SUMMARY)


@BOOK.scenario(
    VARIABLE, "autocasting", Aspect.DTYPE, editions=KERAS_3, kind=("cast", "not cast", "integers")
)
def autocasts(K: Recorder, kind: str) -> None:
    """Under a scope of autocasting a variable of floats has the scope's dtype, if it may."""
    dtype, inside = ("int32", "int32") if kind == "integers" else ("float32", "float32")
    inside = "float16" if kind == "cast" else inside
    x = K.array("x", np.ones(2, dtype))
    variable = K[K.tested](x, autocast=kind != "not cast", **_trained(dtype))
    scope = K["keras.src.backend.common.AutocastScope"]("float16")
    seen = K.within(scope, K.body("seen", lambda: attribute(K, variable, "value")))()
    cast = K.dtype(seen).output("inside")
    inside_name = K.within(
        scope, K.body("named", lambda: attribute(K, variable, "dtype"))
    )().output("named")
    after = attribute(K, variable, "dtype").output("after")
    K.expect("the value's dtype inside", cast, is_one_of(inside), inside, at=ARGS)
    K.expect("the dtype inside", inside_name, is_one_of(inside), inside, at=ARGS)
    K.expect("the dtype afterwards", after, is_one_of(dtype), dtype, at=ATTRIBUTES)


@BOOK.scenario(
    VARIABLE, "{change} while autocasting", Aspect.STATE, editions=KERAS_3, change=CHANGES
)
def changed_while_cast(K: Recorder, change: str) -> None:
    """Under a scope of autocasting the variable itself changes, not its cast value."""
    x, y = np.array([3, 4], "float32"), np.array([1, 2], "float32")
    expected = {"assign": y, "assign_add": x + y, "assign_sub": x - y}[change]
    variable, new = K[K.tested](K.array("x", x), **_trained("float32")), tensor(K, "y", y)
    scope = K["keras.src.backend.common.AutocastScope"]("float16")

    def body() -> Result:
        method(K, variable, change, new)
        return K["keras.ops.add"](new, 0.0)

    K.eval(K.within(scope, K.body("body", body))()).output("inside")
    value = K.eval(variable).output("value")
    K.expect("the value afterwards", value, is_array(expected), shown(expected), at=SUMMARY)


@BOOK.scenario(
    SCOPE, "{change} inside", Aspect.STATE, editions=KERAS_3, change=CHANGES, mapped=(True, False)
)
def without_effect(K: Recorder, change: str, mapped: bool) -> None:
    """No variable changes, and the scope has the new values."""
    x, y = np.array([1, 2], "float32"), np.array([5, 7], "float32")
    start = np.array([3, 4], "float32") if mapped else x
    variable = K.keras.Variable(K.array("x", x))
    mapping = [(variable, tensor(K, "start", start))] if mapped else []
    scope = K[K.tested](state_mapping=mapping)
    new = tensor(K, "y", y)

    def body() -> tuple[Result, Result]:
        before = K["keras.ops.add"](attribute(K, variable, "value"), 0.0)
        method(K, variable, change, new)
        return before, K["keras.ops.add"](attribute(K, variable, "value"), 0.0)

    both = K.within(scope, K.body("body", body))()
    before, after = K.eval(both[0]).output("before"), K.eval(both[1]).output("after")
    collected = K.eval(method(K, scope, "get_current_value", variable)).output("collected")
    outside = K.eval(variable).output("outside")
    expected = {"assign": y, "assign_add": start + y, "assign_sub": start - y}[change]
    K.expect("the value inside", before, is_array(start), shown(start), at=SUMMARY)
    K.expect("the new value inside", after, is_array(expected), shown(expected), at=SUMMARY)
    K.expect("the scope's value", collected, is_array(expected), shown(expected), at=SUMMARY)
    K.expect("the variable stays", outside, is_array(x), shown(x), at=SUMMARY)


@BOOK.scenario(SCOPE, "scopes one in the other", Aspect.STATE, editions=KERAS_3)
def nested(K: Recorder) -> None:
    """The inner scope's changes are its own."""
    x, y = np.array([1, 2], "float32"), np.array([5, 7], "float32")
    variable = K.keras.Variable(K.array("x", x))
    outer, inner = K[K.tested](), K[K.tested]()
    new = tensor(K, "y", y)
    change = K.body("change", lambda: method(K, variable, "assign", new))

    def body() -> Result:
        K.within(inner, change)()
        return K["keras.ops.add"](attribute(K, variable, "value"), 0.0)

    seen = K.eval(K.within(outer, K.body("body", body))()).output("seen")
    outside = K.eval(variable).output("outside")
    K.expect("the outer scope's value", seen, is_array(x), shown(x), at=SUMMARY)
    K.expect("the variable stays", outside, is_array(x), shown(x), at=SUMMARY)


@BOOK.scenario(SCOPE, "a variable of a function inside", Aspect.STATE, editions=KERAS_3)
def deferred(K: Recorder) -> None:
    """A variable that is made of a callable inside has its value afterwards."""
    start = K.body("start", ones(K))
    scope = K[K.tested]()
    make = K.body("make", lambda: K.keras.Variable(start, shape=(2, 3), dtype="float32"))
    variable = K.within(scope, make)()
    value = K.eval(variable).output("value")
    shape = K.int_shape(variable).output("shape")
    x = np.ones((2, 3), "float32")
    place = section("keras.Variable: Args")
    K.expect("the value", value, is_array(x), "ones", at=place)
    K.expect("the shape", shape, is_static_shape((2, 3)), "(2, 3)", at=place)


FAMILIES = BOOK.families
