"""Failures of several functions that have one cause, with a name for their common part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from conformance.reporting.listing import ListedFailure, failure_readings
from conformance.reporting.marks import GRAVEST_FIRST
from conformance.reporting.safe_text import clean
from conformance.results import FindingKind, Verdict

_QUOTED = r"(?P<quote>['\"`])(?![A-Za-z_. ]+(?P=quote)).*?(?P=quote)"
_OWN = re.compile(rf"{_QUOTED}|\[[^\]]*\]|\([^)]+\)|\w*\d[\w.]*")
"""The parts of one case: quoted names that are not plain words, lists, shapes and numbers."""
_RUN = re.compile(r"…(?:[\s,]*…)+")


def without_own(message: str) -> str:
    """The message with `…` in the place of the names, lists, shapes and numbers of its case."""
    return _RUN.sub("…", _OWN.sub("…", message))


_RAISES = re.compile(
    r"(raises .+?)(?:; expected | where [\w.-]+:\d+ | where by convention | in place of |$)"
)
"""An exception with its message; results of older versions go on in other words than newer ones."""
_PLACE = re.compile(r"^(raises \w+) in \w+\(.*?\)+(?=: )")
_SIGNAL = re.compile(r"ends the process(?: \(signal \d+\))?")

_WORDS: Mapping[str, str] = {
    FindingKind.ABSENT: "the function is absent",
    FindingKind.SHAPE: "the result has another shape",
    FindingKind.DTYPE: "the result has another dtype",
    FindingKind.VALUE: "the result has other values",
    FindingKind.ACCURACY: "the error exceeds its bound",
    FindingKind.CONTRADICTION: "the static shape contradicts the result's",
    FindingKind.IMPRECISE: "the static shape is less precise than it could be",
    FindingKind.NO_GRADIENTS: "there is no gradient to ask for",
    FindingKind.UNMADE_INPUT: "the backend could not make the input",
    FindingKind.MISSING_PARAMETER: "a documented parameter is missing",
    FindingKind.EXTRA_PARAMETER: "a parameter that no document names",
}
"""Kinds of differences, for people."""


class Cause(NamedTuple):
    """The common part of several failures, in words, and the failures."""

    verdict: Verdict
    says: str
    failures: list[ListedFailure]

    @property
    def functions(self) -> list[str]:
        """The functions that are concerned, each once."""
        return list(dict.fromkeys(f.function for f in self.failures))


def causes(failures: Iterable[ListedFailure]) -> list[Cause]:
    """The failures under their causes: the gravest first, then the most frequent."""
    grouped: dict[tuple[Verdict, str], list[ListedFailure]] = {}
    for failure in failures:
        grouped.setdefault((failure.verdict, cause(failure)), []).append(failure)
    several = [Cause(verdict, says, alike) for (verdict, says), alike in grouped.items()]
    return sorted(several, key=lambda c: (GRAVEST_FIRST.index(c.verdict), -len(c.functions)))


def cause(entry: ListedFailure) -> str:
    """The part that a failure shares with others of its cause.

    A divergence: the readings that it takes. An exception: its type and the line of the
    implementation that raised it; without such a line, its message without names, numbers and
    shapes. Anything else: the aspect and the kind of difference.
    """
    failure = entry.failure
    if failure is None:
        return (
            entry.message
            if entry.verdict is Verdict.ERROR
            else f"{entry.aspect.aspect}: not checked"
        )
    return failure_readings([failure]) or _outcome(entry)


def _outcome(entry: ListedFailure) -> str:
    assert entry.failure is not None
    message = clean(entry.failure.message)
    if ended := _SIGNAL.search(message):
        return ended[0]
    if raised := _RAISES.search(message):
        if isinstance(place := entry.failure.place, str):
            return _shortened(f"{raised[1].split(':')[0].split(' in ')[0]} at {clean(place)}")
        return _shortened(without_own(_PLACE.sub(r"\1", raised[1])))
    kind = clean(entry.failure.kind)
    return f"{entry.aspect.aspect}: {_WORDS.get(kind, kind)}"


def _shortened(text: str, width: int = 140) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def is_one_cause(failure: ListedFailure) -> bool:
    """Whether failures that have this in common have one cause: an exception with its message, a
    signal. Wrong answers of different functions are of one kind only."""
    message = "" if failure.failure is None else clean(failure.failure.message)
    return bool(_SIGNAL.search(message) or _RAISES.search(message))


def named(failures: Iterable[ListedFailure]) -> str:
    """Every function by name, with how many failures it has if there are several."""
    counts = Counter(f.function for f in failures)
    return ", ".join(name if n == 1 else f"{name} ({n})" for name, n in counts.items())


def shared(names: Sequence[str], most: int = 6) -> str:
    """Names separated by commas; after `most` of them, the number of the others."""
    text = ", ".join(names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most} more"
