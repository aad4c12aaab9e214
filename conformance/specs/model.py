"""Typed records of a spec file. The published JSON Schema is made from them."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, field

from conformance.editions import Document, Edition
from conformance.specs.kinds import ParameterRule
from conformance.specs.records import AspectName, DtypeName, Expression, Line, Section, SpecRecord

Exceptions = Literal["ValueError", "any"]


class DocumentedSignature(SpecRecord, frozen=True, kw_only=True, omit_defaults=True):
    """A signature as one document prints it. What is left out is left out of the cache, too: 0 is
    no line that is accepted there."""

    line: Line = 0
    """0 only of a document that has no lines."""
    text: str
    corrected: str | None = None
    """Where the printed signature is evidently wrong: what it should say."""
    erratum: str | None = None
    """The number of the conflict that explains `corrected`, such as `C056`."""


class Claim(SpecRecord, frozen=True, kw_only=True):
    """Something the documents say of one aspect, in our words, with the lines that say it."""

    aspect: AspectName
    says: str
    at: dict[Document, Line] = field(default_factory=dict)
    sections: dict[Document, Section] = field(default_factory=dict)
    """Where documents are docstrings: the section that says it."""
    rules_out: list[str] = field(default_factory=list)
    """Readings of conventions that these documents do not leave open here: `extremes: overflow`."""


class Erratum(SpecRecord, frozen=True, kw_only=True):
    """A place where a document is wrong or contradicts another, and the claim that is tested."""

    number: Annotated[str, Meta(pattern="^C[0-9]{3}$")]
    claim: str


RULE_NAME = "^[a-z][a-z0-9]*(-[a-z0-9]+)+$"
"""Words joined by hyphens: neither an operator nor a parameter is called so."""


class NamedRule(SpecRecord, frozen=True, kw_only=True):
    """A rule that is written once and used by name: `[name, argument, ...]`."""

    name: Annotated[str, Meta(pattern=RULE_NAME)]
    takes: list[Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]] = field(
        default_factory=list
    )
    """Its own names for its arguments. The rule knows no others."""
    says: str
    """The rule in words; `{x}` stands for the argument that it calls x."""
    rule: Expression
    convention: str | None = None
    """The convention that holds where the rule is true, for cases that do not name one."""


class SharedError(SpecRecord, frozen=True, kw_only=True):
    """What error cases of several functions have in common."""

    name: str
    says: str
    exception: Exceptions
    parameters: dict[str, ParameterRule] = field(default_factory=dict)
    convention: str | None = None


class Unsettled(SpecRecord, frozen=True, kw_only=True):
    """Cases that no document settles: there the named convention holds."""

    when: Expression
    convention: str = ""
    """Empty in a file where `when` uses a named rule that has a convention. Never once loaded."""
    says: str | None = None
    """The condition in words; a named rule has its own."""
    editions: list[Edition] = field(default_factory=list)
    """Only these editions, because the documents of the others speak of it. All if empty."""

    def holds_in(self, edition: Edition) -> bool:
        """Whether the document of the edition leaves it open, too."""
        return not self.editions or edition in self.editions


class ErrorCase(SpecRecord, frozen=True, kw_only=True):
    """Invalid input. `exception` is demanded where `at` names the line that documents it.

    What a case without `says` does not write is as in the shared error of its name.
    """

    name: str
    says: str = ""
    """The condition that is broken. Never empty once loaded."""
    exception: Exceptions = "any"
    editions: list[Edition]
    at: dict[Document, Line] = field(default_factory=dict)
    sections: dict[Document, Section] = field(default_factory=dict)
    parameters: dict[str, ParameterRule] = field(default_factory=dict)
    """Replaces the rules of the named parameters, so that the input is invalid."""
    bindings: list[str] = field(default_factory=list)
    """Only these bindings provoke the error; all do if empty."""
    convention: str | None = None
    """The convention that demands an error where no document names the exception."""


class DtypeRule(SpecRecord, frozen=True, kw_only=True):
    """The dtypes that a result may have: any of `accept`."""

    accept: Annotated[list[Expression], Meta(min_length=1)]


class Dtypes(SpecRecord, frozen=True, kw_only=True):
    """Input dtypes: those the documents' own words and examples cover, and those only probed.

    The documents compute in the first; an implementation may refuse a tensor of any other.
    """

    documented: list[DtypeName] = field(default_factory=lambda: ["float32", "float64"])
    probed: list[DtypeName] = field(default_factory=lambda: ["float16"])
    beside: list[DtypeName] = field(default_factory=list)
    """Those that one tensor of a call has only if another has one of the first."""


# How wrong a correct implementation may be.


class Exact(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="exact"):
    """The result equals the exact one: it is an input element, an integer or a truth value."""

    kind: ClassVar[str] = "exact"


class Ulp(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="ulp"):
    """An elementwise function: so many units in the last place of the result's dtype."""

    kind: ClassVar[str] = "ulp"

    limit: Annotated[float, Meta(gt=0)]
    source: str
    angle: bool = False
    """Whether numbers beyond 1e4 may be rounded once more on the way into a period of the function,
    whose slope is 1 at most."""


