"""The one way from records to plain values: what JSON, other processes and readers of a file see.

NumPy computes findings, and msgspec does not accept its scalars as numbers, texts or truth values.
`plain_data` turns them into Python's own, whatever field they stand in.
"""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

import msgspec

R = TypeVar("R", bound=msgspec.Struct)
_BEYOND_ASCII = re.compile("[^\\x20-\\x7e\\n]")


def as_json(data: Any, indent: int = 1) -> bytes:
    """Records or plain values as JSON with an end of line: every JSON that the suite writes.

    A character that a terminal or an editor would hide or reorder is an escape. JSON itself allows
    control characters from U+007F on.
    """
    held = plain_data(data)
    try:
        encoded = msgspec.json.encode(held)
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(without_surrogates(held))
    text = msgspec.json.format(encoded, indent=indent).decode()
    return _BEYOND_ASCII.sub(_shown, text).encode() + b"\n"


def _shown(match: re.Match[str]) -> str:
    character = match[0]
    return character if character.isprintable() else json.dumps(character)[1:-1]


def without_surrogates(value: Any) -> Any:
    """The value with escapes for lone surrogates, which JSON cannot hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list | tuple):
        return [without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {without_surrogates(k): without_surrogates(v) for k, v in value.items()}
    return value


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
