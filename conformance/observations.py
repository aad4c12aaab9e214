"""The answers of a target: immutable records, which adapters make and the engine judges.

Every draw of a batch has exactly one `DrawObservation`, in order, whatever happened. A build that
fails is the outcome of each of its draws. The death of a worker is the outcome of the draw that is
to blame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy.typing as npt

from conformance.dtypes import has_all, held_in, is_dtype
from conformance.program import Program

Array = npt.NDArray[Any]

Stage = Literal["import", "session", "bind", "step", "claim", "compile", "call", "read"]
"""The work of an implementation, in this order: the import of the module, `clear_session`, making
an input, a step, `dtype` or `int_shape`, `function`, the evaluation, reading values."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """One structure with `draws` sets of numbers.

    `arrays` holds, for every input of the program, one array of shape (draws, *input.shape) and
    the dtype that holds the input's, with no number that the input's lacks. ValueError if it
    does not.
    """

    program: Program
    arrays: Mapping[str, Array]
    draws: int
    fresh: bool = False
    """Whether the worker clears the implementation's session before and after."""
    trace: bool = False
    """Whether the worker records the lines of the implementation that run."""

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise ValueError(f"draws is {self.draws}: a batch has at least one draw")
        for item in self.program.inputs:
            array = self.arrays.get(item.name)
            shape = (self.draws, *item.shape)
            if array is None or array.shape != shape or array.dtype != held_in(item.dtype):
                actual = "nothing" if array is None else f"{array.dtype} {array.shape}"
                raise ValueError(f"input {item.name!r} needs {item.dtype} {shape}, not {actual}")
            if not has_all(item.dtype, array):
                raise ValueError(f"input {item.name!r} has numbers that {item.dtype} lacks")

    def part(self, start: int, stop: int) -> Batch:
        """The draws from `start` up to `stop`."""
        arrays = {name: array[start:stop] for name, array in self.arrays.items()}
        return replace(self, arrays=arrays, draws=stop - start)


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception that the implementation raised."""

    type: str
    bases: tuple[str, ...]
    """Names of the class and its bases, nearest first, to recognise a documented base class."""
    message: str
    """At most 2,000 characters."""
    stage: Stage
    step: int | None = None
    """Index of the program's step, for the stage "step"."""
    place: str | None = field(default=None, compare=False)
    """The innermost line of the implementation's package: `keras/src/ops/nn.py:12, in relu`."""


@dataclass(frozen=True, slots=True)
class Crashed:
    """The worker's process ended while it worked on this draw."""

    signal: int | None
    exit_code: int | None
    tail: str
    """The end of the output of the process."""
    stage: Stage | None = None
    """Its work at the end; None if it had not announced any."""
    step: int | None = None
    """Index of the program's step, for the stage "step"."""
    limit: str | None = None
    """The limit that it exceeded and was ended for, such as "4 GiB of memory (memory_limit)"."""


@dataclass(frozen=True, slots=True)
class TimedOut:
    """No answer within `limit` seconds."""

    limit: float
    tail: str = ""
    stage: Stage | None = None
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Garbled:
    """The worker's answer was not a frame, or did not fit the request."""

    reason: str
    tail: str = ""


@dataclass(frozen=True, slots=True)
class NotRun:
    """Not run: the batch failed too often before this draw."""

    reason: str


Fault = Crashed | TimedOut | Garbled


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """One evaluated result."""

    array: Array | None
    """Read-only, native byte order; None if the result cannot be an array of numbers or bools.
    A dtype that NumPy lacks (bfloat16) arrives as float32."""
    dtype: str
    """The name of the dtype that the implementation returned, such as "float32"."""
    python_type: str
    """The name of the Python type that was returned, such as "ndarray", "float" or "list"."""
    problem: str | None = None
    """Why there is no array."""
    text: str | None = None
    """The text, if a text was returned."""
    shape: tuple[int, ...] | None = None
    """The shape of an array that was too large to be sent; None if it was sent, or is none."""
    item: bool = False
    """Whether it is an item of a list or tuple, and not the whole output."""


@dataclass(frozen=True, slots=True, eq=False)
class Returned:
    """The call returned: for every output its values (one, or several for a list or tuple)."""

    values: Mapping[str, tuple[Value, ...]]

    def value(self, output: str) -> Value:
        """The only value of `output`; ValueError if it has several or none."""
        (value,) = self.values[output]
        return value


Outcome = Returned | Raised | Crashed | TimedOut | Garbled | NotRun


