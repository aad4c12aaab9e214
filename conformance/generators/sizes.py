"""How long the axes of tensors are: classes of lengths, and how many elements a tensor may have.

Implementations change their way of computing where vectors, cache lines, blocks and the shares of
threads end, and with the number of terms of a sum. So the classes lie around powers of two, where
a length may leave a remainder of one element, of none, or of all but one; the last class has more
terms than a block of 4,096.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

Dims = tuple[int, ...]

CLASSES: Mapping[str, Dims] = {
    "0": (0,),
    "1": (1,),
    "2-3": (2, 3),
    "7-9": (7, 8, 9),
    "15-17": (15, 16, 17),
    "31-33": (31, 32, 33),
    "63-65": (63, 64, 65),
    "127-129": (127, 128, 129),
    "4097-": (4097, 4099, 4103),
}
"""The lengths that are drawn for each class that is wanted, the simplest first."""
LONG = tuple(CLASSES)[3:]
"""The classes of long axes, the shortest first."""
SHORT = 6
"""The longest axis that is no long one."""
ELEMENTS = 20_000
"""The most elements of a tensor, about, where a profile says nothing else."""

SIZES: Mapping[str, int] = {"0": 0, "1": 1, "2-6": SHORT, "7-33": 33}
"""The coarse classes of tensors by their longest axis, with the greatest length of each."""
LONGEST = "34-"
OF_SHORT = (*SIZES,)[:3]
"""The coarse classes of tensors without a long axis."""


@cache
def length_class(length: int) -> str:
    """The class of `CLASSES` to which a length is nearest."""
    return min(CLASSES, key=lambda name: _distance(length, CLASSES[name]))


def _distance(length: int, of_class: Dims) -> int:
    return max(of_class[0] - length, length - of_class[-1], 0)


def size_class(shape: Sequence[int]) -> str:
    """The coarse class of the longest axis; `0` if there are no elements, `1` for a scalar."""
    longest = 0 if 0 in shape else max(shape, default=1)
    return next((name for name, most in SIZES.items() if longest <= most), LONGEST)


def long_axis(shape: Sequence[int]) -> str:
    """Which axis is the longest: `first`, `inner` or `last`; `none` if there are several."""
    longest = max(shape, default=0)
    if shape.count(longest) != 1:
        return "none"
    place = shape.index(longest)
    return "first" if place == 0 else "last" if place == len(shape) - 1 else "inner"
