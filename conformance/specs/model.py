"""Typed records of a spec file. The published JSON Schema is made from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, field

from conformance.editions import Document, Edition
from conformance.specs.kinds import ParameterRule
from conformance.specs.records import AspectName, DtypeName, Expression, Line, Section, SpecRecord

Exceptions = Literal["ValueError", "any"]


class DocumentedSignature(SpecRecord, frozen=True, kw_only=True, omit_defaults=True):
    """A signature as one document prints it. What is left out is left out of the cache, too: 0 is
    no line that is accepted there."""

    line: Line = 0
    """The line in the document."""
    text: str
    """The signature as printed, without `keras.backend.`."""
    corrected: str | None = None
    """The right signature, if the printed one has an obvious error; `...` is an open default."""
    erratum: str | None = None
    """The number of the conflict of documents that explains `corrected`, such as `C056`."""


class Claim(SpecRecord, frozen=True, kw_only=True):
    """Something the documents say of one aspect, in our words, with the lines that say it."""

    aspect: AspectName
    says: str
    at: dict[Document, Line] = field(default_factory=dict)
    sections: dict[Document, Section] = field(default_factory=dict)
    """Where documents are docstrings: the section that says it."""
    rules_out: list[str] = field(default_factory=list)
    """Readings of conventions that these documents do not leave open here: `extremes: overflow`."""
    parameter: str | None = None
    """The parameter without which the claim says nothing of a call."""

    def binds(self, arguments: Mapping[str, Any]) -> bool:
        """Whether the claim is about a call with these arguments."""
        return self.parameter is None or arguments.get(self.parameter) is not None


class Erratum(SpecRecord, frozen=True, kw_only=True):
    """A place where a document is wrong or contradicts another, and the claim that is tested."""

    number: Annotated[str, Meta(pattern="^C[0-9]{3}$")]
    """`C` and three digits."""
    claim: str
    """The claim that the suite tests."""


RULE_NAME = "^[a-z][a-z0-9]*(-[a-z0-9]+)+$"
"""Words joined by hyphens: neither an operator nor a parameter is called so."""


class NamedRule(SpecRecord, frozen=True, kw_only=True):
    """A rule that is written once and used by name: `[name, argument, ...]`."""

    name: Annotated[str, Meta(pattern=RULE_NAME)]
    """Words joined by hyphens."""
    takes: list[Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]] = field(
        default_factory=list
    )
    """The names of the rule's arguments. `rule` must use each of them, and no other names."""
    says: str
    """The rule in words; `{x}` stands for the argument `x`."""
    rule: Expression
    """The rule itself. It may use other named rules."""
    convention: str | None = None
    """Only for conditions: the convention that holds if the condition is true."""


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
    """The condition."""
    convention: str = ""
    """The convention that holds then. Default: that of the named rule in `when`."""
    says: str | None = None
    """The condition in words, if `when` has no named rule."""
    editions: list[Edition] = field(default_factory=list)
    """The editions that leave the case open. Default: all."""

    def holds_in(self, edition: Edition) -> bool:
        """Whether the document of the edition leaves it open, too."""
        return not self.editions or edition in self.editions


class ErrorCase(SpecRecord, frozen=True, kw_only=True):
    """Invalid input. `exception` is demanded where `at` names the line that documents it.

    What a case without `says` does not write is as in the shared error of its name.
    """

    name: str
    """The kind of the failure, as words joined by hyphens."""
    says: str = ""
    """The condition that the input breaks. Default: that of the error in `rules.yaml`."""
    exception: Exceptions = "any"
    """The documented exception."""
    editions: list[Edition] = field(default_factory=list)
    """The editions that document the error. Default: all editions of the spec."""
    at: dict[Document, Line] = field(default_factory=dict)
    """The line of the error in each document."""
    sections: dict[Document, Section] = field(default_factory=dict)
    """The section of the error in each document."""
    parameters: dict[str, ParameterRule] = field(default_factory=dict)
    """The rules that draw invalid arguments, by parameter."""
    bindings: list[str] = field(default_factory=list)
    """The bindings that cause the error. Default: all."""
    convention: str | None = None
    """The convention that demands an error, if no document names the exception."""
    late: str | None = None
    """The convention that lets a symbolic call accept the input until it is computed."""


