"""Spec files as they are written. `conformance.specs.completion` makes whole specs of them.

A file holds the decisions of a reader. The loader takes the rest from the data of the documents
(signature, editions, names of parameters). The pattern that a spec names with `like` and the
defaults in docs/specs.md fill the other fields. These records also make the published JSON Schema.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, field

from conformance.editions import Document, Edition
from conformance.specs.kinds import ParameterRule
from conformance.specs.model import (
    Accuracy,
    Claim,
    DocumentedSignature,
    DtypeRule,
    Dtypes,
    Erratum,
    ErrorCase,
    NamedRule,
    Part,
    SharedError,
    Triple,
    Unsettled,
)
from conformance.specs.records import AspectName, Expression, Line, Section, SpecRecord

OpenCase = Unsettled | Annotated[list[Any], Meta(extra_json_schema={"$ref": "#/$defs/Expression"})]
"""An open case, or its rule alone where that is a named rule with a convention."""


class Defaults(SpecRecord, frozen=True, kw_only=True):
    """The fields that a spec may take from its pattern. None, or empty, where it does."""

    like: str = ""
    """The pattern in `rules.yaml` that fills in missing fields."""
    parameters: dict[str, ParameterRule] = field(default_factory=dict)
    """The rule of each parameter. A rule replaces the pattern's rule for this parameter."""
    dtypes: Dtypes | None = None
    """The dtypes of the inputs."""
    shape: Expression = None
    """The rule for the result's shape."""
    dtype: DtypeRule | None = None
    """The dtypes that the result may have."""
    accuracy: Accuracy | None = None
    """The largest error of a correct implementation."""
    differentiable: bool | None = None
    """Whether the function has a gradient. Default: the pattern's, or `true` with single calls."""
    unsettled: list[OpenCase] = field(default_factory=list)
    """Cases that no document settles. The pattern's cases count as well."""


class Pattern(Defaults, frozen=True, kw_only=True):
    """The common fields of functions of one sort."""

    name: Annotated[str, Meta(pattern="^[a-z]+( [a-z]+)*$")]
    """Words that specs write after `like`."""
    says: str
    """Which functions it describes."""


def _sections(section: Section | None, documents: list[Document]) -> dict[Document, Section]:
    """The same section of each document; nothing without a section."""
    return dict.fromkeys(documents, section) if section else {}


class ClaimEntry(SpecRecord, frozen=True, kw_only=True):
    """A claim, whose section may stand without the name of the document."""

    aspect: AspectName
    """The aspect of the claim."""
    says: str
    """The claim in our words."""
    at: dict[Document, Line] = field(default_factory=dict)
    """The line of the claim in each document."""
    section: Section | None = None
    """The section of the docstrings with the claim."""
    sections: dict[Document, Section] = field(default_factory=dict)
    """The section in each document, if they differ."""
    rules_out: list[str] = field(default_factory=list)
    """Readings of conventions that the claim excludes, such as `extremes: overflow`."""
    parameter: str | None = None
    """The claim holds only for calls that pass this parameter."""

    def complete(self, documents: list[Document]) -> Claim:
        """The claim with the documents that say it."""
        return Claim(
            aspect=self.aspect,
            says=self.says,
            at=self.at,
            sections=_sections(self.section, documents) | self.sections,
            rules_out=self.rules_out,
            parameter=self.parameter,
        )


class ErrorEntry(ErrorCase, frozen=True, kw_only=True):
    """Invalid input, whose section may stand without the name of the document."""

    section: Section | None = None
    """The section of the docstring with the error."""

    def complete(self, editions: dict[Edition, Document]) -> ErrorCase:
        """The error case with its editions and the documents that name it."""
        values = {name: getattr(self, name) for name in ErrorCase.__struct_fields__}
        values["editions"] = self.editions or list(editions)
        values["sections"] = _sections(self.section, list(editions.values())) | self.sections
        return ErrorCase(**values)


class WrittenSpec(Defaults, frozen=True, kw_only=True):
    """The decisions of a reader about one function."""

    name: str
    """The newest name. `signatures` has the older ones."""
    oracle: str = ""
    """The oracle's function for the value. Default: the last part of `name`."""
    summary: str
    """The result of the function, in one line."""
    says: str = ""
    """The claim about the value. Default: `summary`."""
    section: Section | None = "Summary"
    """The section of the docstring with the claim about the value; `null` if none has it."""
    rules_out: list[str] = field(default_factory=list)
    """Readings of conventions that the claim about the value excludes."""
    signatures: dict[Document, DocumentedSignature] = field(default_factory=dict)
    """The printed signature in each document. Omit it if the docstrings' data has one."""
    editions: dict[Edition, Document] = field(default_factory=dict)
    """The document that an implementation of each edition must follow. Needed with `signatures`."""
    draw: str = ""
    """The drawer of all parameters without a rule in `parameters`."""
    renamed: dict[str, str] = field(default_factory=dict)
    """Parameters whose name differs in a document: its name, and the name in the spec."""
    arrangement: str | None = None
    """The convention for the result's shape, if no document settles the shape."""
    results: list[Part] = field(default_factory=list)
    """The members of the result, if it is a tuple."""
    unique: bool = True
    """`false` if several answers are right."""
    triples: list[Triple] = field(default_factory=list)
    """Lists of three features of calls. The plan has each combination of three of their values."""
    claims: list[ClaimEntry] = field(default_factory=list)
    """Claims in addition to `summary`. With `signatures`, list all claims here."""
    errors: list[ErrorEntry] = field(default_factory=list)
    """Invalid input."""
    errata: list[Erratum] = field(default_factory=list)
    """Conflicts between documents about the function."""
    bindings: list[str] = field(default_factory=list)
    """The bindings that the documents allow for inputs. Default: all."""
    profiles: dict[str, str] = field(default_factory=dict)
    """Value profiles that no document settles, each with its convention."""
    silent: dict[Edition, dict[str, str]] = field(default_factory=dict)
    """The same as `profiles`, for single editions."""


class WrittenFile(SpecRecord, frozen=True, kw_only=True):
    """One theme."""

    theme: str
    rules: list[NamedRule] = field(default_factory=list)
    """Named rules that the functions of this file alone use."""
    functions: list[WrittenSpec]


class SharedFile(SpecRecord, frozen=True, kw_only=True):
    """Rules, errors and patterns of several themes: `rules.yaml`."""

    rules: list[NamedRule] = field(default_factory=list)
    errors: list[SharedError] = field(default_factory=list)
    patterns: list[Pattern] = field(default_factory=list)
