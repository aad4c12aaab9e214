"""Calls with callables, whose results may be nested, as scenarios.

A call is made of tensors, compiled, and of symbolic tensors. A callable is written once, as an
expression: the program calls its functions, and NumPy computes the expected results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.editions import Edition
from conformance.program import Argument, Ref
from conformance.program import Function as Body
from conformance.program.model import COMPILED
from conformance.results import Aspect
from conformance.scenarios.checks import OTHER_DTYPES, Test, has_dtype, is_array, shown
from conformance.scenarios.checks import is_static_shape as is_static
from conformance.scenarios.composites import composite
from conformance.scenarios.drawn_arrays import FLOATS, a_shape
from conformance.scenarios.model import (
    KERAS_3,
    KERAS_3_DOCUMENT,
    Array,
    Check,
    Family,
    Scenario,
)
from conformance.scenarios.placing import arguments, placed
from conformance.scenarios.writing import FunctionWriter, ProgramWriter
from conformance.specs.convention_names import ConventionName

Expression = Any
"""A `Ref`, a number or a text, a list or tuple of expressions, or a `Do`."""


@dataclass(frozen=True, slots=True)
class Do:
    """A call in an expression, of `keras.ops.NAME` or of an operator."""

    name: str
    args: tuple[Expression, ...]


def do(name: str, *args: Expression) -> Do:
    """A call in an expression."""
    return Do(name, args)


def _windows(x: Array, sizes: tuple[int, ...]) -> Array:
    """The windows of the sizes on images, channels last, whose last axes are those of a window."""
    axes = tuple(range(1, 1 + len(sizes)))
    return np.lib.stride_tricks.sliding_window_view(x, sizes, axis=axes)


def _moved_sums(x: Array, kernel: Array) -> Array:
    """A convolution without padding: sums of products of a kernel and the places that it covers.

    Shapes: x (images, *lengths, channels), kernel (*sizes, channels, results).
    """
    sizes = kernel.shape[:-2]
    windows = np.moveaxis(_windows(x, sizes), len(sizes) + 1, -1)
    return np.tensordot(windows, kernel, len(sizes) + 1)


def _largest(x: Array, size: int, strides: int) -> Array:
    """The largest element of each square window of images, channels last, without padding."""
    windows = _windows(x, (size,) * (x.ndim - 2))
    places = (slice(None), *(slice(None, None, strides),) * (x.ndim - 2))
    largest: Array = windows[places].max(axis=tuple(range(-(x.ndim - 2), 0)))
    return largest


NUMPY: Mapping[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "square": np.square,
    "maximum": np.maximum,
    "less": np.less,
    "sum": np.sum,
    "max": np.max,
    "matmul": np.matmul,
    "argmax": np.argmax,
    "cumsum": np.cumsum,
    "expand_dims": np.expand_dims,
    "flip": np.flip,
    "moveaxis": np.moveaxis,
    "reshape": np.reshape,
    "roll": np.roll,
    "sort": np.sort,
    "swapaxes": np.swapaxes,
    "take": np.take,
    "tile": np.tile,
    "transpose": np.transpose,
    "conv": _moved_sums,
    "max_pool": _largest,
    "operator.getitem": lambda x, place: x[place],
}
"""The values of the functions of an expression."""


@dataclass(frozen=True, slots=True)
class Written:
    """A callable: its name, its parameters and its result."""

    name: str
    parameters: tuple[str, ...]
    returns: Expression

    @property
    def body(self) -> Body:
        """As an argument of a program."""
        w = FunctionWriter(self.name, *self.parameters)
        return w.returning(_written(w, self.returns))

    def of(self, outside: Mapping[str, Any]) -> Callable[..., Any]:
        """As a function of arrays that sees those from outside."""

        def called(*args: Any) -> Any:
            names = {**outside, **dict(zip(self.parameters, args, strict=True))}
            return _computed(self.returns, names)

        return called


def _written(w: FunctionWriter, part: Expression) -> Argument:
    if isinstance(part, Do):
        name = part.name if "." in part.name else f"keras.ops.{part.name}"
        return w.call(name, *(_written(w, argument) for argument in part.args))
    if isinstance(part, list | tuple):
        return type(part)(_written(w, item) for item in part)
    argument: Argument = part
    return argument


def _computed(part: Expression, names: Mapping[str, Any]) -> Any:
    match part:
        case Do():
            return NUMPY[part.name](*(_computed(argument, names) for argument in part.args))
        case list() | tuple():
            return type(part)(_computed(item, names) for item in part)
        case Ref():
            return names[part.name]
    return part


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A tensor in a result: the path to it, and the test of its value."""

    path: tuple[int, ...]
    shape: tuple[int, ...]
    test: Test
    _: KW_ONLY
    demands: str
    dtype: str | None = None
    """The dtype that it has in any case; None if that is not looked at."""


