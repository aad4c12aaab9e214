# mypy: allow-untyped-defs, allow-untyped-calls
"""Reads a folder of vectors without the suite, and rejects one that contradicts itself.

    python -I independent.py VECTORS

A program of its own, with NumPy alone: a copy of a rule of the suite would prove nothing.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

CODES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "I64": "<i8", "I32": "<i4", "BOOL": "?"}
NAMES = {
    "F16": "float16",
    "F32": "float32",
    "F64": "float64",
    "I64": "int64",
    "I32": "int32",
    "BOOL": "bool",
}


def read(folder, index, name):
    content = (folder / name).read_bytes()
    if hashlib.sha256(content).hexdigest() != index["files"][name]["sha256"]:
        sys.exit(f"rejected: {name} has another checksum")
    return content


def arrays(content):
    start = 8 + int.from_bytes(content[:8], "little")
    for name, entry in json.loads(content[8:start]).items():
        first, end = (start + place for place in entry["data_offsets"])
        if entry["dtype"] in CODES:
            numbers = np.frombuffer(content[first:end], CODES[entry["dtype"]])
            yield name, (NAMES[entry["dtype"]], numbers.reshape(entry["shape"]))


def problem(expected, tensors, call):
    """What contradicts itself in an expected answer; None if nothing does."""
    names = ("value", "bound", "lower", "upper")
    if any(expected[name] not in tensors for name in names):
        return None  # of a dtype that NumPy lacks
    (_, value), (_, bound), lower, upper = (tensors[expected[name]] for name in names)
    arrays = (value, bound, lower[1], upper[1])
    others = set() if "evidence" in call else {*call["dtypes"]}
    checks = {
        "shape": {array.shape for array in arrays} == {tuple(expected["shape"])},
        "dtype": {lower[0], upper[0]} == {expected["dtype"]},
        "dtype of the call": not others or expected["dtype"] in others,
    }
    wrong = next((name for name, holds in checks.items() if not holds), None)
    if wrong or expected["dtype"] not in ("float32", "float16") or not value.size:
        return wrong
    ends = (lower[1], -1), (upper[1], 1)
    return None if all(follows(limit, value, sign * bound) for limit, sign in ends) else "bound"


def follows(limit, value, bound):
    """Whether a limit is the value with its bound, rounded."""
    usual = np.isfinite(value) & np.isfinite(bound) & (np.abs(value) < 1e4) & np.isfinite(limit)
    with np.errstate(all="ignore"):
        room = np.spacing(np.maximum(np.abs(limit), np.abs(value)).astype(limit.dtype))
        return not (np.abs(limit.astype(float) - (value + bound)) > 2.0 * room)[usual].any()


def main(folder):
    index = json.loads((folder / "index.json").read_bytes())
    for entries in index["editions"].values():
        for entry in entries.values():
            record = json.loads(read(folder, index, entry["file"]))
            path = str(Path(entry["file"]).with_name(record["tensors"]))
            tensors = dict(arrays(read(folder, index, path)))
            for call in record["calls"]:
                for vector in call["vectors"]:
                    fault = vector.get("expected") and problem(vector["expected"], tensors, call)
                    if fault:
                        sys.exit(f"rejected: {fault} of vector {vector['id']}")


try:
    import conformance
except ModuleNotFoundError:
    main(Path(sys.argv[1]))
else:
    raise SystemExit(f"the suite can be imported: {conformance.__file__}")
