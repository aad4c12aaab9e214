"""From the trials of a function to its vectors: the expectations and readings of the engine."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import UNSET, UnsetType

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.opened import opened, overflows
from conformance.engine.judging.promotions import open_dtypes
from conformance.engine.judging.readings import REFUSED, combinations
from conformance.engine.verdicts.failures import cite
from conformance.generators.collect import key
from conformance.generators.structure import Structure, refusable
from conformance.oracle import Expectation
from conformance.oracle.freedom import FREEDOMS, concerned
from conformance.oracle.ranges import ANY, range_of
from conformance.oracle.variants import Reading, Readings
from conformance.program import to_json
from conformance.program.codec import encode_argument
from conformance.results import Aspect, Citation, Verdict
from conformance.specs import load_conventions
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import taken
from conformance.specs.kinds import Omitted
from conformance.specs.load import ruled_out, signature
from conformance.vectors.calls import CallTask
from conformance.vectors.limits import limits
from conformance.vectors.records import (
    Allowed,
    AllowedKind,
    Call,
    EvidenceSource,
    ExpectedAnswer,
    FunctionVectors,
    Numbers,
    RequiredError,
    Vector,
)
from conformance.vectors.safetensors import StoredTensor

Array = npt.NDArray[Any]

_DIGITS = 12
NUMBERS: Mapping[Reading, Numbers] = {
    (ConventionName.EXTREMES, "overflow"): "overflow",
    (ConventionName.EXTREMES, "underflow"): "underflow",
    (ConventionName.CLIPPING, "lost"): "not finite",
}
"""The free readings that allow some numbers only, and how a vector names these."""
OUTSIDE: Reading = (ConventionName.EXTREMES, "outside the domain")
"""The free reading whose elements the right answer alone decides: those that are NaN."""


class TensorStore:
    """The tensors of one function. Equal ones are held once."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, tuple[int, ...], bytes], str] = {}
        self.by_name: dict[str, StoredTensor] = {}

    def add(self, array: Array, dtype: str | None = None) -> str:
        """Hold an array; the name under which it is held. `dtype` is that of its numbers."""
        tensor = StoredTensor(dtype or array.dtype.name, np.array(array, array.dtype, order="C"))
        identity = (tensor.dtype, array.shape, tensor.array.tobytes())
        name = self._names.setdefault(identity, f"t{len(self._names)}")
        self.by_name.setdefault(name, tensor)
        return name


def function_vectors(
    task: CallTask, tensors: str
) -> tuple[FunctionVectors, Mapping[str, StoredTensor]]:
    """The vectors of a function, and the tensors that the file `tensors` is to hold."""
    document = task.spec.editions[task.edition]
    printed, renamed = signature(task.spec, task.edition), task.spec.renamed
    held = TensorStore()
    record = FunctionVectors(
        edition=task.edition,
        function=task.spec.name,
        theme=task.theme,
        document=document,
        signature=task.spec.signatures[document].text,
        parameters={p.name: renamed.get(p.name, p.name) for p in printed.every},
        tensors=tensors,
        calls=[_call(trial, held) for trial in task.calls()],
    )
    return record, held.by_name


def main_dtype(prepared: Prepared) -> str:
    """The dtype of the expectation that a vector has."""
    return prepared.dtypes[0] if prepared.like is None else prepared.like


def _call(trial: CallTrial, tensors: TensorStore) -> Call:
    prepared = trial.prepared
    vectors = [_vector(prepared, draw, tensors) for draw in range(len(prepared.draws))]
    described, program = trial.described, to_json(prepared.structure.program)
    arguments = _arguments(prepared.structure)
    prepared.forget()
    if prepared.structure.error is not None:
        return Call(
            described=described,
            program=program,
            arguments=arguments,
            citations=_citations(prepared, (Aspect.ERROR,)),
            vectors=vectors,
            error=_error(prepared),
        )
    return Call(
        described=described,
        program=program,
        arguments=arguments,
        citations=_citations(prepared, (Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE)),
        vectors=vectors,
        dtypes=[*dict.fromkeys(prepared.dtypes)],
        other_dtypes=_other_dtypes(prepared) or UNSET,
        shape=list(prepared.shape),
        static_shape=list(prepared.static_shape),
        evidence=_evidence(prepared),
    )


