"""Turn a worker's answers into records; AnswerError for anything that is not an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from conformance.observations import (
    Array,
    Batch,
    DrawObservation,
    Fault,
    FunctionIdentity,
    Identity,
    InputObservation,
    OfferedParameter,
    Outcome,
    OutputObservation,
    Raised,
    Returned,
    Seconds,
    Stage,
    StructureObservation,
    TensorMetadata,
    Value,
)

PROTOCOL = 1


_Index = Annotated[int, msgspec.Meta(ge=0)]
_Time = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
_Raised = tuple[str, list[str], str, Stage, _Index | None]
_Parameter = tuple[str, str, str | None, bool]


class _FunctionAnswer(Struct):
    present: bool
    signature: list[_Parameter] | None
    reason: str | None = None


class _StartAnswer(Struct):
    protocol: int
    python: str
    versions: dict[str, str]
    backend: str | None
    functions: dict[str, _FunctionAnswer]


class _ClaimAnswer(Struct):
    dtype: str | None
    shape: list[int | None] | None
    dtype_error: _Raised | None
    shape_error: _Raised | None
    not_integers: list[tuple[Annotated[int, msgspec.Meta(ge=-1)], str]] = []


class _InputAnswer(Struct):
    name: str
    claim: _ClaimAnswer


class _OutputAnswer(Struct):
    name: str
    container: Literal["tensor", "list", "tuple"]
    claims: list[_ClaimAnswer]


class _Group(Struct):
    draws: list[_Index]
    payload: _Index | None
    dtype: str
    type: str
    problem: str | None
    text: str | None = None


class _Column(Struct):
    output: str
    groups: list[_Group]


class _RunAnswer(Struct):
    inputs: list[_InputAnswer]
    outputs: list[_OutputAnswer]
    errors: list[_Raised]
    draws: list[tuple[_Index | None, list[str]]]
    values: list[_Column]
    seconds: tuple[_Time, _Time, _Time]
    evaluated_with: Literal["function", "eval", "eager"] | None
    leaked: list[str]


T = TypeVar("T")


class AnswerError(ValueError):
    """The worker's answer does not fit the request; the message says why."""


def identity(header: Mapping[str, Any], functions: Sequence[str] = ()) -> Identity:
    """The answer to a `start` request that asked for `functions`."""
    answer = _typed(header, _StartAnswer, "an identity")
    if answer.protocol != PROTOCOL:
        raise AnswerError(f"the worker speaks protocol {answer.protocol}, not {PROTOCOL}")
    if missing := sorted(set(functions) - answer.functions.keys()):
        raise AnswerError(f"it says nothing of {missing[0]}")
    known = {name: _function(data) for name, data in answer.functions.items()}
    return Identity(answer.protocol, answer.python, answer.versions, answer.backend, known)


def _typed(header: Mapping[str, Any], kind: type[T], what: str) -> T:
    try:
        return msgspec.convert(header, kind)
    except (msgspec.ValidationError, UnicodeError, RecursionError) as error:
        raise AnswerError(f"not {what}: {error}") from error


def _function(data: _FunctionAnswer) -> FunctionIdentity:
    if data.signature is None:
        return FunctionIdentity(data.present, None, data.reason)
    signature = tuple(OfferedParameter(p[0], p[1], p[3], p[2]) for p in data.signature)
    return FunctionIdentity(data.present, signature)


def observation(
    header: Mapping[str, Any], arrays: Sequence[Array], batch: Batch
) -> StructureObservation:
    """The answer to a `run` request."""
    if header.get("ok") is not True:
        raise AnswerError(f"the worker refused the request: {header.get('error')}")
    answer = _typed(header, _RunAnswer, "an observation")
    return StructureObservation(
        inputs=tuple(InputObservation(i.name, _claim(i.claim)) for i in answer.inputs),
        outputs=_outputs(answer.outputs, batch),
        draws=_draws(answer, arrays, batch),
        seconds=Seconds(*answer.seconds),
        evaluated_with=answer.evaluated_with,
        leaked=tuple(answer.leaked),
    )


