"""Typed records of a spec file. The published JSON Schema is made from them."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct, field

DOCUMENTS = ("ja-1", "ja-1-text", "ja-2.0", "zh-TW", "ko-2.2")
EDITIONS = ("keras-1", "keras-2.0", "keras-2.2")
VALUE_PROFILES = ("ordinary", "integers", "halves", "zeros")
"""Manners of drawing numbers that the documents cover unless a spec says otherwise."""

Document = Literal["ja-1", "ja-1-text", "ja-2.0", "zh-TW", "ko-2.2"]
Edition = Literal["keras-1", "keras-2.0", "keras-2.2"]
DtypeName = Literal["float16", "float32", "float64", "int32", "int64", "uint8", "bool"]
Domain = Literal[
    "real", "nonnegative", "positive", "nonzero", "truth", "probability", "fraction", "logit"
]
AspectName = Literal[
    "value",
    "dtype",
    "static shape",
    "gradient",
    "error",
    "example",
    "state",
    "seed",
    "distribution",
    "purity",
    "configuration",
]

Expression = Annotated[
    Any,
    Meta(
        description=(
            "A rule: an integer, true, false, null, the name of a parameter (its value), or a list "
            "[operator, argument, ...]. The operators are described in docs/specs.md."
        ),
        extra_json_schema={"$ref": "#/$defs/Expression"},
    ),
]
Line = Annotated[int, Meta(ge=1, description="A 1-based line of the document.")]
Range = Annotated[tuple[int, int], Meta(description="Lowest and highest, both included.")]


class _Record(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all records of a spec file: immutable, and a misspelt field is an error."""


class DocumentedSignature(_Record, frozen=True, kw_only=True):
    """A signature as one document prints it."""

    line: Line
    text: str
    corrected: str | None = None
    """Where the printed signature is evidently wrong: what it should say."""
    erratum: str | None = None
    """The number of the conflict that explains `corrected`, such as `C056`."""


class Claim(_Record, frozen=True, kw_only=True):
    """Something the documents say of one aspect, in our words, with the lines that say it."""

    aspect: AspectName
    says: str
    at: dict[Document, Line]


class Erratum(_Record, frozen=True, kw_only=True):
    """A place where a document is wrong or contradicts another, and the claim that is tested."""

    number: Annotated[str, Meta(pattern="^C[0-9]{3}$")]
    claim: str


class Unsettled(_Record, frozen=True, kw_only=True):
    """Cases that no document settles: there the named convention holds."""

    when: Expression
    convention: str


class ErrorCase(_Record, frozen=True, kw_only=True):
    """Invalid input. `exception` is demanded where `at` names the line that documents it."""

    name: str
    says: str
    exception: Literal["ValueError", "any"]
    editions: list[Edition]
    at: dict[Document, Line] = field(default_factory=dict)
    parameters: dict[str, ParameterRule] = field(default_factory=dict)
    """Replaces the rules of the named parameters, so that the input is invalid."""
    bindings: list[str] = field(default_factory=list)
    """Only these bindings provoke the error; all do if empty."""
    convention: str | None = None
    """The convention that demands an error where no document names the exception."""


class DtypeRule(_Record, frozen=True, kw_only=True):
    """The dtypes that a result may have: any of `accept`."""

    accept: Annotated[list[Expression], Meta(min_length=1)]


class Dtypes(_Record, frozen=True, kw_only=True):
    """Input dtypes: those the documents' own words and examples cover, and those only probed."""

    documented: list[DtypeName] = field(default_factory=lambda: ["float32", "float64"])
    probed: list[DtypeName] = field(default_factory=lambda: ["float16"])


# How wrong a correct implementation may be.


class Exact(_Record, frozen=True, kw_only=True, tag_field="kind", tag="exact"):
    """Not at all: the result is an input element, an integer or a truth value."""

    kind: ClassVar[str] = "exact"


