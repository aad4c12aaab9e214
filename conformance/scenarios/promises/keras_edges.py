"""Edges of keras.ops: counts in tensors, sizes and numbers beyond the input, oblong kernels.

Where a docstring is silent, a call may be refused. A result must keep what the docstring says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.oracle import Expectation
from conformance.results import Aspect
from conformance.scenarios.checks import (
    Test,
    agrees_with,
    is_array,
    of_array,
    of_arrays,
    only,
    plain,
    raises,
    shown,
)
from conformance.scenarios.drawn_arrays import numbered
from conformance.scenarios.model import (
    ARGS,
    KERAS_3,
    OWN_PROCESS,
    RETURNS,
    SYMBOL,
    Array,
    Problem,
    Values,
)
from conformance.scenarios.recorder import Book, Recorder
from conformance.specs.convention_names import ConventionName

BOOK = Book()


TABLE = numbered(2, 3)
ONE, EACH = 2, (2, 1, 3, 1, 3, 2)
"""A number of repetitions for all elements, and one for each of the first."""
FORMS = {
    "a scalar tensor": ("tensor", ONE),
    "a list of one": ("list", [ONE]),
    "an array of one": ("array", [ONE]),
    "a tensor of one": ("tensor", [ONE]),
    "a list for each": ("list", EACH),
    "an array for each": ("array", EACH),
    "a tensor for each": ("tensor", EACH),
}


@BOOK.scenario(
    "keras.ops.repeat", "repeats: {form}", editions=KERAS_3, form=FORMS.keys(), axis=(None, 1)
)
def counts(K: Recorder, form: str, axis: int | None) -> None:
    """The counts are those of all elements, or of each along the axis."""
    kind, numbers = FORMS[form]
    along = {} if axis is None else {"axis": axis}
    length = TABLE.size if axis is None else TABLE.shape[axis]
    repeats = np.asarray(EACH[:length] if numbers is EACH else numbers, "int32")
    x = K.tensor("x", TABLE)
    result = K[K.tested](x, _in_form(K, kind, repeats), **along).output("values")
    expected = np.repeat(TABLE, repeats, axis)
    K.conventions = (ConventionName.COUNTS_IN_TENSORS,)
    K.expect("the elements", result, is_array(expected), shown(expected), at=ARGS)


def _in_form(K: Recorder, kind: str, numbers: Array) -> Any:
    if kind == "list":
        return numbers.tolist()
    return K.array("repeats", numbers) if kind == "array" else K.tensor("repeats", numbers)


IMAGE = numbered(4, 5, 1)
Pair = tuple[int, int]
CROPS: tuple[tuple[Pair, Pair], ...] = (((1, 1), (9, 2)), ((1, 0), (4, 2)), ((0, 2), (3, 5)))
PADS: tuple[tuple[Pair, Pair], ...] = (((1, 1), (2, 7)), ((1, 1), (4, 7)), ((1, 2), (6, 3)))
"""Rows at the top and columns on the left, and the size of the result."""


def _sized(shape: tuple[int, ...], known: Array) -> Test:
    """The image has this shape, and begins with these rows and columns."""
    corner = tuple(map(slice, known.shape))
    rows, columns, _ = known.shape
    held = f"np.asarray(first)[:{rows}, :{columns}]"
    fault = (
        f"np.shape(first) != {shape!r} or not np.array_equal({held}, {known.astype(int).tolist()})"
    )

    @of_array
    def test(got: Array) -> Problem | None:
        if got.shape != shape:
            return Problem(f"gives shape {got.shape}", "shape", got=got, fault=fault)
        if np.array_equal(got[corner], known):
            return None
        return Problem(f"begins with {_rows(got[corner])}", "rows", got=got, fault=fault)

    return test


def _rows(image: Array) -> str:
    return shown(image[..., 0])


@BOOK.scenario(
    "keras.ops.image.crop_images", "a crop that ends beyond the image", editions=KERAS_3, crop=CROPS
)
def crops_beyond(K: Recorder, crop: tuple[Pair, Pair]) -> None:
    """A target that is larger than the rest of the image."""
    (top, left), (height, width) = crop
    known = IMAGE[top : top + height, left : left + width]
    _expect_size(K, crop, "cropping", known)


@BOOK.scenario("keras.ops.image.pad_images", "a target without room", editions=KERAS_3, pad=PADS)
def pads_without_room(K: Recorder, pad: tuple[Pair, Pair]) -> None:
    """A target that is smaller than the image with its padding."""
    (top, left), (height, width) = pad
    padded = np.pad(IMAGE, ((top, 0), (left, 0), (0, 0)))
    _expect_size(K, pad, "padding", padded[:height, :width])


def _expect_size(K: Recorder, sides: tuple[Pair, Pair], kind: str, known: Array) -> None:
    (top, left), (height, width) = sides
    result = K[K.tested](
        K.tensor("images", IMAGE),
        **{f"top_{kind}": top, f"left_{kind}": left},
        target_height=height,
        target_width=width,
        data_format="channels_last",
    ).output("values")
    shape = (height, width, 1)
    demands = f"shape {shape} that begins with {_rows(known)}"
    K.conventions = (ConventionName.UNREACHABLE_SIZE,)
    K.expect("the size", result, _sized(shape, known), demands, at=ARGS)


LARGE = 1e4
"""A deviation beside which distances of 2 change no digit of float32: all weights are equal."""


@BOOK.scenario(
    "keras.ops.image.gaussian_blur",
    "an oblong kernel of {kernel}, all weights equal",
    editions=KERAS_3,
    kernel=((3, 5), (5, 3), (1, 5), (5, 1)),
)
def oblong_kernels(K: Recorder, kernel: Pair) -> None:
    """A point becomes an upright or a lying box of the kernel's height and width."""
    height, width = kernel
    images, box = np.zeros((7, 9, 1), "float32"), np.zeros((7, 9, 1))
    images[3, 4], rows, columns = height * width, _around(3, height), _around(4, width)
    box[rows, columns] = 1
    blurred = K[K.tested](
        K.tensor("images", images),
        kernel_size=kernel,
        sigma=(LARGE, LARGE),
        data_format="channels_last",
    )
    # two sums of at most five weights, their quotients, and two sums of products
    bound = np.full(box.shape, 32 * 2.0**-23)
    right = agrees_with(Expectation(box, bound, "float32"))
    demands = f"1 in {height} rows and {width} columns around [3, 4], and 0 elsewhere"
    K.expect("the box", blurred.output("values"), right, demands, at=ARGS)