def _outputs(answered: Sequence[_OutputAnswer], batch: Batch) -> tuple[OutputObservation, ...]:
    """The outputs: all outputs of the program, in its order, or none."""
    names = tuple(output.name for output in answered)
    if names not in ((), tuple(batch.program.outputs)):
        raise AnswerError(f"the outputs are {names}, not {tuple(batch.program.outputs)}")
    return tuple(
        OutputObservation(o.name, o.container, tuple(map(_claim, o.claims))) for o in answered
    )


def _claim(data: _ClaimAnswer) -> TensorMetadata:
    return TensorMetadata(
        data.dtype,
        None if data.shape is None else tuple(data.shape),
        _raised(data.dtype_error),
        _raised(data.shape_error),
        tuple(data.not_integers),
    )


def _raised(data: _Raised | None) -> Raised | None:
    if data is None:
        return None
    kind, bases, message, stage, step = data
    return Raised(kind, tuple(bases), message, stage, step)


def _draws(
    answer: _RunAnswer, arrays: Sequence[Array], batch: Batch
) -> tuple[DrawObservation, ...]:
    if len(answer.draws) != batch.draws:
        raise AnswerError(f"{batch.draws} draws were asked and {len(answer.draws)} answered")
    values = _values(answer.values, arrays, batch)
    return tuple(
        DrawObservation(
            Returned(values[i]) if error is None else _error(answer.errors, error), tuple(changed)
        )
        for i, (error, changed) in enumerate(answer.draws)
    )


def _error(errors: Sequence[_Raised], index: int) -> Raised:
    if index >= len(errors):
        raise AnswerError(f"there is no error {index}")
    kind, bases, message, stage, step = errors[index]
    return Raised(kind, tuple(bases), message, stage, step)


def _values(
    columns: Iterable[_Column], arrays: Sequence[Array], batch: Batch
) -> list[dict[str, tuple[Value, ...]]]:
    """For every draw its values by output. A column holds one item of an output for all draws."""
    rows: list[dict[str, tuple[Value, ...]]] = [
        dict.fromkeys(batch.program.outputs, ()) for _ in range(batch.draws)
    ]
    for column in columns:
        if column.output not in batch.program.outputs:
            raise AnswerError(f"there is no output {column.output!r}")
        for group in column.groups:
            for draw, value in _group(column.output, group, arrays, batch.draws):
                rows[draw][column.output] += (value,)
    return rows


def _group(
    name: str, group: _Group, arrays: Sequence[Array], draws: int
) -> Iterator[tuple[int, Value]]:
    """The values of a group, each with the number of its draw."""
    if any(draw >= draws for draw in group.draws) or (
        group.payload is not None and group.payload >= len(arrays)
    ):
        raise AnswerError(f"{name!r} has a draw or a payload that does not exist")
    payload = None if group.payload is None else arrays[group.payload]
    if payload is not None and (not payload.ndim or len(payload) != len(group.draws)):
        raise AnswerError(f"a payload of {name!r} does not fit its draws")
    for i, draw in enumerate(group.draws):
        array = None if payload is None else payload[i, ...]
        yield draw, Value(array, group.dtype, group.type, group.problem, group.text)


def without_values(outcome: Outcome) -> DrawObservation:
    """The observation of a draw that gave no values."""
    return DrawObservation(outcome)


def merged(
    found: Sequence[StructureObservation],
    draws: Sequence[DrawObservation],
    incidents: Sequence[Fault],
) -> StructureObservation:
    """One observation of a batch, made of those of its parts."""
    built = next((part for part in found if part.outputs), None)
    first = built or (found[0] if found else None)
    return StructureObservation(
        inputs=first.inputs if first else (),
        outputs=first.outputs if first else (),
        draws=tuple(draws),
        seconds=sum((part.seconds for part in found), Seconds()),
        evaluated_with=first.evaluated_with if first else None,
        leaked=tuple(sorted({name for part in found for name in part.leaked})),
        incidents=tuple(incidents),
    )
