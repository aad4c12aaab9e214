"""Turn a group of findings into the failure that is written to a results file."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import UNSET, UnsetType

from conformance.dtypes import BFLOAT16
from conformance.editions import Document, Edition, symbols_of
from conformance.engine.judging.findings import RESULT_OF, Finding
from conformance.engine.planning.demands import demanded_aspects
from conformance.engine.verdicts.limits import named_index
from conformance.engine.verdicts.scripts import script
from conformance.engine.verdicts.sentences import sentence, unsaid
from conformance.engine.verdicts.tally import GRAVITY, Group, Tally, listed, verdict
from conformance.program import Case, to_json
from conformance.results import (
    Array,
    Aspect,
    AspectResult,
    Citation,
    Failure,
    FindingKind,
    FunctionResult,
    Origin,
    Verdict,
)
from conformance.results.encoding import plain
from conformance.scripts import Prelude
from conformance.specs import Spec
from conformance.specs.conventions import definite
from conformance.specs.extraction import parameter_line
from conformance.specs.load import claims, signature
from conformance.specs.model import Claim, ErrorCase
from conformance.specs.places import section_of

MOST_ELEMENTS = 64


Originate = Callable[[Group], Origin | UnsetType]
"""A function that says how the case of a group can be made again."""


def function_result(
    tally: Tally,
    groups: list[Group],
    theme: str,
    prelude: Prelude,
    originate: Originate = lambda _: UNSET,
    *,
    partial: bool = False,
) -> FunctionResult:
    """All demanded aspects of a function with their verdicts and failures.

    If the run ended early (`partial`), the aspects that were not reached are `not run`.
    """
    aspects = [
        _aspect(tally, aspect, groups, prelude, originate)
        if tally.cases.get(aspect) or not partial
        else not_run(aspect, _earlier(tally, aspect))
        for aspect in demanded_aspects(tally.spec, tally.edition)
        if aspect in tally.aspects
    ]
    return plain(FunctionResult(tally.spec.name, theme, aspects, tally.offered or UNSET))


def not_run(aspect: Aspect, earlier: Sequence[Failure] = ()) -> AspectResult:
    """An aspect that was not run, with what cases of earlier runs show."""
    return AspectResult(
        aspect=aspect,
        verdict=Verdict.NOT_RUN,
        cases=0,
        earlier_failures=list(earlier),
    )


def _earlier(tally: Tally, aspect: Aspect, own: Collection[str] = ()) -> list[Failure]:
    """What only cases of earlier runs show, the gravest first; `own` are the ids of this run's."""
    failing = {f.id: f for of, f in tally.earlier.values() if of is aspect and f.id not in own}
    return sorted(failing.values(), key=lambda f: (-GRAVITY[f.verdict], f.id))


def _aspect(
    tally: Tally, aspect: Aspect, groups: list[Group], prelude: Prelude, originate: Originate
) -> AspectResult:
    mine, unlisted = listed(g for g in groups if g.finding.aspect is aspect)
    with_error = aspect is Aspect.VALUE and tally.ulp is not None
    failures = [
        msgspec.structs.replace(failure(tally, g, prelude), origin=originate(g)) for g in mine
    ]
    return AspectResult(
        aspect=aspect,
        verdict=verdict(tally, aspect, mine),
        cases=tally.cases.get(aspect, 0),
        max_ulp=tally.ulp if with_error else None,
        limit_ulp=tally.limit_ulp if with_error else None,
        failures=failures,
        earlier_failures=_earlier(tally, aspect, {f.id for f in failures}),
        note=_note(tally, aspect, mine, unlisted),
        readings=_readings(tally, aspect) or UNSET,
    )


def _readings(tally: Tally, aspect: Aspect) -> dict[str, int]:
    """How many cases show which reading."""
    return {name: n for (of, name), n in sorted(tally.readings.items()) if of is aspect}


def _mixtures(tally: Tally, aspect: Aspect, groups: Sequence[Group]) -> Iterator[str]:
    """The conventions that a function reads in several ways: it should take one reading."""
    shown = Counter(_readings(tally, aspect))
    refused = (g for g in groups if g.finding.kind == FindingKind.EXCEPTION)
    for group in refused:
        shown.update(dict.fromkeys(group.finding.readings, group.count))
    by_convention: dict[str, Counter[str]] = {}
    for name, count in sorted(shown.items()):
        convention, _, reading = (definite(name) or "").partition(": ")
        if convention:
            by_convention.setdefault(convention, Counter())[reading] += count
    for convention, readings in by_convention.items():
        if len(readings) > 1:
            counted = ", ".join(f"{name} ({count})" for name, count in readings.items())
            yield f"reads {convention} in several ways: {counted}"