@dataclass(frozen=True, slots=True, eq=False)
class DrawObservation:
    """The outcome of one draw."""

    outcome: Outcome
    changed: tuple[str, ...] = ()
    """Names of the inputs whose bytes the call changed."""


@dataclass(frozen=True, slots=True)
class TensorMetadata:
    """The implementation's claims about a tensor before its evaluation."""

    dtype: str | None = None
    """`K.dtype`; None if it raised (see `dtype_error`) or the result is not a tensor."""
    shape: tuple[int | None, ...] | None = None
    """`K.int_shape`; None if it raised, if it did not return a sequence, or if the result is not a
    tensor. A dimension that is not an integer is None here."""
    dtype_error: Raised | None = None
    shape_error: Raised | None = None
    not_integers: tuple[tuple[int, str], ...] = ()
    """Place and type of each dimension that is neither an integer (NumPy's included) nor None.
    Place -1 stands for a result of `K.int_shape` that is not a sequence."""
    promised: bool = True
    """Whether the documents promise that `K.int_shape` works on this implementation."""


@dataclass(frozen=True, slots=True)
class InputObservation:
    """A bound input; an input bound as an array has no metadata."""

    name: str
    metadata: TensorMetadata
    made: str | None = None
    """Where `K.dtype` says nothing: the dtype that the tensor, or the array in its place, says of
    itself."""

    @property
    def dtype(self) -> str | None:
        """The dtype of the input, if its claim or the tensor states one."""
        if self.metadata.dtype is None and self.made is not None and is_dtype(self.made):
            return self.made
        return self.metadata.dtype


@dataclass(frozen=True, slots=True)
class OutputObservation:
    """A result before evaluation."""

    name: str
    container: Literal["tensor", "list", "tuple"]
    metadata: tuple[TensorMetadata, ...]
    """One for a tensor, one per item for a list or tuple."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """Time spent inside the implementation."""

    bind: float = 0.0
    build: float = 0.0
    call: float = 0.0

    @property
    def total(self) -> float:
        """The sum of all parts."""
        return self.bind + self.build + self.call

    def __add__(self, other: Seconds) -> Seconds:
        return Seconds(self.bind + other.bind, self.build + other.build, self.call + other.call)


@dataclass(frozen=True, slots=True, eq=False)
class TracedFunction:
    """A function of the implementation that ran, with the lines of it that did."""

    file: str
    """Its path, which begins with the package: `keras/src/ops/nn.py`."""
    name: str
    first: int
    """The line where it begins."""
    depth: int
    """How many functions of the package called it, one inside the other, and itself."""
    lines: Mapping[int, int]
    """The first line of each statement that ran, with the bytes of the statement's code."""


@dataclass(frozen=True, slots=True, eq=False)
class StructureObservation:
    """The observation of one batch.

    `outputs` is empty when a step failed, `inputs` when they could not be bound.
    """

    inputs: tuple[InputObservation, ...]
    outputs: tuple[OutputObservation, ...]
    draws: tuple[DrawObservation, ...]
    seconds: Seconds = Seconds()
    evaluated_with: Literal["function", "eval", "eager"] | None = None
    """How the results were computed; "eval" if `K.function` refuses to have no inputs."""
    leaked: tuple[str, ...] = ()
    """Settings (floatx, epsilon, image_data_format) that the batch changed and the worker restored;
    also "learning_phase" if that could not be restored, and "clear_session" if that raised."""
    incidents: tuple[Fault, ...] = ()
    """Faults of the worker, also those that did not occur again when the batch was rerun."""
    renewed: tuple[str, ...] = ()
    """The part of `leaked` for which the host started a new worker after the batch."""
    trace: tuple[TracedFunction, ...] = ()
    """The functions of the implementation that ran, for a traced batch."""


@dataclass(frozen=True, slots=True)
class OfferedParameter:
    """One parameter of a function as `inspect.signature` shows it."""

    name: str
    kind: str
    """"POSITIONAL_OR_KEYWORD", "VAR_KEYWORD" and so on."""
    has_default: bool
    default: str | None
    """`repr` of the default; None without one."""


@dataclass(frozen=True, slots=True)
class FunctionIdentity:
    """Whether a function is there, and its signature."""

    present: bool
    signature: tuple[OfferedParameter, ...] | None
    """None if it is absent or cannot be inspected."""
    reason: str | None = None
    """Why there is no signature."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of a target: versions, backend and functions."""

    protocol: int
    python: str
    versions: Mapping[str, str]
    """Versions of the distributions found, such as {"keras": "2.2.4"}."""
    backend: str | None
    """`K.backend()`, if it has one."""
    functions: Mapping[str, FunctionIdentity]
