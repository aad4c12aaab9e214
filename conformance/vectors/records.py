"""The records of a folder of vectors: an index, and a file for each function.

The schemas are `conformance-vectors-index/1` and `conformance-vectors/1`. A tensor is named by a
text, under which the safetensors file of the function has it.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType, field

from conformance.json_schemas import schema_of
from conformance.results import Aspect, Citation
from conformance.results.encoding import as_json

SCHEMA: Literal["conformance-vectors/1"] = "conformance-vectors/1"
INDEX_SCHEMA: Literal["conformance-vectors-index/1"] = "conformance-vectors-index/1"
_ID = "urn:keras-backend-conformance:schema:vectors-1"
_INDEX_ID = "urn:keras-backend-conformance:schema:vectors-index-1"

TensorName: TypeAlias = str
"""The name of a tensor in the safetensors file of the function."""
AllowedKind = Literal["value", "elements", "refusal", "shape"]
Numbers = Literal["any", "overflow", "underflow", "not finite"]


class ExpectedAnswer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A right answer: `lower` <= answer <= `upper` in every element, in numbers of `dtype`.

    NaN in both limits asks for NaN. -inf and inf accept anything, NaN among it. Where `lower` is
    above `upper`, no number of the dtype is right.
    """

    dtype: str
    shape: list[int]
    value: TensorName
    """The right value: float64 for floating results, else int64 or bool."""
    bound: TensorName
    """How far an answer may be off, in float64: |answer - value| <= bound. The limits follow from
    both; a runner that compares with them needs neither."""
    lower: TensorName
    upper: TensorName
    terms: int = 1
    """Each element is a sum of so many terms."""


class Allowed(Struct, frozen=True, kw_only=True):
    """An answer that diverges and breaks no document, because conventions leave a point open.

    `value`: the answer is `expected`. `elements`: in the `elements` that are true the answer may be
    any of `numbers`. `refusal`: the call may raise an exception. `shape`: the answer may have any
    other shape.
    """

    kind: AllowedKind
    readings: list[str]
    """The readings of conventions that allow it, such as `kernel-layout: th`."""
    expected: ExpectedAnswer | UnsetType = UNSET
    elements: TensorName | UnsetType = UNSET
    """Truth values, in the shape of the result."""
    numbers: Numbers | UnsetType = UNSET
    """`any` number; `overflow`: not below a quarter of the largest number in size; `underflow`:
    below the smallest normal number in size; `not finite`: NaN or infinite."""
    between: tuple[float | None, float | None] | UnsetType = UNSET
    """The least and the greatest number that the function gives, whatever is open; null: any."""


class Vector(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One case: the numbers of a call, and its right answers."""

    id: str
    """Twelve hexadecimal digits, a digest of edition, function, program and inputs."""
    profile: str
    """The kind of numbers, such as `ordinary` or `special`."""
    inputs: dict[str, TensorName]
    expected: ExpectedAnswer | None = None
    """None for invalid input, which must raise the `error` of the call."""
    conventions: list[str] = field(default_factory=list)
    """The points that the documents leave open for this case."""
    allowed: list[Allowed] = field(default_factory=list)


class RequiredError(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The exception that a call must raise."""

    kind: str
    exception: str
    """The documented exception; `any` where no document names one."""
    says: str
    """The condition that the input breaks."""
    convention: str | None = None
    """The convention that demands the exception, where no document does."""


class EvidenceSource(Struct, frozen=True, kw_only=True):
    """Numbers to compute from the answer and to compare in its place: it is not the only right
    one."""

    says: str
    """The numbers in words, such as "the elements at the indices"."""
    source: str
    """A function of NumPy that computes them from the answer and the arguments."""


class Call(Struct, frozen=True, kw_only=True):
    """A program of one call, with its vectors."""

    described: str
    """The call in words: `sum(x, axis=1) with x float32 (2, 3)`."""
    program: dict[str, Any]
    """Inputs, steps and outputs, as docs/inputs.md describes them. The result is `result`."""
    arguments: dict[str, Any]
    """All arguments, defaults included, by the names that `parameters` of the function has for
    them, encoded as in the program: `{"ref": "x"}` is the input x. The signature lacks some:
    `item`, the index of a part of the result, and values that this edition fixes."""
    citations: dict[Aspect, Citation]
    """The place in the document behind each aspect."""
    vectors: list[Vector]
    dtypes: list[str] | UnsetType = UNSET
    """The dtypes that the result may have; unset for invalid input."""
    other_dtypes: dict[str, list[str]] | UnsetType = UNSET
    """Dtypes that diverge, with the readings that allow them."""
    shape: list[int] | UnsetType = UNSET
    static_shape: list[int | None] | UnsetType = UNSET
    """The part of the shape that follows before the numbers are known."""
    evidence: EvidenceSource | UnsetType = UNSET
    error: RequiredError | UnsetType = UNSET


class FunctionVectors(Struct, frozen=True, kw_only=True):
    """The vectors of one function."""

    schema: Literal["conformance-vectors/1"] = SCHEMA
    edition: str
    function: str
    """Its newest name, under which results list it."""
    theme: str
    document: str
    signature: str
    """As the document prints it."""
    parameters: dict[str, str]
    """The parameters of the signature in its order, each with its name in `arguments`, which is the
    same in all editions."""
    tensors: str
    """The file with the tensors, beside this one."""
    calls: list[Call]


class FileEntry(Struct, frozen=True, kw_only=True):
    """A file of the folder."""

    sha256: str
    bytes: int


class FunctionEntry(Struct, frozen=True, kw_only=True):
    """A function of an edition: its file, and how many vectors it has."""

    file: str
    """The path below the folder, with `/`."""
    vectors: int


class VectorsIndex(Struct, frozen=True, kw_only=True):
    """The index of a folder."""

    schema: Literal["conformance-vectors-index/1"] = INDEX_SCHEMA
    suite_version: str
    profile: str
    """The profile whose calls they are (docs/plan.md)."""
    seed: int
    vectors: int
    editions: dict[str, dict[str, FunctionEntry]]
    """By edition and newest name."""
    files: dict[str, FileEntry]
    """All files but the index, with their checksums."""


def encode(record: FunctionVectors | VectorsIndex) -> bytes:
    """The bytes of the JSON file: the same for equal records."""
    return as_json(record, indent=0)


def encode_schema() -> bytes:
    """The bytes of the published `vectors-1.schema.json`."""
    return as_json(schema_of(FunctionVectors, _ID, f"Vectors of one function ({SCHEMA})"))


def encode_index_schema() -> bytes:
    """The bytes of the published `vectors-index-1.schema.json`."""
    return as_json(schema_of(VectorsIndex, _INDEX_ID, f"A folder of vectors ({INDEX_SCHEMA})"))
