"""Axes, numbers and shapes of keras.ops: right functions have no problem, and wrong ones do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest

from conformance.scenarios.promises import (
    keras_axes,
    keras_lengths,
    keras_numbers,
    keras_shapes,
)
from tests.scenarios import keras_ops as ops
from tests.scenarios import running

FAMILIES = (
    *keras_axes.FAMILIES,
    *keras_numbers.FAMILIES,
    *keras_shapes.FAMILIES,
    *keras_lengths.FAMILIES,
)
Function = Callable[..., Any]
problems = partial(ops.problems_in, FAMILIES)


def normalised(x: Any, axis: int, epsilon: float) -> Any:
    return x / np.sqrt((x**2).mean(axis, keepdims=True) + epsilon)


def centred(x: Any, axis: int, epsilon: float) -> Any:
    return normalised(x - x.mean(axis, keepdims=True), axis, epsilon)


def by_rows(x: Any, axis: int, epsilon: float) -> Any:
    return normalised(x, 1, epsilon)


def at_places(x: Any, indices: Any, axis: None = None) -> Any:
    return x.reshape(-1)[indices]


def from_the_rows(x: Any, indices: Any, axis: None = None) -> Any:
    """Indices below zero count from the number of rows."""
    return at_places(x, np.where(indices < 0, indices + len(x), indices))


def ldexp(x: Any, exponents: Any) -> Any:
    return np.ldexp(x.astype("float64"), exponents).astype("float32")


def by_a_power(x: Any, exponents: Any) -> Any:
    with np.errstate(over="ignore", invalid="ignore"):
        return x * np.float32(2) ** exponents.astype("float32")


def leaky_relu(x: Any, negative_slope: float) -> Any:
    return np.where(x < 0, negative_slope * x, x)


def by_a_maximum(x: Any, negative_slope: float) -> Any:
    return np.maximum(x, negative_slope * x)


def resize(images: Any, size: Any, interpolation: str, **_: Any) -> Any:
    if interpolation == "bicubic":
        return np.repeat(np.repeat(images, 2, 0), 2, 1)
    rows = (size[0] - len(images)) // 2
    return np.pad(images, ((rows, rows), (0, 0), (0, 0)))


def of_floats(images: Any, size: Any, interpolation: str, **how: Any) -> Any:
    if "pad_to_aspect_ratio" in how:
        raise TypeError("Cannot convert 0.0 to EagerTensor of dtype uint8")
    return resize(images, size, interpolation)


def wrapped(images: Any, size: Any, interpolation: str, **_: Any) -> Any:
    return resize(images, size, interpolation) + np.array(interpolation == "bicubic", images.dtype)


def full(shape: Any, value: Any, dtype: str) -> Any:
    return np.broadcast_to(value, shape).astype(dtype)


def as_int32(function: Function) -> Function:
    return lambda *args: function(*(x.view("int32") for x in args))


def clamped(function: Function) -> Function:
    return lambda *args: function(*(np.minimum(x, 2**31 - 1) for x in args))


RIGHT: Mapping[str, Function] = {
    **{name.removeprefix("keras.ops."): f for name, f in keras_axes.BROADCAST.items()},
    **{name.removeprefix("keras.ops."): f for name, f in keras_numbers.OF_ONE.items()},
    **{name.removeprefix("keras.ops."): f for name, f in keras_numbers.OF_TWO.items()},
    "rms_normalization": normalised,
    "layer_normalization": centred,
    "cross": np.cross,
    "take": at_places,
    "take_along_axis": at_places,
    "vstack": np.vstack,
    "ldexp": ldexp,
    "mod": np.mod,
    "fmod": np.fmod,
    "floor_divide": np.floor_divide,
    "leaky_relu": leaky_relu,
    "kaiser": np.kaiser,
    "image.resize": resize,
    "broadcast_to": np.broadcast_to,
    "squeeze": np.squeeze,
    "tri": np.tri,
    "full": full,
    "repeat": np.repeat,
}
WRONG: tuple[tuple[str, str, Function], ...] = (
    ("add", "a column beside each row", lambda x, y: x + y.reshape(-1)),
    ("rms_normalization", "by rows", by_rows),
    ("layer_normalization", "not centred", normalised),
    ("cross", "of columns", lambda x, y: np.cross(x, y, axis=0)),
    ("take", "from the rows", from_the_rows),
    ("take_along_axis", "from the rows", from_the_rows),
    ("vstack", "one long vector", np.concatenate),
    ("ldexp", "by a power of float32", by_a_power),
    ("mod", "by a quotient", lambda x, y: x - y * np.floor(x / y)),
    ("fmod", "not a number", lambda x, y: x * np.nan),
    ("floor_divide", "of a rounded quotient", lambda x, y: np.floor(x / y)),
    ("leaky_relu", "by a maximum", by_a_maximum),
    ("kaiser", "ones", lambda count, beta: np.ones(count)),
    ("image.resize", "of floats", of_floats),
    ("image.resize", "wrapped around", wrapped),
    ("broadcast_to", "unchanged", lambda x, shape: x),
    ("squeeze", "all axes", lambda x, axis: np.squeeze(x)),
    ("tri", "0 as left out", lambda rows, columns: np.tri(rows, columns or rows)),
    ("full", "in the numbers' dtype", lambda shape, value, dtype: np.broadcast_to(value, shape)),
    ("repeat", "once at least", lambda x, counts: np.repeat(x, np.maximum(counts, 1))),
    ("maximum", "as int32", as_int32(np.maximum)),
    ("minimum", "as int32", as_int32(np.minimum)),
    ("max", "clamped", clamped(np.max)),
    ("sort", "as int32", as_int32(np.sort)),
    ("sign", "as int32", as_int32(np.sign)),
)


@pytest.mark.parametrize("name", RIGHT)
def test_right_functions_have_no_problem(name: str) -> None:
    assert ops.scenarios_in(FAMILIES, name)
    assert not problems(name, RIGHT[name])


@pytest.mark.parametrize(
    ("name", "function"),
    [(name, function) for name, _, function in WRONG],
    ids=[f"{name}: {subject}" for name, subject, _ in WRONG],
)
def test_wrong_functions_have_a_problem(name: str, function: Function) -> None:
    assert problems(name, function)


PARTS: Mapping[str, tuple[Function, bool]] = {
    "right": (lambda x, key: x[key], True),
    "the place before the new axis": (
        lambda x, key: x[key].T if isinstance(key, tuple) and None in key else x[key],
        False,
    ),
    "forwards": (lambda x, key: x if key == (slice(None, None, -1),) else x[key], False),
}


@pytest.mark.parametrize(("function", "fine"), PARTS.values(), ids=PARTS.keys())
def test_parts_by_lone_keys(function: Function, fine: bool) -> None:
    computed = [s for s in ops.scenarios_in(FAMILIES, "get_item") if "symbolic" not in s.title]
    assert computed
    wrong = [p for s in computed for p in ops.problems_of(s, {"get_item": function})]
    assert (not wrong) is fine


@pytest.mark.parametrize("name", sorted(keras_axes.NAMED))
def test_an_axis_of_numpy_gives_the_shape_of_that_axis(name: str) -> None:
    shape = keras_axes.NAMED[name]
    own = [s for s in ops.scenarios_in(keras_axes.FAMILIES, name) if "computed" in s.title]
    assert own
    for scenario in own:
        assert not ops.problems_of(scenario, {name: lambda x, axis: np.zeros(shape)})
        assert ops.problems_of(scenario, {name: lambda x, axis: np.zeros((2,))})


@pytest.mark.parametrize("call", keras_lengths.CALLS, ids=lambda call: call.function)
def test_parts_of_a_call_for_any_length_are_those_of_the_tensor(
    call: keras_lengths.CompiledCall,
) -> None:
    name, parts = call.function.removeprefix("keras.ops."), call.results
    own = [s for s in ops.scenarios_in(FAMILIES, name) if s.title == "compiled for any length"]
    (check,) = (check for scenario in own for check in scenario.checks)
    assert running.tested(check, list(parts)) is None
    assert running.tested(check, [1 - part for part in parts])
    assert running.tested(check, [np.zeros(99)])