def leaves(expected: Any, dtype: str | None = None, path: tuple[int, ...] = ()) -> tuple[Leaf, ...]:
    """The tensors of a nested result, each settled to the last bit."""
    if isinstance(expected, list | tuple):
        parts = (leaves(item, dtype, (*path, k)) for k, item in enumerate(expected))
        return tuple(leaf for part in parts for leaf in part)
    right = np.asarray(expected)
    return (Leaf(path, right.shape, is_array(right), demands=shown(right), dtype=dtype),)


@dataclass(frozen=True, slots=True, eq=False)
class Nested:
    """The arguments of one call and the tensors that it gives."""

    tensors: Mapping[str, Array]
    """By the names under which the arguments refer to them."""
    args: tuple[Argument, ...]
    kwargs: Mapping[str, Argument] = field(default_factory=dict)
    _: KW_ONLY
    gives: tuple[Leaf, ...]
    outside: Mapping[str, Array] = field(default_factory=dict)
    """The tensors that callables use besides their arguments; they are never symbolic."""
    then: tuple[Argument, ...] | None = None
    """The arguments with which the result is called, if it is a function."""
    conventions: tuple[str, ...] = ()
    """Without which the docstring does not cover the call."""
    about: str = ""
    """Its special property, in words that are the same for every case."""


@dataclass(frozen=True, slots=True, eq=False)
class NestedFunction:
    """A function with the strategy of its calls."""

    name: str
    draw: Callable[[DrawFn], Nested]
    _: KW_ONLY
    section: str = "Returns"
    """The section of the docstring that says what the call gives."""
    settled_dtype: bool = False
    """Whether the docstring names the dtype; else another is a reading."""
    dtypes: bool = True
    """Whether dtypes are looked at."""
    compiled: bool = True
    symbolic: bool = True


def families(functions: Sequence[NestedFunction]) -> Iterator[Family]:
    """The scenarios of each function: of tensors, compiled, and of symbolic tensors."""
    for function in functions:
        value = {Aspect.VALUE}
        looked = value | {Aspect.DTYPE} if function.dtypes else value
        yield _family(function, looked, _eager, 2.0)
        if function.compiled:
            yield _family(function, looked, _compiled, 1.0)
        if function.symbolic:
            yield _family(function, looked | {Aspect.STATIC_SHAPE}, _symbolic, 1.0)


Maker = Callable[[NestedFunction, Nested, DrawFn], Scenario]


def _family(function: NestedFunction, aspects: set[Aspect], make: Maker, share: float) -> Family:
    @composite
    def drawn(draw: DrawFn) -> Scenario:
        return make(function, function.draw(draw), draw)

    def strategy(_: Edition) -> SearchStrategy[Scenario]:
        return drawn()

    return Family(function.name, frozenset(aspects), make=strategy, editions=KERAS_3, share=share)


def _eager(function: NestedFunction, call: Nested, _: DrawFn) -> Scenario:
    w = ProgramWriter()
    args, kwargs = arguments(call, _constants(w, {**call.outside, **call.tensors}))
    result = w.call(function.name, *args, **kwargs)
    return _observed(function, call, w, result, "tensors")


def _compiled(function: NestedFunction, call: Nested, draw: DrawFn) -> Scenario:
    w = ProgramWriter()
    args, kwargs = arguments(call, _constants(w, {**call.outside, **call.tensors}))
    result = w.call(COMPILED, function.name, draw(st.booleans()), *args, **kwargs)
    observed = _observed(function, call, w, result, "compiled")
    return replace(observed, conventions=(*observed.conventions, ConventionName.COMPILED_CALL))