class Ulp(_Record, frozen=True, kw_only=True, tag_field="kind", tag="ulp"):
    """An elementwise function: so many units in the last place of the result's dtype."""

    kind: ClassVar[str] = "ulp"

    limit: Annotated[float, Meta(gt=0)]
    source: str


class Contraction(_Record, frozen=True, kw_only=True, tag_field="kind", tag="contraction"):
    """Sums of terms: gamma_n times the sum of the terms' magnitudes (Higham 2002, 3.1)."""

    kind: ClassVar[str] = "contraction"


class Conditioned(_Record, frozen=True, kw_only=True, tag_field="kind", tag="conditioned"):
    """Composed functions: `factor` times what one rounding of the inputs changes."""

    kind: ClassVar[str] = "conditioned"

    factor: Annotated[float, Meta(gt=0)]


Accuracy = Exact | Ulp | Contraction | Conditioned

# What a parameter takes. `of` names the tensor parameter that the value depends on.


class Tensor(_Record, frozen=True, kw_only=True, tag_field="kind", tag="tensor"):
    """A tensor of any shape with a rank in `ranks`."""

    ranks: Range = (0, 5)
    domain: Domain = "real"
    dtypes: list[DtypeName] | None = None
    """Only these dtypes, whatever the function's other tensors have."""


class Companion(_Record, frozen=True, kw_only=True, tag_field="kind", tag="companion"):
    """A second tensor whose shape fits that of `of`."""

    of: str
    relation: Literal["broadcast", "contraction", "batch_contraction", "batch_mismatch"]
    axes: str | None = None
    """The parameter that holds the contracted axes, for the `batch_` relations."""
    ranks: Range = (0, 5)
    domain: Domain = "real"


class Tensors(_Record, frozen=True, kw_only=True, tag_field="kind", tag="tensors"):
    """A list of tensors of one shape, but for the axis in parameter `vary`."""

    count: Range = (1, 4)
    ranks: Range = (1, 4)
    vary: str | None = None


class Indices(_Record, frozen=True, kw_only=True, tag_field="kind", tag="indices"):
    """An integer tensor whose elements are at least 0 and less than `below`."""

    below: Expression
    ranks: Range = (1, 3)
    dtypes: list[DtypeName] | None = None
    """Only these dtypes, whatever the function's other tensors have."""


class Value(_Record, frozen=True, kw_only=True, tag_field="kind", tag="value"):
    """A NumPy array passed as it is."""

    ranks: Range = (0, 4)


class Axis(_Record, frozen=True, kw_only=True, tag_field="kind", tag="axis"):
    """One axis of `of`, counted from either end."""

    of: str
    position: Literal["existing", "new", "unit"] = "existing"
    """`new`: where an axis can be inserted; `unit`: an axis of length 1."""


class Axes(_Record, frozen=True, kw_only=True, tag_field="kind", tag="axes"):
    """One axis of `of`, or a list or tuple of distinct axes; also None if `optional`."""

    of: str
    optional: bool = False


class BatchAxes(_Record, frozen=True, kw_only=True, tag_field="kind", tag="batch_axes"):
    """None, one axis for both tensors, or a pair of axes; never the batch axis."""

    of: str


class Permutation(_Record, frozen=True, kw_only=True, tag_field="kind", tag="permutation"):
    """A tuple with every axis of `of` once."""

    of: str


class TargetShape(_Record, frozen=True, kw_only=True, tag_field="kind", tag="target_shape"):
    """A tuple of dimensions with as many elements as `of`; one of them may be -1."""

    of: str


class Counts(_Record, frozen=True, kw_only=True, tag_field="kind", tag="counts"):
    """A list with one integer in `range` for each axis of `of`, and `extra` more or fewer."""

    of: str
    range: Range = (1, 3)
    extra: int = 0


class Starts(_Record, frozen=True, kw_only=True, tag_field="kind", tag="starts"):
    """A list with one start index for each axis of `of`."""

    of: str


class Sizes(_Record, frozen=True, kw_only=True, tag_field="kind", tag="sizes"):
    """A list with one length for each axis of `of`, so that a slice from `starts` fits."""

    of: str
    starts: str


