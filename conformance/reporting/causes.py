"""Failures of several functions that have one cause, named after what they have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from conformance.reporting.listing import ListedFailure
from conformance.reporting.marks import GRAVEST_FIRST
from conformance.reporting.readings import told_of
from conformance.reporting.safe_text import clean
from conformance.results import FindingKind, Verdict
from conformance.results.wording import without_own

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
    FindingKind.ACCURACY: "the result is off by more than its bound",
    FindingKind.CONTRADICTION: "the static shape contradicts the result's",
    FindingKind.IMPRECISE: "the static shape is less precise than it could be",
    FindingKind.NO_GRADIENTS: "there is no gradient to ask for",
    FindingKind.UNMADE_INPUT: "the input could not be made",
    FindingKind.MISSING_PARAMETER: "a documented parameter is missing",
    FindingKind.EXTRA_PARAMETER: "there is a parameter that no document names",
}
"""Kinds of differences, for people."""


class Cause(NamedTuple):
    """What several failures have in common, in words, and the failures."""

    verdict: Verdict
    says: str
    failures: list[ListedFailure]

    @property
    def functions(self) -> list[str]:
        """The functions that are concerned, each once."""
        return list(dict.fromkeys(f.function for f in self.failures))


def causes(found: Iterable[ListedFailure]) -> list[Cause]:
    """The failures under their causes: the gravest first, then the most frequent."""
    grouped: dict[tuple[Verdict, str], list[ListedFailure]] = {}
    for one in found:
        grouped.setdefault((one.verdict, cause(one)), []).append(one)
    made = [Cause(verdict, says, listed) for (verdict, says), listed in grouped.items()]
    return sorted(made, key=lambda c: (GRAVEST_FIRST.index(c.verdict), -len(c.functions)))


def cause(found: ListedFailure) -> str:
    """What a failure has in common with others of its cause.

    A divergence: the readings that it takes. An exception: its type and message without names,
    numbers and shapes. Anything else: the aspect and the kind of difference.
    """
    failure = found.failure
    if failure is None:
        return (
            found.message
            if found.verdict is Verdict.ERROR
            else f"{found.aspect.aspect}: not checked"
        )
    return told_of([failure]) or _outcome(found)


def _outcome(found: ListedFailure) -> str:
    assert found.failure is not None
    message = clean(found.failure.message)
    if ended := _SIGNAL.search(message):
        return ended[0]
    if raised := _RAISES.search(message):
        return _shortened(without_own(_PLACE.sub(r"\1", raised[1])))
    kind = clean(found.failure.kind)
    return f"{found.aspect.aspect}: {_WORDS.get(kind, kind)}"


def _shortened(text: str, width: int = 140) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def is_one_cause(found: ListedFailure) -> bool:
    """Whether failures that have this in common have one cause: an exception with its message, a
    signal. Wrong answers of different functions are of one kind only."""
    message = "" if found.failure is None else clean(found.failure.message)
    return bool(_SIGNAL.search(message) or _RAISES.search(message))


def named(found: Iterable[ListedFailure]) -> str:
    """Every function by name, with how many failures it has if there are several."""
    counts = Counter(f.function for f in found)
    return ", ".join(name if n == 1 else f"{name} ({n})" for name, n in counts.items())


def shared(listed: Sequence[str], most: int = 6) -> str:
    """Names separated by commas; after `most` of them, the number of the others."""
    told = ", ".join(listed[:most])
    return told if len(listed) <= most else f"{told} and {len(listed) - most} more"
