"""The record of an answer: the value and how far a correct implementation may stray from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """The right answer, and how far a correct implementation may stray from it.

    `value` has the shape that a correct implementation must give: float64 for floating results,
    int64 or bool for others. `bound` is float64 of the same shape: 0 asks for the very value (a
    NaN for a NaN, an infinity for the same infinity), infinity for nothing (no order of
    evaluation is demanded, and some orders overflow). `dtype` is the result dtype, and each element
    is a sum of so many `terms`.
    """

    value: Array
    bound: npt.NDArray[np.float64]
    dtype: str
    terms: int = 1