class PlaceholderShape(
    _Record, frozen=True, kw_only=True, tag_field="kind", tag="placeholder_shape"
):
    """A tuple of dimensions, any of which may be None, or None where parameter `rank` is given."""

    rank: str
    ranks: Range = (0, 4)


class Shape(_Record, frozen=True, kw_only=True, tag_field="kind", tag="shape"):
    """A tuple of dimensions of a tensor to be made."""

    ranks: Range = (0, 4)


class FillShape(_Record, frozen=True, kw_only=True, tag_field="kind", tag="fill_shape"):
    """None, or the shape of a tensor to be filled with `of` where that is a scalar."""

    of: str


class Fitting(_Record, frozen=True, kw_only=True, tag_field="kind", tag="fitting"):
    """A tensor whose shape follows from a rule."""

    shape: Expression
    domain: Domain = "real"


class Features(_Record, frozen=True, kw_only=True, tag_field="kind", tag="features"):
    """A tensor with a number for each place on one axis of `of`: a vector, or of the same rank
    with length 1 on every other axis."""

    of: str
    axis: str
    domain: Domain = "real"


class Bias(_Record, frozen=True, kw_only=True, tag_field="kind", tag="bias"):
    """A vector with a number for each channel of `of`, or (keras-2.2) a tensor for all but its
    first axis, channels last; of another rank, which is an error, if `wrong`."""

    of: str
    data_format: str
    wrong: bool = False


class Distribution(_Record, frozen=True, kw_only=True, tag_field="kind", tag="distribution"):
    """A tensor of probabilities that sum to one along an axis, or, without `axis`, of any."""

    axis: str | None = None
    """The parameter that holds the axis of the classes."""
    of: str | None = None
    """The tensor whose shape this one has."""
    logits: str | None = None
    """The parameter that, if true, makes the elements logits: any numbers."""
    ranks: Range = (2, 5)


class Scores(_Record, frozen=True, kw_only=True, tag_field="kind", tag="scores"):
    """A matrix with a row for each sample and at least one class."""

    dtypes: list[DtypeName] | None = None


class Labels(_Record, frozen=True, kw_only=True, tag_field="kind", tag="labels"):
    """An integer tensor of the shape `shape`, a rule, with elements from 0 to less than `below`."""

    shape: Expression
    below: Expression
    dtypes: list[DtypeName]


class ClassAxis(_Record, frozen=True, kw_only=True, tag_field="kind", tag="class_axis"):
    """-1, or an axis of `of` counted from the front; outside of it, an error, if `wrong`."""

    of: str
    wrong: bool = False


class ReductionAxes(_Record, frozen=True, kw_only=True, tag_field="kind", tag="reduction_axes"):
    """A list or tuple of distinct axes of `of`, mostly all but the last; not none and not all."""

    of: str


class Padding(_Record, frozen=True, kw_only=True, tag_field="kind", tag="padding"):
    """How many zeros before and after each of `spatial` axes: a tuple of pairs, a single pair for
    one axis; in keras-1 one number for both sides of an axis. `extra` more are an error."""

    spatial: int
    range: Range = (0, 3)
    extra: int = 0


class Integer(_Record, frozen=True, kw_only=True, tag_field="kind", tag="integer"):
    """A Python integer in `range`; also None if `optional`."""

    range: Range
    optional: bool = False


class Real(_Record, frozen=True, kw_only=True, tag_field="kind", tag="real"):
    """A Python float (or integer) in `range`; also None if `optional`."""

    range: tuple[float, float]
    optional: bool = False


class Boolean(_Record, frozen=True, kw_only=True, tag_field="kind", tag="boolean"):
    """True or False."""


class Dtype(_Record, frozen=True, kw_only=True, tag_field="kind", tag="dtype"):
    """The name of a dtype; also None if `optional`."""

    choices: list[DtypeName]
    optional: bool = True


class Literals(_Record, frozen=True, kw_only=True, tag_field="kind", tag="literals"):
    """One of these values."""

    values: list[Any]


