"""Judge what an implementation reports of a result: its dtype and static shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from conformance.dtypes import is_dtype, is_floating
from conformance.editions import Document, symbols_of
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Allowance, Finding
from conformance.engine.judging.messages import raising
from conformance.engine.judging.probes import NOT_INTEGERS, types_of_dimensions
from conformance.engine.judging.promotions import open_dtypes
from conformance.engine.judging.readings import (
    of_anything,
    of_dtype,
    of_nothing,
    of_refusal,
)
from conformance.generators.structure import Structure, accepted_dtypes
from conformance.observations import TensorMetadata, Value
from conformance.results import Aspect, FindingKind, Verdict
from conformance.specs import load_conventions
from conformance.specs.convention_names import ConventionName
from conformance.specs.kinds import Dtype
from conformance.specs.load import is_claimed

_SCALARS = ("bool", "int", "float")
"""A Python number has no dtype. That `function` returns one is a failure of `function`."""
NO_SHAPE = str(None)
"""What a finding has got where `int_shape` gave None."""
SAME_DTYPE = "the same of both"
"""What is demanded where the dtype that is reported is not that of the value."""


def plain_dtype(dtype: str | None) -> str | None:
    """A dtype's plain name: TensorFlow 1 calls that of a variable `float32_ref` (C033)."""
    return None if dtype is None else dtype.removesuffix("_ref")


def dtype(
    prepared: Prepared, said: TensorMetadata, value: Value | None, other: dict[str, str]
) -> Iterator[Finding]:
    """Findings on the dtype of the result, as evaluated and as `K.dtype` reports it.

    The documents may leave both open, and still the two must agree. If no sentence is about dtypes,
    the reported dtype must be the delivered one. An empty result of a dtype that no document
    names shows nothing: nothing was computed.
    """
    undocumented = ConventionName.INPUT_DTYPE in prepared.structure.unsettled
    if undocumented and value is not None and value.array is not None and not value.array.size:
        return
    findings = list(_apart(prepared, said, value, other))
    structure = prepared.structure
    silent = not is_claimed(structure.spec, Aspect.DTYPE, structure.edition)
    open_kinds = {FindingKind.CLAIMED_DTYPE} if silent else set()
    if all(finding.conventions or finding.kind in open_kinds for finding in findings):
        contradictions = list(_contradicted(prepared, said, value))
        if contradictions:  # the reported dtype has one finding
            findings = [f for f in findings if f.kind is not FindingKind.CLAIMED_DTYPE]
        findings += contradictions
    yield from findings


def _contradicted(
    prepared: Prepared, said: TensorMetadata, value: Value | None
) -> Iterator[Finding]:
    """What is reported against what is delivered, where the document says that they agree."""
    structure, claimed = prepared.structure, plain_dtype(said.dtype)
    delivered = None if value is None or value.python_type in _SCALARS else value.dtype
    if None in (claimed, delivered) or claimed == delivered or not symbols_of(structure.edition):
        return
    if structure.claimed != "result":
        return
    yield Finding(
        Aspect.DTYPE,
        Verdict.VIOLATES,
        FindingKind.CLAIMED_DTYPE,
        gives=f"reports {claimed} but returns {delivered}",
        demands=SAME_DTYPE,
        detail=_disagreement(structure, str(claimed), str(delivered)),
        got=claimed,
        expected=str(delivered),
        at={structure.spec.editions[structure.edition]: symbols_of(structure.edition)},
    )


def _disagreement(structure: Structure, claimed: str, delivered: str) -> str:
    """The detail of a dtype that is reported and not delivered: one for all dtypes of integers of
    which a function makes floats, and reports the dtype of its tensors."""
    known = is_dtype(claimed) and is_dtype(delivered)
    integers = known and not is_floating(claimed) and is_floating(delivered)
    if integers and {*structure.runtime.dtypes.values()} == {claimed}:
        return f"{_KEPT} reported, floating numbers given"
    return f"{claimed} reported, {delivered} given"


