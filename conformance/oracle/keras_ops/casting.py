"""Functions that give numbers another dtype, read their bits as one, or leave them open.

All is exact. A float of few digits may lack the last integer of a dtype: any answer from its own
last number to the end is right there.

Source: the docstrings of `keras.ops`: `saturate_cast`, `view`, `convert_to_tensor` and `empty`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.dtypes import is_floating, limits
from conformance.oracle.evidence import Evidence
from conformance.oracle.expectation import Array
from conformance.oracle.introspection import cast


def saturated(x: Array, dtype: str) -> Array:
    """x, with the largest or the smallest number of a dtype where it is beyond that.

    Shapes: any x; the result has the shape of x.
    """
    if is_floating(dtype):
        info = limits(dtype)
        return np.clip(x, info.min, info.max)
    ends = np.iinfo(dtype)
    return np.clip(np.trunc(x) if x.dtype.kind == "f" else x, ends.min, ends.max)


def evidence_of_saturation(answer: Any, x: Any, dtype: Any) -> Any:
    """The answer, with NaN in place of an infinity that the input does not have.

    The end of the integers stands in place of the last number that the input's dtype has before
    it.
    """
    integers = np.dtype(answer.dtype).kind in "iu" and not str(dtype).endswith(
        ("float16", "float32", "float64")
    )
    if not integers or x.dtype.kind != "f":
        return np.where(np.isinf(answer) & np.isfinite(x), np.nan, answer)
    most = np.iinfo(dtype).max
    last = x.dtype.type(most)
    if np.isinf(last):  # all of its numbers are integers of the dtype
        return answer
    last = np.nextafter(last, x.dtype.type(0)) if float(last) > most else last
    return np.where((answer >= int(last)) & (x >= last), most, answer)


_VIEWS: Mapping[str, str] = {
    "float32": "int32",
    "int32": "float32",
    "float64": "int64",
    "int64": "float64",
    "float16": "int16",
    "int16": "float16",
    "uint8": "int8",
    "int8": "uint8",
}


def view(x: Array, dtype: str | None = None) -> Array:
    """The bits of the numbers, as another dtype of the same size reads them.

    Shapes: any x; the result has the shape of x and the dtype `dtype`, or else that of x.
    """
    if dtype is None:
        return x
    return np.ascontiguousarray(x.astype(_VIEWS[dtype])).view(dtype).reshape(x.shape)


def empty(shape: Sequence[int], **_: Any) -> Array:
    """The evidence of a tensor of any numbers."""
    return np.zeros(tuple(shape))


def evidence_of_any(answer: Any, **_: Any) -> Any:
    """Nothing of the numbers."""
    return np.zeros(answer.shape, answer.dtype)


def converted(x: Array, dtype: str | None = None, **_: Any) -> Array:
    """The numbers of a tensor, perhaps in another dtype.

    Shapes: any x; the result has the shape of x.
    """
    return x if dtype is None else np.asarray(cast(x, dtype))


ORACLES: Mapping[str, Callable[..., Array]] = {
    "saturate_cast": saturated,
    "view": view,
    "converted": converted,
    "empty": empty,
    "empty_like": lambda x, **_: empty(x.shape),
}
EVIDENCE: Mapping[str, Evidence] = {
    "saturate_cast": Evidence(
        evidence_of_saturation,
        "the numbers, with NaN for an infinity that the input lacks",
        elementwise=True,
    ),
    "empty": Evidence(evidence_of_any, "0 for each number"),
    "empty_like": Evidence(evidence_of_any, "0 for each number"),
}
