"""How long the axes of tensors are: classes of lengths, and how many elements a tensor may have.

Implementations change their way of computing where vectors, cache lines, blocks and the shares of
threads end, and with the number of terms of a sum. So the classes lie around powers of two, where
a length may leave a remainder of one element, of none, or of all but one; the last class has more
terms than a block of 4,096.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

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

_FIRST = (0, 1, 2, 4, 7, 10, 15, 18, 31, 34, 63, 66, 127, 130, 4097)


def class_of(length: int) -> str:
    """The class of a length: one of `CLASSES`, or the gap between two of them, as `10-14`."""
    place = bisect_right(_FIRST, length)
    first, *after = _FIRST[place - 1 :]
    if not after:
        return f"{first}-"
    return str(first) if after[0] == first + 1 else f"{first}-{after[0] - 1}"


def size_class(shape: Sequence[int]) -> str:
    """The class of the longest axis; `0` if there are no elements, `1` for a scalar."""
    return class_of(0 if 0 in shape else max(shape, default=1))


def long_axis(shape: Sequence[int]) -> str:
    """Which axis is long: `none`, `only`, `first`, `middle`, `last`, or `several`."""
    places = [i for i, d in enumerate(shape) if d > SHORT]
    if len(places) != 1:
        return "several" if places else "none"
    if len(shape) == 1:
        return "only"
    return {0: "first", len(shape) - 1: "last"}.get(places[0], "middle")