class DataFormat(_Record, frozen=True, kw_only=True, tag_field="kind", tag="data_format"):
    """Omitted, None, `channels_last` or `channels_first`; in keras-1 always `tf` or `th`."""


class Images(_Record, frozen=True, kw_only=True, tag_field="kind", tag="images"):
    """A batch of images with so many `spatial` axes, laid out as `data_format` says."""

    spatial: int


class Kernel(_Record, frozen=True, kw_only=True, tag_field="kind", tag="kernel"):
    """A kernel for the images `of`, inside them where `padding` is `valid`."""

    of: str
    layout: Literal["convolution", "transposed", "depthwise"] = "convolution"


class Pointwise(_Record, frozen=True, kw_only=True, tag_field="kind", tag="pointwise"):
    """A kernel of spatial size 1 for what the depthwise kernel `of` gives."""

    of: str


class LocalKernel(_Record, frozen=True, kw_only=True, tag_field="kind", tag="local_kernel"):
    """Weights of their own for every window on the images `of`."""

    of: str


class Window(_Record, frozen=True, kw_only=True, tag_field="kind", tag="window"):
    """A tuple with the size of a window on each spatial axis of the images `of`."""

    of: str


class PerAxis(_Record, frozen=True, kw_only=True, tag_field="kind", tag="per_axis"):
    """A tuple with an integer in `range` for each `spatial` axis; a bare integer if `single`."""

    spatial: int
    range: Range = (1, 3)
    single: bool = False


class OutputShape(_Record, frozen=True, kw_only=True, tag_field="kind", tag="output_shape"):
    """A tuple: the shape of images from which a convolution makes those of `of`."""

    of: str


class Positions(_Record, frozen=True, kw_only=True, tag_field="kind", tag="positions"):
    """A tuple with the number of windows on each spatial axis of the images `of`."""

    of: str


class Omitted(_Record, frozen=True, kw_only=True, tag_field="kind", tag="omitted"):
    """Never passed: without a checkable effect on the aspects tested, for the stated reason."""

    why: str


ParameterRule = (
    Tensor
    | Companion
    | Tensors
    | Indices
    | Value
    | Axis
    | Axes
    | BatchAxes
    | Permutation
    | TargetShape
    | Counts
    | Starts
    | Sizes
    | PlaceholderShape
    | Shape
    | FillShape
    | Fitting
    | Features
    | Bias
    | Distribution
    | Scores
    | Labels
    | ClassAxis
    | ReductionAxes
    | Padding
    | Integer
    | Real
    | Boolean
    | Dtype
    | Literals
    | DataFormat
    | Images
    | Kernel
    | Pointwise
    | LocalKernel
    | Window
    | PerAxis
    | OutputShape
    | Positions
    | Omitted
)


class Part(_Record, frozen=True, kw_only=True):
    """One of several results of a function, by its name. What it does not say is as for the first:
    the spec's own `shape` and `accuracy`."""

    name: str
    shape: Expression = None
    accuracy: Accuracy | None = None
    flat: bool = False
    """Its elements are compared in a row: no document settles its shape."""
    convention: str | None = None
    """The convention without which no document settles its value."""


class Spec(_Record, frozen=True, kw_only=True):
    """What the documents say of one function."""

    name: str
    """The newest name; `lesser`, `deconv2d` and the like are in the signatures."""
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
    dtype: DtypeRule | None = None
    accuracy: Accuracy | None = None
    results: list[Part] = field(default_factory=list)
    """Where the function returns a tuple: its members, of which a case looks at one."""
    differentiable: bool
    claims: list[Claim]
    errors: list[ErrorCase] = field(default_factory=list)
    errata: list[Erratum] = field(default_factory=list)
    unsettled: list[Unsettled] = field(default_factory=list)
    profiles: dict[str, str] = field(default_factory=dict)
    """Value profiles that no document settles for this function, with their convention."""


class SpecFile(_Record, frozen=True, kw_only=True):
    """One theme."""

    theme: str
    functions: list[Spec]