def _apart(
    prepared: Prepared, said: TensorMetadata, value: Value | None, other: dict[str, str]
) -> Iterator[Finding]:
    structure = prepared.structure
    accepted = accepted_dtypes(structure, other) if other else prepared.dtypes
    delivered = None if value is None or value.python_type in _SCALARS else value.dtype
    claimed = plain_dtype(said.dtype)
    named = open_dtypes(prepared, accepted, other)
    if delivered is not None and delivered not in accepted and structure.claimed == "result":
        gives = f"gives {_told(value, delivered)}"
        kind = FindingKind.DTYPE
        found = _other_dtype(kind, gives, dtype=delivered, accepted=accepted, named=named)
        yield _of_structure(found, structure, other, accepted)
    elif claimed is not None and claimed not in accepted:
        if structure.claimed == "result":
            named = {**named, ConventionName.CLAIMED_DTYPE: []}
        gives = f"reports {claimed}"
        kind = FindingKind.CLAIMED_DTYPE
        found = _other_dtype(kind, gives, dtype=claimed, accepted=accepted, named=named)
        yield _of_structure(found, structure, other, accepted)


def _told(value: Value | None, dtype: str) -> str:
    """The dtype that came; of what is no array, such as a generator, what it is."""
    return f"a {value.python_type}" if value is not None and dtype == "object" else dtype


def _of_structure(
    finding: Finding, structure: Structure, other: Mapping[str, str], accepted: Sequence[str]
) -> Finding:
    """The finding with the parameter that asked for a dtype, if one did.

    A function that keeps to the dtype of its tensors, whatever is asked for, has one fault and not
    one for each pair of dtypes. `other` are the dtypes of tensors that were made with another one
    than they were asked for.
    """
    asked = _asked_by(structure)
    if finding.conventions:
        return replace(finding, parameter=asked)
    tensors = {*{**structure.runtime.dtypes, **other}.values()}
    came = _KEPT if tensors == {finding.got} else finding.got
    wanted = _KEPT if tensors == {accepted[0]} else finding.demands
    detail = f"{came} for {wanted if asked is None else _ASKED_FOR}"
    return replace(finding, parameter=asked, detail=detail)


_KEPT = "that of its tensors"
_ASKED_FOR = "what is asked for"


def _asked_by(structure: Structure) -> str | None:
    """The parameter that the call asked for a dtype with."""
    rules, given = structure.spec.parameters, structure.arguments
    asked = (n for n, rule in rules.items() if isinstance(rule, Dtype) and given.get(n) is not None)
    return next(asked, None)


def _other_dtype(
    kind: FindingKind,
    gives: str,
    *,
    dtype: str,
    accepted: Sequence[str],
    named: Mapping[str, Sequence[str]],
) -> Finding:
    allowed, demands = of_dtype(named, dtype), " or ".join(accepted)
    return Finding.under(
        allowed,
        Aspect.DTYPE,
        kind,
        gives=gives,
        demands=demands,
        detail=f"{dtype} for {demands}",
        got=dtype,
        expected=demands,
    )


def static_shape(
    prepared: Prepared, said: TensorMetadata, value: Value | None
) -> Iterator[Finding]:
    """Findings on the static shape: it must not contradict the real one, and should be as precise
    as what is known allows.

    A static shape that agrees with the expected one is right: if the real one differs, the value is
    wrong.
    """
    if value is None or value.array is None or said.shape_error is not None:
        yield from _shape_error(prepared, said)
        return
    if said.not_integers:
        yield _not_integers(prepared, said)
        return
    real = value.array.shape
    static = said.shape
    if static is not None and not (compatible(static, real) or compatible(static, prepared.shape)):
        # a value of another shape than the documented one is no measure of anything
        demanded = real if real == prepared.shape else prepared.static_shape
        allowed = _of_wrong_shape(prepared, said)
        yield _static(FindingKind.CONTRADICTION, static, demanded, allowed)
    elif real == prepared.shape and not _precise(static, prepared.static_shape):
        kind = FindingKind.UNKNOWN if static is None else FindingKind.IMPRECISE
        allowed = of_anything((ConventionName.PRECISE_STATIC_SHAPE,))
        if not _precise(static, prepared.known_shape):
            yield _static(kind, static, prepared.known_shape, allowed)


