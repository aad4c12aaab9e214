"""What a parameter takes: typed records, told apart by their `kind`."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import field

from conformance.editions import Edition
from conformance.specs.records import Domain, DtypeName, Expression, Range, SpecRecord

# `of` names the tensor parameter that the value depends on.


class TensorKind(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="tensor"):
    """A tensor of any shape."""

    ranks: Range = (0, 5)
    domain: Domain = "real"
    dtypes: list[DtypeName] | None = None
    """only these, whatever other tensors have"""


class Companion(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="companion"):
    """A second tensor whose shape fits that of `of`. The relations are listed below."""

    of: str
    relation: Literal["broadcast", "contraction", "batch_contraction", "batch_mismatch"]
    axes: str | None = None
    """the parameter with the contracted axes, for the `batch_` relations"""
    ranks: Range = (0, 5)
    domain: Domain = "real"


class Tensors(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="tensors"):
    """A list of tensors of one shape, except for the axis in the parameter `vary`."""

    count: Range = (1, 4)
    ranks: Range = (1, 4)
    vary: str | None = None


class Indices(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="indices"):
    """An integer tensor with elements from 0 to less than `below`, a rule."""

    below: Expression
    ranks: Range = (1, 3)
    dtypes: list[DtypeName] | None = None
    """only these, whatever other tensors have"""


class ValueKind(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="value"):
    """A NumPy array, passed without making a tensor of it."""

    ranks: Range = (0, 4)


class Axis(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="axis"):
    """One axis of `of`, counted from either end; also None if `optional`."""

    of: str
    optional: bool = False
    position: Literal["existing", "new", "unit"] = "existing"
    """`existing`; `new`, where an axis can be inserted; `unit`, an axis of length 1"""


class Axes(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="axes"):
    """One axis of `of`, or a list or tuple of distinct axes; also None if `optional`."""

    of: str
    optional: bool = False
    listed: bool = False
    """no tuple"""
    empty: bool = False
    """also no axis at all"""
    iterable: list[Edition] = field(default_factory=list)
    """the editions that allow any iterable"""


class BatchAxes(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="batch_axes"):
    """None, one axis for both tensors, or a pair of axes; never the batch axis."""

    of: str


class Permutation(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="permutation"):
    """A tuple with every axis of `of` once."""

    of: str


class TargetShape(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="target_shape"):
    """A tuple of dimensions with as many elements as `of`; one of them may be -1."""

    of: str


class Counts(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="counts"):
    """A list with an integer for each axis of `of`, and `extra` more."""

    of: str
    range: Range = (1, 3)
    extra: int = 0


class Starts(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="starts"):
    """A list, tuple or tensor with a start index for each axis of `of`."""

    of: str


class Sizes(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="sizes"):
    """A list, tuple or tensor with a length for each axis of `of`: a slice from `starts` fits."""

    of: str
    starts: str


class PlaceholderShape(
    SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="placeholder_shape"
):
    """A tuple of dimensions, any of them None; or None, if the parameter `rank` has a value."""

    rank: str
    ranks: Range = (0, 4)


class Shape(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="shape"):
    """A tuple of dimensions of a tensor to be made."""

    ranks: Range = (0, 4)


class FillShape(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="fill_shape"):
    """None, or a shape to be filled where `of` is a scalar."""

    of: str


class Fitting(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="fitting"):
    """A tensor whose shape follows from the rule `shape`."""

    shape: Expression
    domain: Domain = "real"


class Features(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="features"):
    """A number for each place on an axis of `of`, in a vector or with length 1 on other axes."""

    of: str
    axis: str
    domain: Domain = "real"


class Bias(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="bias"):
    """A vector with a number for each channel of `of`; in keras-2.2 also a tensor for all but the
    first axis, channels last. `wrong`: of another rank."""

    of: str
    data_format: str
    wrong: bool = False


class Distribution(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="distribution"):
    """Probabilities that sum to one along an axis; without `axis`, any probabilities."""

    axis: str | None = None
    """the parameter with the axis of the classes"""
    of: str | None = None
    """the tensor with the same shape"""
    logits: str | None = None
    """the parameter that makes the elements logits"""
    ranks: Range = (2, 5)


class ScoresKind(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="scores"):
    """A matrix with a row for each sample and at least one class."""

    dtypes: list[DtypeName] | None = None


class Labels(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="labels"):
    """An integer tensor of a shape, with elements from 0 to less than `below`; both are rules."""

    shape: Expression
    below: Expression
    dtypes: list[DtypeName]


class ClassAxis(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="class_axis"):
    """-1, or an axis of `of` counted from the front. `wrong`: an axis that it lacks."""

    of: str
    wrong: bool = False


class ReductionAxes(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="reduction_axes"):
    """A list or tuple of distinct axes of `of`, mostly all but the last."""

    of: str
    iterable: list[Edition] = field(default_factory=list)
    """the editions that allow any iterable"""


class Padding(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="padding"):
    """The zeros before and after each of `spatial` axes: a tuple of pairs, a pair for one axis; in
    keras-1 a number for each axis. `extra` more are an error."""

    spatial: int
    range: Range = (0, 3)
    extra: int = 0


class Integer(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="integer"):
    """A Python integer."""

    range: Range
    optional: bool = False


class Real(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="real"):
    """A Python float or integer."""

    range: tuple[float, float]
    optional: bool = False


class Boolean(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="boolean"):
    """True or False."""


class Dtype(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="dtype"):
    """The name of a dtype."""

    choices: list[DtypeName]
    optional: bool = True


class Literals(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="literals"):
    """One of these values."""

    values: list[Any]


class DataFormat(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="data_format"):
    """Omitted, None, `channels_last` or `channels_first`; in keras-1 always `tf` or `th`."""


class Images(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="images"):
    """A batch of images with `spatial` axes, in the layout of the parameter `data_format`."""

    spatial: int
    most: int | None = None
    """up to so many spatial axes"""
    layout: Literal["channels_first"] | None = None
    """the layout, where no parameter is called `data_format`"""
    blocks: str | None = None
    """the parameter that divides the spatial lengths"""
    deep: bool = False
    """its square divides the channels instead"""


class Kernel(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="kernel"):
    """A kernel for the images `of`, inside them where `padding` is `valid`."""

    of: str
    layout: Literal["convolution", "transposed", "depthwise"] = "convolution"


class Pointwise(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="pointwise"):
    """A kernel of spatial size 1 for the result of the depthwise kernel `of`."""

    of: str


class LocalKernel(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="local_kernel"):
    """Separate weights for every window on the images `of`."""

    of: str


class Window(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="window"):
    """A tuple with the size of a window on each spatial axis of the images `of`. `single`: also a
    list, or an integer for all axes."""

    of: str
    single: bool = False


class PerAxis(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="per_axis"):
    """A tuple with an integer for each `spatial` axis; `single`: the integer itself."""

    spatial: int
    range: Range = (1, 3)
    single: bool = False


class Moves(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="moves"):
    """An integer for each spatial axis of the images `of`, in a tuple or a list, or one for all."""

    of: str
    range: Range = (1, 3)
    lists: bool = True
    """false: no lists"""


class Patch(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="patch"):
    """A tuple with the size of a window on each spatial axis of the images `of`, or one for all. It
    fits with the zeros of the parameter `padding` and the distances of `dilation`."""

    of: str
    padding: str
    dilation: str


class Adapted(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="adapted"):
    """The number of windows on each spatial axis of `of`: a tuple, a list, or one for all."""

    of: str


class OutputPadding(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="output_padding"):
    """For each spatial axis of the images `of` an integer less than that of `strides`. `wrong`: not
    less, which is an error."""

    of: str
    strides: str
    wrong: bool = False


class OutputShape(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="output_shape"):
    """A shape of images that a convolution turns into that of `of`: a tuple or an int32 tensor."""

    of: str


class Positions(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="positions"):
    """A tuple with the number of windows on each spatial axis of the images `of`."""

    of: str


class FromDrawer(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="drawn"):
    """An argument from the drawer of the spec."""

    domain: Domain = "real"
    dtypes: list[DtypeName] | None = None
    """only these, whatever other tensors have"""
    eager: bool = False
    """never symbolic"""
    complex: bool = False
    """pairs of parts of complex numbers, joined before the call"""


class Omitted(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="omitted"):
    """Never passed, for the reason `why`."""

    why: str


ParameterRule = (
    TensorKind
    | Companion
    | Tensors
    | Indices
    | ValueKind
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
    | ScoresKind
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
    | Moves
    | OutputPadding
    | Patch
    | Adapted
    | OutputShape
    | Positions
    | FromDrawer
    | Omitted
)
