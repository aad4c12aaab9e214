"""What a parameter takes: typed records, told apart by their `kind`."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import field

from conformance.editions import Edition
from conformance.specs.records import Domain, DtypeName, Expression, Range, SpecRecord

# `of` names the tensor parameter that the value depends on.


class TensorKind(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="tensor"):
    """A tensor of any shape with a rank in `ranks`."""

    ranks: Range = (0, 5)
    domain: Domain = "real"
    dtypes: list[DtypeName] | None = None
    """Only these dtypes, whatever the function's other tensors have."""


class Companion(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="companion"):
    """A second tensor whose shape fits that of `of`."""

    of: str
    relation: Literal["broadcast", "contraction", "batch_contraction", "batch_mismatch"]
    axes: str | None = None
    """The parameter that holds the contracted axes, for the `batch_` relations."""
    ranks: Range = (0, 5)
    domain: Domain = "real"


class Tensors(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="tensors"):
    """A list of tensors of one shape, but for the axis in parameter `vary`."""

    count: Range = (1, 4)
    ranks: Range = (1, 4)
    vary: str | None = None


class Indices(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="indices"):
    """An integer tensor whose elements are at least 0 and less than `below`."""

    below: Expression
    ranks: Range = (1, 3)
    dtypes: list[DtypeName] | None = None
    """Only these dtypes, whatever the function's other tensors have."""


class ValueKind(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="value"):
    """A NumPy array, passed without making a tensor of it."""

    ranks: Range = (0, 4)


class Axis(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="axis"):
    """One axis of `of`, counted from either end."""

    of: str
    position: Literal["existing", "new", "unit"] = "existing"
    """`new`: where an axis can be inserted; `unit`: an axis of length 1."""


class Axes(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="axes"):
    """One axis of `of`, or a list or tuple of distinct axes; also None if `optional`."""

    of: str
    optional: bool = False
    listed: bool = False
    """A list where there are several, and no tuple."""
    iterable: list[Edition] = field(default_factory=list)
    """The editions whose documents allow any iterable of axes."""


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
    """A list with one integer in `range` for each axis of `of`, and `extra` more or fewer."""

    of: str
    range: Range = (1, 3)
    extra: int = 0


class Starts(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="starts"):
    """A list or tuple with one start index for each axis of `of`, or a tensor of them."""

    of: str


class Sizes(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="sizes"):
    """A list or tuple with one length for each axis of `of`, so that a slice from `starts` fits, or
    a tensor of them."""

    of: str
    starts: str


class PlaceholderShape(
    SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="placeholder_shape"
):
    """A tuple of dimensions, any of which may be None, or None where parameter `rank` is given."""

    rank: str
    ranks: Range = (0, 4)


class Shape(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="shape"):
    """A tuple of dimensions of a tensor to be made."""

    ranks: Range = (0, 4)


class FillShape(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="fill_shape"):
    """None, or the shape of a tensor to be filled with `of` where that is a scalar."""

    of: str


class Fitting(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="fitting"):
    """A tensor whose shape follows from a rule."""

    shape: Expression
    domain: Domain = "real"


class Features(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="features"):
    """A tensor with a number for each place on one axis of `of`: a vector, or of the same rank
    with length 1 on every other axis."""

    of: str
    axis: str
    domain: Domain = "real"


class Bias(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="bias"):
    """A vector with a number for each channel of `of`, or (keras-2.2) a tensor for all but its
    first axis, channels last; of another rank, which is an error, if `wrong`."""

    of: str
    data_format: str
    wrong: bool = False


class Distribution(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="distribution"):
    """A tensor of probabilities that sum to one along an axis, or, without `axis`, of any."""

    axis: str | None = None
    """The parameter that holds the axis of the classes."""
    of: str | None = None
    """The tensor whose shape this one has."""
    logits: str | None = None
    """The parameter that, if true, makes the elements logits: any numbers."""
    ranks: Range = (2, 5)


class ScoresKind(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="scores"):
    """A matrix with a row for each sample and at least one class."""

    dtypes: list[DtypeName] | None = None


class Labels(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="labels"):
    """An integer tensor of the shape `shape`, a rule, with elements from 0 to less than `below`."""

    shape: Expression
    below: Expression
    dtypes: list[DtypeName]


