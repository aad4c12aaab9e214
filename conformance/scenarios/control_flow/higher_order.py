"""Scenarios of map_fn, foldl and foldr."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.program import Function, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import agrees_with, has_dtype, is_array, of_other_dtypes
from conformance.scenarios.composites import composite
from conformance.scenarios.control_flow.graphs import GraphWriter, Test, item
from conformance.scenarios.model import Check, Family, Problem, Scenario, Values
from conformance.scenarios.writing import FunctionWriter
from conformance.specs.convention_names import ConventionName

Array = npt.NDArray[Any]
Lines = Mapping[str, int]
Dims = tuple[int, ...]

VALUES: Mapping[str, Lines] = {
    "map_fn": {"ja-2.0": 3339, "zh-TW": 1393, "ko-2.2": 3603},
    "foldl": {"ja-2.0": 3360, "zh-TW": 1407, "ko-2.2": 3626},
    "foldr": {"ja-2.0": 3381, "zh-TW": 1422, "ko-2.2": 3650},
}
INITIALIZERS: Mapping[str, Lines] = {
    "foldl": {"ja-2.0": 3366, "zh-TW": 1413, "ko-2.2": 3633},
    "foldr": {"ja-2.0": 3387, "zh-TW": 1428, "ko-2.2": 3657},
}
RESULTS: Mapping[str, Lines] = {
    "map_fn": {"ja-2.0": 3350, "zh-TW": 1401, "ko-2.2": 3614},
    "foldl": {"ja-2.0": 3371, "zh-TW": 1416, "ko-2.2": 3638},
    "foldr": {"ja-2.0": 3392, "zh-TW": 1431, "ko-2.2": 3662},
}


@dataclass(frozen=True)
class Callee:
    """A callable of (x) or (acc, x), and the shape of its result."""

    name: str
    make: Callable[[FunctionWriter], Function]
    _: KW_ONLY
    shape: Callable[[Dims], Dims] = lambda dims: dims
    """The shape of the result, given that of an element."""
    dtype: str | None = None


def _call(function: str, *args: Any) -> Callable[[FunctionWriter], Function]:
    """A callable that returns what one call gives; an argument may be such a call."""

    def written(w: FunctionWriter, function: str, *args: Any) -> Ref:
        made = [written(w, *a) if isinstance(a, tuple) else a for a in args]
        return w.call(function, *made)

    return lambda w: w.returning(written(w, function, *args))


X, ACC = Ref("x"), Ref("acc")
SQUARE = ("operator.mul", X, X)
HALF = ("operator.mul", ACC, 0.5)

MAPPED = (
    Callee("the square", _call(*SQUARE)),
    Callee("an affine function", _call("operator.sub", ("operator.mul", X, 0.5), Ref("outer"))),
    Callee("a sum", _call("sum", SQUARE), shape=lambda _: ()),
)
CASTS = tuple(Callee("a cast", _call("cast", X, d), dtype=d) for d in ("int32", "float64"))
FOLDED = (
    Callee("a difference", _call("operator.sub", ACC, X)),
    Callee("a discounted sum", _call("operator.add", HALF, X)),
    Callee("the sum", _call("operator.add", ACC, X)),
    Callee("a sum of sums", _call("operator.add", HALF, ("sum", X)), shape=lambda _: ()),
)


DIMS: tuple[Dims, ...] = ((2,), (), (3,), (2, 3), (1,), (3, 2), (1, 2))
"""Shapes of an element. Most hold several numbers, so that a wrong order shows."""


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
        """What the scenario is about."""
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

    def __init__(self, call: HigherOrderCall) -> None:
        self.call = call
        self.writer = w = GraphWriter(call.seed)
        numbers = w.numbers((call.length, *call.dims), call.dtype)
        if call.callee.dtype:
            numbers = np.rint(numbers * 4).astype(call.dtype)
        told = (call.length if call.known else None, *call.dims)
        self.tensors = [w.placeholder("elems", numbers, told)]
        keywords: dict[str, Any] = {"name": "applied"} if call.named else {}
        if call.callee.dtype:
            keywords["dtype"] = call.callee.dtype
        if call.initial:
            keywords["initializer"] = self._variable("start", call.callee.shape(call.dims))
        if call.callee.name == "an affine function":
            self._variable("outer", call.dims)
        self.result = w.call(call.function, self._callable(), self.tensors[0], **keywords)

    def _variable(self, name: str, shape: Dims) -> Ref:
        ref = self.writer.variable(name, self.writer.numbers(shape, self.call.dtype))
        self.tensors.append(ref)
        return ref

    def _callable(self) -> Function:
        parameters = ("x",) if self.call.function == "map_fn" else ("acc", "x")
        return self.call.callee.make(FunctionWriter("fn", *parameters))

    def scenario(self, checks: Sequence[Check]) -> Scenario:
        """The program as written so far, with these checks."""
        w, call = self.writer, self.call
        return Scenario(
            call.function, call.title, program=w.program(), arrays=w.arrays, checks=tuple(checks)
        )


def _values(call: HigherOrderCall) -> Scenario:
    built = HigherOrderProgram(call)
    (expect,) = built.writer.evaluate([built.result], [call.result])
    lines = VALUES[call.function]
    if call.function != "map_fn" and not call.initial:
        lines = INITIALIZERS[call.function]
    demands = "what the callable makes of the elements"
    test = item(0, agrees_with(expect))
    value = Check("value", Aspect.VALUE, outputs=("results",), test=test, demands=demands, at=lines)
    settled = call.callee.dtype is not None or call.initial
    others = () if settled else of_other_dtypes(lambda name: item(0, has_dtype(name)))
    test, demands = item(0, keeps_dtype(call.result)), f"a result in {call.result}"
    lines = RESULTS[call.function]
    dtype = Check(
        "dtype",
        Aspect.DTYPE,
        outputs=("results",),
        test=test,
        demands=demands,
        at=lines,
        alternatives=others,
    )
    return built.scenario([value, dtype])


def _static(call: HigherOrderCall) -> Scenario:
    built = HigherOrderProgram(call)
    lines = RESULTS[call.function]
    return built.scenario([built.writer.static_check(built.result, call.static, call.shape, lines)])


def _gradient(call: HigherOrderCall) -> Scenario:
    call = replace(call, dtype="float32")
    built = HigherOrderProgram(call)
    w = built.writer
    loss = w.weighted(built.result, call.shape, call.dtype)
    tensors = [(ref.name, ref) for ref in built.tensors]
    demands = "the derivative of the result"
    checks = w.gradient_checks(loss, tensors, call.dtype, demands, VALUES[call.function])
    return built.scenario(checks)


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


def _lengths(function: str, _edition: Edition) -> tuple[Scenario, ...]:
    """33 elements, and none."""
    return _values(_of_length(function, 33)), _none(function)


def _none(function: str) -> Scenario:
    """No element: nothing is mapped, and what is folded is the initializer."""
    call = _of_length(function, 0)
    built = HigherOrderProgram(call)
    w, mapped = built.writer, function == "map_fn"
    w.run([built.result])
    wanted = np.zeros(call.shape, call.dtype) if mapped else w.given["start"]
    check = Check(
        "no elements",
        Aspect.VALUE,
        outputs=("results",),
        test=item(0, is_array(wanted)),
        demands="an array without elements" if mapped else "the initializer",
        at=RESULTS[function] if mapped else INITIALIZERS[function],
        conventions=() if mapped else (ConventionName.EMPTY,),
    )
    found = built.scenario([check])
    return replace(found, title="no elements", conventions=(ConventionName.EMPTY,))


def _family(
    name: str,
    *aspects: Aspect,
    made: Callable[[HigherOrderCall], Scenario],
    share: float = 1.0,
    casts: bool = True,
) -> Family:
    def make(_edition: Edition) -> st.SearchStrategy[Scenario]:
        return _calls(name, casts=casts).map(made)

    return Family(
        name, frozenset(aspects), make=make, editions=("keras-2.0", "keras-2.2"), share=share
    )


FAMILIES = tuple(
    family
    for name in ("map_fn", "foldl", "foldr")
    for family in (
        _family(name, Aspect.VALUE, Aspect.DTYPE, made=_values),
        Family(
            name,
            frozenset({Aspect.VALUE, Aspect.DTYPE}),
            make=partial(_lengths, name),
            editions=("keras-2.0", "keras-2.2"),
        ),
        _family(name, Aspect.STATIC_SHAPE, made=_static, casts=False),
        _family(name, Aspect.GRADIENT, made=_gradient, share=0.5, casts=False),
    )
)
