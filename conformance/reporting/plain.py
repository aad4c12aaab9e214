"""What every report shares: marks of the verdicts, scores, the grid of the matrix, safe text."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from conformance.results import AspectResult, Failure, FunctionResult, Results, Verdict


class Mark(NamedTuple):
    """How a verdict looks: never by colour alone."""

    symbol: str
    ascii: str
    letter: str
    colour: str
    verb: str
    """What a target does that earns it, in the plural: "12 violate"."""


MARKS: dict[Verdict, Mark] = {
    Verdict.CONFORMS: Mark("✓", "+", "C", "green", "conform"),
    Verdict.VIOLATES: Mark("✗", "X", "V", "bold red", "violate"),
    Verdict.DIVERGES: Mark("≠", "~", "D", "yellow", "diverge"),
    Verdict.UNSUPPORTED: Mark("–", "-", "U", "blue", "unsupported"),  # noqa: RUF001
    Verdict.CRASHED: Mark("!", "!", "X", "bold magenta", "crashed"),
    Verdict.TIMED_OUT: Mark("⧖", "T", "T", "magenta", "timed out"),
    Verdict.NOT_RUN: Mark("○", "o", "R", "dim", "not run"),
    Verdict.NOT_APPLICABLE: Mark("·", ".", "N", "dim", "not applicable or not run"),
}
GRAVEST_FIRST: tuple[Verdict, ...] = tuple(reversed(Verdict))
BROKEN: tuple[Verdict, ...] = (Verdict.VIOLATES, Verdict.CRASHED, Verdict.TIMED_OUT)
"""The verdicts that are listed one by one."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The gravest of the verdicts; `not applicable` if there are none."""
    return min(verdicts, key=GRAVEST_FIRST.index, default=Verdict.NOT_APPLICABLE)


class Score(NamedTuple):
    """How many of the aspects that the edition demands conform."""

    conforming: int
    demanded: int

    def __str__(self) -> str:
        return f"{self.conforming}/{self.demanded}"

    @property
    def percent(self) -> str:
        """The share with one decimal; never 100.0 unless all conform."""
        if not self.demanded:
            return "nothing demanded"
        tenths = self.conforming * 1000 // self.demanded
        return f"{tenths // 10}.{tenths % 10} %"


def count_verdicts(functions: Iterable[FunctionResult]) -> Counter[Verdict]:
    """How often each verdict was given over all aspects."""
    return Counter(a.verdict for f in functions for a in f.aspects)


def score(functions: Iterable[FunctionResult]) -> Score:
    """The score over these functions; aspects that do not apply are not demanded."""
    counts = count_verdicts(functions)
    return Score(counts[Verdict.CONFORMS], counts.total() - counts[Verdict.NOT_APPLICABLE])


class Column(NamedTuple):
    """One target in the matrix: what was judged of it."""

    name: str
    edition: str
    functions: dict[str, FunctionResult]

    def verdict(self, function: str) -> Verdict:
        """The worst verdict over the aspects; `not applicable` if it was not run."""
        result = self.functions.get(function)
        return worst(a.verdict for a in result.aspects) if result else Verdict.NOT_APPLICABLE

    def cell(self, function: str) -> str:
        """The function's score, or nothing if nothing is demanded of it."""
        result = self.functions.get(function)
        points = score([result]) if result else Score(0, 0)
        return str(points) if points.demanded else ""


def column(results: Results) -> Column:
    """The column of a whole results file."""
    functions = {f.function: f for f in results.functions}
    return Column(results.target.name, results.target.edition, functions)


def marks_of(columns: Iterable[Column]) -> dict[Verdict, Mark]:
    """The marks for a legend: `not run` only where a run did not reach a cell."""
    counts = count_verdicts(f for entry in columns for f in entry.functions.values())
    return {v: m for v, m in MARKS.items() if v is not Verdict.NOT_RUN or counts[v]}


def by_theme(columns: Sequence[Column]) -> dict[str, list[str]]:
    """The functions of all columns under their theme, in the order in which they first occur."""
    theme_of: dict[str, str] = {}
    for entry in columns:
        for function in entry.functions.values():
            theme_of.setdefault(function.function, function.theme)
    themes: dict[str, list[str]] = {}
    for name, theme in theme_of.items():
        themes.setdefault(theme, []).append(name)
    return themes


class Finding(NamedTuple):
    """One failure with its place; `failure` is None where an aspect gives a note only."""

    function: str
    aspect: AspectResult
    failure: Failure | None

    @property
    def verdict(self) -> Verdict:
        """The failure's own verdict, or that of the aspect."""
        return self.failure.verdict if self.failure else self.aspect.verdict

    @property
    def message(self) -> str:
        """One line, with the citation if the words do not hold it already."""
        if self.failure is None:
            note = self.aspect.note
            return note if isinstance(note, str) else str(self.aspect.verdict)
        cited = str(self.failure.citation) if self.failure.citation else ""
        if not cited or re.search(rf"(?<!\w){re.escape(cited)}(?!\d)", self.failure.message):
            return self.failure.message
        return f"{self.failure.message} ({cited})"


def findings(functions: Iterable[FunctionResult], *verdicts: Verdict) -> list[Finding]:
    """The failures with one of the verdicts, gravest first, else in the order of the results."""
    found = [f for f in _all_findings(functions) if f.verdict in verdicts]
    return sorted(found, key=lambda f: GRAVEST_FIRST.index(f.verdict))


def _all_findings(functions: Iterable[FunctionResult]) -> Iterator[Finding]:
    for function in functions:
        for aspect in function.aspects:
            if not aspect.failures:
                yield Finding(function.function, aspect, None)
            for failure in aspect.failures:
                yield Finding(function.function, aspect, failure)


_ESCAPE_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS, ...
    r"|\x1b[ -/]*[0-~]?"
)
_ORDINARY = re.compile(r"[ -~\n]*")
_SPACES = {"Zl", "Zp"}
_INVISIBLE = {"Cf", "Cs", "Co", "Cn"}


def clean(text: str) -> str:
    """The text on one line, safe to print: no control characters, nothing that hides or reorders.

    Terminal sequences and control characters go, line ends become spaces, and invisible characters
    (bidirectional marks, lone surrogates) are written out as escapes.
    """
    return " ".join(clean_block(text).split())


def clean_block(text: str) -> str:
    """Like `clean`, but line ends and spaces stay (a tab becomes four)."""
    if _ORDINARY.fullmatch(text):
        return text
    bare = _ESCAPE_SEQUENCES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(map(_visible, bare.replace("\t", "    ")))


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if character == "\n" or category in _SPACES:
        return "\n"
    if category == "Cc":
        return ""
    if category in _INVISIBLE:
        return character.encode("ascii", "backslashreplace").decode("ascii")
    return character


def labels(names: Sequence[str], width: int = 10) -> list[str]:
    """Short, distinct column labels: the name, or its last word that is no version, or numbered."""
    wanted = [_short(clean(name), width) for name in names]
    given: list[str] = []
    for label in wanted:
        given.append(_distinct(label, given, width))
    return given


def _short(name: str, width: int) -> str:
    if len(name) <= width and name:
        return name
    words = [w for w in re.split(r"[^\w.]+", name) if w and not re.fullmatch(r"v?[\d.]+\w*", w)]
    return (words[-1] if words else name or "target")[:width]


def _distinct(label: str, given: Sequence[str], width: int) -> str:
    number, candidate = 1, label
    while candidate in given:
        number += 1
        candidate = f"{label[: width - len(str(number)) - 1]}#{number}"
    return candidate