class ClassAxis(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="class_axis"):
    """-1, or an axis of `of` counted from the front; outside of it, an error, if `wrong`."""

    of: str
    wrong: bool = False


class ReductionAxes(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="reduction_axes"):
    """A list or tuple of distinct axes of `of`, mostly all but the last; not none and not all."""

    of: str
    iterable: list[Edition] = field(default_factory=list)
    """The editions whose documents allow any iterable of axes."""


class Padding(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="padding"):
    """How many zeros before and after each of `spatial` axes: a tuple of pairs, a single pair for
    one axis; in keras-1 one number for both sides of an axis. `extra` more are an error."""

    spatial: int
    range: Range = (0, 3)
    extra: int = 0


class Integer(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="integer"):
    """A Python integer in `range`; also None if `optional`."""

    range: Range
    optional: bool = False


class Real(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="real"):
    """A Python float (or integer) in `range`; also None if `optional`."""

    range: tuple[float, float]
    optional: bool = False


class Boolean(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="boolean"):
    """True or False."""


class Dtype(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="dtype"):
    """The name of a dtype; also None if `optional`."""

    choices: list[DtypeName]
    optional: bool = True


class Literals(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="literals"):
    """One of these values."""

    values: list[Any]


class DataFormat(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="data_format"):
    """Omitted, None, `channels_last` or `channels_first`; in keras-1 always `tf` or `th`."""


class Images(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="images"):
    """A batch of images with so many `spatial` axes, laid out as `data_format` says."""

    spatial: int
    most: int | None = None
    """There may be more spatial axes, up to so many."""
    layout: Literal["channels_first"] | None = None
    """The layout where no parameter is called `data_format`."""
    blocks: str | None = None
    """The parameter that divides the spatial lengths, or whose square divides the channels if the
    images are `deep`."""
    deep: bool = False


class Kernel(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="kernel"):
    """A kernel for the images `of`, inside them where `padding` is `valid`."""

    of: str
    layout: Literal["convolution", "transposed", "depthwise"] = "convolution"


class Pointwise(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="pointwise"):
    """A kernel of spatial size 1 for what the depthwise kernel `of` gives."""

    of: str


class LocalKernel(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="local_kernel"):
    """Weights of their own for every window on the images `of`."""

    of: str


class Window(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="window"):
    """A tuple with the size of a window on each spatial axis of the images `of`; if `single` it may
    be a list, or an integer that all axes share."""

    of: str
    single: bool = False


class PerAxis(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="per_axis"):
    """A tuple with an integer in `range` for each `spatial` axis; a bare integer if `single`."""

    spatial: int
    range: Range = (1, 3)
    single: bool = False


class Moves(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="moves"):
    """An integer in `range` for each spatial axis of the images `of`, in a tuple or a list, or one
    that all axes share."""

    of: str
    range: Range = (1, 3)
    lists: bool = True
    """Whether lists are taken, too."""


class Patch(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="patch"):
    """The size of a window on each spatial axis of the images `of`, with as many zeros on each side
    as the parameter `padding` has and elements as far apart as `dilation` has, in a tuple, or one
    that all axes share."""

    of: str
    padding: str
    dilation: str


class Adapted(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="adapted"):
    """How many windows the images `of` are divided into on each spatial axis, no more than it has
    elements, in a tuple or a list, or as many for all."""

    of: str


class OutputPadding(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="output_padding"):
    """An integer less than the parameter `strides` has it for each spatial axis of the images `of`,
    in a tuple or a list, or one that all axes share; none of them is less if `wrong`."""

    of: str
    strides: str
    wrong: bool = False


class OutputShape(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="output_shape"):
    """The shape of images from which a convolution makes those of `of`: a tuple, or a tensor of the
    dtype int32 and rank 1."""

    of: str


class Positions(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="positions"):
    """A tuple with the number of windows on each spatial axis of the images `of`."""

    of: str


class Omitted(SpecRecord, frozen=True, kw_only=True, tag_field="kind", tag="omitted"):
    """Never passed: without a checkable effect on the aspects tested, for the stated reason."""

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
    | Omitted
)
