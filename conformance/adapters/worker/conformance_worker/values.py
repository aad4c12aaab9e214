"""Turn what an implementation returned into arrays, grouped over the draws."""

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
from numpy import array as _array
from numpy import concatenate as _concatenate

from .frames import KINDS
from .limits import (
    MOST_ANSWER_BYTES,
    MOST_NAME,
    MOST_TEXT,
    MOST_VALUE_BYTES,
    class_name,
    cut,
    text_of,
)

Value = NamedTuple(
    "Value",
    [
        ("array", Any),
        ("dtype", str),
        ("type", str),
        ("problem", Optional[str]),
        ("text", Optional[str]),
        ("shape", Optional[Tuple[int, ...]]),
    ],
)
"""`shape` is that of an array that is too large for an answer."""

_PLAIN = (np.ndarray, np.generic, bool, int, float, complex, str, bytes, type(None))


def is_plain(result: Any) -> bool:
    """Whether `result` is a value already, and no tensor that must be evaluated.

    That is a number, a text, an array, or an object of one of Python's own classes, such as a map.
    """
    return isinstance(result, _PLAIN) or type(result).__module__ == "builtins"


def flatten(result: Any) -> List[Any]:
    """The tensors or values in `result`, from left to right."""
    if isinstance(result, (list, tuple)):
        return [item for part in result for item in flatten(part)]
    return [result]


def read(result: Any) -> Value:
    """A copy of the value: an implementation may write the next value to the same memory."""
    array = _array(result)
    dtype = array.dtype
    if dtype.isbuiltin == 2:
        # a dtype that a library has registered, such as bfloat16: NumPy cannot read its .npy
        array = array.astype(np.float32)
    elif dtype.kind not in KINDS:
        problem = "an array of {} is not numeric".format(text_of(dtype, MOST_NAME))
        text = cut(result, MOST_TEXT) if isinstance(result, str) else None
        return Value(None, text_of(dtype, MOST_NAME), class_name(type(result)), problem, text, None)
    return Value(array, dtype.name, class_name(type(result)), None, None, None)


class Columns(object):
    """The values of a batch: a column for each item of each output, grouped by shape and dtype."""

    def __init__(self) -> None:
        self._columns: Dict[Tuple[str, int], Dict[Any, Tuple[List[int], List[Any]]]] = {}
        self._bytes = 0

    def add(self, draw: int, output: str, item: int, value: Value) -> None:
        """Add the value of one draw."""
        value = self._bounded(value)
        column = self._columns.setdefault((output, item), {})
        key = (None if value.array is None else value.array.shape, value[1:])
        draws, arrays = column.setdefault(key, ([], []))
        draws.append(draw)
        arrays.append(value.array)

    def _bounded(self, value: Value) -> Value:
        """The value, without its array if that is too large for an answer."""
        if value.array is None:
            return value
        size = value.array.nbytes
        if size <= MOST_VALUE_BYTES and self._bytes + size <= MOST_ANSWER_BYTES:
            self._bytes += size
            return value
        problem = "an array of shape {} has {:,} bytes, more than an answer holds".format(
            value.array.shape, size
        )
        return Value(None, value.dtype, value.type, problem, None, value.array.shape)

    def answer(self, payloads: List[Any]) -> List[Dict[str, Any]]:
        """The header's part; the stacked arrays are added to `payloads`."""
        columns = []
        for (output, _), groups in sorted(self._columns.items(), key=lambda pair: pair[0][1]):
            data = [_group(key, content, payloads) for key, content in groups.items()]
            columns.append({"output": output, "groups": data})
        return columns


def _group(key: Any, content: Tuple[List[int], List[Any]], payloads: List[Any]) -> Dict[str, Any]:
    shape, (dtype, kind, problem, text, unsent) = key
    draws, arrays = content
    index = None
    if shape is not None:
        index = len(payloads)
        # np.stack without its checks: the arrays of a group have one shape and one dtype
        payloads.append(_concatenate([a.reshape((1,) + shape) for a in arrays]))  # noqa: RUF005
    data: Dict[str, Any] = {"draws": draws, "payload": index, "dtype": dtype, "type": kind}
    data["problem"] = problem
    if unsent is not None:
        data["shape"] = unsent
    return data if text is None else dict(data, text=text)
