"""What is known of one tensor of a program: the right numbers, and how far they may be off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The numbers that a correct implementation may have in one place of a program.

    Every element is within `reach` of `value`, which has the dtype and the shape of the tensor.
    `reach` is float64 of the same shape: 0 for the very number, infinity where nothing is known.
    Where `exact` is set, `reach` is 0 everywhere.
    """

    value: Array
    reach: npt.NDArray[np.float64]

    @property
    def exact(self) -> bool:
        """Whether every element is known."""
        return not self.reach.any()

    @property
    def scale(self) -> float:
        """The largest magnitude of the elements that are known; 0 if there is none."""
        if self.value.dtype.kind != "f" or not self.value.size:
            return 1.0
        return float(np.abs(self.value).max())

    @property
    def useless(self) -> bool:
        """Whether more than half of the digits of the largest element are lost somewhere.

        Of integers and truth values one that is not known is enough.
        """
        if not self.value.size or self.exact:
            return False
        if self.value.dtype.kind != "f":
            return True
        half = float(np.sqrt(np.finfo(self.value.dtype).eps)) * self.scale
        return not bool((self.reach <= half).all())


def exactly(value: Array) -> Known:
    """A tensor whose numbers are given."""
    return Known(value, np.zeros(value.shape))