def with_promised_shapes(findings: Iterable[Finding], document: Document) -> list[Finding]:
    """The findings, with a violation for each static shape of None where the document promises a
    tuple. None for a dimension is imprecise, and None for the whole is not a tuple."""
    name = ConventionName.PRECISE_STATIC_SHAPE
    line = load_conventions()[name].settled.get(document)
    if line is None:
        return list(findings)
    wrong = of_nothing((name,))
    return [
        replace(
            finding,
            verdict=wrong.verdict,
            conventions=(),
            readings=(),
            open_points=wrong.open_points,
            at={document: line},
        )
        if {*finding.conventions} == {name} and finding.got == NO_SHAPE
        else finding
        for finding in findings
    ]


def _of_wrong_shape(prepared: Prepared, said: TensorMetadata) -> Allowance:
    """What allows a static shape that is wrong: anything, where no document promises one."""
    if not said.promised:
        return of_anything((ConventionName.INT_SHAPE_EVERYWHERE,))
    return of_nothing(prepared.structure.unsettled)


def _of_raising(prepared: Prepared, said: TensorMetadata) -> Allowance:
    """What allows that `int_shape` raises."""
    promised = () if said.promised else (ConventionName.INT_SHAPE_EVERYWHERE,)
    return of_refusal((*prepared.structure.unsettled, *promised))


def _is_not_asked_for(prepared: Prepared, exception: str) -> bool:
    """Whether a package has no way to ask for a static shape, and no document promises one."""
    structure = prepared.structure
    claimed = is_claimed(structure.spec, Aspect.STATIC_SHAPE, structure.edition)
    return exception == "Absent" and not claimed


def _shape_error(prepared: Prepared, said: TensorMetadata) -> Iterator[Finding]:
    if said.shape_error is None or _is_not_asked_for(prepared, said.shape_error.type):
        return
    allowed = _of_raising(prepared, said)
    error = said.shape_error
    which = "whose reading" if error.stage == "read" else "that"
    yield Finding.under(
        allowed,
        Aspect.STATIC_SHAPE,
        FindingKind.INT_SHAPE_RAISES,
        gives=f"has an int_shape {which} {raising(error.type, error.message)}",
        demands=str(prepared.static_shape),
        detail=error.type,
    )


def _not_integers(prepared: Prepared, said: TensorMetadata) -> Finding:
    """A static shape with dimensions of another type than int, which is none of integers."""
    shown = shape_as_said(said)
    allowed = _of_wrong_shape(prepared, said)
    return Finding.under(
        allowed,
        Aspect.STATIC_SHAPE,
        NOT_INTEGERS,
        gives=f"has the static shape {shown}",
        demands=f"integers or None: {prepared.static_shape}",
        detail=types_of_dimensions(said),
        readings=(),
        got=shown,
        expected=str(prepared.static_shape),
    )


def shape_as_said(said: TensorMetadata) -> str:
    """The static shape, with the type of each dimension that is no integer: `(2, a float)`."""
    other = dict(said.not_integers)
    if -1 in other:
        return f"{_article(other[-1])}, which is no sequence"
    parts = [_article(other[i]) if i in other else str(d) for i, d in enumerate(said.shape or ())]
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _article(kind: str) -> str:
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"


def compatible(said: tuple[int | None, ...], real: tuple[int, ...]) -> bool:
    """Whether every dimension that a static shape knows is that of the shape at run time."""
    return len(said) == len(real) and all(
        s is None or s == r for s, r in zip(said, real, strict=True)
    )


def _precise(said: tuple[int | None, ...] | None, known: tuple[int | None, ...]) -> bool:
    return said is not None and all(k is None or s == k for s, k in zip(said, known, strict=False))


def _static(
    kind: FindingKind | str,
    said: tuple[int | None, ...] | None,
    demands: tuple[int | None, ...],
    allowed: Allowance,
) -> Finding:
    return Finding.under(
        allowed,
        Aspect.STATIC_SHAPE,
        kind,
        gives=f"has the static shape {said}",
        demands=str(demands),
        got=str(said),
        expected=str(demands),
    )
