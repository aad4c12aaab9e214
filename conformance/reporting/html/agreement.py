"""Who agrees with whom where the documents are silent: each reading with its targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conformance.reporting.names import slug
from conformance.reporting.readings import reading_name
from conformance.reporting.targets import TargetView
from conformance.results import ASPECTS, AspectResult, Verdict
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
    found = []
    for aspect in map(str, ASPECTS):
        judged = [(t, a) for t in targets if (a := t.aspects(function).get(aspect)) is not None]
        of_any = readings([a for _, a in judged])
        for convention in dict.fromkeys(reading.convention for reading in of_any):
            found.append(_agreement(aspect, convention, judged))
    return found


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
        kept = list(_own(result, convention, taken))
        for name in kept:
            own.setdefault(name, []).append(target)
        if not taken and not kept and result.verdict is not Verdict.NOT_APPLICABLE:
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
