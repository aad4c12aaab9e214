"""Lay an array out in memory as an input asks for it; its numbers stay the same.

`conformance/program/layouts.py` of the suite prints the same expressions in scripts.
"""

from typing import Any, Callable, Dict

import numpy as np


def laid_out(array: Any, layout: str) -> Any:
    """A new array of the same numbers that lies in memory as `layout` says."""
    return LAYOUTS[layout](array)


def numbers(array: Any) -> bytes:
    """The numbers of an array as bytes, row by row, in the byte order of the processor."""
    native: bytes = array.astype(array.dtype.newbyteorder("=")).tobytes()
    return native


def same_numbers(held: Any, fed: Any) -> bool:
    """Whether two floating arrays have one shape and the same numbers, whatever the bits of NaN."""
    if held.shape != fed.shape:
        return False
    same = (held == fed) & (np.signbit(held) == np.signbit(fed))
    return bool(np.all(same | (np.isnan(held) & np.isnan(fed))))


def _read_only(array: Any) -> Any:
    frozen = array.copy()
    frozen.setflags(write=False)
    return frozen


def _unaligned(array: Any) -> Any:
    held = bytearray(1) + bytearray(array.tobytes())
    return np.frombuffer(held, array.dtype, offset=1).reshape(array.shape)


LAYOUTS: Dict[str, Callable[[Any], Any]] = {
    "c": lambda array: array.copy(),
    "fortran": lambda array: np.array(array, order="F"),
    "strided": lambda array: np.repeat(array, 2, axis=-1)[..., ::2],
    "reversed": lambda array: np.ascontiguousarray(array[..., ::-1])[..., ::-1],
    "read-only": _read_only,
    "swapped": lambda array: array.astype(array.dtype.newbyteorder()),
    "unaligned": _unaligned,
}
