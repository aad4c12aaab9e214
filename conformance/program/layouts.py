"""How arrays lie in memory: which layouts make a difference, and how a script makes them."""

from __future__ import annotations

import math
from collections.abc import Mapping

from conformance.dtypes import held_in
from conformance.program.model import Input, Layout


def matters(layout: Layout, item: Input) -> bool:
    """Whether an array for this input can lie in memory so, and otherwise than plain ones do."""
    if layout is Layout.READ_ONLY:
        return True
    if layout in (Layout.SWAPPED, Layout.UNALIGNED):
        return math.prod(item.shape) > 0 and held_in(item.dtype).itemsize > 1
    if layout is Layout.FORTRAN:
        return sum(d > 1 for d in item.shape) > 1 and 0 not in item.shape
    return layout is not Layout.C and item.shape[-1:] > (1,) and 0 not in item.shape


def relaid(name: str, layout: Layout) -> list[str]:
    """The statements that lay out the array called `name` so."""
    return [_STATEMENTS[layout].format(name)] if layout in _STATEMENTS else []


_STATEMENTS: Mapping[Layout, str] = {
    Layout.FORTRAN: "{0} = np.asfortranarray({0})",
    Layout.STRIDED: "{0} = np.repeat({0}, 2, axis=-1)[..., ::2]",
    Layout.REVERSED: "{0} = np.ascontiguousarray({0}[..., ::-1])[..., ::-1]",
    Layout.READ_ONLY: "{0}.setflags(write=False)",
    Layout.SWAPPED: "{0} = {0}.astype({0}.dtype.newbyteorder())",
    Layout.UNALIGNED: (
        "{0} = np.frombuffer(bytearray(1) + {0}.tobytes(), {0}.dtype, offset=1).reshape({0}.shape)"
    ),
}
