"""The data of the search on every page: functions, targets, and failures with message and id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.reporting.documented import Documented
from conformance.reporting.html.compare import script_safe
from conformance.reporting.html.environment import SIGNS
from conformance.reporting.html.function_page import FailureGroup
from conformance.reporting.names import slug
from conformance.reporting.safe_text import clean
from conformance.reporting.targets import TargetView

LONGEST = 300
"""Characters of a message that can be found."""


def search_data(
    groups: Mapping[str, Sequence[FailureGroup]],
    targets: Sequence[TargetView],
    documented: Documented,
) -> bytes:
    """A script that sets `conformanceSearch`; nothing in it can end a string or a script."""
    numbers = {target.key: number for number, target in enumerate(targets)}
    data = {
        "functions": [[clean(f), slug(f), _summary(f, documented)] for f in groups],
        "targets": [[clean(t.label), t.key] for t in targets],
        "verdicts": {mark.letter: [str(v), mark.symbol] for v, mark in SIGNS.items()},
        "failures": [
            one
            for number, listed in enumerate(groups.values())
            for group in listed
            for one in _failures(number, group, numbers)
        ],
    }
    return f"window.conformanceSearch = {script_safe(data)};\n".encode("ascii")


def _summary(function: str, documented: Documented) -> str:
    known = documented.functions.get(function)
    return clean(known.summary) if known else ""


def _failures(number: int, group: FailureGroup, numbers: Mapping[str, int]) -> Iterator[list[Any]]:
    """Function, anchor, id, verdict, aspect, message and targets: one for each message."""
    said: dict[str, list[int]] = {}
    for one in group.shown:
        said.setdefault(one.failure.message, []).append(numbers[one.target.key])
    letter = SIGNS[group.verdict].letter
    identity = clean(group.shown[0].failure.id)
    for message, who in said.items():
        told = clean(message)[:LONGEST]
        yield [number, group.anchor, identity, letter, group.aspect, told, who]
