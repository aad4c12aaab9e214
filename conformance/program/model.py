"""Records that make up a program. All are immutable and compare by value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Outputs = Literal["tensors", "lists", "values"]
"""The kind of a program's outputs: tensors, lists of tensors, or values that are known."""
COMPILED = "compiled"
"""The function of a mapping that is called with the name of a function, `whole`, and its arguments:
see `conformance/adapters/mappings/keras3_ops.toml`."""
DIFFERENTIATED = "differentiated"
"""The same with the name of a function, weights, the tensors by which it is differentiated, and its
arguments. It differentiates the first result, if the function has several."""
BACKEND = "{backend}"
"""Stands for the name of the target's own backend in texts of a program and its configuration."""


class Binding(StrEnum):
    """How an input reaches the implementation."""

    VARIABLE = "variable"
    """`K.variable(value, dtype=...)`; new values go in with `K.set_value`."""
    CONSTANT = "constant"
    """`K.constant(value, dtype=...)`; new values need a new graph."""
    PLACEHOLDER = "placeholder"
    """`K.placeholder(shape=..., dtype=...)` with every dimension known."""
    PLACEHOLDER_NONE = "placeholder_none"
    """`K.placeholder(shape=(None, ...), dtype=...)`, with every dimension unknown unless the
    input's `arguments` have another shape."""
    ARRAY = "array"
    """The NumPy array itself, for functions whose argument is a value, not a tensor."""
    PYTHON = "python"
    """The array's numbers as Python has them: one number, or a list of lists of numbers."""


AS_THEY_ARE = (Binding.ARRAY, Binding.PYTHON)
"""Bindings of inputs that no function of the implementation makes."""


class Layout(StrEnum):
    """How the array that is given for an input lies in memory. Its numbers are the same."""

    C = "c"
    """Row by row, writeable and aligned, in the byte order of the processor."""
    FORTRAN = "fortran"
    """Column by column."""
    STRIDED = "strided"
    """A view of every second element along the last axis."""
    REVERSED = "reversed"
    """A view with a step of -1 along the last axis."""
    READ_ONLY = "read-only"
    """An array that cannot be written to."""
    SWAPPED = "swapped"
    """Elements in the other byte order."""
    UNALIGNED = "unaligned"
    """Elements at addresses that are no multiples of their size."""


@dataclass(frozen=True, slots=True)
class Input:
    """One named input: run-time shape, dtype name, how it is bound, and its array's layout."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    binding: Binding
    arguments: tuple[tuple[str, Argument], ...] | None = None
    """Keyword arguments of the call that makes it, if they are not the usual ones."""
    layout: Layout = field(default=Layout.C, repr=False)
    """How the array lies in memory. Not part of the text that numbers are seeded with."""

    def bound(self, binding: Binding) -> Input:
        """The same input, made in another way. An argument that is an array stays one."""
        if self.binding in AS_THEY_ARE:
            return self
        # what a placeholder is made with is not what a variable is made with
        return replace(self, binding=binding, arguments=None)

    def of_dtype(self, dtype: str) -> Input:
        """The same input with another dtype, also in the arguments of the call that makes it."""
        arguments = tuple((k, dtype if k == "dtype" else v) for k, v in self.arguments or ())
        return replace(self, dtype=dtype, arguments=None if self.arguments is None else arguments)

    @property
    def static_shape(self) -> tuple[int | None, ...]:
        """The shape that an implementation knows while it builds the graph."""
        if self.binding is not Binding.PLACEHOLDER_NONE:
            return self.shape
        shape: Any = dict(self.arguments or ()).get("shape")
        return (None,) * len(self.shape) if shape is None else tuple(shape)


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to an input or to the result of an earlier step."""

    name: str


@dataclass(frozen=True, slots=True)
class Function:
    """A callable given as an argument, such as the step function of `rnn`.

    Its steps see its parameters, the results of its own earlier steps, and whatever the program
    has made by then. `returns` is what it returns: a `Ref`, or a tuple or list with some.
    """

    name: str
    parameters: tuple[str, ...]
    steps: tuple[Step, ...]
    returns: Argument


