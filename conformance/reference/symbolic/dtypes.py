"""Names of the dtypes."""

from __future__ import annotations

from typing import Any

FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = (*FLOATS, *INTEGERS, "bool")


def dtype_name(dtype: Any, default: str, where: str) -> str:
    """A valid dtype name, or the default for None; ValueError for anything else."""
    if dtype is None:
        return default
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ValueError(f"{where}: dtype is {dtype!r}; write one of {', '.join(DTYPES)}")
    return dtype
