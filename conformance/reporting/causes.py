"""Failures of several functions that have one cause, with a name for their common part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import UNSET

from conformance.reporting.listing import ListedFailure, failure_readings
from conformance.reporting.marks import GRAVEST_FIRST
from conformance.reporting.safe_text import clean
from conformance.results import IN_32_BITS, Failure, FindingKind, Verdict

_QUOTED = r"(?P<quote>['\"`])(?![A-Za-z_. ]+(?P=quote)).*?(?P=quote)"
_OWN = re.compile(rf"{_QUOTED}|\[[^\]]*\]|\([^)]+\)|\w*\d[\w.]*")
"""The parts of one case: quoted names that are not plain words, lists, shapes and numbers."""
_RUN = re.compile(r"…(?:[\s,]*…)+")


def without_own(message: str) -> str:
    """The message with `…` in place of the names, lists, shapes and numbers of its case."""
    return _RUN.sub("…", _OWN.sub("…", message))


_RAISES = re.compile(
    r"(raises .+?)(?:; expected | where [\w.-]+:\d+ | where by convention | in place of |$)"
)
"""An exception with its message; results of older versions go on in other words than newer ones."""
_NEEDS = re.compile(
    r"needs (?:the helper \w+, which [a-z ]+: docs/keras3\.md|[\w.]+, which the target lacks)"
)
"""A function that a case calls and the target lacks."""
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
    FindingKind.NO_GRADIENTS: "the backend computes no gradients",
    FindingKind.UNMADE_INPUT: "the backend could not make the input",
    FindingKind.MISREAD_ARRAY: "arrays of float16 are read as other numbers",
    FindingKind.MISSING_PARAMETER: "a documented parameter is missing",
    FindingKind.EXTRA_PARAMETER: "a parameter that no document names",
}
"""Kinds of differences, for people."""


_FRONT_END = re.compile(r"keras/src/(?:ops|backend/common|random)/")
"""The code of Keras that every backend runs."""
_DTYPES = (FindingKind.DTYPE, FindingKind.CLAIMED_DTYPE)
_NARROW = "float64 is computed with 32 bits"


class Cause(NamedTuple):
    """The common part of several failures, in words, and the failures.

    A maintainer reads a cause once, whatever the number of functions that show it.
    """

    verdict: Verdict
    says: str
    failures: list[ListedFailure]

    @property
    def functions(self) -> list[str]:
        """The functions that are concerned, each once."""
        return list(dict.fromkeys(f.function for f in self.failures))

    @property
    def front_end(self) -> bool:
        """Whether the place is in the code of Keras that all backends share."""
        return in_front_end(self.failures[0])

    @property
    def title(self) -> str:
        """The cause in words, marked if it lies in the front end."""
        return cause_title(self.failures[0])


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
    shapes, or without a message the function. A wrong dtype: both dtypes, because a policy of the
    implementation shows in many functions. For the same reason, all answers of float64 that are
    right with 32 bits have one cause. Another wrong answer: the aspect, the kind of difference, and
    the most suspect line.
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
    if IN_32_BITS in message:
        return _NARROW
    if ended := _SIGNAL.search(message):
        return ended[0]
    if needs := _NEEDS.search(message):
        return needs[0]
    if raised := _RAISES.search(message):
        if isinstance(place := entry.failure.place, str):
            return _shortened(f"{raised[1].split(':')[0].split(' in ')[0]} at {clean(place)}")
        alone = ":" not in raised[1]  # functions that raise one type may have several causes
        text = without_own(_PLACE.sub(r"\1", raised[1]))
        return _shortened(f"{text} in {entry.function}" if alone else text)
    kind = clean(entry.failure.kind)
    words = _dtypes(entry.failure) or _WORDS.get(kind, kind)
    line = None if kind in _DTYPES else suspect_line(entry.failure)
    return _shortened(f"{entry.aspect.aspect}: {words}{f', at {line}' if line else ''}")


def _dtypes(failure: Failure) -> str:
    """The dtypes of a wrong dtype; empty for anything else."""
    got, expected = failure.got, failure.expected
    if failure.kind not in _DTYPES or not isinstance(got, str) or not isinstance(expected, str):
        return ""
    verb = "is reported" if failure.kind == FindingKind.CLAIMED_DTYPE else "comes"
    return f"{clean(got)} {verb} in place of {clean(expected)}"


def suspect_line(failure: Failure) -> str | None:
    """The most suspect line of the implementation, if all failing cases run it."""
    lines = failure.suspect_lines
    return clean(lines[0].place) if lines is not UNSET and lines else None


def in_front_end(entry: ListedFailure) -> bool:
    """Whether a failure has its place in the code of Keras that all backends share."""
    if entry.failure is None or IN_32_BITS in entry.failure.message:
        return False
    place = entry.failure.place
    line = clean(place) if isinstance(place, str) else suspect_line(entry.failure)
    return line is not None and _FRONT_END.match(line) is not None


def cause_title(entry: ListedFailure) -> str:
    """The cause of a failure in words, marked if it lies in the front end."""
    return f"front end: {cause(entry)}" if in_front_end(entry) else cause(entry)


def _shortened(text: str, width: int = 140) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def is_one_cause(failure: ListedFailure) -> bool:
    """Whether failures that have this in common have one cause: an exception with its message, a
    signal, two dtypes, a line. Other wrong answers of different functions are of one kind only."""
    if failure.failure is None:
        return False
    message = clean(failure.failure.message)
    if IN_32_BITS in message:
        return True
    raised = any(text.search(message) for text in (_SIGNAL, _NEEDS, _RAISES))
    return raised or bool(_dtypes(failure.failure) or suspect_line(failure.failure))


def named(failures: Iterable[ListedFailure]) -> str:
    """Every function by name, with how many failures it has if there are several."""
    counts = Counter(f.function for f in failures)
    return ", ".join(name if n == 1 else f"{name} ({n})" for name, n in counts.items())


def shared(names: Sequence[str], most: int = 6) -> str:
    """Names separated by commas; after `most` of them, the number of the others."""
    text = ", ".join(names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most} more"