def _observed(
    function: NestedFunction, call: Nested, w: ProgramWriter, result: Ref, title: str
) -> Scenario:
    if call.then is not None:
        made = {Ref(name): Ref(f"{name}_made") for name in call.tensors}
        result = w.call(
            "operator.call", result, *(placed(argument, made) for argument in call.then)
        )
    for place, leaf in enumerate(call.gives):
        w.observe(f"value_{place}", "eval", _at(w, result, leaf.path))
    return _scenario(function, call, w, title, [*_values(function, call)])


def _symbolic(function: NestedFunction, call: Nested, _: DrawFn) -> Scenario:
    w = ProgramWriter()
    constants = _constants(w, call.outside)
    for name, array in call.tensors.items():
        constants[Ref(name)] = w.named(
            f"{name}_made", "placeholder", shape=array.shape, dtype=array.dtype.name
        )
    args, kwargs = arguments(call, constants)
    result = w.call(function.name, *args, **kwargs)
    parts = [_at(w, result, leaf.path) for leaf in call.gives]
    for place, part in enumerate(parts):
        w.observe(f"static_{place}", "int_shape", part)
    symbols: list[Argument] = [constants[Ref(name)] for name in call.tensors]
    graph = w.call("function", symbols, [*parts])
    arrays: list[Argument] = [w.array(name, array) for name, array in call.tensors.items()]
    values = w.call("operator.call", graph, arrays)
    for place in range(len(parts)):
        w.observe(f"value_{place}", "operator.getitem", values, place)
    checks = [*_values(function, call), *_static(function, call)]
    return _scenario(function, call, w, "symbolic tensors", checks)


def _constants(w: ProgramWriter, arrays: Mapping[str, Array]) -> dict[Ref, Ref]:
    return {
        Ref(name): w.named(f"{name}_made", "constant", w.array(name, array), dtype=array.dtype.name)
        for name, array in arrays.items()
    }


def _at(w: ProgramWriter, result: Ref, path: Sequence[int]) -> Ref:
    for place in path:
        result = w.call("operator.getitem", result, place)
    return result


def _scenario(
    function: NestedFunction,
    call: Nested,
    w: ProgramWriter,
    title: str,
    checks: Sequence[Check],
) -> Scenario:
    return Scenario(
        function.name,
        f"{title}, {call.about}" if call.about else title,
        program=w.program(),
        arrays=w.arrays,
        checks=(*checks,),
        conventions=call.conventions,
        at={KERAS_3_DOCUMENT: function.section},
    )


def _values(function: NestedFunction, call: Nested) -> Iterator[Check]:
    at = {KERAS_3_DOCUMENT: function.section}
    for place, leaf in enumerate(call.gives):
        check = partial(Check, outputs=(f"value_{place}",), at=at)
        yield check("the results", Aspect.VALUE, test=leaf.test, demands=leaf.demands)
        if function.dtypes and leaf.dtype is not None:
            yield check(
                "the dtype is that of the input",
                Aspect.DTYPE,
                test=has_dtype(leaf.dtype),
                demands=leaf.dtype,
                alternatives=() if function.settled_dtype else OTHER_DTYPES,
            )


def _static(function: NestedFunction, call: Nested) -> Iterator[Check]:
    for place, leaf in enumerate(call.gives):
        yield Check(
            "the shape is known before",
            Aspect.STATIC_SHAPE,
            outputs=(f"static_{place}",),
            test=is_static(leaf.shape),
            demands=str(leaf.shape),
            at={KERAS_3_DOCUMENT: function.section},
        )


def a_number_dtype(draw: DrawFn) -> str:
    """float32, float64 or int32."""
    return draw(st.sampled_from((*FLOATS, "int32")))


def a_length(draw: DrawFn) -> int:
    """How many elements there are along the axis of a loop."""
    return draw(st.sampled_from((3, 1, 2, 4, 5, 7, 8, 9)))


def dims(draw: DrawFn, low: int = 0) -> tuple[int, ...]:
    """The shape of an element."""
    return a_shape(draw, low, 2, 3)


def stacked(rows: Sequence[Any]) -> Any:
    """The results of each row, stacked leaf by leaf."""
    if isinstance(rows[0], list | tuple):
        return type(rows[0])(stacked(column) for column in zip(*rows, strict=True))
    return np.stack(rows)
