"""The safetensors format: eight bytes with the length of a header, the header in JSON, the numbers.

https://huggingface.co/docs/safetensors describes it. The package of this name would add a compiled
dependency for these few lines; its tests read what they write. An array of bfloat16 is held in
float32 (`conformance.dtypes`), and a file has the upper half of each number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from conformance.dtypes import BFLOAT16

Array = npt.NDArray[Any]

_LENGTH = 8
_ALIGNED = 8
"""Spaces pad the header to such a multiple; therefore the numbers are aligned."""
CODES: Mapping[str, str] = {
    "bool": "BOOL",
    "uint8": "U8",
    "int8": "I8",
    "uint16": "U16",
    "int16": "I16",
    "uint32": "U32",
    "int32": "I32",
    "uint64": "U64",
    "int64": "I64",
    "float16": "F16",
    BFLOAT16: "BF16",
    "float32": "F32",
    "float64": "F64",
}
"""How the header names each dtype."""
_NAMES = {code: name for name, code in CODES.items()}


class StoredTensor(NamedTuple):
    """An array, and the dtype of its numbers, which the array alone does not say of bfloat16."""

    dtype: str
    array: Array


class TensorsError(ValueError):
    """A file is not in the format; the message says why."""


class _Entry(msgspec.Struct):
    """The entry of one tensor in the header."""

    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def encode(tensors: Mapping[str, StoredTensor]) -> bytes:
    """The bytes of a file: the same for the same tensors in the same order.

    The widest numbers are first; therefore each tensor is aligned to the size of its numbers.
    """
    header, parts, start = {}, [], 0
    for name, tensor in sorted(tensors.items(), key=lambda item: -_width(item[1].dtype)):
        numbers = _numbers(tensor)
        end = start + len(numbers)
        shape = list(tensor.array.shape)
        header[name] = _Entry(CODES[tensor.dtype], shape, (start, end))
        parts.append(numbers)
        start = end
    text = msgspec.json.encode(header)
    text += b" " * (-len(text) % _ALIGNED)
    return b"".join((len(text).to_bytes(_LENGTH, "little"), text, *parts))


def _width(dtype: str) -> int:
    return 2 if dtype == BFLOAT16 else np.dtype(dtype).itemsize


def decode(content: bytes) -> dict[str, StoredTensor]:
    """The tensors of a file, by name.

    Raises:
        TensorsError: the bytes have another format.
    """
    length = int.from_bytes(content[:_LENGTH], "little")
    start = _LENGTH + length
    if len(content) < start:
        raise TensorsError("the file ends in its header")
    try:
        header = msgspec.json.decode(content[_LENGTH:start], type=dict[str, _Entry])
        return {name: _tensor(entry, content[start:]) for name, entry in header.items()}
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise TensorsError(str(error)) from error


def _numbers(tensor: StoredTensor) -> bytes:
    array = np.ascontiguousarray(tensor.array)
    if tensor.dtype == BFLOAT16:
        array = (array.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return array.astype(array.dtype.newbyteorder("<")).tobytes()


def _tensor(entry: _Entry, numbers: bytes) -> StoredTensor:
    if entry.dtype not in _NAMES:
        raise TensorsError(f"{entry.dtype} is not the name of a dtype")
    dtype, (start, end) = _NAMES[entry.dtype], entry.data_offsets
    held = np.dtype(np.uint16 if dtype == BFLOAT16 else dtype).newbyteorder("<")
    array = np.frombuffer(numbers[start:end], held).reshape(entry.shape)
    array = array.astype(held.newbyteorder("="))
    if dtype == BFLOAT16:
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return StoredTensor(dtype, array)