def _note(tally: Tally, aspect: Aspect, groups: list[Group], unlisted: int) -> str | UnsetType:
    """What the failures do not say: what was not run, and what is not listed. Unset if nothing."""
    notes = [
        *_left_out(tally, aspect),
        *_too_few(tally, aspect),
        *_mixtures(tally, aspect, groups),
    ]
    if aspect is Aspect.VALUE:
        notes += _not_run(tally, groups)
    if unlisted:
        notes.append(f"{unlisted} more failures, with other messages or arguments, are not listed")
    return "; ".join(notes) or UNSET


def _left_out(tally: Tally, aspect: Aspect) -> Iterator[str]:
    """The dtypes that all cases of the aspect need and the target lacks."""
    if tally.lacking and not tally.cases.get(aspect):
        yield f"no case ran: they need {' or '.join(sorted(tally.lacking))}, which the target lacks"


def _too_few(tally: Tally, aspect: Aspect) -> Iterator[str]:
    """How many of the settled cases were judged, if they are too few to conform."""
    if not tally.shares.enough(aspect):
        judged, settled = tally.shares.judged[aspect], tally.shares.settled[aspect]
        yield (
            f"{judged} of {settled} cases that the documents settle ran: "
            "the others were refused, failed, or could not be made"
        )


def _not_run(tally: Tally, groups: list[Group]) -> Iterator[str]:
    """How many structures and cases could not be run, and why."""
    if tally.skipped:
        yield f"{tally.skipped} structures were not run: others like them end the process"
    if tally.slow:
        yield (
            f"{tally.slow} structures were not run: a call with at most twice as many elements "
            "takes most of the time limit"
        )
    if tally.empty:
        yield (
            f"{tally.empty} structures were not run: an array without elements ends the process, "
            "whatever computes with it (variable)"
        )
    if tally.misread:
        yield (
            f"{tally.misread} structures were not run: the target reads other numbers from their "
            "arrays of float16, whatever computes with them (variable, convert_to_tensor)"
        )
    for name, count in sorted(tally.unmet.items()):
        yield f"{count} structures were not run: they need {name}, which is absent"
    for name, count in sorted(tally.hanging.items()):
        yield f"{count} structures were not run: they call {name}, which hangs"
    unmade = sum(g.count for g in groups if g.finding.kind == FindingKind.UNMADE_INPUT)
    if unmade:
        yield f"{unmade} cases were not run: their inputs could not be made"


def failure(tally: Tally, group: Group, prelude: Prelude) -> Failure:
    """One failure with its smallest case, citation and script."""
    expected = _expected(group.finding)
    finding = replace(group.finding, expected=expected)
    group = replace(group, finding=finding)
    citation = cite(tally.spec, tally.edition, finding)
    name = signature(tally.spec, tally.edition).name
    message = sentence(name, finding, group.trial, citation)
    case = None if group.trial is None else group.trial.case(finding.draw)
    return Failure(
        id=identifier(tally, finding, group.cause[1]),
        verdict=finding.verdict,
        kind=finding.kind,
        message=message,
        count=group.count,
        citation=citation,
        replacement=finding.replacement or UNSET,
        convention=", ".join(finding.conventions) or None,
        readings=list(finding.readings),
        program=to_json(case.program) if case else None,
        inputs=_inputs(case) if case else {},
        expected=side_record(expected, finding),
        got=side_record(finding.got, finding, finding.got_dtype),
        max_ulp=finding.ulp if finding.ulp is not None and np.isfinite(finding.ulp) else None,
        script=_script(tally, group, message, prelude),
        place=finding.place or UNSET,
        suspect_lines=list(group.lines) or UNSET,
    )


def _expected(finding: Finding) -> npt.NDArray[Any] | str | None:
    """The expected answer, also where a function gives it."""
    return finding.expected() if callable(finding.expected) else finding.expected


def _script(tally: Tally, group: Group, message: str, prelude: Prelude) -> str | None:
    documented = signature(tally.spec, tally.edition)
    title = "\n".join(filter(None, (message, unsaid(group.finding, message))))
    return script(title, group.finding, group.trial, prelude, documented)


