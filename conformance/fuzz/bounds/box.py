"""A call whose arguments are not known exactly: the box that they lie in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """A function and its wide arguments, each of whose tensors is known within a reach.

    `reach` has an array for every floating tensor among the arguments, or a list of them, and for
    tensors of integers and truth values one that is 0 or infinite. `value` is the wide value for
    the arguments themselves.
    """

    oracle: Callable[..., Array]
    arguments: Mapping[str, Any]
    reach: Mapping[str, Any]
    value: Array

    def tensor(self, name: str) -> tuple[Array, Array]:
        """A tensor and its reach."""
        return self.arguments[name], self.reach[name]

    def at(self, change: Callable[[str, Array, Array], Array]) -> Array:
        """The value after `change(name, x, reach)` was done to every floating tensor."""

        def moved(name: str, value: Any, reach: Any) -> Any:
            if isinstance(value, list):
                return [moved(name, v, r) for v, r in zip(value, reach, strict=True)]
            return change(name, value, reach) if value.dtype.kind == "f" else value

        made = {
            name: moved(name, value, self.reach[name]) if name in self.reach else value
            for name, value in self.arguments.items()
        }
        return np.asarray(self.oracle(**made))

    def known(self, *names: str) -> bool:
        """Whether these tensors are known exactly, where they are passed."""
        return not any(np.any(self.reach[name]) for name in names if name in self.reach)


def distance(a: Array, b: Array) -> Array:
    """|a - b| as floating numbers, 0 where both are the same, infinite where one is no number."""
    if a.dtype.kind == "b":
        return np.where(a == b, 0.0, np.inf)
    with np.errstate(invalid="ignore"):
        apart = np.abs(np.subtract(a, b, dtype=np.longdouble))
    apart = np.where(a == b, 0, apart)
    return np.where(np.isnan(apart), np.inf, apart)
