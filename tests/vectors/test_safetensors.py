"""The safetensors format: dtypes, alignment, damaged files."""

from __future__ import annotations

import json

import numpy as np
import pytest

from conformance.vectors.safetensors import CODES, StoredTensor, TensorsError, decode, encode


def tensors() -> dict[str, StoredTensor]:
    arrays = {
        name: StoredTensor(name, np.arange(3).astype("float32" if name == "bfloat16" else name))
        for name in CODES
    }
    empty = StoredTensor("float32", np.zeros((2, 0), np.float32))
    return {**arrays, "scalar": StoredTensor("float64", np.array(np.nan)), "empty": empty}


def test_tensors_are_read_as_they_were_written() -> None:
    written = tensors()
    read = decode(encode(written))
    assert read.keys() == written.keys()
    for name, tensor in written.items():
        assert read[name].dtype == tensor.dtype
        assert read[name].array.dtype == tensor.array.dtype
        np.testing.assert_array_equal(read[name].array, tensor.array)


def test_the_file_has_the_published_layout() -> None:
    content = encode(
        {"a": StoredTensor("bool", np.array([True])), "b": StoredTensor("float64", np.ones(2))}
    )
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    assert (8 + length) % 8 == 0
    assert header["b"] == {"dtype": "F64", "shape": [2], "data_offsets": [0, 16]}
    assert header["a"] == {"dtype": "BOOL", "shape": [1], "data_offsets": [16, 17]}
    assert content[8 + length :] == np.ones(2).tobytes() + b"\1"


def test_every_tensor_is_aligned() -> None:
    content = encode(tensors())
    length = int.from_bytes(content[:8], "little")
    widths = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "U32": 4}
    for entry in json.loads(content[8 : 8 + length]).values():
        assert entry["data_offsets"][0] % widths.get(entry["dtype"], 1) == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 20,
        (2).to_bytes(8, "little") + b"[]",
        (60).to_bytes(8, "little")
        + b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}'.ljust(60),
        (60).to_bytes(8, "little")
        + b'{"a":{"dtype":"Q9","shape":[1],"data_offsets":[0,4]}}'.ljust(60),
    ],
)
def test_damaged_files_are_refused(content: bytes) -> None:
    with pytest.raises(TensorsError):
        decode(content + b"\0\0\0\0" * (len(content) > 30))


def test_the_package_of_the_format_reads_the_files() -> None:
    library = pytest.importorskip("safetensors.numpy")
    written = {name: t for name, t in tensors().items() if name != "bfloat16"}
    for name, array in library.load(encode(written)).items():
        np.testing.assert_array_equal(array, written[name].array)
