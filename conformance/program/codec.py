"""Encode a program as JSON-compatible data, and decode it.

Scalars, `None`, strings and lists stand for themselves. What JSON lacks is an object with one key:
`{"ref": name}`, `{"tuple": [...]}`, `{"float": "nan" | "inf" | "-inf"}`,
`{"function": {"name", "parameters", "steps", "returns"}}` and `{"made": [kind, [integer, ...]]}`.
"""

from __future__ import annotations

import json
import math
import reprlib
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import msgspec

from conformance.program.marks import PRINTED_IMPORT
from conformance.program.model import (
    Argument,
    Binding,
    Function,
    Input,
    Layout,
    Made,
    Program,
    Ref,
    Step,
)
from conformance.source_text import is_dotted


class ProgramError(ValueError):
    """The data is not a program; the message says which part."""


class _Input(msgspec.Struct, frozen=True):
    """An input in JSON."""

    name: str
    shape: list[Annotated[int, msgspec.Meta(ge=0)]]
    dtype: str
    binding: Binding
    arguments: dict[str, Any] | None = None
    layout: Layout = Layout.C


class _Step(msgspec.Struct, frozen=True):
    """A step in JSON."""

    result: str
    function: str
    args: list[Any]
    kwargs: dict[str, Any]
    attempt: bool = False


class _Function(msgspec.Struct, frozen=True):
    """A callable in JSON."""

    name: str
    parameters: list[str]
    steps: list[_Step]
    returns: Any


class _Program(msgspec.Struct, frozen=True):
    """A program in JSON."""

    inputs: list[_Input]
    steps: list[_Step]
    outputs: list[str]


def as_text(data: Any) -> bytes:
    """What `to_json` gives, and what is made of it, as JSON; arguments keep their order."""
    try:
        return msgspec.json.encode(data)
    except (OverflowError, ValueError):  # integers of more than 64 bits, halves of surrogate pairs
        return json.dumps(data, allow_nan=False).encode()


def to_json(program: Program) -> dict[str, Any]:
    """The program as dicts, lists, strings and finite numbers."""
    return {
        "inputs": [_encode_input(i) for i in program.inputs],
        "steps": [_encode_step(s) for s in program.steps],
        "outputs": list(program.outputs),
    }


def from_json(data: Any) -> Program:
    """The program that `to_json` wrote.

    Scripts repeat the names of a program: each name has to be valid in Python.

    Raises:
        ProgramError: `data` is something else.
    """
    try:
        record = msgspec.convert(data, _Program)
        return Program(
            tuple(map(_decode_input, record.inputs)),
            tuple(map(_decode_step, record.steps)),
            tuple(map(_name, record.outputs)),
        )
    except (msgspec.ValidationError, ProgramError, UnicodeError) as error:
        raise ProgramError(f"not a program: {error}") from error
    except RecursionError as error:
        raise ProgramError("not a program: nested too deep") from error


def _encode_input(item: Input) -> dict[str, Any]:
    encoded: dict[str, Any] = {
        "name": item.name,
        "shape": list(item.shape),
        "dtype": item.dtype,
        "binding": str(item.binding),
    }
    if item.arguments is not None:
        encoded["arguments"] = {k: encode_argument(v) for k, v in item.arguments}
    if item.layout is not Layout.C:
        encoded["layout"] = str(item.layout)
    return encoded


def _decode_input(item: _Input) -> Input:
    arguments = None if item.arguments is None else _decode_keywords(item.arguments)
    name = _name(item.name)
    return Input(name, tuple(item.shape), item.dtype, item.binding, arguments, item.layout)


def _encode_step(step: Step) -> dict[str, Any]:
    encoded: dict[str, Any] = {
        "result": step.result,
        "function": step.function,
        "args": [encode_argument(a) for a in step.args],
        "kwargs": {k: encode_argument(v) for k, v in step.kwargs},
    }
    if step.attempt:
        encoded["attempt"] = True
    return encoded


def _decode_step(step: _Step) -> Step:
    args = tuple(map(decode_argument, step.args))
    function = step.function if step.function == PRINTED_IMPORT else _name(step.function)
    return Step(_name(step.result), function, args, _decode_keywords(step.kwargs), step.attempt)


def _encode_function(function: Function) -> dict[str, Any]:
    return {
        "name": function.name,
        "parameters": list(function.parameters),
        "steps": [_encode_step(s) for s in function.steps],
        "returns": encode_argument(function.returns),
    }


def _decode_function(data: Any) -> Function:
    record = msgspec.convert(data, _Function)
    return Function(
        _name(record.name),
        tuple(map(_name, record.parameters)),
        tuple(map(_decode_step, record.steps)),
        decode_argument(record.returns),
    )


def _decode_keywords(data: dict[str, Any]) -> tuple[tuple[str, Argument], ...]:
    return tuple((_name(k), decode_argument(v)) for k, v in data.items())


def _name(text: str) -> str:
    if not is_dotted(text):
        raise ProgramError(f"{reprlib.repr(text)} cannot be a name")
    return text


def encode_argument(value: Argument) -> Any:
    """One argument as JSON-compatible data."""
    encode = _ENCODERS.get(type(value))
    if encode is not None:
        return encode(value)
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    return value


_ENCODERS: Mapping[type, Callable[[Any], Any]] = {
    Ref: lambda ref: {"ref": ref.name},
    Function: lambda function: {"function": _encode_function(function)},
    Made: lambda item: {"made": [item.kind, list(item.items)]},
    tuple: lambda items: {"tuple": [encode_argument(item) for item in items]},
    list: lambda items: [encode_argument(item) for item in items],
}


def decode_argument(value: Any) -> Argument:
    """The argument that `encode_argument` wrote.

    Raises:
        ProgramError: `value` is something else.
    """
    if isinstance(value, dict):
        return _decode_object(value)
    if isinstance(value, list):
        return [decode_argument(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ProgramError(f"{value!r} cannot be an argument")


def _decode_object(data: dict[str, Any]) -> Argument:
    match data:
        case {"ref": str(name), **rest} if not rest:
            return Ref(_name(name))
        case {"tuple": list(items), **rest} if not rest:
            return tuple(map(decode_argument, items))
        case {"float": "nan" | "inf" | "-inf" as text, **rest} if not rest:
            return float(text)
        case {"function": function, **rest} if not rest:
            return _decode_function(function)
        case {"made": [str(kind), list(items)], **rest} if not rest and _integers(items):
            return Made(_name(kind), tuple(items))
    raise ProgramError(
        "an argument that is an object is {'ref': name}, {'tuple': [...]}, "
        "{'float': 'nan' | 'inf' | '-inf'}, {'function': {...}} or {'made': [kind, [...]]}, "
        f"not {reprlib.repr(data)}"
    )


def _integers(items: list[Any]) -> bool:
    return bool(items) and all(type(item) is int for item in items)
