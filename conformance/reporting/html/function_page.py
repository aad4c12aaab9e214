"""What the page of one function shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup

from conformance.reporting.detail import kept_cases
from conformance.reporting.documented import Documented
from conformance.reporting.failures import error_told, exceeded_limit
from conformance.reporting.html.agreement import agreements, anchor_of
from conformance.reporting.html.arrays import PageValue, compared_values, shown_array, ulp
from conformance.reporting.html.composed import agreeing, picture_of
from conformance.reporting.html.environment import SIGNS
from conformance.reporting.html.overview import bar
from conformance.reporting.html.signatures import signature_rows, wrong_signatures
from conformance.reporting.listing import ListedFailure, listed_failures
from conformance.reporting.marks import GRAVEST_FIRST, MARKS
from conformance.reporting.names import slug
from conformance.reporting.readings import ANOTHER, told, told_of
from conformance.reporting.targets import TargetView
from conformance.results import ASPECTS, Array, AspectResult, Failure, Verdict
from conformance.results.scores import diverges, readings, standing

_SHOWN = GRAVEST_FIRST[: GRAVEST_FIRST.index(Verdict.NOT_RUN)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AspectCell:
    """One aspect on one target."""

    words: str
    symbol: str
    passed: str = ""
    """Cases that keep the documents, of all cases."""
    error: str = ""
    anchor: str | None = None
    """Where its gravest failure is on the page."""
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

    @property
    def failure(self) -> Failure:
        """The failure of the first of the targets."""
        return self.shown[0].failure

    @property
    def readings(self) -> str:
        """The readings that it takes by name; nothing where results name the convention only."""
        return told_of([self.failure]) if self.failure.readings else ""

    @property
    def scripts(self) -> list[tuple[str, list[TargetView]]]:
        """Every script once, with its targets: they differ in how the library is chosen."""
        found: dict[str, list[TargetView]] = {}
        for one in self.shown:
            if one.failure.script:
                found.setdefault(one.failure.script, []).append(one.target)
        return list(found.items())


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
        return [one for variant in self.variants for one in variant.shown]


def function_view(
    name: str, targets: Sequence[TargetView], groups: Sequence[FailureGroup], documented: Documented
) -> dict[str, Any]:
    """What the template of a function is given; `groups` are its failures."""
    known = documented.functions.get(name)
    anchors = {(s.target.key, g.aspect): g.anchor for g in reversed(groups) for s in g.shown}
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
            (a, [aspect_cell(t.aspects(name).get(a), anchors.get((t.key, a))) for t in tested])
            for a in demanded
        ],
        "groups": groups,
        "signatures": signature_rows(name, tested, known) if known else [],
        "wrong_signatures": wrong_signatures(name, tested),
        "agreements": agreements(name, tested),
        "agreement_anchor": anchor_of,
        "conventions": documented.conventions,
    }


def aspect_cell(aspect: AspectResult | None, anchor: str | None) -> AspectCell:
    """What is known of one aspect."""
    if aspect is None:
        return AspectCell(words="not applicable", symbol="·")
    passed = kept_cases(aspect) or "no case"
    error = f"{ulp(aspect.max_ulp)} of {ulp(aspect.limit_ulp)}" if _measured(aspect) else ""
    note = aspect.note if isinstance(aspect.note, str) else None
    return AspectCell(
        words=str(standing(aspect)),
        symbol=SIGNS[standing(aspect)].symbol,
        readings=told(readings([aspect])) or (ANOTHER if diverges(aspect) else ""),
        passed=passed,
        error=error,
        anchor=anchor,
        note=note,
    )


def _measured(aspect: AspectResult) -> bool:
    return aspect.max_ulp is not None and aspect.limit_ulp is not None


def failure_groups(name: str, targets: Sequence[TargetView]) -> list[FailureGroup]:
    """Every failure of a function, the gravest first; one that targets share comes once."""
    found: dict[tuple[str, str, Verdict], list[TargetFailure]] = {}
    for target in targets:
        for one in _of(target, name):
            assert one.failure is not None
            key = (str(one.aspect.aspect), one.failure.id, one.verdict)
            found.setdefault(key, []).append(TargetFailure(target, one.aspect, one.failure))
    made = [
        FailureGroup(
            anchor=f"f-{slug(f'{aspect} {identity} {MARKS[verdict].letter}')}",
            aspect=aspect,
            verdict=verdict,
            message=ListedFailure(name, shown[0].aspect, shown[0].failure).message,
            variants=list(_variants(shown, targets)),
        )
        for (aspect, identity, verdict), shown in found.items()
    ]
    return sorted(made, key=lambda g: GRAVEST_FIRST.index(g.verdict))


def _of(target: TargetView, name: str) -> list[ListedFailure]:
    result = target.functions.get(name)
    listed = listed_failures([result], *_SHOWN) if result else []
    return [one for one in listed if one.failure is not None]


def _variants(shown: Sequence[TargetFailure], targets: Sequence[TargetView]) -> Iterator[Variant]:
    alike: dict[str, list[TargetFailure]] = {}
    for one in shown:
        failure = one.failure
        case = (failure.message, failure.readings, failure.inputs, failure.expected, failure.got)
        alike.setdefault(repr((*case, failure.output)), []).append(one)
    for listed in alike.values():
        failure, aspect = listed[0].failure, listed[0].aspect
        arrays = {n: a for n, a in failure.inputs.items() if isinstance(a, Array)}
        yield Variant(
            shown=listed,
            inputs=[shown_array(name, value, set()) for name, value in arrays.items()],
            compared=list(compared_values(failure, exceeded_limit(failure, aspect))),
            error=error_told(failure, aspect, ulp),
            picture=picture_of(failure, listed[0].target),
            agreeing=agreeing(failure, listed[0].target, targets),
        )