def _arguments(structure: Structure) -> dict[str, Any]:
    """The arguments, by the newest names of their parameters; none that are never passed."""
    rules = structure.spec.parameters
    return {
        name: encode_argument(value)
        for name, value in structure.arguments.items()
        if not isinstance(rules.get(name), Omitted)
    }


def _citations(prepared: Prepared, aspects: Sequence[Aspect]) -> dict[Aspect, Citation]:
    """The places that a violation of each aspect would cite."""
    structure, error = prepared.structure, prepared.structure.error
    kind = "" if error is None else error.name
    at: dict[str, int | str] = {} if error is None else {**error.at, **error.sections}
    cited = {
        aspect: cite(
            structure.spec,
            structure.edition,
            Finding(aspect, Verdict.VIOLATES, kind, gives="", demands="", at=at),
        )
        for aspect in aspects
    }
    return {aspect: citation for aspect, citation in cited.items() if citation is not None}


def _error(prepared: Prepared) -> RequiredError:
    error = prepared.structure.error
    assert error is not None
    return RequiredError(
        kind=error.name,
        exception=error.exception,
        says=error.says,
        convention=error.convention,
    )


def _other_dtypes(prepared: Prepared) -> dict[str, list[str]]:
    """The dtypes that conventions allow beside the accepted ones, with their readings."""
    others = dict[str, list[str]]()
    for convention, names in open_dtypes(prepared, prepared.dtypes, {}).items():
        for name in names:
            others.setdefault(name, []).append(taken(convention, name))
    return others


def _evidence(prepared: Prepared) -> EvidenceSource | UnsetType:
    if prepared.evidence is None:
        return UNSET
    return EvidenceSource(says=prepared.evidence.says, source=prepared.evidence.source("evidence"))


def _vector(prepared: Prepared, draw: int, tensors: TensorStore) -> Vector:
    structure, arrays = prepared.structure, prepared.arrays[draw]
    inputs = {i.name: tensors.add(arrays[i.name], i.dtype) for i in structure.program.inputs}
    identity, profile = _identity(prepared, draw), prepared.draws[draw].profile
    if structure.error is not None:
        return Vector(id=identity, profile=profile, inputs=inputs)
    conventions = conventions_of(prepared, draw)
    own = prepared.expectation(draw, main_dtype(prepared))
    return Vector(
        id=identity,
        profile=profile,
        inputs=inputs,
        expected=_expected(own, tensors),
        conventions=list(conventions),
        allowed=[
            *_values(prepared, draw, conventions, tensors),
            *_elements(prepared, draw, conventions, tensors),
            *_without_answer(prepared, draw, conventions),
        ],
    )


def _identity(prepared: Prepared, draw: int) -> str:
    structure = prepared.structure
    text = "\0".join((structure.edition, structure.spec.name, key(structure)))
    digest = hashlib.sha256(text.encode())
    for name, array in sorted(prepared.arrays[draw].items()):
        digest.update(b"\0" + name.encode() + b"\0" + array.tobytes())
    return digest.hexdigest()[:_DIGITS]


def conventions_of(prepared: Prepared, draw: int) -> tuple[str, ...]:
    """The conventions that a case rests on, with those that a right answer's shape opens."""
    named = prepared.structure.conventions(prepared.profiles[draw])
    own = prepared.expectation(draw, main_dtype(prepared)).value
    # an answer opens them if its shape is right, and none of its numbers matter
    shaped = np.broadcast_to(np.zeros((), own.dtype), prepared.shape)
    points = [*opened(prepared, draw, shaped, ())]
    if not named and overflows(own, prepared.arrays[draw]):
        points.append(ConventionName.EXTREMES)
    return tuple(sorted({*named, *points}))


