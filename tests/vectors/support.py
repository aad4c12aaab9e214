"""A small folder of vectors, and changes of it."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from conformance.editions import Edition
from conformance.vectors.calls import CallTask, call_tasks
from conformance.vectors.folder import INDEX, write_function, write_index
from conformance.vectors.safetensors import StoredTensor
from conformance.vectors.safetensors import decode as decode_tensors
from conformance.vectors.safetensors import encode as encode_tensors

EDITION: Edition = "keras-2.2"


def small_tasks(functions: Sequence[str], edition: Edition = EDITION) -> list[CallTask]:
    """The calls of these functions."""
    return call_tasks(edition, "smoke", 0, lambda name: name in functions)


def write(folder: Path, tasks: Sequence[CallTask]) -> Path:
    """The folder, with the vectors of the tasks."""
    written = [w for task in tasks if (w := write_function(folder, task)) is not None]
    write_index(folder, "smoke", 0, written)
    return folder


def altered(
    source: Path,
    folder: Path,
    function: str,
    change: Callable[[dict[str, Any], dict[str, StoredTensor]], None],
    *,
    checksums: bool = True,
) -> Path:
    """A copy in which the record and the tensors of a function are changed, by default with the
    right checksums."""
    shutil.copytree(source, folder)
    base = folder / EDITION / function
    record, tensors = base.with_suffix(".json"), base.with_suffix(".safetensors")
    data = msgspec.json.decode(record.read_bytes())
    arrays = decode_tensors(tensors.read_bytes())
    change(data, arrays)
    record.write_bytes(msgspec.json.encode(data))
    tensors.write_bytes(encode_tensors(arrays))
    if checksums:
        _sign(folder, [record, tensors])
    return folder


def _sign(folder: Path, files: Sequence[Path]) -> None:
    index = msgspec.json.decode((folder / INDEX).read_bytes())
    for file in files:
        content = file.read_bytes()
        entry = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        index["files"][file.relative_to(folder).as_posix()] = entry
    (folder / INDEX).write_bytes(msgspec.json.encode(index))


def first_vector(data: dict[str, Any]) -> dict[str, Any]:
    """The first vector with ordinary numbers, whose answer is floating and not empty."""
    vectors = (v for call in data["calls"] for v in call["vectors"])
    return next(v for v in vectors if v.get("expected") and 0 not in v["expected"]["shape"])
