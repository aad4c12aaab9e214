"""Introspection: the shape as a tensor, and casts between float types.

A cast to a float type is one rounding, which `expect` makes: the oracle gives the number itself.

Source: the documents' texts of `shape` and `cast`; IEEE 754 for the rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array


def shape(x: Array) -> Array:
    """The dimensions of x.

    Shapes: any x; the result is int64 (rank of x,).
    """
    return np.array(x.shape, np.int64)


def cast(x: Array, dtype: str) -> Any:
    """The numbers themselves; integers and bools exactly, in the widest float type. In a dtype of
    integers without what stands behind the point, and as truth values which are not 0."""
    if dtype == "bool":
        return x != 0
    if "int" in dtype:
        return x.astype(np.int64)
    return x if x.dtype.kind == "f" else x.astype(np.longdouble)


ORACLES: Mapping[str, Callable[..., Array]] = {"shape": shape, "cast": cast}
