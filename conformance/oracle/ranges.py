"""Between which numbers a result lies, whatever the numbers it is made of.

A function's definition bounds its result: an index is one along the axis, and no number has a
sigmoid of 3. So no reading of a convention about numbers allows an element beyond.

Source: each function's definition in its document.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]
Range = tuple[float, float]
"""The least and the greatest number that an element may be, both included."""

ANY: Range = (-math.inf, math.inf)
"""That of a function whose result may be any number."""
_PROBABILITY: Range = (0.0, 1.0)
_AT_LEAST_ZERO: Range = (0.0, math.inf)
_AT_MOST_ONE: Range = (-1.0, 1.0)


def _index(x: Any, axis: int | None = -1, **_: Any) -> Range:
    """The range of the index of an element along an axis; of all elements if there is none."""
    return 0.0, float((x.size if axis is None else x.shape[axis]) - 1)


_FIXED: Mapping[str, Range] = {
    **dict.fromkeys(("sigmoid", "hard_sigmoid", "softmax", "sparsemax"), _PROBABILITY),
    **dict.fromkeys(("abs", "square", "exp", "exp2", "softplus"), _AT_LEAST_ZERO),
    **dict.fromkeys(("var", "std", "nanvar", "nanstd", "moments.variance"), _AT_LEAST_ZERO),
    **dict.fromkeys(("norm", "hypot", "squareplus"), _AT_LEAST_ZERO),
    **dict.fromkeys(("tanh", "hard_tanh", "sin", "cos", "sign", "softsign", "erf"), _AT_MOST_ONE),
    "arctan": (-math.pi / 2, math.pi / 2),
    "arctan2": (-math.pi, math.pi),
    "angle": (-math.pi, math.pi),
    "cosh": (1.0, math.inf),
    "erfc": (0.0, 2.0),
    "relu6": (0.0, 6.0),
}
"""By the name of the oracle, of functions that are defined for all numbers: what `sqrt` and
`arcsin` give outside of their domains may be anything."""
_OF_CALL: Mapping[str, Callable[..., Range]] = {"argmax": _index, "argmin": _index}
"""The range of a call whose arguments decide it."""


def range_of(function: str, arguments: Mapping[str, Any]) -> Range:
    """The range of a call's elements; all numbers of a function that has no narrower one.

    `arguments` are those of `expect`.
    """
    rule = _OF_CALL.get(function)
    return rule(**arguments) if rule else _FIXED.get(function, ANY)


def in_range(got: npt.NDArray[Any], within: Range) -> Mask:
    """Which elements of an answer are in the range, or are not a number.

    A bound may be missed by half of the digits, as an answer that is badly computed may miss it.

    Shapes: any answer; the result is bool and has its shape.
    """
    if within == ANY or got.dtype.kind not in "fiu":
        return np.ones(got.shape, np.bool_)
    wide, (least, greatest) = np.asarray(got, np.float64), within
    slack = math.sqrt(np.finfo(got.dtype).eps) if got.dtype.kind == "f" else 0.0
    below = wide < least - slack * max(1.0, abs(least))
    above = wide > greatest + slack * max(1.0, abs(greatest))
    return np.asarray(~(below | above))