class DtypeRule(SpecRecord, frozen=True, kw_only=True):
    """The dtypes that a result may have: any of `accept`."""

    accept: Annotated[list[Expression], Meta(min_length=1)]
    """A list of rules. Each gives an allowed dtype."""


class Dtypes(SpecRecord, frozen=True, kw_only=True):
    """Input dtypes: those the documents' own words and examples cover, and those only probed.

    The documents compute in the first; an implementation may refuse a tensor of any other.
    """

    documented: list[DtypeName] = field(default_factory=lambda: ["float32", "float64"])
    """Dtypes that the text or the examples of the documents cover."""
    probed: list[DtypeName] = field(default_factory=lambda: ["float16"])
    """Other dtypes that the suite tries, under the convention `input-dtype`."""
    beside: list[DtypeName] = field(default_factory=list)
    """Dtypes that one tensor of a call may have if another tensor has a documented dtype."""
    untried: list[DtypeName] = field(default_factory=list)
    """Dtypes that the suite does not try with this function, although it tries them with others."""
    alike: bool = False
    """`true` if all tensors of a call must have the same dtype."""
    tied: bool = False
    """`true` if other arguments fit only the dtype that a tensor has, such as one of its size."""


# How wrong a correct implementation may be.


class Exact(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="exact"):
    """Nothing: the result is an input element, an integer or a truth value."""

    kind: ClassVar[str] = "exact"


class Ulp(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="ulp"):
    """Units in the last place of its dtype, for elementwise functions."""

    kind: ClassVar[str] = "ulp"

    limit: Annotated[float, Meta(gt=0)]
    """Units in the last place."""
    source: str
    """The source of the limit."""
    angle: bool = False
    """`true` if the function may round a number beyond 10,000 when it reduces it to a period."""


class Contraction(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="contraction"):
    """γₙ times the sum of the terms' magnitudes (Higham 2002, 3.1), for sums of terms."""

    kind: ClassVar[str] = "contraction"


class Conditioned(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="conditioned"):
    """`factor` times the change that one rounding of the inputs causes, for composed functions."""

    kind: ClassVar[str] = "conditioned"

    factor: Annotated[float, Meta(gt=0)]
    """How many roundings of the inputs."""


Accuracy = Exact | Ulp | Contraction | Conditioned


class Part(SpecRecord, frozen=True, kw_only=True):
    """One of several results of a function. It has the `shape`, the `dtype` and the `accuracy` of
    the spec where it has none of its own."""

    name: str
    """The member's name in messages."""
    shape: Expression = None
    """The member's shape. Default: that of the spec."""
    dtype: DtypeRule | None = None
    """The member's dtypes. Default: those of the spec."""
    accuracy: Accuracy | None = None
    """The member's accuracy. Default: that of the spec."""
    by: str | None = None
    """A function that computes the member from the result, such as the real part."""
    when: Expression = None
    """The condition under which the result has this member. A single member is not in a tuple."""
    flat: bool = False
    """`true` to compare flattened elements, because no document settles the member's shape."""
    convention: str | None = None
    """The convention for the member's value, if no document settles it."""
    count: Expression = None
    """The number of members, if the result is a list. In rules, `item` is the index of a member."""


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
    draw: str = ""
    """The drawer of the parameters of the kind `drawn`: a generator of arguments that belong
    together."""
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
    unique: bool = True
    """Whether one answer alone is right. If not, the oracle accepts any of which its evidence is
    right; the evidence for a member of a tuple may be made of all of them."""
    triples: list[Triple] = field(default_factory=list)
    """Features that a plan shows three at a time, in every combination that exists; it shows every
    two of all features anyway."""
    differentiable: bool
    claims: list[Claim]
    errors: list[ErrorCase] = field(default_factory=list)
    errata: list[Erratum] = field(default_factory=list)
    unsettled: list[Unsettled] = field(default_factory=list)
    bindings: list[str] = field(default_factory=list)
    """The only bindings, where the document speaks of no other inputs; all if empty."""
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
