"""The values of an answer, compared with the request: each draw of each value once.

A column holds one item of an output for all draws. Draws whose values have the same shape, dtype
and type form a group, with one stacked array.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Struct

from conformance.adapters import texts
from conformance.adapters.worker.conformance_worker.limits import MOST_ITEMS, MOST_MESSAGE, cut
from conformance.observations import Array, Value

Container = Literal["tensor", "list", "tuple"]
Rows = list[dict[str, tuple[Value, ...]]]
"""For every draw its values by output."""

DTYPES = frozenset(np.dtype(code).name for code in "?" + np.typecodes["AllInteger"] + "efdgFDG")
"""The names of the dtypes that NumPy has; another name stands for values sent as float32."""
MOST_AXES = 64
"""NumPy's limit."""
_AS_FLOAT32 = "float32"

_Index = Annotated[int, msgspec.Meta(ge=0)]
_Shape = Annotated[tuple[_Index, ...], msgspec.Meta(max_length=MOST_AXES)]


class AnswerError(ValueError):
    """The worker's answer does not fit the request; the message says why, and is short."""

    def __init__(self, reason: str) -> None:
        super().__init__(cut(reason, MOST_MESSAGE))


class AnswerGroup(Struct):
    """The draws whose values have one shape, dtype and type; `payload` is their stacked array.

    `shape` is that of each value that was too large to be sent.
    """

    draws: Annotated[list[_Index], msgspec.Meta(min_length=1)]
    payload: _Index | None
    dtype: str
    type: str
    problem: str | None
    text: str | None = None
    shape: _Shape | None = None


class Column(Struct):
    """One item of an output."""

    output: str
    groups: Annotated[list[AnswerGroup], msgspec.Meta(min_length=1)]


def values(
    columns: Sequence[Column],
    arrays: Sequence[Array],
    outputs: Sequence[str],
    returned: Sequence[bool],
    containers: Mapping[str, Container],
) -> Rows:
    """The values of every draw; `returned` says of each whether it gave any.

    Raises:
        AnswerError: values and outputs do not match.
    """
    if any(returned) and [*containers] != [*dict.fromkeys(outputs)]:
        raise AnswerError("a draw returned, and the outputs are not described")
    rows: list[dict[str, list[Value]]] = [{name: [] for name in outputs} for _ in returned]
    unused = {*range(len(arrays))}
    for column in columns:
        if column.output not in containers:
            raise AnswerError(f"there is no output {column.output!r}")
        item = containers[column.output] != "tensor"
        for draw, value in _column(column, arrays, unused, returned, item=item):
            rows[draw][column.output].append(value)
    if unused:
        raise AnswerError(f"{len(unused)} payloads belong to no value")
    for row, gave in zip(rows, returned, strict=True):
        _check_row(row, containers if gave else {})
    return [{name: tuple(parts) for name, parts in row.items()} for row in rows]


def _column(
    column: Column,
    arrays: Sequence[Array],
    unused: set[int],
    returned: Sequence[bool],
    *,
    item: bool,
) -> Iterator[tuple[int, Value]]:
    """The values of a column, each with the number of its draw."""
    seen: set[int] = set()
    for group in column.groups:
        _check_draws(column.output, group.draws, seen, returned)
        payload = _payload(column.output, group, arrays, unused)
        yield from _group(group, payload, item=item)


def _check_draws(name: str, draws: Sequence[int], seen: set[int], returned: Sequence[bool]) -> None:
    """Refuse a draw that is not in the request, raised, or has a value already."""
    for draw in draws:
        if draw >= len(returned) or not returned[draw]:
            raise AnswerError(f"{name!r} has a value of draw {draw}, which gave none")
        if draw in seen:
            raise AnswerError(f"{name!r} has draw {draw} twice")
        seen.add(draw)


def _payload(
    name: str, group: AnswerGroup, arrays: Sequence[Array], unused: set[int]
) -> Array | None:
    """The array of a group, which no other group has; None if it has none and says why."""
    if group.payload is None:
        if group.problem is None:
            raise AnswerError(f"{name!r} has a value without a payload or a problem")
        return None
    if group.payload not in unused:
        raise AnswerError(f"{name!r} has payload {group.payload}, which is none or another's")
    unused.remove(group.payload)
    array = arrays[group.payload]
    if not array.ndim or len(array) != len(group.draws):
        raise AnswerError(f"a payload of {name!r} does not fit its draws")
    _check_label(name, group, array.dtype.name)
    return array


def _check_label(name: str, group: AnswerGroup, held: str) -> None:
    """Refuse a dtype that the payload contradicts, and a problem with a value that is there."""
    if group.dtype != held and (held != _AS_FLOAT32 or group.dtype in DTYPES):
        raise AnswerError(f"{name!r} is said to be {group.dtype!r}, and its payload is {held}")
    if group.problem is not None or group.text is not None or group.shape is not None:
        raise AnswerError(f"{name!r} has a payload, and a reason why it has none")


def _group(group: AnswerGroup, payload: Array | None, *, item: bool) -> Iterator[tuple[int, Value]]:
    dtype, kind = texts.name(group.dtype), texts.name(group.type)
    problem, text = texts.optional_message(group.problem), texts.optional_message(group.text)
    for i, draw in enumerate(group.draws):
        array = None if payload is None else payload[i, ...]
        yield draw, Value(array, dtype, kind, problem, text, group.shape, item)


def _check_row(row: Mapping[str, Sequence[Value]], containers: Mapping[str, Container]) -> None:
    """Refuse a draw that returned without a value of a tensor, or with too many."""
    for name, container in containers.items():
        if container == "tensor" and not row[name]:
            raise AnswerError(f"{name!r} has no value of a draw that returned")
    if sum(map(len, row.values())) > MOST_ITEMS:
        raise AnswerError(f"a draw has more than {MOST_ITEMS} values")
