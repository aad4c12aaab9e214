"""Turn a worker's answers into records; AnswerError for anything that is not an answer.

The host compares an answer with its request before it uses it: each input, each output and each
draw once, in the order of the request, and nothing else. That takes time and memory in proportion
to the answer, which `frames` limits. Texts are cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from conformance.adapters import texts
from conformance.adapters.answered_values import AnswerError, Column, Rows, values
from conformance.adapters.worker.conformance_worker.limits import (
    MOST_BASES,
    MOST_DIMENSIONS,
    MOST_PARAMETERS,
    MOST_TRACED_FUNCTIONS,
    MOST_TRACED_LINES,
)
from conformance.adapters.worker.conformance_worker.marks import RAISES, RETURNS
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
    TracedFunction,
)

PROTOCOL = 1


MOST_VERSIONS = 100
CHANGES = frozenset(
    {"floatx", "epsilon", "image_data_format", "learning_phase", "clear_session", "process"}
)
"""The names that `leaked` may have."""
_SETTINGS = ("floatx", "epsilon", "image_data_format", "image_dim_ordering")
CALLED = frozenset(
    {"backend", "learning_phase", *_SETTINGS, *(f"set_{name}" for name in _SETTINGS)}
)
"""The names that `late` may have: the functions that a worker calls for itself."""

_Index = Annotated[int, msgspec.Meta(ge=0)]
_Time = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
_Bases = Annotated[list[str], msgspec.Meta(min_length=1, max_length=MOST_BASES)]
_Raised = tuple[str, _Bases, str, Stage, _Index | None, str | None]
_Kind = Literal[
    "POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD"
]
_Parameter = tuple[str, _Kind, str | None, bool]
_Signature = Annotated[list[_Parameter], msgspec.Meta(max_length=MOST_PARAMETERS)]
_Dimension = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
_Shape = Annotated[list[_Dimension | None], msgspec.Meta(max_length=MOST_DIMENSIONS)]
_Place = Annotated[int, msgspec.Meta(ge=-1, lt=MOST_DIMENSIONS)]
_Odd = Annotated[list[tuple[_Place, str]], msgspec.Meta(max_length=MOST_DIMENSIONS)]
_Line = Annotated[int, msgspec.Meta(ge=0, le=10**7)]
_Lines = Annotated[list[tuple[_Line, _Index]], msgspec.Meta(max_length=MOST_TRACED_LINES)]
_Trace = Annotated[
    list[tuple[str, str, _Line, _Index, _Lines]], msgspec.Meta(max_length=MOST_TRACED_FUNCTIONS)
]


class _FunctionAnswer(Struct):
    present: bool
    signature: _Signature | None
    reason: str | None = None


class _StartAnswer(Struct):
    protocol: int
    python: str
    versions: dict[str, str]
    backend: str | None
    functions: dict[str, _FunctionAnswer]


class _ClaimAnswer(Struct):
    dtype: str | None
    shape: _Shape | None
    dtype_error: _Raised | None
    shape_error: _Raised | None
    not_integers: _Odd = []


class _InputAnswer(Struct):
    name: str
    claim: _ClaimAnswer
    made: str | None = None


class _OutputAnswer(Struct):
    name: str
    container: Literal["tensor", "list", "tuple"]
    claims: list[_ClaimAnswer]


class _RunAnswer(Struct):
    inputs: list[_InputAnswer]
    outputs: list[_OutputAnswer]
    errors: list[_Raised]
    draws: list[tuple[_Index | None, list[str]]]
    values: list[Column]
    seconds: tuple[_Time, _Time, _Time]
    evaluated_with: Literal["function", "eval", "eager"] | None
    leaked: list[str]
    trace: _Trace = []


T = TypeVar("T")


def identity(header: Mapping[str, Any], functions: Sequence[str] = ()) -> Identity:
    """The answer to a `start` request for `functions`.

    Raises:
        AnswerError: another protocol, or too many versions.
    """
    answer = _typed(header, _StartAnswer, "an identity")
    if answer.protocol != PROTOCOL:
        raise AnswerError(f"the worker speaks protocol {answer.protocol}, not {PROTOCOL}")
    _check_names("the functions", sorted(answer.functions), sorted(functions))
    if len(answer.versions) > MOST_VERSIONS:
        raise AnswerError(f"it names {len(answer.versions)} versions")
    return Identity(
        protocol=answer.protocol,
        python=texts.name(answer.python),
        versions={texts.name(k): texts.name(v) for k, v in answer.versions.items()},
        backend=texts.optional_name(answer.backend),
        functions={name: _function(answer.functions[name]) for name in functions},
    )


def _check_names(what: str, answered: Sequence[str], asked: Sequence[str]) -> None:
    """AnswerError unless the names are those of the request, each once, in order."""
    if len(answered) != len(asked):
        raise AnswerError(f"{what} are {len(answered)}, not {len(asked)}")
    for name, other in zip(answered, asked, strict=True):
        if name != other:
            raise AnswerError(f"among {what} is {name!r} in place of {other!r}")


def _typed(header: Mapping[str, Any], kind: type[T], what: str) -> T:
    try:
        return msgspec.convert(header, kind)
    except (msgspec.ValidationError, UnicodeError, RecursionError) as error:
        raise AnswerError(f"not {what}: {error}") from error


def _function(data: _FunctionAnswer) -> FunctionIdentity:
    if data.signature is None:
        return FunctionIdentity(data.present, None, texts.optional_message(data.reason))
    signature = tuple(
        OfferedParameter(texts.name(name), kind, has_default, texts.optional_name(default))
        for name, kind, default, has_default in data.signature
    )
    return FunctionIdentity(data.present, signature)


def observation(
    header: Mapping[str, Any], arrays: Sequence[Array], batch: Batch
) -> StructureObservation:
    """The answer to a `run` request.

    Raises:
        AnswerError: the worker refused the request.
    """
    if header.get("ok") is not True:
        raise AnswerError(f"the worker refused the request: {header.get('error')}")
    answer = _typed(header, _RunAnswer, "an observation")
    _check_changes(answer.leaked)
    return StructureObservation(
        inputs=_inputs(answer.inputs, batch),
        outputs=_outputs(answer.outputs, batch),
        draws=_draws(answer, arrays, batch),
        seconds=Seconds(*answer.seconds),
        evaluated_with=answer.evaluated_with,
        leaked=tuple(answer.leaked),
        trace=_trace(answer.trace, batch),
    )


def _trace(answered: _Trace, batch: Batch) -> tuple[TracedFunction, ...]:
    """The lines of the implementation that ran, which only a traced batch has."""
    if answered and not batch.trace:
        raise AnswerError("it has a trace without a request")
    if sum(len(function[-1]) for function in answered) > MOST_TRACED_LINES:
        raise AnswerError(f"the trace has more than {MOST_TRACED_LINES} lines")
    return tuple(
        TracedFunction(texts.name(file), texts.name(name), first, depth, dict(lines))
        for file, name, first, depth, lines in answered
    )


def _check_changes(leaked: Sequence[str]) -> None:
    if strange := {*leaked} - CHANGES:
        raise AnswerError(f"no program can leak {min(strange)!r}")
    if len({*leaked}) != len(leaked):
        raise AnswerError(f"`leaked` has repeats: {leaked}")


def _inputs(answered: Sequence[_InputAnswer], batch: Batch) -> tuple[InputObservation, ...]:
    """The inputs: all inputs of the program, in its order, or none."""
    if answered:
        asked = [item.name for item in batch.program.inputs]
        _check_names("the inputs", [item.name for item in answered], asked)
    return tuple(
        InputObservation(i.name, _claim(i.claim, batch), texts.optional_name(i.made))
        for i in answered
    )


def _outputs(answered: Sequence[_OutputAnswer], batch: Batch) -> tuple[OutputObservation, ...]:
    """The outputs: all outputs of the program, in its order, or none."""
    if answered:
        _check_names("the outputs", [item.name for item in answered], batch.program.outputs)
    return tuple(_output(item, batch) for item in answered)


def _output(answered: _OutputAnswer, batch: Batch) -> OutputObservation:
    if answered.container == "tensor" and len(answered.claims) != 1:
        raise AnswerError(f"a tensor, {answered.name!r}, has {len(answered.claims)} claims")
    claims = tuple(_claim(claim, batch) for claim in answered.claims)
    return OutputObservation(answered.name, answered.container, claims)


def _claim(data: _ClaimAnswer, batch: Batch) -> TensorMetadata:
    return TensorMetadata(
        texts.optional_name(data.dtype),
        None if data.shape is None else tuple(data.shape),
        None if data.dtype_error is None else _raised(data.dtype_error, batch),
        None if data.shape_error is None else _raised(data.shape_error, batch),
        tuple((place, texts.name(kind)) for place, kind in data.not_integers),
    )


def _raised(data: _Raised, batch: Batch) -> Raised:
    kind, bases, message, stage, step, place = data
    if step is not None and step >= len(batch.program.steps):
        raise AnswerError(f"there is no step {step}")
    named = tuple(map(texts.name, bases))
    where = texts.optional_name(place)
    return Raised(texts.name(kind), named, texts.message(message), stage, step, where)


def _draws(
    answer: _RunAnswer, arrays: Sequence[Array], batch: Batch
) -> tuple[DrawObservation, ...]:
    if len(answer.draws) != batch.draws:
        raise AnswerError(f"{batch.draws} draws were sent, and {len(answer.draws)} were answered")
    errors = _errors(answer, batch)
    returned = [error is None for error, _ in answer.draws]
    containers = {item.name: item.container for item in answer.outputs}
    rows = values(answer.values, arrays, batch.program.outputs, returned, containers)
    _check_attempts(rows, returned, batch)
    return tuple(
        DrawObservation(Returned(rows[i]) if error is None else errors[error], tuple(changed))
        for i, (error, changed) in enumerate(answer.draws)
    )


def _check_attempts(rows: Rows, returned: Sequence[bool], batch: Batch) -> None:
    """The result of an attempt is a text that the worker makes, and no other."""
    attempts = {step.result for step in batch.program.steps if step.attempt}
    for name in attempts.intersection(batch.program.outputs):
        for row, gave in zip(rows, returned, strict=True):
            texts_of_it = [value.text or "" for value in row[name]]
            if gave and (len(texts_of_it) != 1 or not _tells(texts_of_it[0])):
                raise AnswerError(f"{name!r}, an attempt, neither returns nor raises")


def _tells(text: str) -> bool:
    """Whether a text is the result of an attempt: `returns`, or `raises` with names."""
    return text == RETURNS or (text.startswith(RAISES) and bool(text[len(RAISES) :].split()))


def _errors(answer: _RunAnswer, batch: Batch) -> list[Raised]:
    """The exceptions, each of which is that of a draw; a draw changes inputs, each once."""
    used = {error for error, _ in answer.draws if error is not None}
    if used != {*range(len(answer.errors))}:
        raise AnswerError(f"{len(answer.errors)} errors, and draws have {len(used)}")
    inputs = {item.name for item in batch.program.inputs}
    for _, changed in answer.draws:
        if len({*changed}) != len(changed) or not inputs.issuperset(changed):
            raise AnswerError("a draw changes an input twice, or an input that does not exist")
    return [_raised(error, batch) for error in answer.errors]


def without_values(outcome: Outcome) -> DrawObservation:
    """The observation of a draw that gave no values."""
    return DrawObservation(outcome)


def late(header: Mapping[str, Any]) -> frozenset[str]:
    """The functions that a worker called for itself and that hung.

    Raises:
        AnswerError: it names other functions.
    """
    names = header.get("late", [])
    if not isinstance(names, list) or not all(name in CALLED for name in names):
        raise AnswerError("it names functions that it does not call")
    return frozenset(names)


def merged(
    parts: Sequence[StructureObservation],
    draws: Sequence[DrawObservation],
    incidents: Sequence[Fault],
) -> StructureObservation:
    """One observation of a batch, made of those of its parts."""
    built = next((part for part in parts if part.outputs), None)
    first = built or (parts[0] if parts else None)
    return StructureObservation(
        inputs=first.inputs if first else (),
        outputs=first.outputs if first else (),
        draws=tuple(draws),
        seconds=sum((part.seconds for part in parts), Seconds()),
        evaluated_with=first.evaluated_with if first else None,
        leaked=tuple(sorted({name for part in parts for name in part.leaked})),
        incidents=tuple(incidents),
    )
