"""Introspection: the shape as a tensor, and casts between float types.

A cast to a float type is one rounding, which `expect` makes: the oracle gives the number itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array


def shape(x: Array) -> Array:
    """The dimensions of x."""
    return np.array(x.shape, np.int64)


def cast(x: Array, dtype: str) -> Any:  # noqa: ARG001 - `expect` is told the dtype too
    """The numbers themselves; integers and bools exactly, in the widest float type."""
    return x if x.dtype.kind == "f" else x.astype(np.longdouble)


ORACLES: Mapping[str, Callable[..., Array]] = {"shape": shape, "cast": cast}
