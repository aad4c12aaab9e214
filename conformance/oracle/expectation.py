"""The records of the oracle: what is asked of a result, and what is answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Accuracy(Protocol):
    """How exact a function must be: the class and its number, held in the spec.

    `kind` is `exact`, `ulp` (needs `limit`, in units in the last place), `contraction` (a-priori
    bound, no number) or `conditioned` (needs `factor`, a pure number). The record of a kind need
    not have the number of another.
    """

    @property
    def kind(self) -> Any:
        """One of the four names, as a string or a string enumeration."""


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """The right answer, and how far a correct implementation may stray from it.

    `value` has the shape that a correct implementation must give: float64 for floating results,
    int64 or bool for others. `bound` is float64 of the same shape: 0 asks for the very value (a
    NaN for a NaN, an infinity for the same infinity), infinity for nothing (no order of
    evaluation is demanded, and some orders overflow). `dtype` is the result dtype.
    """

    value: Array
    bound: npt.NDArray[np.float64]
    dtype: str