def _expected(expectation: Expectation, tensors: TensorStore) -> ExpectedAnswer:
    plain = replace(
        expectation,
        value=_plain(expectation.value),
        bound=np.asarray(expectation.bound, np.float64),
    )
    between = limits(plain)
    return ExpectedAnswer(
        dtype=expectation.dtype,
        shape=list(expectation.value.shape),
        value=tensors.add(plain.value),
        bound=tensors.add(plain.bound),
        lower=tensors.add(between.lower, expectation.dtype),
        upper=tensors.add(between.upper, expectation.dtype),
        terms=expectation.terms,
    )


def _plain(value: Array) -> Array:
    """A value in a dtype that files have, which the wide dtype of the oracle is not."""
    return value.astype(np.float64) if value.dtype.kind == "f" else value


def _values(
    prepared: Prepared, draw: int, conventions: Sequence[str], tensors: TensorStore
) -> Iterator[Allowed]:
    """The answers under other readings. The same answer under further readings is left out."""
    structure, expected = prepared.structure, list[ExpectedAnswer]()
    forbidden = ruled_out(structure.spec, structure.edition)
    for readings in combinations(conventions, forbidden):
        answer = answer_under(prepared, draw, readings)
        if answer is None:
            continue
        record = _expected(answer, tensors)
        if record not in expected:
            expected.append(record)
            if readings:
                yield Allowed(kind="value", readings=_names(readings), expected=record)


def answer_under(prepared: Prepared, draw: int, readings: Readings) -> Expectation | None:
    """The expectation under some readings; None if the call has no answer under them."""
    try:
        return prepared.expectation(draw, main_dtype(prepared), readings)
    except (KeyError, ValueError, IndexError):
        return None


def _elements(
    prepared: Prepared, draw: int, conventions: Sequence[str], tensors: TensorStore
) -> Iterator[Allowed]:
    """The elements that free readings leave open."""
    structure = prepared.structure
    own, arguments = (
        prepared.expectation(draw, main_dtype(prepared)),
        prepared.oracle_arguments(draw),
    )
    forbidden = ruled_out(structure.spec, structure.edition)
    least, most = within = range_of(structure.oracle, arguments)
    ends = (_finite(least), _finite(most))
    for reading in _free(conventions):
        if taken(*reading) in forbidden:
            continue
        mask = concerned(reading[0], structure.oracle, arguments, own)
        if reading == OUTSIDE:
            mask = mask & FREEDOMS[OUTSIDE](own.value, own)
        if mask.any():
            yield Allowed(
                kind="elements",
                readings=_names([reading]),
                elements=tensors.add(np.asarray(mask, np.bool_)),
                numbers=NUMBERS.get(reading, "any"),
                between=UNSET if within == ANY else ends,
            )


def _free(conventions: Sequence[str]) -> Iterator[Reading]:
    known = load_conventions()
    return ((name, r.name) for name in conventions for r in known[name].readings if r.free)


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _without_answer(prepared: Prepared, draw: int, conventions: Sequence[str]) -> Iterator[Allowed]:
    """The exceptions, and the results of any other shape, that readings allow."""
    open_dtype = {ConventionName.INPUT_DTYPE} if refusable(prepared.structure) else set()
    known, fits = load_conventions(), partial(prepared.fits, draw)
    for name in sorted({*conventions, *open_dtype}):
        convention = known[name]
        if convention.choice == REFUSED:
            yield Allowed(kind="refusal", readings=[taken(name, REFUSED)])
        if convention.refusal is not None:
            yield Allowed(kind="refusal", readings=[taken(name, convention.refusal.name)])
        for reading in convention.of_misfits:
            if not fits(((name, str(reading.misfits)),)):
                kind: AllowedKind = "refusal" if reading.refuses else "shape"
                yield Allowed(kind=kind, readings=[taken(name, reading.name)])


def _names(readings: Sequence[Reading]) -> list[str]:
    return [taken(*reading) for reading in readings]
