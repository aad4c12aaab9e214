"""The documents' statements on each function, as plain data: reports receive it, and ask no
spec."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field


class PrintedSignature(Struct, frozen=True, kw_only=True):
    """A function's signature in one document."""

    document: str
    at: str
    """Its place, such as `ko-2.2:2738`, or the document, if it has no lines."""
    name: str
    parameters: list[str]
    """Each with its default, such as `axis=None`, as it holds after correction."""
    printed: str | None = None
    """The printed text where it is evidently wrong, else None."""
    erratum: str | None = None
    editions: list[str] = field(default_factory=list)
    """The editions that it binds."""


class DocumentedDemand(Struct, frozen=True, kw_only=True):
    """Something that is demanded, in the suite's own words."""

    about: str
    says: str
    at: dict[str, str]
    """By document the place that says it, such as `ko-2.2:2742`; the convention, beside none,
    where none says it."""


class Correction(Struct, frozen=True, kw_only=True):
    """A numbered place where documents are wrong or disagree, and the tested behaviour."""

    number: str
    title: str
    claim: str
    at: list[str]


class StatedConvention(Struct, frozen=True, kw_only=True):
    """The suite's expectation where the documents are silent, and whose rule it is."""

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


class DocumentedEntry(Struct, frozen=True, kw_only=True):
    """The part of one document on one function, from its first line to its last."""

    function: str
    """The name that the document prints."""
    first: int
    last: int
    signature: int
    """The line of its signature."""
    printed: str
    """The signature."""


class DocumentFault(Struct, frozen=True, kw_only=True):
    """An erratum, as far as it concerns one document."""

    number: str
    title: str
    lines: list[int]
    kinds: list[str]
    """The kinds of the faults, in words."""
    tested: str
    """The tested behaviour, in which edition."""


class DocumentedClaim(Struct, frozen=True):
    """The demand of a line of a document, in our words."""

    line: int
    function: str
    """Empty in an introduction, where no function is meant."""
    says: str


class DocumentText(Struct, frozen=True, kw_only=True):
    """One of the five documents: which text it is, what it holds, and its known faults."""

    name: str
    title: str
    language: str
    form: str
    keras: str
    """The release that it describes."""
    because: str
    editions: list[str]
    """The editions that it binds."""
    origin: str
    lines: int
    bytes: int
    sha256: str
    public: str | None = None
    """Where the same text can be read."""
    entries: list[DocumentedEntry] = field(default_factory=list)
    faults: list[DocumentFault] = field(default_factory=list)
    claims: list[DocumentedClaim] = field(default_factory=list)

    def address(self, line: int) -> str | None:
        """Where a line can be read; None if no public copy of the text is known."""
        return None if self.public is None else f"{self.public}?plain=1#L{line}"

    def anchor(self, line: int) -> str:
        """The anchor of a line on the document's page: its own, or that of its entry."""
        if any(claim.line == line for claim in self.claims):
            return f"L{line}"
        before = [entry.first for entry in self.entries if entry.first <= line]
        return f"L{before[-1]}" if before else "introduction"


class Documented(Struct, frozen=True):
    """By name: all functions, in the order of their themes, all conventions, all documents."""

    functions: Mapping[str, DocumentedFunction] = field(default_factory=dict)
    conventions: Mapping[str, StatedConvention] = field(default_factory=dict)
    documents: Mapping[str, DocumentText] = field(default_factory=dict)
