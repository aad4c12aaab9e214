"""What a claim, what checks it, and what the scenarios cite are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct
from msgspec import field as written_field

from conformance.editions import Document, Edition
from conformance.specs.records import Line

Place = tuple[str, int]
"""A document and a line of it."""


@dataclass(frozen=True, slots=True)
class CheckCitation:
    """A check of a scenario, and the lines that its failure would contradict."""

    function: str
    edition: Edition
    name: str
    aspect: str
    at: frozenset[Place]
    """Empty where the check names none: then it is the function's first claim of the aspect."""
    settled: bool
    """Whether neither the check nor its scenario rests on a convention."""


@dataclass(frozen=True, slots=True)
class CheckEvidence:
    """What the scenarios show: the claims may not import them, so they are handed in."""

    checks: frozenset[CheckCitation] = frozenset()
    passed: frozenset[tuple[str, str]] = frozenset()
    """Functions with the parameters that the program of a scenario passes."""


class Ending(StrEnum):
    """What comes of an implementation that breaks a claim."""

    VIOLATION = "a violation"
    DIVERGENCE = "a divergence: it rests on a convention"
    NOTHING = "nothing"
    """It is not seen."""


@dataclass(frozen=True, slots=True)
class Checker:
    """One thing that checks a claim: `check max: the value is read back`, `claim max: value`."""

    kind: str
    function: str
    name: str
    ends: Ending = Ending.VIOLATION
    why: str = ""
    """Where nothing comes of it: the reason."""

    def __str__(self) -> str:
        about = ": ".join(part for part in (self.function, self.name) if part)
        return f"{self.kind} {about}"


@dataclass(frozen=True, slots=True)
class DocumentClaim:
    """One thing that a line of a document demands of an implementation."""

    document: str
    line: int
    function: str
    """Empty in an introduction, where no function is meant."""
    what: str
    """What the line is, in the words of the legend: "a parameter"."""
    part: str = ""
    """The part of the line that is meant, where the line claims several things."""
    checkers: tuple[Checker, ...] = ()
    unchecked: str = ""
    """Why nothing checks it."""
    would_check: str = ""
    """What would check it, where nothing does yet."""
    says: str = field(default="", compare=False)

    @property
    def checked(self) -> bool:
        """Whether anything looks at it."""
        return any(checker.ends is not Ending.NOTHING for checker in self.checkers)

    @property
    def violable(self) -> bool:
        """Whether an implementation that breaks the claim can be told that it violates."""
        return any(checker.ends is Ending.VIOLATION for checker in self.checkers)

    @property
    def reason(self) -> str:
        """Why nothing checks it, and what would; empty if it is checked."""
        if self.checked:
            return ""
        would = f"; {self.would_check} would check it" if self.would_check else ""
        whys = dict.fromkeys(checker.why for checker in self.checkers)
        return (self.unchecked or "; ".join(whys)) + would


class WrittenClaim(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A claim on a line that no spec, example or scenario cites, or on a part of a line."""

    says: Annotated[str, Meta(min_length=1)]
    """The claim in our words."""
    at: Annotated[dict[Document, Line | list[Line]], Meta(min_length=1)]
    function: str = ""
    part: str = ""
    checked_by: list[str] = written_field(default_factory=list)
    """A kind and a name each: `claim value`, `parameter axis`, `check the answer`, `result`."""
    unchecked: str = ""
    would_check: str = ""

    @property
    def places(self) -> list[Place]:
        """Every line that makes the claim."""
        return [
            (str(document), line)
            for document, lines in self.at.items()
            for line in (lines if isinstance(lines, list) else [lines])
        ]
