"""Arrays as Python source that gives the same numbers again, bit for bit."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt


def literal(array: npt.NDArray[np.generic]) -> str:
    """An expression over `np` for the array: every element is printed, none left out, unless all
    are the same number."""
    dtype = _dtype(array)
    if not array.size:
        return f"np.empty({array.shape!r}, dtype={dtype!r})"
    if array.size >= FEW and _is_uniform(array):
        return _uniform(array.shape, array.reshape(-1)[0], dtype)
    body = _elements(array)
    if "nan" in body or "inf" in body:
        body = body.replace("nan", "np.nan").replace("inf", "np.inf")
    return f"np.array({body}, dtype={dtype!r})"


def _is_uniform(array: npt.NDArray[np.generic]) -> bool:
    """Whether all elements are one number, to the bit."""
    uniform = np.full(array.shape, array.reshape(-1)[0], array.dtype)
    return uniform.tobytes() == array.tobytes()


def _uniform(shape: tuple[int, ...], value: Any, dtype: str) -> str:
    """`np.zeros`, `np.ones` or `np.full`."""
    number = _number(value)
    known = {"0.0": "zeros", "0": "zeros", "False": "zeros", "1.0": "ones", "1": "ones"}
    if number in known:
        return f"np.{known[number]}({shape!r}, dtype={dtype!r})"
    return f"np.full({shape!r}, {number}, dtype={dtype!r})"


def _elements(array: npt.NDArray[np.generic]) -> str:
    """The elements as nested lists, with enough digits to give the same numbers again."""
    if array.ndim:
        return "[" + ", ".join(_elements(np.asarray(part)) for part in array) + "]"
    if array.dtype.kind == "f":
        number: np.floating[Any] = array[()]  # type: ignore[assignment]
        if _needs_exponent(float(number)):
            return np.format_float_scientific(number, trim="0")
        return np.format_float_positional(number, trim="0")
    return repr(array.item())


def _needs_exponent(value: float) -> bool:
    return value != 0 and np.isfinite(value) and not 1e-4 <= abs(value) < 1e7


FEW = 4
"""The length from which a script does not list the elements of an array of one number."""
LONG = 200
"""The length from which a script writes an array by a formula, or packs it."""
_EXCEPTIONS = 8
"""How many elements of a long array may be written one by one."""
_WIDTH = 100


def assignment(name: str, array: npt.NDArray[np.generic]) -> list[str]:
    """Lines of Python over `np` that give `name` the array, bit for bit.

    A long array is one number except for a few elements, or counts from 0 to 99, or is packed: zlib
    and base64 of its bytes, which the lines import.
    """
    if array.size < LONG:
        return [f"{name} = {literal(array)}"]
    return _filled(name, array) or _counted(name, array) or _packed(name, array)


def _filled(name: str, array: npt.NDArray[np.generic]) -> list[str]:
    values, counts = np.unique(array.reshape(-1), return_counts=True)
    most = values[counts.argmax()]
    others = np.flatnonzero(array.reshape(-1) != most)
    if len(others) > _EXCEPTIONS:
        return []
    filled = np.full(array.shape, most)
    filled.reshape(-1)[others] = array.reshape(-1)[others]
    if filled.tobytes() != array.tobytes():  # NaN, or zeros of both signs
        return []
    lines = [f"{name} = {_uniform(array.shape, most, _dtype(array))}"]
    places = (np.unravel_index(i, array.shape) for i in others)
    return lines + [f"{name}[{', '.join(map(str, p))}] = {_number(array[p])}" for p in places]


def _counted(name: str, array: npt.NDArray[np.generic]) -> list[str]:
    counts = (np.arange(array.size) % 100).astype(array.dtype).reshape(array.shape)
    if counts.tobytes() != array.tobytes():
        return []
    counted = f"np.arange({array.size}) % 100"
    return [f"{name} = ({counted}).astype({_dtype(array)!r}).reshape({array.shape!r})"]


def _packed(name: str, array: npt.NDArray[np.generic]) -> list[str]:
    plain = np.ascontiguousarray(array)
    packed = zlib.compress(plain.astype(plain.dtype.newbyteorder("<")).tobytes(), 9)
    text = base64.b64encode(packed).decode()
    parts = [text[i : i + _WIDTH] for i in range(0, len(text), _WIDTH)]
    return [
        "import base64, zlib",
        f"{name} = (",
        *(f"    '{part}'" for part in parts),
        ")",
        f"{name} = np.frombuffer(zlib.decompress(base64.b64decode({name})), "
        f"dtype=np.dtype({_dtype(array)!r}).newbyteorder('<'))",
        f"{name} = {name}.astype({_dtype(array)!r}).reshape({array.shape!r})",
    ]


def _number(value: Any) -> str:
    text = _elements(np.asarray(value))
    return text.replace("nan", "np.nan").replace("inf", "np.inf")


def _dtype(array: npt.NDArray[np.generic]) -> str:
    return "bool" if array.dtype.kind == "b" else array.dtype.name
