"""A program as JSON-compatible data, and back.

Scalars, `None`, strings and lists stand for themselves. What JSON lacks is an object with one key:
`{"ref": name}`, `{"tuple": [...]}` and `{"float": "nan" | "inf" | "-inf"}`.
"""

from __future__ import annotations

import math
from typing import Any

from conformance.program.model import Argument, Binding, Input, Program, Ref, Step


class ProgramError(ValueError):
    """The data is not a program; the message says which part."""


def to_json(program: Program) -> dict[str, Any]:
    """The program as dicts, lists, strings and finite numbers."""
    return {
        "inputs": [_encode_input(i) for i in program.inputs],
        "steps": [
            {
                "result": s.result,
                "function": s.function,
                "args": [encode_argument(a) for a in s.args],
                "kwargs": {k: encode_argument(v) for k, v in s.kwargs},
            }
            for s in program.steps
        ],
        "outputs": list(program.outputs),
    }


def from_json(data: Any) -> Program:
    """The program that `to_json` wrote; ProgramError if `data` is something else."""
    try:
        return Program(
            inputs=tuple(_decode_input(i) for i in data["inputs"]),
            steps=tuple(
                Step(
                    s["result"],
                    s["function"],
                    tuple(decode_argument(a) for a in s["args"]),
                    tuple((k, decode_argument(v)) for k, v in s["kwargs"].items()),
                )
                for s in data["steps"]
            ),
            outputs=tuple(data["outputs"]),
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ProgramError(f"not a program: {type(error).__name__}: {error}") from error


def _encode_input(item: Input) -> dict[str, Any]:
    encoded: dict[str, Any] = {
        "name": item.name,
        "shape": list(item.shape),
        "dtype": item.dtype,
        "binding": str(item.binding),
    }
    if item.arguments is not None:
        encoded["arguments"] = {k: encode_argument(v) for k, v in item.arguments}
    return encoded


def _decode_input(data: Any) -> Input:
    arguments = data.get("arguments")
    return Input(
        data["name"],
        tuple(data["shape"]),
        data["dtype"],
        Binding(data["binding"]),
        None if arguments is None else tuple((k, decode_argument(v)) for k, v in arguments.items()),
    )


def encode_argument(value: Argument) -> Any:
    """One argument as JSON-compatible data."""
    if isinstance(value, Ref):
        return {"ref": value.name}
    if isinstance(value, tuple):
        return {"tuple": [encode_argument(v) for v in value]}
    if isinstance(value, list):
        return [encode_argument(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    return value


def decode_argument(value: Any) -> Argument:
    """The argument that `encode_argument` wrote."""
    if isinstance(value, dict):
        (key, content), *rest = value.items()
        if rest or key not in _OBJECTS:
            raise ProgramError(f"an argument is one of {sorted(_OBJECTS)}, not {sorted(value)}")
        decoded: Argument = _OBJECTS[key](content)
        return decoded
    if isinstance(value, list):
        return [decode_argument(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ProgramError(f"{value!r} cannot be an argument")


_OBJECTS: dict[str, Any] = {
    "ref": Ref,
    "tuple": lambda items: tuple(decode_argument(v) for v in items),
    "float": float,
}
