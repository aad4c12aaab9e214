"""The page of one function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from markupsafe import Markup
from msgspec import UNSET

from conformance.reporting.detail import case_counts, kept_cases
from conformance.reporting.documented import Documented
from conformance.reporting.failures import error_text, exceeded_limit, place_text
from conformance.reporting.flow import composed_program, flow_picture
from conformance.reporting.html.arrays import PageValue, compared_values, shown_array, ulp
from conformance.reporting.html.environment import SIGNS
from conformance.reporting.html.overview import bar, grade, record_anchor
from conformance.reporting.html.releases import Past, failure_histories, release_strips
from conformance.reporting.html.signatures import signature_rows, wrong_signatures
from conformance.reporting.listing import (
    ANOTHER,
    ListedFailure,
    failure_readings,
    listed_failures,
    reading_name,
    readings_text,
)
from conformance.reporting.marks import GRAVEST_FIRST, MARKS
from conformance.reporting.pictures.svg import inline
from conformance.reporting.safe_text import slug
from conformance.reporting.targets import TargetView
from conformance.results import ASPECTS, Array, AspectResult, Failure, Verdict
from conformance.results.composed import program_of
from conformance.results.scores import TakenReading, diverges, readings, standing


class Camp(NamedTuple):
    """The targets that answer alike."""

    reading: str
    """Its name; empty where the results do not name the suite's own."""
    own: bool
    """Whether it is the suite's own."""
    targets: list[TargetView]


class Agreement(NamedTuple):
    """One convention in one aspect of a function."""

    anchor: str
    aspect: str
    convention: str
    camps: list[Camp]
    """The other readings, the most frequent first, and the suite's own at the end."""
    others: list[TargetView]
    """Targets that fail or refuse, or took none of the readings in their cases."""


def agreements(function: str, targets: Sequence[TargetView]) -> list[Agreement]:
    """The conventions in which a target takes another reading than the suite's, by aspect."""
    groups = []
    for aspect in map(str, ASPECTS):
        judged = [(t, a) for t in targets if (a := t.aspects(function).get(aspect)) is not None]
        of_any = readings([a for _, a in judged])
        for convention in dict.fromkeys(reading.convention for reading in of_any):
            groups.append(_agreement(aspect, convention, judged))
    return groups


def anchor_of(aspect: str, convention: str) -> str:
    """Where the agreement stands on the function's page."""
    return f"agree-{slug(f'{aspect} {convention}')}"


def _agreement(
    aspect: str, convention: str, judged: Sequence[tuple[TargetView, AspectResult]]
) -> Agreement:
    other: dict[str, list[TargetView]] = {}
    own: dict[str, list[TargetView]] = {}
    rest: list[TargetView] = []
    for target, result in judged:
        taken = [r for r in readings([result]) if r.convention == convention]
        for reading in taken:
            other.setdefault(reading_name(reading), []).append(target)
        answers = list(_own(result, convention, taken))
        for name in answers:
            own.setdefault(name, []).append(target)
        if not taken and not answers and result.verdict is not Verdict.NOT_APPLICABLE:
            rest.append(target)
    ordered = sorted(other.items(), key=lambda item: -len(item[1]))
    camps = [Camp(name, own=False, targets=who) for name, who in ordered]
    camps += [Camp(name, own=True, targets=who) for name, who in own.items()]
    return Agreement(anchor_of(aspect, convention), aspect, convention, camps, rest)


def _own(result: AspectResult, convention: str, taken: Sequence[TakenReading]) -> Iterator[str]:
    """The suite's own reading if the target takes it: by its name, or as an empty one.

    Results of older versions count no readings: there, who conforms in every case takes it.
    """
    if isinstance(result.readings, dict):
        others = {str(reading) for reading in taken}
        named = [r for r in result.readings if r.partition(": ")[0] == convention]
        yield from (r.partition(": ")[2] for r in named if r not in others)
    elif standing(result) is Verdict.CONFORMS and not diverges(result) and result.cases:
        yield ""


def picture_of(failure: Failure, target: TargetView) -> Markup | None:
    """The program as a part of the page; None of a failure of another sort."""
    program = composed_program(failure)
    if program is None:
        return None
    return inline(flow_picture(program, f"flow-{slug(failure.id)}-{target.key}"))


