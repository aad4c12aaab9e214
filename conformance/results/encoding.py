"""The one way from records to plain values: what JSON, other processes and readers of a file see.

Findings are computed with NumPy, whose scalars are no numbers, texts or truth values to msgspec.
`plain_data` turns them into Python's own, whatever field they stand in.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

R = TypeVar("R", bound=msgspec.Struct)


def plain_data(record: object) -> Any:
    """A record, or several, as dictionaries, lists, texts, numbers, truth values and None.

    Raises:
        TypeError: a field holds something that a file has no value for, such as a whole array.
    """
    return msgspec.to_builtins(record, enc_hook=_plain_value)


def plain(record: R) -> R:
    """The same record with Python's own values alone.

    Raises:
        TypeError: a field holds something that a file has no value for.
        msgspec.ValidationError: a field holds a value of another type than its own.
    """
    return msgspec.convert(plain_data(record), type(record))


def _plain_value(value: object) -> object:
    """Python's own value for a scalar of NumPy's, or for an array of rank 0."""
    import numpy as np  # noqa: PLC0415 - most records hold nothing of NumPy's

    if not isinstance(value, np.generic | np.ndarray) or np.ndim(value):
        message = f"a record cannot hold {type(value).__name__}"
        raise TypeError(message)
    own = value.item()
    return float(own) if isinstance(own, np.generic) else own  # a long double is its own item
