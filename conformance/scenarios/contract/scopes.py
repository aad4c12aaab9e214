"""keras.name_scope, keras.device, keras.remat and keras.ops.custom_gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.results import Aspect
from conformance.scenarios.checks import is_array, is_one_of, shown
from conformance.scenarios.contract.parts import attribute, section, tensor
from conformance.scenarios.model import KERAS_3, Array
from conformance.scenarios.recorder import Book, Recorder, Result
from conformance.specs.convention_names import ConventionName

BOOK = Book()
NAME, DEVICE, REMAT = "keras.name_scope", "keras.device", "keras.remat"
CUSTOM = "keras.ops.custom_gradient"
SUMMARY, ARGS, RETURNS = section("Summary"), section("Args"), section("Returns")


def _variable(K: Recorder) -> Callable[[], Result]:
    x = K.array("x", np.ones(2, "float32"))

    def scale() -> Result:
        return K.keras.Variable(x, name="scale")

    return scale


def _expect_path(K: Recorder, variable: Result, expected: str) -> None:
    path = attribute(K, variable, "path").output("path")
    K.expect("the path", path, is_one_of(expected), expected, at=SUMMARY)


@BOOK.scenario(NAME, "{depth} scopes", editions=KERAS_3, depth=(1, 2, 3))
def nested_names(K: Recorder, depth: int) -> None:
    """Each scope is a part of the path of a variable that is made inside."""
    names = [f"part_{number}" for number in range(depth)]
    scopes = [K[K.tested](name) for name in names]
    make = K.body("make", _variable(K))
    for scope in reversed(scopes[1:]):
        make = K.body("inner", _entered(K, scope, make))
    _expect_path(K, K.within(scopes[0], make)(), "/".join([*names, "scale"]))


def _entered(K: Recorder, scope: Result, body: Any) -> Callable[[], Result]:
    def entered() -> Result:
        return K.within(scope, body)()

    return entered


@BOOK.scenario(NAME, "after a scope", editions=KERAS_3)
def left(K: Recorder) -> None:
    """A variable that is made afterwards has a path without the scope."""
    scope, make = K[K.tested]("part"), K.body("make", _variable(K))
    K.within(scope, make)()
    _expect_path(K, make_outside(K), "later")


def make_outside(K: Recorder) -> Result:
    """A variable outside of any scope."""
    return K.keras.Variable(K.array("y", np.ones(2, "float32")), name="later")


@BOOK.scenario(NAME, "override_parent", editions=KERAS_3, parent=("other", "other/place"))
def overridden(K: Recorder, parent: str) -> None:
    """An absolute path overrides the scopes around."""
    outer, inner = K[K.tested]("outer"), K[K.tested]("inner", override_parent=parent)
    make = K.body("make", _variable(K))
    variable = K.within(outer, K.body("body", _entered(K, inner, make)))()
    path = attribute(K, variable, "path").output("path")
    K.expect("the path", path, is_one_of(f"{parent}/inner/scale"), f"{parent}/inner/scale", at=ARGS)


@BOOK.scenario(NAME, "the same caller", editions=KERAS_3, deduplicate=(True, False))
def same_caller(K: Recorder, deduplicate: bool) -> None:
    """A scope of the same caller and name is entered once, unless the call allows duplicates."""
    caller = K.keras.Variable(K.array("caller", np.ones(2, "float32")))
    scopes = [K[K.tested]("part", caller=caller, deduplicate=deduplicate) for _ in range(2)]
    make = K.body("make", _variable(K))
    variable = K.within(scopes[0], K.body("body", _entered(K, scopes[1], make)))()
    expected = "part/scale" if deduplicate else "part/part/scale"
    path = attribute(K, variable, "path").output("path")
    K.expect("the path", path, is_one_of(expected), expected, at=ARGS)


@BOOK.scenario(DEVICE, "{device}", Aspect.VALUE, editions=KERAS_3, device=("cpu:0", "cpu", "CPU:0"))
def on_device(K: Recorder, device: str) -> None:
    """Results and variables of a device have the same numbers as elsewhere."""
    x = np.arange(6, dtype="float32").reshape(2, 3)
    array, scope = K.array("x", x), K[K.tested](device)

    def body() -> tuple[Result, Result]:
        variable = K.keras.Variable(array)
        return K["keras.ops.add"](K["keras.ops.ones"]((2, 3)), variable), variable

    both = K.within(scope, K.body("body", body))()
    inside, variable = K.eval(both[0]).output("inside"), K.eval(both[1]).output("variable")
    beside = K.eval(K["keras.ops.add"](both[0], both[1])).output("beside")
    K.expect("the result", inside, is_array(x + 1), shown(x + 1), at=SUMMARY)
    K.expect("the variable", variable, is_array(x), shown(x), at=SUMMARY)
    both_sums = 2 * x + 1
    K.expect("the sum outside", beside, is_array(both_sums), shown(both_sums), at=SUMMARY)


X = np.array([[1, -2, 3], [0, 4, -1]], "float32")
Write = Callable[[Recorder, Result], Result]
POLYNOMIALS: tuple[tuple[str, Write, Array, Array], ...] = (
    ("a square", lambda K, x: K["keras.ops.square"](x), X**2, 2 * X),
    (
        "a cube",
        lambda K, x: K["keras.ops.multiply"](K["keras.ops.square"](x), x),
        X**3,
        3 * X**2,
    ),
    (
        "an affine function",
        lambda K, x: K["keras.ops.add"](K["keras.ops.multiply"](x, 3.0), 1.0),
        3 * X + 1,
        np.full_like(X, 3),
    ),
)
"""A function, and its values and derivatives at X."""
WITH_GRADIENT = (Aspect.VALUE, Aspect.GRADIENT)


@BOOK.scenario(
    REMAT, "{what}", *WITH_GRADIENT, editions=KERAS_3, what=(0, 1, 2), asks=(False, True)
)
def recomputed(K: Recorder, what: int, asks: bool) -> None:
    """The wrapped function keeps its values and gradients."""
    title, write, values, slopes = POLYNOMIALS[what]
    wrapped = K[K.tested](K.body("f", lambda x: write(K, x)))
    _expect_called(K, title, wrapped, values, slopes if asks else None)


@BOOK.scenario(
    CUSTOM, "{what}", *WITH_GRADIENT, editions=KERAS_3, what=(0, 1, 2), asks=(False, True)
)
def with_own_gradient(K: Recorder, what: int, asks: bool) -> None:
    """The gradient is that of the function's own, here five times what comes from above."""
    title, write, values, _ = POLYNOMIALS[what]
    forward = K.body("forward", lambda x: write(K, x))
    backward = K.body("backward", lambda upstream: K["keras.ops.multiply"](upstream, 5.0))
    wrapped = K[K.tested](K.with_gradient(forward, backward))
    _expect_called(K, title, wrapped, values, np.full_like(X, 5) if asks else None)


def _expect_called(
    K: Recorder, title: str, wrapped: Result, values: Array, slopes: Array | None
) -> None:
    K.title = title if slopes is None else f"the gradient of {title}"
    x = tensor(K, "x", X)
    if slopes is None:
        got = K.eval(wrapped(x)).output("values")
        K.expect("the values", got, is_array(values), shown(values), at=RETURNS)
        return
    slope = K.derivative(wrapped)(x)
    K.expect(
        "the gradient",
        K.eval(slope).output("gradient"),
        is_array(slopes),
        shown(slopes),
        aspect=Aspect.GRADIENT,
        at=RETURNS,
        conventions=(ConventionName.OWN_GRADIENT,),
    )


FAMILIES = BOOK.families
