"""Records that make up a program. All are immutable and compare by value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt


class Binding(StrEnum):
    """How an input reaches the implementation."""

    VARIABLE = "variable"
    """`K.variable(value, dtype=...)`; new values go in with `K.set_value`."""
    CONSTANT = "constant"
    """`K.constant(value, dtype=...)`; new values need a new graph."""
    PLACEHOLDER = "placeholder"
    """`K.placeholder(shape=..., dtype=...)` with every dimension known."""
    PLACEHOLDER_NONE = "placeholder_none"
    """`K.placeholder(shape=(None, ...), dtype=...)` with every dimension unknown."""
    ARRAY = "array"
    """The NumPy array itself, for functions whose argument is a value, not a tensor."""


@dataclass(frozen=True, slots=True)
class Input:
    """One named input: run-time shape, dtype name and how it is bound."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    binding: Binding
    arguments: tuple[tuple[str, Argument], ...] | None = None
    """Keyword arguments of the call that makes it, where they are not the usual ones."""

    @property
    def static_shape(self) -> tuple[int | None, ...]:
        """The shape that an implementation is told when the graph is built."""
        if self.binding is Binding.PLACEHOLDER_NONE:
            return (None,) * len(self.shape)
        return self.shape


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to an input or to the result of an earlier step."""

    name: str


Argument = Ref | int | float | bool | str | None | tuple[Any, ...] | list[Any]
"""A `Ref`, a Python scalar, or a tuple or list of arguments (a list stays a list)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One call: `result = K.function(*args, **kwargs)`."""

    result: str
    function: str
    args: tuple[Argument, ...]
    kwargs: tuple[tuple[str, Argument], ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """Inputs, steps in order, and the names of the results to observe."""

    inputs: tuple[Input, ...]
    steps: tuple[Step, ...]
    outputs: tuple[str, ...]

    def input(self, name: str) -> Input:
        """The input called `name`; KeyError if there is none."""
        for candidate in self.inputs:
            if candidate.name == name:
                return candidate
        raise KeyError(name)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A program with the arrays of its inputs, by input name."""

    program: Program
    arrays: Mapping[str, npt.NDArray[np.generic]]
