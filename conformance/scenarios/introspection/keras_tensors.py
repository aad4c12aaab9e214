"""Arrays, names of dtypes, shapes and parts that keras.ops gives for a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.results import Aspect
from conformance.scenarios.checks import (
    OTHER_DTYPES,
    has_dtype,
    is_a,
    is_array,
    is_one_of,
    is_static_shape,
    shown,
)
from conformance.scenarios.drawn_arrays import a_shape, distinct, small
from conformance.scenarios.model import KERAS_3, RETURNS, SUMMARY, SYMBOL, Array
from conformance.scenarios.recorder import Book, Recorder, Result

BOOK = Book()
DTYPES = ("float32", "float64", "int32", "int64", "float16", "bool", "uint8", "int8", "int16")
"""Without unsigned integers of more bits, and what NumPy lacks."""
_WIDE: dict[str, tuple[float, ...]] = {
    "float32": (0.1, -3.5, 2.5e38, 1e-30),
    "float64": (0.1, -3.5, 1e300, 1 + 2.0**-40),
    "float16": (0.5, -3.25, 6e4),
    "int64": (2**40 + 1, -(2**50), 7, 0),
    "int32": (2**30 + 1, -(2**31), 7, 0),
    "int16": (2**14 + 1, -(2**15), 7, 0),
    "int8": (100, -(2**7), 7, 0),
    "uint8": (200, 255, 7, 0),
    "bool": (0, 1),
}
"""Numbers that show whether a tensor has the dtype."""
Draw = st.DrawFn


def _wide(draw: Draw) -> Array:
    dtype = draw(st.sampled_from(DTYPES))
    generator = np.random.default_rng(draw(st.integers(0, 2**16)))
    return generator.choice(np.asarray(_WIDE[dtype], dtype), a_shape(draw, 0, 3))


FORMS = ("an array", "a tensor", "a list")


@BOOK.scenario(
    ("keras.ops.convert_to_tensor", "keras.ops.array"), "{form}", editions=KERAS_3, form=FORMS
)
def becomes_a_tensor(K: Recorder, draw: Draw, form: str) -> None:
    """The result is a tensor, as `is_tensor` says."""
    x = small(draw, a_shape(draw, 0, 3), draw(st.sampled_from(("float32", "int32", "bool"))))
    numbers = x.tolist() if form == "a list" else K.array("x", x)
    tensor = K[K.tested](K.tensor("x", x) if form == "a tensor" else numbers)
    answer = K["keras.ops.is_tensor"](tensor).output("tensor")
    K.expect("it is a tensor", answer, is_one_of(True), "a tensor", at=RETURNS)


@BOOK.scenario(
    "keras.ops.convert_to_numpy",
    "a tensor",
    Aspect.VALUE,
    Aspect.DTYPE,
    editions=KERAS_3,
    share=2.0,
)
def becomes_an_array(K: Recorder, draw: Draw) -> None:
    """An array of NumPy with the numbers and the dtype of the tensor."""
    x = _wide(draw)
    array = K[K.tested](K.tensor("x", x)).output("values")
    classes = K.operator.classes(array).output("classes")
    dtype = x.dtype.name
    K.expect("the numbers", array, is_array(x), shown(x), at=RETURNS)
    K.expect("a NumPy array", classes, is_a("ndarray"), "an array", at=RETURNS)
    K.expect(
        "the dtype",
        array,
        has_dtype(dtype),
        dtype,
        aspect=Aspect.DTYPE,
        at=RETURNS,
        alternatives=OTHER_DTYPES,
    )


@BOOK.scenario(
    "keras.ops.convert_to_numpy",
    "a number of {dtype}",
    editions=KERAS_3,
    dtype=("bfloat16", "float16"),
)
def number_becomes_an_array(K: Recorder, dtype: str) -> None:
    """An array of NumPy, of a tensor without axes in a dtype of 16 bits."""
    number = K.constant(K.array("x", np.asarray(1.5, "float32")), dtype=dtype)
    classes = K.operator.classes(K[K.tested](number)).output("classes")
    K.expect("a NumPy array", classes, is_a("ndarray"), "an array", at=RETURNS)


_NO_TENSORS: tuple[Any, ...] = ([1.0, 2.0], (1, 2), 3, 0.5, True, None, "float32", [])


@BOOK.scenario("keras.ops.is_tensor", editions=KERAS_3, share=2.0)
def says_what_is_a_tensor(K: Recorder, draw: Draw) -> None:
    """Only NumPy counts an array as a tensor, so no scenario asks about arrays."""
    truth, other = draw(st.booleans()), draw(st.sampled_from(_NO_TENSORS))
    K.title = "a tensor" if truth else "no tensor"
    answer = K[K.tested](K.tensor("x", _wide(draw)) if truth else other).output("said")
    K.expect("what it says", answer, is_one_of(truth), str(truth), at=RETURNS)


def _tensor(K: Recorder, draw: Draw) -> tuple[Result, tuple[int | None, ...], str]:
    """A tensor, perhaps symbolic and without some dimensions; its shape and dtype."""
    dtype, shape = draw(st.sampled_from((*DTYPES, "bfloat16"))), a_shape(draw, 0, 4)
    if draw(st.booleans()):
        known = tuple(None if draw(st.booleans()) else length for length in shape)
        return K.placeholder(shape=known, dtype=dtype), known, dtype
    zeros = np.zeros(shape, "float32" if dtype == "bfloat16" else dtype)
    return K.constant(K.array("x", zeros), dtype=dtype), shape, dtype


@BOOK.scenario("keras.ops.dtype", "a tensor", editions=KERAS_3, share=2.0)
def names_the_dtype(K: Recorder, draw: Draw) -> None:
    """The name of the dtype."""
    tensor, _, dtype = _tensor(K, draw)
    answer = K[K.tested](tensor).output("said")
    K.expect("what it says", answer, is_one_of(dtype), dtype, at=RETURNS)


COMPLEX = {"keras.ops.polar": 2, "keras.ops.view_as_complex": 1}
"""The functions whose results are complex, and the number of their arguments."""


@BOOK.scenario(
    tuple(COMPLEX),
    "complex64 of {kind}",
    Aspect.DTYPE,
    editions=KERAS_3,
    kind=("tensors", "symbolic tensors"),
)
def complex_dtype(K: Recorder, draw: Draw, kind: str) -> None:
    """Parts of float32 make complex64, and a symbol reports it."""
    x = small(draw, (*a_shape(draw, 0, 3), 2), "float32")
    if kind == "tensors":
        part = K.constant(K.array("x", x), dtype="float32")
    else:
        part = K.placeholder(shape=x.shape, dtype="float32")
    number = K[K.tested](*[part] * COMPLEX[K.tested])
    dtype = K["keras.ops.dtype"](number).output("dtype")
    test, aspect, at = (
        is_one_of("complex64"),
        Aspect.DTYPE,
        RETURNS if kind == "tensors" else SYMBOL,
    )
    K.expect("the dtype", dtype, test, "complex64", aspect=aspect, at=at)


@BOOK.scenario("keras.ops.shape", "a tensor", editions=KERAS_3, share=2.0)
def tells_the_shape(K: Recorder, draw: Draw) -> None:
    """A tuple of lengths, with None for those that are not known."""
    tensor, shape, _ = _tensor(K, draw)
    answer = K[K.tested](tensor).output("said")
    classes = K.operator.classes(answer).output("classes")
    K.expect("what it says", answer, is_static_shape(shape), str(shape), at=RETURNS)
    K.expect("a tuple", classes, is_a("tuple"), "a tuple", at=RETURNS)


def _key(draw: Draw, length: int) -> Any:
    """A place or a part of an axis."""
    if draw(st.booleans()):
        return draw(st.integers(-length, length - 1))
    low = draw(st.one_of(st.none(), st.integers(0, length - 1)))
    high = draw(st.one_of(st.none(), st.integers((low or 0) + 1, length)))
    return slice(low, high, draw(st.sampled_from((None, 1, 2))))


def _keys(draw: Draw, shape: Sequence[int]) -> tuple[Any, ...]:
    count = draw(st.integers(1, len(shape)))
    keys = [_key(draw, length) for length in shape[:count]]
    if draw(st.integers(0, 3)) == 0:
        keys.insert(draw(st.integers(0, count)), None)
    return tuple(keys)


@BOOK.scenario(
    "keras.ops.get_item",
    "{kind}",
    Aspect.VALUE,
    Aspect.DTYPE,
    Aspect.STATIC_SHAPE,
    editions=KERAS_3,
    kind=("a tensor", "a symbolic tensor"),
    share=1.5,
)
def gives_a_part(K: Recorder, draw: Draw, kind: str) -> None:
    """The part that Python's indexing gives, by places, slices and new axes."""
    dtype = draw(st.sampled_from(("float32", "float64", "int32")))
    x = distinct(draw, a_shape(draw, 1, 3), dtype)
    keys = _keys(draw, x.shape)
    written = [
        K.operator.slice(key.start, key.stop, key.step) if isinstance(key, slice) else key
        for key in keys
    ]
    key = written[0] if len(keys) == 1 and draw(st.booleans()) else tuple(written)
    held, part = K.array("x", x), x[keys]
    if kind == "a tensor":
        K.eval(K[K.tested](K.constant(held, dtype=dtype), key)).output("values")
    else:
        symbol = K.placeholder(shape=x.shape, dtype=dtype)
        taken = K[K.tested](symbol, key)
        K.int_shape(taken).output("static")
        K.function([symbol], [taken])([held]).output("values")
        _expect_static(K, part.shape)
    _expect_part(K, part)


def _expect_static(K: Recorder, shape: tuple[int, ...]) -> None:
    test, aspect = is_static_shape(shape), Aspect.STATIC_SHAPE
    K.expect("the shape", "static", test, str(shape), aspect=aspect, at=SUMMARY)


def _expect_part(K: Recorder, part: Array) -> None:
    K.expect("the part", "values", is_array(part), shown(part), at=SUMMARY)
    dtype, aspect = part.dtype.name, Aspect.DTYPE
    test, others = has_dtype(dtype), OTHER_DTYPES
    K.expect("the dtype", "values", test, dtype, aspect=aspect, at=SUMMARY, alternatives=others)


FAMILIES = BOOK.families
