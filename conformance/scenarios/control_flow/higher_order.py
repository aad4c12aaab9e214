"""Scenarios of map_fn, foldl and foldr."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.program import Ref
from conformance.results import Aspect
from conformance.scenarios.checks import Test, agrees_with, has_dtype, is_array, of_other_dtypes
from conformance.scenarios.composites import composite
from conformance.scenarios.control_flow.graphs import Graph, expect_static, item
from conformance.scenarios.model import KERAS_2, Problem, Values
from conformance.scenarios.recorder import Book, Lines, Recorder, Result
from conformance.specs.convention_names import ConventionName

BOOK = Book()
Dims = tuple[int, ...]

VALUES: dict[str, Lines] = {
    "map_fn": {"ja-2.0": 3339, "zh-TW": 1393, "ko-2.2": 3603},
    "foldl": {"ja-2.0": 3360, "zh-TW": 1407, "ko-2.2": 3626},
    "foldr": {"ja-2.0": 3381, "zh-TW": 1422, "ko-2.2": 3650},
}
INITIALIZERS: dict[str, Lines] = {
    "foldl": {"ja-2.0": 3366, "zh-TW": 1413, "ko-2.2": 3633},
    "foldr": {"ja-2.0": 3387, "zh-TW": 1428, "ko-2.2": 3657},
}
RESULTS: dict[str, Lines] = {
    "map_fn": {"ja-2.0": 3350, "zh-TW": 1401, "ko-2.2": 3614},
    "foldl": {"ja-2.0": 3371, "zh-TW": 1416, "ko-2.2": 3638},
    "foldr": {"ja-2.0": 3392, "zh-TW": 1431, "ko-2.2": 3662},
}


@dataclass(frozen=True)
class Callee:
    """A callable of (x) or (acc, x), and the shape of its result."""

    name: str
    of: Callable[[Recorder], Callable[..., Result]]
    _: KW_ONLY
    shape: Callable[[Dims], Dims] = lambda dims: dims
    """The shape of the result, given that of an element."""
    dtype: str | None = None


MAPPED = (
    Callee("the square", lambda _: lambda x: x * x),
    Callee("an affine function", lambda _: lambda x: x * 0.5 - Ref("outer")),
    Callee("a sum", lambda K: lambda x: K.sum(x * x), shape=lambda _: ()),
)
CASTS = (
    Callee("a cast", lambda K: lambda x: K.cast(x, "int32"), dtype="int32"),
    Callee("a cast", lambda K: lambda x: K.cast(x, "float64"), dtype="float64"),
)
FOLDED = (
    Callee("a difference", lambda _: lambda acc, x: acc - x),
    Callee("a discounted sum", lambda _: lambda acc, x: acc * 0.5 + x),
    Callee("the sum", lambda _: lambda acc, x: acc + x),
    Callee("a sum of sums", lambda K: lambda acc, x: acc * 0.5 + K.sum(x), shape=lambda _: ()),
)


DIMS: tuple[Dims, ...] = ((2,), (), (3,), (2, 3), (1,), (3, 2), (1, 2))
"""Shapes of an element. Most hold several numbers, and thereby show a wrong order."""


@dataclass(frozen=True)
class HigherOrderCall:
    """One call of map_fn, foldl or foldr."""

    function: str
    callee: Callee
    _: KW_ONLY
    length: int
    dims: Dims
    known: bool
    """Whether the placeholder is given the length of its first axis."""
    named: bool
    initial: bool
    """Whether there is an initializer."""
    dtype: str
    seed: int

    @property
    def title(self) -> str:
        """The subject of the scenario."""
        words = f"{self.callee.name} on elements of rank {len(self.dims)}"
        return f"{words}, with an initializer" if self.initial else words

    @property
    def shape(self) -> Dims:
        """The shape of the result."""
        element = self.callee.shape(self.dims)
        return (self.length, *element) if self.function == "map_fn" else element

    @property
    def static(self) -> tuple[int | None, ...]:
        """The static shape of the result, given what the placeholder knows."""
        unknown = self.function == "map_fn" and not self.known
        return (None, *self.shape[1:]) if unknown else self.shape

    @property
    def result(self) -> str:
        """The dtype of the result."""
        return self.callee.dtype or self.dtype


class HigherOrderProgram:
    """The program of a call, up to its result."""

    def __init__(self, K: Recorder, call: HigherOrderCall) -> None:
        self.call, self.graph = call, Graph(K, call.seed)
        numbers = self.graph.numbers((call.length, *call.dims), call.dtype)
        if call.callee.dtype:
            numbers = np.rint(numbers * 4).astype(call.dtype)
        static = (call.length if call.known else None, *call.dims)
        elements = self.graph.placeholder("elems", numbers, static)
        keywords: dict[str, Any] = {"name": "applied"} if call.named else {}
        if call.callee.dtype:
            keywords["dtype"] = call.callee.dtype
        if call.initial:
            keywords["initializer"] = self._variable("start", call.callee.shape(call.dims))
        if call.callee.name == "an affine function":
            self._variable("outer", call.dims)
        callee = K.body("fn", call.callee.of(K))
        self.result = K[K.tested](callee, elements, **keywords)
        K.title = call.title

    def _variable(self, name: str, shape: Dims) -> Result:
        return self.graph.variable(name, self.graph.numbers(shape, self.call.dtype))


FUNCTIONS = ("map_fn", "foldl", "foldr")
BOTH = ("", Aspect.VALUE, Aspect.DTYPE)


@BOOK.scenario(FUNCTIONS, *BOTH, editions=KERAS_2)
def values(K: Recorder, draw: st.DrawFn) -> None:
    """The results of calls of every kind."""
    expect_values(K, draw(_calls(K.tested)))


def expect_values(K: Recorder, call: HigherOrderCall) -> None:
    """The result of a call, and its dtype."""
    program = HigherOrderProgram(K, call)
    (expect,) = program.graph.evaluate([program.result], [call.result])
    initial = call.function == "map_fn" or call.initial
    at = VALUES[call.function] if initial else INITIALIZERS[call.function]
    demands = "what the callable makes of the elements"
    K.expect("value", "results", item(0, agrees_with(expect)), demands, at=at)
    settled = call.callee.dtype is not None or call.initial
    K.expect(
        "dtype",
        "results",
        item(0, keeps_dtype(call.result)),
        f"a result in {call.result}",
        aspect=Aspect.DTYPE,
        at=RESULTS[call.function],
        alternatives=() if settled else of_other_dtypes(lambda name: item(0, has_dtype(name))),
    )


def keeps_dtype(dtype: str) -> Test:
    """The result is an array of that dtype, or a Python number, which has no dtype."""

    def test(values: Values) -> Problem | None:
        plain = {v.python_type for v in values} <= {"float", "int", "bool"}
        return None if plain else has_dtype(dtype)(values)

    return test


@composite
def _calls(draw: st.DrawFn, function: str, *, casts: bool = True) -> HigherOrderCall:
    mapped = function == "map_fn"
    # rarely the last, which needs an initializer, because the others show whether it is used; often
    # differences, because they show with what an accumulation starts
    offered = MAPPED + CASTS * casts if mapped else 2 * FOLDED[:1] + FOLDED[:-1] + FOLDED
    callee = draw(st.sampled_from(offered))
    # a sum needs an axis; a fold with it keeps its shape only if it starts with a scalar
    sums = callee.shape((2,)) == ()
    needed = sums and not mapped
    return HigherOrderCall(
        function,
        callee,
        length=draw(st.sampled_from([3, 2, 4, 1, 33])),
        dims=draw(st.sampled_from([d for d in DIMS if d or not sums])),
        known=draw(st.booleans()),
        named=draw(st.booleans()),
        initial=needed or (not mapped and draw(st.sampled_from((True, False)))),
        dtype="float32"
        if callee.dtype
        else draw(st.sampled_from(["float32", "float32", "float64"])),
        seed=draw(st.integers(0, 2**16)),
    )


def _of_length(function: str, length: int) -> HigherOrderCall:
    """A call on so many elements, with a callable that shows their order."""
    mapped = function == "map_fn"
    return HigherOrderCall(
        function,
        MAPPED[0] if mapped else FOLDED[1],
        length=length,
        dims=(2,),
        known=True,
        named=False,
        initial=not mapped,
        dtype="float32",
        seed=length,
    )


@BOOK.scenario(FUNCTIONS, *BOTH, editions=KERAS_2)
def many_elements(K: Recorder) -> None:
    """33 elements."""
    expect_values(K, _of_length(K.tested, 33))


def _initializers(function: str) -> tuple[bool, ...]:
    return (False,) if function == "map_fn" else (True, False)


@BOOK.scenario(FUNCTIONS, *BOTH, editions=KERAS_2, initial=_initializers)
def one_element(K: Recorder, initial: bool) -> None:
    """A single element: a fold without an initializer gives the element itself."""
    expect_values(K, replace(_of_length(K.tested, 1), initial=initial))


@BOOK.scenario(FUNCTIONS, "", editions=KERAS_2)
def no_elements(K: Recorder) -> None:
    """No element: nothing is mapped, and a fold returns the initializer."""
    call, mapped = _of_length(K.tested, 0), K.tested == "map_fn"
    program = HigherOrderProgram(K, call)
    program.graph.run([program.result])
    zeros, empty = np.zeros(call.shape, call.dtype), (ConventionName.EMPTY,)
    expected = zeros if mapped else program.graph.values["start"]
    K.title, K.conventions = "no elements", empty
    K.expect(
        "no elements",
        "results",
        item(0, is_array(expected)),
        "an array without elements" if mapped else "the initializer",
        at=RESULTS[K.tested] if mapped else INITIALIZERS[K.tested],
        conventions=() if mapped else empty,
    )


@BOOK.scenario(FUNCTIONS, "", Aspect.STATIC_SHAPE, editions=KERAS_2)
def static_shapes(K: Recorder, draw: st.DrawFn) -> None:
    """The static shape of the result."""
    call = draw(_calls(K.tested, casts=False))
    result = HigherOrderProgram(K, call).result
    expect_static(K, result, call.static, call.shape, RESULTS[K.tested])


@BOOK.scenario(FUNCTIONS, "", Aspect.GRADIENT, editions=KERAS_2, share=0.5)
def gradients(K: Recorder, draw: st.DrawFn) -> None:
    """The gradients by the elements, the initializer, and a tensor from outside."""
    call = replace(draw(_calls(K.tested, casts=False)), dtype="float32")
    program = HigherOrderProgram(K, call)
    graph = program.graph
    tensors = {name: name for name in graph.values}
    loss = graph.weighted(program.result, call.shape, call.dtype)
    demands, at = "the derivative of the result", VALUES[K.tested]
    graph.expect_gradients(loss, tensors, call.dtype, demands, at=at)


FAMILIES = BOOK.families
