"""A worker's answers as records. What is not an answer is an AnswerError."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conformance.adapters.observations import (
    Array,
    Batch,
    Claim,
    DrawObservation,
    Fault,
    FunctionIdentity,
    Identity,
    InputObservation,
    Outcome,
    OutputObservation,
    Parameter,
    Raised,
    Returned,
    Seconds,
    StructureObservation,
    Value,
)

PROTOCOL = 1


class AnswerError(ValueError):
    """The answer is not one to the request; the message says why."""


def identity(header: Mapping[str, Any]) -> Identity:
    """The answer to `start`."""
    try:
        if header["protocol"] != PROTOCOL:
            raise AnswerError(f"the worker speaks protocol {header['protocol']}, not {PROTOCOL}")
        functions = {name: _function(data) for name, data in header["functions"].items()}
        return Identity(
            header["protocol"], header["python"], header["versions"], header["backend"], functions
        )
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise AnswerError(f"not an identity: {type(error).__name__}: {error}") from error


def _function(data: Mapping[str, Any]) -> FunctionIdentity:
    parameters = data["signature"]
    if parameters is None:
        return FunctionIdentity(data["present"], None, data["reason"])
    signature = tuple(Parameter(p[0], p[1], p[3], p[2]) for p in parameters)
    return FunctionIdentity(data["present"], signature)


def observation(
    header: Mapping[str, Any], arrays: Sequence[Array], batch: Batch
) -> StructureObservation:
    """The answer to `run`."""
    try:
        if header.get("ok") is not True:
            raise AnswerError(f"the worker refused the request: {header['error']}")
        return StructureObservation(
            inputs=tuple(InputObservation(i["name"], _claim(i["claim"])) for i in header["inputs"]),
            outputs=tuple(_output(o) for o in header["outputs"]),
            draws=_draws(header, arrays, batch),
            seconds=Seconds(*header["seconds"]),
            evaluated_with=header["evaluated_with"],
            leaked=tuple(header["leaked"]),
        )
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise AnswerError(f"not an observation: {type(error).__name__}: {error}") from error


def _output(data: Mapping[str, Any]) -> OutputObservation:
    return OutputObservation(data["name"], data["container"], tuple(map(_claim, data["claims"])))


def _claim(data: Mapping[str, Any]) -> Claim:
    shape = data["shape"]
    return Claim(
        data["dtype"],
        None if shape is None else tuple(shape),
        _raised(data["dtype_error"]),
        _raised(data["shape_error"]),
    )


def _raised(data: Sequence[Any] | None) -> Raised | None:
    if data is None:
        return None
    kind, bases, message, stage, step = data
    return Raised(kind, tuple(bases), message, stage, step)


def _draws(
    header: Mapping[str, Any], arrays: Sequence[Array], batch: Batch
) -> tuple[DrawObservation, ...]:
    errors = [_raised(error) for error in header["errors"]]
    rows = header["draws"]
    if len(rows) != batch.draws:
        raise AnswerError(f"{batch.draws} draws were asked and {len(rows)} answered")
    values = _values(header["values"], arrays, batch)
    return tuple(
        DrawObservation(
            Returned(values[i]) if error is None else _required(errors[error]), tuple(changed)
        )
        for i, (error, changed) in enumerate(rows)
    )


def _required(error: Raised | None) -> Raised:
    if error is None:
        raise AnswerError("an error is null")
    return error


def _values(
    columns: Iterable[Mapping[str, Any]], arrays: Sequence[Array], batch: Batch
) -> list[dict[str, tuple[Value, ...]]]:
    """For every draw the values by output; a column is one output's item over the draws."""
    rows: list[dict[str, tuple[Value, ...]]] = [{} for _ in range(batch.draws)]
    for output in batch.program.outputs:
        for row in rows:
            row[output] = ()
    for column in columns:
        name = column["output"]
        for group in column["groups"]:
            index = group["payload"]
            payload = None if index is None else arrays[index]
            if payload is not None and len(payload) != len(group["draws"]):
                raise AnswerError(f"a payload of {name!r} does not fit its draws")
            for i, draw in enumerate(group["draws"]):
                array = None if payload is None else payload[i, ...]
                value = Value(
                    array, group["dtype"], group["type"], group["problem"], group.get("text")
                )
                rows[draw][name] = (*rows[draw][name], value)
    return rows


def unobserved(outcome: Outcome) -> DrawObservation:
    """A draw that gave no values."""
    return DrawObservation(outcome)


def merged(
    found: Sequence[StructureObservation],
    draws: Sequence[DrawObservation],
    incidents: Sequence[Fault],
) -> StructureObservation:
    """One observation of a batch that was run in parts."""
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
