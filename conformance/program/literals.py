"""Arrays as Python source that gives the same numbers again, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def literal(array: npt.NDArray[np.generic]) -> str:
    """An expression over `np` for the array: every element is printed, none left out."""
    dtype = "bool" if array.dtype.kind == "b" else array.dtype.name
    if not array.size:
        return f"np.empty({array.shape!r}, dtype={dtype!r})"
    body = _elements(array)
    if "nan" in body or "inf" in body:
        body = body.replace("nan", "np.nan").replace("inf", "np.inf")
    return f"np.array({body}, dtype={dtype!r})"


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