class Contraction(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="contraction"):
    """Sums of terms: gamma_n times the sum of the terms' magnitudes (Higham 2002, 3.1)."""

    kind: ClassVar[str] = "contraction"


class Conditioned(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="conditioned"):
    """Composed functions: `factor` times what one rounding of the inputs changes."""

    kind: ClassVar[str] = "conditioned"

    factor: Annotated[float, Meta(gt=0)]


Accuracy = Exact | Ulp | Contraction | Conditioned


class Part(SpecRecord, frozen=True, kw_only=True):
    """One of several results of a function. It has the `shape` and the `accuracy` of the spec where
    it has none of its own."""

    name: str
    shape: Expression = None
    accuracy: Accuracy | None = None
    flat: bool = False
    """Its elements are compared without regard to its shape, which no document settles."""
    convention: str | None = None
    """The convention without which no document settles its value."""


Triple = Annotated[list[str], Meta(min_length=3, max_length=3)]
"""Three features, as `conformance show FUNCTION --plan` names them."""


class Spec(SpecRecord, frozen=True, kw_only=True):
    """What the documents say of one function."""

    name: str
    """The newest name; `lesser`, `deconv2d` and the like are in the signatures."""
    oracle: str = ""
    """The name under which the oracle knows the value; that of the function if empty."""
    summary: str
    signatures: dict[Document, DocumentedSignature]
    editions: dict[Edition, Document]
    """Which document's signature binds an implementation of an edition; absent: not offered."""
    parameters: dict[str, ParameterRule]
    """By newest name, in the order in which values are drawn."""
    renamed: dict[str, str] = field(default_factory=dict)
    """Older name of a parameter to its newest name."""
    dtypes: Dtypes = field(default_factory=Dtypes)
    shape: Expression = None
    """The rule for the result's shape. Without `dtype` and `accuracy`, no single calls are made of
    the function: scenarios alone test it."""
    arrangement: str | None = None
    """The convention of the shape, where no document settles it: right elements in another shape
    are a divergence."""
    dtype: DtypeRule | None = None
    accuracy: Accuracy | None = None
    results: list[Part] = field(default_factory=list)
    """Where the function returns a tuple: its members, of which a case looks at one."""
    triples: list[Triple] = field(default_factory=list)
    """Features that a plan shows three at a time, in every combination that exists; it shows every
    two of all features anyway."""
    differentiable: bool
    claims: list[Claim]
    errors: list[ErrorCase] = field(default_factory=list)
    errata: list[Erratum] = field(default_factory=list)
    unsettled: list[Unsettled] = field(default_factory=list)
    profiles: dict[str, str] = field(default_factory=dict)
    """Value profiles that no document settles for this function, with their convention."""
    silent: dict[Edition, dict[str, str]] = field(default_factory=dict)
    """Value profiles that the document of an edition does not settle although another one does."""


class SpecFile(SpecRecord, frozen=True, kw_only=True):
    """One theme."""

    theme: str
    rules: list[NamedRule] = field(default_factory=list)
    """Named rules that the functions of this file alone use."""
    functions: list[Spec]


class SharedFile(SpecRecord, frozen=True, kw_only=True):
    """What the functions of several themes use: `rules.yaml`."""

    rules: list[NamedRule] = field(default_factory=list)
    errors: list[SharedError] = field(default_factory=list)