def identifier(tally: Tally, finding: Finding, forms: Iterable[str] = ()) -> str:
    """The id of a failure, twelve hexadecimal digits: the same whatever case shows it.

    Lists of known failures, baselines and links refer to it. It is therefore a digest of the fault
    and not of the case. It covers edition, function, the identity of the finding (aspect, kind,
    type of an exception, conventions) and `forms`, the rare forms of arguments that cause it.
    Profile, seed, numbers, machine and release stay outside: every run that shows the fault gives
    this id.
    """
    cause = map(str, finding.identity[:3])
    parts = (tally.edition, tally.spec.name, *cause, *finding.conventions, *sorted(forms))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def cite(spec: Spec, edition: Edition, finding: Finding) -> Citation | None:
    """The line that a violation or a change contradicts; None for anything else."""
    if not finding.contradicts:
        return None
    document = spec.editions[edition]
    return Citation(document, next(_lines(spec, edition, finding)))


def place_of(spec: Spec, rule: Claim | ErrorCase, document: Document) -> int | str | None:
    """The line, or section of the docstring, where a document states a rule; None without one."""
    if document in rule.sections:
        return section_of(spec.name, rule.sections[document])
    return rule.at.get(document)


def _lines(spec: Spec, edition: Edition, finding: Finding) -> Iterator[int | str]:
    """The places in the document that the finding may rest on, the most specific first."""
    document = spec.editions[edition]
    if document in finding.at:
        found = finding.at[document]
        if isinstance(found, str) and ": " not in found:
            found = section_of(spec.name, found)
        yield found
    if finding.parameter and (line := parameter_line(spec, document, finding.parameter)):
        yield line
    # a shape that is documented is that of the value, too, which an exception withholds
    shapes = (c for c in spec.claims if Aspect(c.aspect) is Aspect.STATIC_SHAPE)
    of_shape = finding.kind == FindingKind.SHAPE or finding.demands.startswith(RESULT_OF)
    errors = (e for e in spec.errors if e.name == finding.kind)
    rules = (*(errors if finding.aspect is Aspect.ERROR else ()), *claims(spec, finding.aspect))
    # where no document speaks of gradients or of dtypes, the value decides: its derivative is the
    # gradient, and its dtype holds it
    of_value = finding.aspect in (Aspect.GRADIENT, Aspect.DTYPE)
    contradicts_itself = finding.kind == FindingKind.CONTRADICTION
    values = claims(spec, Aspect.VALUE) if of_value and not contradicts_itself else ()
    for rule in (*(shapes if of_shape else ()), *rules, *values):
        if (place := place_of(spec, rule, document)) is not None:
            yield place
    if contradicts_itself and symbols_of(edition):
        yield symbols_of(edition)
    yield spec.signatures[document].line or f"{spec.name}: signature"


def _inputs(case: Case) -> dict[str, Array]:
    """The arrays of a case, with the dtypes of its inputs."""
    dtypes = {item.name: item.dtype for item in case.program.inputs if item.dtype == BFLOAT16}
    return {name: record(array, (), dtypes.get(name)) for name, array in case.arrays.items()}


def side_record(
    value: npt.NDArray[Any] | str | None, finding: Finding, dtype: str | None = None
) -> Array | str | None:
    """The answer of a finding, or what it expects, for a results file."""
    if isinstance(value, np.generic) and not isinstance(value, str):
        value = np.asarray(value)
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind == "c":  # a results file has no complex numbers
        return f"{value.dtype.name} {np.array2string(value, threshold=MOST_ELEMENTS)}"
    sides = (finding.expected, finding.got)
    numbers = value.size > MOST_ELEMENTS and all(isinstance(s, np.ndarray) for s in sides)
    return record(value, named_index(finding) if numbers else (), dtype)


def record(
    array: npt.NDArray[Any], around: tuple[int, ...] = (), dtype: str | None = None
) -> Array:
    """An array for a results file, of which `MOST_ELEMENTS` elements are kept: the first ones, or
    those around an index. `dtype` is that of its numbers, if NumPy lacks it."""
    start = _start(array.shape, around)
    flat = array.reshape(-1)[start : start + MOST_ELEMENTS]
    data = [v if _plain(v) else str(v) for v in flat.tolist()]
    cut = array.size > MOST_ELEMENTS
    return Array(dtype or array.dtype.name, list(array.shape), data, cut, start or UNSET)


def _start(shape: tuple[int, ...], around: tuple[int, ...]) -> int:
    """The first element that is kept."""
    if len(around) != len(shape) or not all(0 <= i < d for i, d in zip(around, shape, strict=True)):
        return 0
    place = int(np.ravel_multi_index(around, shape)) if shape else 0
    return max(0, min(place - MOST_ELEMENTS // 2, math.prod(shape) - MOST_ELEMENTS))


def _plain(value: Any) -> bool:
    return not isinstance(value, float) or bool(np.isfinite(value))