def agreeing(
    failure: Failure, target: TargetView, targets: Sequence[TargetView]
) -> list[TargetView]:
    """The targets that ran the program from which the failure was made smaller, and do not have
    it."""
    if composed_program(failure) is None:
        return []
    number = program_of(failure)
    return [
        other
        for other in targets
        if _ran(other, target, number) and failure.id not in _identities(other)
    ]


def _ran(other: TargetView, target: TargetView, number: int | None) -> bool:
    """Whether both made their programs in the same way, and the other run reached this one."""
    mine, its = target.results, other.results
    if mine.composed is UNSET or its.composed is UNSET or number is None:
        return False
    same = (mine.run.seed, mine.run.selection, mine.run.suite_version, mine.composed.size) == (
        *(its.run.seed, its.run.selection, its.run.suite_version),
        its.composed.size,
    )
    whole = not isinstance(its.run.shard, str)
    return same and whole and other.edition == target.edition and number < its.composed.programs


def _identities(target: TargetView) -> set[str]:
    functions = target.results.functions
    return {x.id for f in functions for a in f.aspects for x in a.failures}


_SHOWN = GRAVEST_FIRST[: GRAVEST_FIRST.index(Verdict.NOT_RUN)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AspectCell:
    """One aspect on one target."""

    words: str
    symbol: str
    passed: str = ""
    """Cases that follow the documents, of all cases."""
    error: str = ""
    anchor: str | None = None
    """Where the failure that gives it its mark is on the page."""
    own_anchor: str = ""
    """The anchor of the cell itself, where no failure gives it its mark."""
    grade: str = ""
    """The class for the share of its cases that follow the documents; see `grade`."""
    note: str | None = None
    readings: str = ""
    """The readings that it takes other than the suite's."""


class TargetFailure(NamedTuple):
    """One failure of one target."""

    target: TargetView
    aspect: AspectResult
    failure: Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The smallest case of a failure, for the targets in which it is the same to the byte."""

    shown: list[TargetFailure]
    inputs: list[PageValue]
    compared: list[PageValue]
    error: str
    picture: Markup | None = None
    """The program of a failure of composition."""
    agreeing: Sequence[TargetView] = ()
    """The targets that ran it without the failure."""
    notes: Sequence[str] = ()
    """Other targets that refuse such a call in words, or get it wrong."""

    @property
    def failure(self) -> Failure:
        """The failure of the first of the targets."""
        return self.shown[0].failure

    @property
    def place(self) -> str:
        """The line of the implementation that raised, or the lines that are suspect."""
        return place_text(self.failure)

    @property
    def readings(self) -> str:
        """The readings that it takes by name; nothing where results name the convention only."""
        return failure_readings([self.failure]) if self.failure.readings else ""

    @property
    def scripts(self) -> list[tuple[str, list[TargetView]]]:
        """Every script once, with its targets: they differ in how the library is chosen."""
        scripts: dict[str, list[TargetView]] = {}
        for entry in self.shown:
            if entry.failure.script:
                scripts.setdefault(entry.failure.script, []).append(entry.target)
        return list(scripts.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureGroup:
    """A failure of one identity on all its targets."""

    anchor: str
    aspect: str
    verdict: Verdict
    message: str
    variants: list[Variant]

    @property
    def shown(self) -> list[TargetFailure]:
        """The failure on each of its targets."""
        return [entry for variant in self.variants for entry in variant.shown]


def function_view(
    name: str,
    targets: Sequence[TargetView],
    groups: Sequence[FailureGroup],
    documented: Documented,
    past: Past,
) -> dict[str, Any]:
    """The template's values for a function; `groups` are its failures."""
    strips = list(release_strips(past, name))
    known = documented.functions.get(name)
    marking = marking_groups(name, targets, groups)
    tested = [t for t in targets if name in t.functions]
    demanded = [a for a in map(str, ASPECTS) if any(a in t.aspects(name) for t in tested)]
    return {
        "name": name,
        "known": known,
        "theme": known.theme if known else tested[0].functions[name].theme,
        "tested": tested,
        "untested": [t for t in targets if name not in t.functions],
        "bars": [bar(t, [name]) for t in tested],
        "rows": [
            (a, [_cell(t, name, a, marking.get((t.key, a))) for t in tested]) for a in demanded
        ],
        "marking": marking,
        "record_anchor": record_anchor,
        "strips": strips,
        "past": failure_histories(strips),
        "groups": groups,
        "signatures": signature_rows(name, tested, known) if known else [],
        "wrong_signatures": wrong_signatures(name, tested),
        "agreements": agreements(name, tested),
        "agreement_anchor": anchor_of,
        "conventions": documented.conventions,
    }


def marking_groups(
    function: str, targets: Sequence[TargetView], groups: Sequence[FailureGroup]
) -> dict[tuple[str, str], FailureGroup]:
    """By target's key and aspect, the failures whose verdict the aspect's cell shows.

    A cell that conforms leads to its divergence. A cell without such a failure has no entry.
    """
    shown = {(s.target.key, g.aspect, g.verdict): g for g in reversed(groups) for s in g.shown}
    marking = {}
    for target in targets:
        for aspect, result in target.aspects(function).items():
            verdict = standing(result)
            sought = Verdict.DIVERGES if verdict is Verdict.CONFORMS else verdict
            if group := shown.get((target.key, aspect, sought)):
                marking[target.key, aspect] = group
    return marking


def _cell(target: TargetView, function: str, aspect: str, group: FailureGroup | None) -> AspectCell:
    own = "" if group else record_anchor(target, aspect)
    cell = aspect_cell(target.aspects(function).get(aspect), group.anchor if group else None)
    return replace(cell, own_anchor=own)


def aspect_cell(aspect: AspectResult | None, anchor: str | None) -> AspectCell:
    """The knowledge of one aspect."""
    if aspect is None:
        return AspectCell(words="not applicable", symbol="·")
    passed = case_counts(aspect) or "no case"
    error = f"{ulp(aspect.max_ulp)} of {ulp(aspect.limit_ulp)}" if _measured(aspect) else ""
    note = aspect.note if isinstance(aspect.note, str) else None
    return AspectCell(
        words=str(standing(aspect)),
        symbol=SIGNS[standing(aspect)].symbol,
        readings=readings_text(readings([aspect])) or (ANOTHER if diverges(aspect) else ""),
        passed=passed,
        grade=grade(*kept_cases(aspect)),
        error=error,
        anchor=anchor,
        note=note,
    )


def _measured(aspect: AspectResult) -> bool:
    return aspect.max_ulp is not None and aspect.limit_ulp is not None


def failure_groups(
    name: str, targets: Sequence[TargetView], notes: Mapping[int, Sequence[str]]
) -> list[FailureGroup]:
    """Every failure of a function, the gravest first; a failure that targets share appears once.

    `notes` are those of `contrasts.notes_on_failures`.
    """
    grouped: dict[tuple[str, str, Verdict], list[TargetFailure]] = {}
    for target in targets:
        for entry in _of(target, name):
            assert entry.failure is not None
            key = (str(entry.aspect.aspect), entry.failure.id, entry.verdict)
            grouped.setdefault(key, []).append(TargetFailure(target, entry.aspect, entry.failure))
    groups = [
        FailureGroup(
            anchor=f"f-{slug(f'{aspect} {identity} {MARKS[verdict].letter}')}",
            aspect=aspect,
            verdict=verdict,
            message=ListedFailure(name, shown[0].aspect, shown[0].failure).message,
            variants=list(_variants(shown, targets, notes)),
        )
        for (aspect, identity, verdict), shown in grouped.items()
    ]
    return sorted(groups, key=lambda g: GRAVEST_FIRST.index(g.verdict))


def _of(target: TargetView, name: str) -> list[ListedFailure]:
    result = target.functions.get(name)
    failures = listed_failures([result], *_SHOWN) if result else []
    return [entry for entry in failures if entry.failure is not None]


def _variants(
    shown: Sequence[TargetFailure],
    targets: Sequence[TargetView],
    notes: Mapping[int, Sequence[str]],
) -> Iterator[Variant]:
    alike: dict[str, list[TargetFailure]] = {}
    for entry in shown:
        failure = entry.failure
        case = (failure.message, failure.readings, failure.inputs, failure.expected, failure.got)
        alike.setdefault(repr((*case, failure.output)), []).append(entry)
    for same in alike.values():
        failure, aspect = same[0].failure, same[0].aspect
        arrays = {n: a for n, a in failure.inputs.items() if isinstance(a, Array)}
        yield Variant(
            shown=same,
            inputs=[shown_array(name, value, set()) for name, value in arrays.items()],
            compared=list(compared_values(failure, exceeded_limit(failure, aspect))),
            error=error_text(failure, aspect, ulp),
            picture=picture_of(failure, same[0].target),
            agreeing=agreeing(failure, same[0].target, targets),
            notes=[*dict.fromkeys(n for entry in same for n in notes.get(id(entry.failure), ()))],
        )