@dataclass(frozen=True, slots=True)
class Made:
    """Integers in another form than a number, a tuple or a list: `kind` of `items`.

    A `range`, a `set` or an `iterator` (of Python); an `int64` (of NumPy, of one item); or a tensor
    of the dtype int32 and rank 1 that `K.constant` or `K.variable` makes: a `constant` or a
    `variable`.
    """

    kind: str
    items: tuple[int, ...]

    @property
    def value(self) -> int | list[int]:
        """What it stands for: a number, or a list of numbers."""
        return self.items[0] if self.kind == "int64" else list(self.items)


TENSORS_OF_INTEGERS = ("constant", "variable")
"""The kinds of `Made` that are tensors."""

Argument = Ref | Function | Made | int | float | bool | str | None | tuple[Any, ...] | list[Any]
"""A `Ref`, a `Function`, a `Made`, a Python scalar, or a tuple or list of arguments (a list stays a
list)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call: `result = K.function(*args, **kwargs)`.

    `function` may also be `operator.NAME` (what Python does with the arguments, one of `OPERATORS`;
    `operator.call` for calling what an earlier step made, `operator.getitem` for a part of it),
    `printed.call` (as `operator.call`; the result is the end of what the call prints, to standard
    output and standard error, as a text) or `keras.NAME` (something else of the package that the
    implementation belongs to, such as `keras.layers.Input`).

    Where `attempt` is set, an exception does not end the program: the result is the text
    "raises " with the names of its classes, nearest first, or "returns".
    """

    result: str
    function: str
    args: tuple[Argument, ...]
    kwargs: tuple[tuple[str, Argument], ...] = ()
    attempt: bool = False

    def mentions(self) -> frozenset[str]:
        """The inputs and results that its arguments refer to, outside callables."""
        return frozenset(_mentioned([*self.args, *(value for _, value in self.kwargs)]))


OPERATORS = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "truediv": "{} / {}",
    "pow": "{} ** {}",
    "neg": "-{}",
    "getitem": "{}[{}]",
    "eq": "{} == {}",
    "is_": "{} is {}",
    "classes": "' '.join(c.__name__ for c in type({}).__mro__)",
    "attribute": "getattr({}, {})",
    "name": "str(getattr({}, 'name', None) or '')",
    "range": "range({}, {})",
    "set": "set({})",
    "iter": "iter({})",
    "slice": "slice({}, {}, {})",
}
"""Operators that a step may use besides `call`, with the way they are written: those of Python's
`operator` module, then what a result is, a part of it by name, the name that it has, if any,
iterables of integers, and a slice."""


@dataclass(frozen=True, slots=True)
class Program:
    """Inputs, steps in order, and the names of the results to observe."""

    inputs: tuple[Input, ...]
    steps: tuple[Step, ...]
    outputs: tuple[str, ...]

    def input(self, name: str) -> Input:
        """The input called `name`.

        Raises:
            KeyError: no input has this name.
        """
        for candidate in self.inputs:
            if candidate.name == name:
                return candidate
        raise KeyError(name)

    def functions(self) -> frozenset[str]:
        """The functions of `K` that steps call, also those in callables."""
        called = {name for step in self.steps for name in _called(step)}
        return frozenset(name for name in called if "." not in name)


def _mentioned(part: Argument) -> Iterator[str]:
    match part:
        case Ref():
            yield part.name
        case tuple() | list():
            for item in part:
                yield from _mentioned(item)


def _called(part: Step | Argument) -> Iterator[str]:
    match part:
        case Step():
            yield part.function
            yield from _called([*part.args, *(value for _, value in part.kwargs)])
        case Function():
            yield from _called([part.returns])
            for step in part.steps:
                yield from _called(step)
        case tuple() | list():
            for item in part:
                yield from _called(item)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A program with the arrays of its inputs, by input name."""

    program: Program
    arrays: Mapping[str, npt.NDArray[np.generic]]
