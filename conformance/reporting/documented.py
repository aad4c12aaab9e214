"""What the documents say of each function, as plain data: reports are given it, and ask no spec."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field


class PrintedSignature(Struct, frozen=True, kw_only=True):
    """A function's signature in one document."""

    document: str
    line: int
    name: str
    parameters: list[str]
    """Each with its default, such as `axis=None`, as it holds after correction."""
    printed: str | None = None
    """What the document prints where that is evidently wrong, else None."""
    erratum: str | None = None
    editions: list[str] = field(default_factory=list)
    """The editions that it binds."""


class DocumentedDemand(Struct, frozen=True, kw_only=True):
    """Something that is demanded, in the suite's own words; `at` has `document:line` strings."""

    about: str
    says: str
    at: list[str]


class Correction(Struct, frozen=True, kw_only=True):
    """A numbered place where documents are wrong or disagree, and what is tested instead."""

    number: str
    title: str
    claim: str
    at: list[str]


class StatedConvention(Struct, frozen=True, kw_only=True):
    """What the suite expects where the documents are silent, and whose rule it is."""

    name: str
    says: str
    source: str


class DocumentedFunction(Struct, frozen=True, kw_only=True):
    """Everything the documents say of one function."""

    name: str
    theme: str
    summary: str
    editions: list[str]
    signatures: list[PrintedSignature]
    renamed: dict[str, str] = field(default_factory=dict)
    """Older names of parameters to the newest."""
    claims: list[DocumentedDemand] = field(default_factory=list)
    errors: list[DocumentedDemand] = field(default_factory=list)
    errata: list[Correction] = field(default_factory=list)
    conventions: list[StatedConvention] = field(default_factory=list)
    accuracy: str | None = None
    """How wrong a right implementation may be, in words."""


class Documented(Struct, frozen=True):
    """All functions by name, in the order of their themes, and all conventions by name."""

    functions: Mapping[str, DocumentedFunction] = field(default_factory=dict)
    conventions: Mapping[str, StatedConvention] = field(default_factory=dict)
