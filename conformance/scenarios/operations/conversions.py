"""What becomes a tensor and what becomes of one: arrays, lists, dtypes, shapes, parts, views."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.editions import Edition
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import (
    OTHER_DTYPES,
    Test,
    has_dtype,
    is_a,
    is_array,
    is_one_of,
    is_static_shape,
    shown,
)
from conformance.scenarios.composites import composite
from conformance.scenarios.model import KERAS_3, KERAS_3_DOCUMENT, Array, Check, Family, Scenario
from conformance.scenarios.operations.calls import (
    Call,
    Function,
    a_shape,
    distinct,
    exact,
    one,
    small,
)
from conformance.scenarios.operations.calls import families as families_of_calls
from conformance.scenarios.writing import ProgramWriter

X = Ref("x")
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


def _wide(draw: DrawFn, dtype: str) -> Array:
    generator = np.random.default_rng(draw(st.integers(0, 2**16)))
    return generator.choice(np.asarray(_WIDE[dtype], dtype), a_shape(draw, 0, 3))


def _scenario(name: str, title: str, w: ProgramWriter, *checks: Check) -> Scenario:
    return Scenario(name, title, program=w.program(), arrays=w.arrays, checks=checks)


def _check(name: str, aspect: Aspect, output: str, test: Test, *said: str, **more: Any) -> Check:
    """`said`: what it demands, and the section that does."""
    demands, section = said
    at = {KERAS_3_DOCUMENT: section}
    return Check(name, aspect, outputs=(output,), test=test, demands=demands, at=at, **more)


def _family(
    name: str,
    draw: Callable[[DrawFn], Scenario],
    *aspects: Aspect,
    share: float = 2.0,
) -> Family:
    @composite
    def drawn(inner: DrawFn) -> Scenario:
        return draw(inner)

    def make(_: Edition) -> st.SearchStrategy[Scenario]:
        return drawn()

    return Family(
        name, frozenset(aspects or (Aspect.VALUE,)), make=make, editions=KERAS_3, share=share
    )


_FORMS = ("an array", "a tensor", "a list")


def _given(draw: DrawFn, w: ProgramWriter, form: str, *, told: bool) -> tuple[Argument, Array, str]:
    """What is to become a tensor, its numbers, and its dtype.

    A dtype that is told has all of the numbers.
    """
    dtype = draw(st.sampled_from(DTYPES))
    if form == "a list":
        x = small(draw, a_shape(draw, 0, 3), draw(st.sampled_from(("float32", "int32", "bool"))))
        return x.tolist(), x, x.dtype.name
    x = np.abs(small(draw, a_shape(draw, 0, 3), dtype)) if told else _wide(draw, dtype)
    held = w.array("x", x)
    return (held if form == "an array" else w.call("constant", held, dtype=dtype)), x, dtype


def _converting(name: str, *, settled: bool) -> Callable[[DrawFn], Scenario]:
    """Calls that make a tensor. `settled`: without a dtype it is that of an array, or of a tensor,
    so that all numbers are kept."""

    def drawn(draw: DrawFn) -> Scenario:
        w, form = ProgramWriter(), draw(st.sampled_from(_FORMS))
        told = draw(st.booleans())
        given, x, dtype = _given(draw, w, form, told=told or not settled)
        wanted = draw(st.sampled_from(("float32", "float64", "int32", "int64", "float16")))
        kwargs: dict[str, Argument] = {"dtype": wanted} if told else {}
        made = w.call(f"keras.ops.{name}", given, **kwargs)
        w.observe("values", "eval", made)
        w.observe("tensor", "keras.ops.is_tensor", made)
        target = wanted if told else dtype
        numbers = x.astype(target)
        checks = [
            _check(
                "the numbers", Aspect.VALUE, "values", is_array(numbers), shown(numbers), "Returns"
            ),
            _check(
                "it is a tensor", Aspect.VALUE, "tensor", is_one_of(True), "a tensor", "Returns"
            ),
        ]
        if told or (settled and form != "a list"):
            test = has_dtype(target)
            checks.append(_check("the dtype", Aspect.DTYPE, "values", test, target, "Args"))
        said = f"to {target}" if told else "without a dtype"
        return _scenario(f"keras.ops.{name}", f"{form} of {dtype}, {said}", w, *checks)

    return drawn


def _to_numpy(draw: DrawFn) -> Scenario:
    w, dtype = ProgramWriter(), draw(st.sampled_from(DTYPES))
    x = _wide(draw, dtype)
    array = w.observe(
        "values", "keras.ops.convert_to_numpy", w.call("constant", w.array("x", x), dtype=dtype)
    )
    w.observe("classes", "operator.classes", array)
    return _scenario(
        "keras.ops.convert_to_numpy",
        "a tensor",
        w,
        _check("the numbers", Aspect.VALUE, "values", is_array(x), shown(x), "Returns"),
        _check("a NumPy array", Aspect.VALUE, "classes", is_a("ndarray"), "an array", "Returns"),
        _check(
            "the dtype",
            Aspect.DTYPE,
            "values",
            has_dtype(dtype),
            dtype,
            "Returns",
            alternatives=OTHER_DTYPES,
        ),
    )


_NO_TENSORS: tuple[Argument, ...] = ([1.0, 2.0], (1, 2), 3, 0.5, True, None, "float32", [])


def _is_tensor(draw: DrawFn) -> Scenario:
    """An array is none but to NumPy, whose tensors are arrays; of those nothing is asked."""
    w, truth = ProgramWriter(), draw(st.booleans())
    given: Argument = draw(st.sampled_from(_NO_TENSORS))
    if truth:
        dtype = draw(st.sampled_from(DTYPES))
        given = w.call("constant", w.array("x", _wide(draw, dtype)), dtype=dtype)
    w.observe("said", "keras.ops.is_tensor", given)
    test = is_one_of(truth)
    check = _check("what it says", Aspect.VALUE, "said", test, str(truth), "Returns")
    return _scenario("keras.ops.is_tensor", "a tensor" if truth else "no tensor", w, check)


def _made(draw: DrawFn, w: ProgramWriter) -> tuple[Ref, tuple[int | None, ...], str]:
    """A tensor, or a symbolic one that may lack dimensions; its shape and dtype."""
    dtype, shape = draw(st.sampled_from((*DTYPES, "bfloat16"))), a_shape(draw, 0, 4)
    if draw(st.booleans()):
        told = tuple(None if draw(st.booleans()) else length for length in shape)
        return w.call("placeholder", shape=told, dtype=dtype), told, dtype
    held = w.array("x", np.zeros(shape, "float32" if dtype == "bfloat16" else dtype))
    return w.call("constant", held, dtype=dtype), shape, dtype


def _dtype(draw: DrawFn) -> Scenario:
    w = ProgramWriter()
    tensor, _, dtype = _made(draw, w)
    w.observe("said", "keras.ops.dtype", tensor)
    check = _check("what it says", Aspect.VALUE, "said", is_one_of(dtype), dtype, "Returns")
    return _scenario("keras.ops.dtype", "a tensor", w, check)


def _shape(draw: DrawFn) -> Scenario:
    w = ProgramWriter()
    tensor, shape, _ = _made(draw, w)
    said = w.observe("said", "keras.ops.shape", tensor)
    w.observe("classes", "operator.classes", said)
    test = is_static_shape(shape)
    return _scenario(
        "keras.ops.shape",
        "a tensor",
        w,
        _check("what it says", Aspect.VALUE, "said", test, str(shape), "Returns"),
        _check("a tuple", Aspect.VALUE, "classes", is_a("tuple"), "a tuple", "Returns"),
    )


def _key(draw: DrawFn, length: int) -> Any:
    """A place or a part of an axis."""
    if draw(st.booleans()):
        return draw(st.integers(-length, length - 1))
    low = draw(st.one_of(st.none(), st.integers(0, length - 1)))
    high = draw(st.one_of(st.none(), st.integers((low or 0) + 1, length)))
    return slice(low, high, draw(_PACES))


_PACES = st.sampled_from((None, 1, 2))


def _keys(draw: DrawFn, shape: Sequence[int]) -> tuple[Any, ...]:
    count = draw(st.integers(1, len(shape)))
    keys = [_key(draw, length) for length in shape[:count]]
    if draw(st.integers(0, 3)) == 0:
        keys.insert(draw(st.integers(0, count)), None)
    return tuple(keys)


def _get_item(draw: DrawFn) -> Scenario:
    w = ProgramWriter()
    x = distinct(draw, a_shape(draw, 1, 3), draw(st.sampled_from(("float32", "float64", "int32"))))
    keys = _keys(draw, x.shape)
    written: list[Argument] = [
        w.call("operator.slice", key.start, key.stop, key.step) if isinstance(key, slice) else key
        for key in keys
    ]
    key = written[0] if len(keys) == 1 and draw(st.booleans()) else tuple(written)
    wanted, symbolic = x[keys], draw(st.booleans())
    held = w.array("x", x)
    if symbolic:
        tensor = w.call("placeholder", shape=x.shape, dtype=x.dtype.name)
    else:
        tensor = w.call("constant", held, dtype=x.dtype.name)
    part = w.call("keras.ops.get_item", tensor, key)
    checks = [*_part_checks(wanted, static=symbolic)]
    if symbolic:
        w.observe("static", "int_shape", part)
        w.observe("values", "operator.call", w.call("function", [tensor], [part]), [held])
    else:
        w.observe("values", "eval", part)
    title = "a symbolic tensor" if symbolic else "a tensor"
    return _scenario("keras.ops.get_item", title, w, *checks)


def _part_checks(wanted: Array, *, static: bool) -> Iterator[Check]:
    same, kept, dtype = is_array(wanted), has_dtype(wanted.dtype.name), wanted.dtype.name
    others = {"alternatives": OTHER_DTYPES}
    yield _check("the part", Aspect.VALUE, "values", same, shown(wanted), "Summary")
    yield _check("the dtype", Aspect.DTYPE, "values", kept, dtype, "Summary", **others)
    if static:
        shape, said = is_static_shape(wanted.shape), str(wanted.shape)
        yield _check("the shape", Aspect.STATIC_SHAPE, "static", shape, said, "Summary")


_SAME_SIZE = (("float32", "int32"), ("float64", "int64"), ("float16", "int16"), ("uint8", "int8"))


def _view(draw: DrawFn) -> Call:
    """Of dtypes of one size: what shape others have, the docstring does not say."""
    pair = draw(st.sampled_from(_SAME_SIZE))
    x = _wide(draw, pair[0])
    if draw(st.booleans()):
        return one({"x": x}, X, pair[1], gives=exact(x.view(pair[1]), pair[1]))
    held = x.view(pair[1])
    return one({"x": held}, X, dtype=pair[0], gives=exact(x, pair[0]))


BOTH = (Aspect.VALUE, Aspect.DTYPE)

FAMILIES: tuple[Family, ...] = (
    _family(
        "keras.ops.convert_to_tensor",
        _converting("convert_to_tensor", settled=True),
        *BOTH,
        share=4.0,
    ),
    _family("keras.ops.array", _converting("array", settled=False), *BOTH),
    _family("keras.ops.convert_to_numpy", _to_numpy, *BOTH),
    _family("keras.ops.is_tensor", _is_tensor),
    _family("keras.ops.dtype", _dtype),
    _family("keras.ops.shape", _shape),
    _family("keras.ops.get_item", _get_item, *BOTH, Aspect.STATIC_SHAPE, share=3.0),
    *families_of_calls([Function("keras.ops.view", _view, keeps_dtype=True)]),
)