def _around(place: int, length: int) -> slice:
    return slice(place - length // 2, place + length // 2 + 1)


@BOOK.scenario(
    "keras.ops.top_k",
    "more elements than there are",
    Aspect.VALUE,
    Aspect.STATIC_SHAPE,
    editions=KERAS_3,
    shape=((2,), (2, 3)),
)
def top_of_few(K: Recorder, shape: tuple[int, ...]) -> None:
    """Each element is among the largest. A result names elements that there are."""
    x, k = numbered(*shape)[..., ::-1], shape[-1] + 1
    result = K[K.tested](K.tensor("x", x), k)
    both = result[0].output("values"), result[1].output("indices")
    symbol = K[K.tested](K.placeholder(shape=shape, dtype="float32"), k)
    claimed = K.int_shape(symbol[0]).output("claimed")
    demands = f"indices from 0 to {shape[-1] - 1}, and the elements there"
    K.expect("the elements", both, _are_elements(x), demands, at=RETURNS)
    K.expect(
        "the shape of the symbol",
        (claimed, "values"),
        _same_shape,
        "the shape of the computed tensor",
        aspect=Aspect.STATIC_SHAPE,
        at=SYMBOL,
    )
    K.conventions, K.setup = (ConventionName.TOP_OF_FEWER,), OWN_PROCESS


def _are_elements(x: Array) -> Test:
    """Each element at least once, at its index."""

    @of_arrays
    def test(values: Array, indices: Array) -> Problem | None:
        if (problem := _other_places(indices, x.shape)) is not None:
            return problem
        there = np.take_along_axis(x, indices.astype("int64"), -1)
        if np.array_equal(values, there):
            return None
        return Problem(f"gives {shown(values)}", "elements", got=values, expected=there)

    return test


def _other_places(indices: Array, shape: tuple[int, ...]) -> Problem | None:
    """The problem of indices that are not those of all elements of each row."""
    *batch, length = shape
    held = "np.asarray(values[1][0])"
    if indices.shape[:-1] != tuple(batch):
        fault = f"{held}.shape[:-1] != {tuple(batch)!r}"
        return Problem(f"gives indices of shape {indices.shape}", "shape", fault=fault)
    if not np.isin(indices, range(length)).all():
        # such an index may be another one in each run
        outside, fault = "the index of no element", f"not np.isin({held}, range({length})).all()"
        return Problem(f"gives {outside}", "index", got=outside, fault=fault)
    if all({*row} == {*range(length)} for row in indices.reshape(-1, indices.shape[-1])):
        return None
    fault = f"any({{*row}} != {{*range({length})}} for row in {held}.reshape(-1, {held}.shape[-1]))"
    return Problem(f"gives the indices {shown(indices)}", "fewer", got=indices, fault=fault)


def _same_shape(claimed: Values, values: Values) -> Problem | None:
    """The static shape that `int_shape` gave is that of the computed tensor."""
    array = only(values)
    symbol = tuple(plain((v,)) for v in claimed)
    computed = () if isinstance(array, Problem) else array.shape
    if symbol == computed:
        return None
    fault = "tuple(values[0]) != np.shape(values[1][0])"
    return Problem(f"is {symbol} for a symbol and {computed} for a tensor", "shape", fault=fault)


@BOOK.scenario(
    "keras.ops.image.perspective_transform",
    "points of shape {shape}",
    Aspect.ERROR,
    editions=KERAS_3,
    shape=((3, 2), (4, 3), (1, 1, 4, 2)),
    which=(("start_points",), ("end_points",), ("start_points", "end_points")),
)
def other_points(K: Recorder, shape: tuple[int, ...], which: Sequence[str]) -> None:
    """Four points of two coordinates are documented, for one image or for each."""
    corners = np.array([[0, 0], [0, 3], [3, 0], [3, 3]], "float32")
    points = {"start_points": corners, "end_points": corners}
    points |= dict.fromkeys(which, np.resize(corners, shape))
    tensors = {name: K.tensor(name, array) for name, array in points.items()}
    images = K.tensor("images", numbered(4, 4, 1))
    call = K.attempt(K[K.tested], images, **tensors, data_format="channels_last")
    K.expect("refused", call.output("computed"), raises(), "an exception", at=ARGS)


FAMILIES = BOOK.families
