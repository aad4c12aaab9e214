"""Calls of keras.ops that scenarios make twice: of tensors, and of symbols with their shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conformance.scenarios.model import Array
from conformance.scenarios.recorder import Recorder, Result


@dataclass(frozen=True, slots=True, eq=False)
class TensorArgument:
    """A tensor among the arguments of a call."""

    name: str
    shape: tuple[int, ...]
    dtype: str = "float32"
    numbers: Sequence[float] = ()
    """Its elements, or the parts of complex ones; empty for the numbers from 1."""

    def of_backend(self, K: Recorder) -> Result:
        """The tensor; a complex one is made of the pairs of its parts."""
        if not self.dtype.startswith("complex"):
            return K.tensor(self.name, _numbered(self.shape, self.numbers, self.dtype))
        pairs = _numbered((*self.shape, 2), self.numbers, "float32")
        return K["keras.ops.view_as_complex"](K.tensor(f"{self.name}_parts", pairs)).named(
            self.name
        )

    def as_symbol(self, K: Recorder) -> Result:
        """A symbol of the shape and the dtype."""
        return K.placeholder(shape=self.shape, dtype=self.dtype)


def _numbered(shape: tuple[int, ...], numbers: Sequence[float], dtype: str) -> Array:
    elements = numbers or range(1, int(np.prod(shape)) + 1)
    return np.asarray(elements, "float64").reshape(shape).astype(dtype)


@dataclass(frozen=True, slots=True, eq=False)
class TwofoldCall:
    """A function with its arguments, in which a `TensorArgument` stands for each tensor."""

    function: str
    """Its name without the namespace `keras.ops`."""
    subject: str
    positional: Sequence[Any]
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def of_tensors(self, K: Recorder) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, with tensors of the backend."""
        return self.filled(lambda tensor: tensor.of_backend(K))

    def of_symbols(self, K: Recorder) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, with symbols of the same shapes and dtypes."""
        return self.filled(lambda tensor: tensor.as_symbol(K))

    def filled(
        self, make: Callable[[TensorArgument], Result]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, with the result of `make` in the place of each tensor."""
        positional = tuple(_replaced(part, make) for part in self.positional)
        return positional, {name: _replaced(part, make) for name, part in self.keywords.items()}


def _replaced(part: Any, make: Callable[[TensorArgument], Result]) -> Any:
    if isinstance(part, TensorArgument):
        return make(part)
    if isinstance(part, list | tuple):
        return type(part)(_replaced(item, make) for item in part)
    return part


def by_function(calls: Sequence[TwofoldCall]) -> Mapping[str, Sequence[TwofoldCall]]:
    """The calls of each function, by its whole name."""
    names = dict.fromkeys(f"keras.ops.{call.function}" for call in calls)
    return {
        name: [call for call in calls if f"keras.ops.{call.function}" == name] for name in names
    }
