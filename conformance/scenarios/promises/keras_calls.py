"""Calls of keras.ops that docstrings describe and no draw makes, with small exact numbers.

Vectors beside several matrices, matrices without full rank, integers whose result has fractions,
one transform for a batch of images, and several places where a draw has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.scenarios.checks import (
    Test,
    has_shape,
    is_array,
    near,
    of_array,
    shown,
)
from conformance.scenarios.drawn_arrays import numbered
from conformance.scenarios.model import (
    ARGS,
    KERAS_3,
    RETURNS,
    SUMMARY,
    Array,
    Problem,
)
from conformance.scenarios.recorder import Book, Recorder
from conformance.specs.convention_names import ConventionName

BOOK = Book()
Shape = tuple[int, ...]
INTEGERS = ("int32", "int64")


UPPER = np.array([[2, 1], [0, 4]], "float32")
"""An upper triangle that is solved without a rounding."""


@BOOK.scenario(
    ("keras.ops.solve", "keras.ops.solve_triangular"),
    "a vector beside each matrix of a batch of {batch}",
    editions=KERAS_3,
    batch=((3,), (2, 3)),
)
def vectors_of_a_batch(K: Recorder, batch: Shape) -> None:
    """The batch is not as long as a vector, so the tensor holds no matrices of right sides."""
    scales = 2.0 ** np.arange(np.prod(batch)).reshape(*batch, 1, 1)
    a, x = (scales * UPPER).astype("float32"), numbered(*batch, 2)
    b = (a @ x[..., None])[..., 0]
    result = K[K.tested](K.tensor("a", a), K.tensor("b", b)).output("values")
    K.expect("the solution", result, is_array(x), shown(x), at=ARGS)


MATRICES = {
    "zeros": ([[0, 0], [0, 0]], [0, 0]),
    "three rows of zeros": ([[0, 0], [0, 0], [0, 0]], [0, 0]),
    "a row and a column of zeros": ([[2, 0], [0, 0]], [3, 0]),
    "the same column twice": ([[1, 1], [0, 0]], [3, 3]),
}
"""Matrices without full rank, and the shortest solution for the right side 6, 1, 2 and so on."""


@BOOK.scenario(
    "keras.ops.lstsq",
    "{matrix}",
    editions=KERAS_3,
    matrix=MATRICES.keys(),
    columns=((), (2,)),
)
def shortest_solutions(K: Recorder, matrix: str, columns: Shape) -> None:
    """The solution with the smallest norm, where several are as good."""
    rows, solution = MATRICES[matrix]
    a, x = np.array(rows, "float32"), np.array(solution, "float32")
    b = np.array([6, 1, 2], "float32")[: len(a)]
    if columns:
        b, x = np.stack([b, 2 * b], -1), np.stack([x, 2 * x], -1)
    result = K[K.tested](K.tensor("a", a), K.tensor("b", b)).output("values")
    K.expect("the solution", result, near(x), shown(x), at=SUMMARY)


@BOOK.scenario(
    "keras.ops.take",
    "{indices} of a tensor without axes",
    editions=KERAS_3,
    indices=(0, [0], [[0, 0]]),
)
def of_one_element(K: Recorder, indices: Any) -> None:
    """Without an axis, the indices are of the flattened tensor, which has one element."""
    expected = np.full(np.shape(indices), 3.5, "float32")
    result = K[K.tested](K.tensor("x", np.array(3.5, "float32")), indices).output("values")
    K.expect("the element", result, is_array(expected), shown(expected), at=ARGS)


@BOOK.scenario(
    "keras.ops.diag",
    "diagonal {k} of shape {shape}",
    editions=KERAS_3,
    shape=((1, 1), (2, 2), (2, 3), (3, 2)),
    k=(3, -3),
)
def outside_the_matrix(K: Recorder, shape: Shape, k: int) -> None:
    """A diagonal beside the matrix has no elements."""
    result = K[K.tested](K.tensor("x", numbered(*shape)), k=k).output("values")
    K.conventions = (ConventionName.EMPTY,)
    K.expect("the shape", result, has_shape((0,)), "shape (0,)", at=ARGS)


PAIRS: Sequence[tuple[Any, Any]] = (
    ([1j], [1j]),
    ([1j, 2], [1j, 1j]),
    ([1 + 2j, 3, 0, -1j], [2, 1j, 5, 1 - 1j]),
)
"""Complex numbers whose product differs if the first is not conjugated."""


def _of_pairs(K: Recorder, name: str, numbers: Array) -> Any:
    """A complex tensor: programs hold the parts of its numbers."""
    pairs = np.stack([numbers.real, numbers.imag], -1).astype("float32")
    return K.complex_numbers(K.tensor(f"{name}_pairs", pairs)).named(name)


@BOOK.scenario("keras.ops.vdot", "complex tensors", editions=KERAS_3, pair=range(len(PAIRS)))
def complex_products(K: Recorder, pair: int) -> None:
    """The conjugates of the first tensor are multiplied with the second."""
    x, y = (np.array(numbers, "complex128") for numbers in PAIRS[pair])
    product = K[K.tested](_of_pairs(K, "x", x), _of_pairs(K, "y", y))
    expected, at = np.vdot(x, y), SUMMARY
    for part, number in (("real", expected.real), ("imaginary", expected.imag)):
        value = K[f"{part}_part"](product).output(part)
        K.expect(f"the {part} part", value, near(number), f"{number:g}", at=at)


@BOOK.scenario(
    "keras.ops.histogram",
    "{bins} bins of {dtype}",
    editions=KERAS_3,
    dtype=INTEGERS,
    bins=(2, 4),
)
def bins_of_integers(K: Recorder, dtype: str, bins: int) -> None:
    """Bins of equal widths between the least and the greatest integer, with fractions for edges."""
    x = np.array([4, 1, 2, 2, 2], dtype)
    counts, edges = np.histogram(x, bins)
    result = K[K.tested](K.tensor("x", x), bins=bins)
    values, ends = result[0].output("counts"), result[1].output("edges")
    K.conventions = (ConventionName.INPUT_DTYPE,)
    K.expect("the edges", ends, near(edges), shown(edges), at=ARGS)
    K.expect("the counts", values, is_array(counts), shown(counts), at=RETURNS)


def _is_partition(x: Array, places: Sequence[int]) -> Test:
    """Each element once, with the elements at these places as in ascending order."""
    rows = f"np.take_along_axis(np.array({x.tolist()}), np.asarray(first), -1)"
    sides = "(r[..., :k] > r[..., [k]]).any() or (r[..., k:] < r[..., [k]]).any()"
    unordered = f"any({sides} for r in [{rows}] for k in {[*places]})"
    each = np.broadcast_to(np.arange(x.shape[-1]), x.shape)
    others = f"np.sort(first).tolist() != {each.tolist()}"

    @of_array
    def test(got: Array) -> Problem | None:
        if got.dtype.kind not in "iu" or not np.array_equal(np.sort(got), each):
            return Problem(f"gives {shown(got)}", "places", got=got, fault=others)
        ordered = np.take_along_axis(x, got.astype("int64"), -1)
        if all(_parts(ordered, place) for place in places):
            return None
        return Problem(f"gives {shown(got)}", "order", got=got, fault=unordered)

    return test


def _parts(ordered: Array, place: int) -> bool:
    """Whether nothing before the place is larger, and nothing after it smaller."""
    kth = ordered[..., [place]]
    return bool((ordered[..., :place] <= kth).all() and (ordered[..., place:] >= kth).all())


@BOOK.scenario(
    "keras.ops.argpartition",
    "places {places} in a {form}",
    editions=KERAS_3,
    places=((0, 2), (1, 3), (3, 0, 1)),
    form=("tuple", "list"),
)
def several_places(K: Recorder, places: tuple[int, ...], form: str) -> None:
    """The elements at all places are where they would be if sorted."""
    x = np.array([[3, 1, 2, 0, 4], [0, 4, 1, 3, 2]], "float32")
    kth = places if form == "tuple" else [*places]
    result = K[K.tested](K.tensor("x", x), kth).output("values")
    demands = f"places that put elements {', '.join(map(str, places))} where they are if sorted"
    K.expect("the places", result, _is_partition(x, places), demands, at=ARGS)


@BOOK.scenario("keras.ops.argsort", "truth values", editions=KERAS_3)
def order_of_truth_values(K: Recorder) -> None:
    """False is the smaller one."""
    x = np.array([[True, False, True, False], [False, False, False, True]])
    result = K[K.tested](K.tensor("x", x)).output("values")
    K.conventions = (ConventionName.INPUT_DTYPE,)
    demands = "places that put False before True"
    K.expect("the places", result, _is_partition(x, range(4)), demands, at=RETURNS)


CORRELATED = ((5, 3), (5, 5), (7, 5), (5, 1))
"""Lengths of two vectors, the second of which is odd: then its middle is an element."""


@BOOK.scenario(
    "keras.ops.correlate",
    "lengths {lengths}",
    editions=KERAS_3,
    lengths=CORRELATED,
    mode=("full", "same", "valid"),
)
def middles_of_correlations(K: Recorder, lengths: tuple[int, int], mode: Any) -> None:
    """Whole numbers, the first products of which are in the middle."""
    x, y = (numbered(length) ** 2 for length in lengths)
    expected = np.correlate(x, y, mode)
    result = K[K.tested](K.tensor("x1", x), K.tensor("x2", y), mode=mode).output("values")
    K.expect("the sums", result, is_array(expected), shown(expected), at=ARGS)


@BOOK.scenario(
    "keras.ops.image.affine_transform",
    "one transform for two images",
    editions=KERAS_3,
)
def transform_for_all(K: Recorder) -> None:
    """A vector that moves each image by a column."""
    images, transform = numbered(2, 3, 3, 1), np.array([1, 0, 1, 0, 1, 0, 0, 0], "float32")
    expected = np.pad(images[:, :, 1:], ((0, 0), (0, 0), (0, 1), (0, 0)))
    tensors = K.tensor("images", images), K.tensor("transform", transform)
    result = K[K.tested](*tensors, data_format="channels_last")
    demands = "both images without their first column"
    K.expect("the images", result.output("values"), is_array(expected), demands, at=ARGS)


SQUARE = np.array([[0, 0], [2, 0], [0, 2], [2, 2]], "float32")


@BOOK.scenario(
    "keras.ops.image.perspective_transform",
    "four points for two images",
    editions=KERAS_3,
    factor=(1, 2),
)
def points_for_all(K: Recorder, factor: int) -> None:
    """The same points for each image, which stays or is twice as large."""
    images = numbered(2, 5, 5, 1)
    rows, columns = np.meshgrid(*[np.arange(5) / factor] * 2, indexing="ij")
    first = 1 + 5 * rows + columns
    expected = np.stack([first, first + 25])[..., None]
    points = K.tensor("start_points", SQUARE), K.tensor("end_points", factor * SQUARE)
    result = K[K.tested](K.tensor("images", images), *points, data_format="channels_last")
    # eight equations, whose solution moves a point by some roundings of its place
    right = near(expected, roundings=1024)
    demands = "each image as alone"
    K.expect("the images", result.output("values"), right, demands, at=ARGS)


@BOOK.scenario(
    "keras.ops.image.map_coordinates",
    "coordinates of {dtype}",
    editions=KERAS_3,
    dtype=INTEGERS,
    order=(0, 1),
)
def whole_places(K: Recorder, dtype: str, order: int) -> None:
    """Places of elements, which need no interpolation."""
    inputs, places = numbered(2, 3), np.array([[0, 1, 1], [1, 2, 0]], dtype)
    expected = inputs[tuple(places)]
    tensors = K.tensor("inputs", inputs), K.tensor("coordinates", places)
    result = K[K.tested](*tensors, order).output("values")
    K.conventions = (ConventionName.INPUT_DTYPE,)
    K.expect("the elements", result, is_array(expected), shown(expected), at=ARGS)


TABLE = np.array([[1, 2], [3, 5]])
MEAN, VARIANCE, EPSILON = 0.5, 3.75, 0.25
"""Numbers for which the root of variance and epsilon is 2."""


@BOOK.scenario(
    "keras.ops.batch_normalization",
    "{dtype} beside a float32 mean",
    editions=KERAS_3,
    dtype=("int32", "float16"),
)
def beside_other_statistics(K: Recorder, dtype: str) -> None:
    """Fractions, also of integers and beside a wider dtype."""
    x, expected = TABLE.astype(dtype), (TABLE - MEAN) / 2
    statistics = {
        name: K.tensor(name, np.full(2, number, "float32"))
        for name, number in (("mean", MEAN), ("variance", VARIANCE))
    }
    result = K[K.tested](K.tensor("x", x), **statistics, axis=-1, epsilon=EPSILON)
    values = result.output("values")
    K.conventions = (ConventionName.INPUT_DTYPE, ConventionName.MIXED_DTYPES)
    K.expect("the numbers", values, near(expected, "float16"), shown(expected), at=ARGS)


LABELS = np.array([[[0, 2], [1, 1]]], "int32")
DISTRIBUTIONS = np.array(
    [[[[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]], [[0.125, 0.75, 0.125], [0.25, 0.5, 0.25]]]], "float32"
)
"""Probabilities of three classes, a row for each label."""


@BOOK.scenario(
    "keras.ops.sparse_categorical_crossentropy",
    "classes along axis {axis}, the last but one",
    editions=KERAS_3,
    axis=(1, 2),
)
def classes_of_an_inner_axis(K: Recorder, axis: int) -> None:
    """Labels have the shape of the output without the axis of its classes."""
    rows, target = (DISTRIBUTIONS, LABELS) if axis == 2 else (DISTRIBUTIONS[:, 0], LABELS[:, 0])
    output = np.ascontiguousarray(np.moveaxis(rows, -1, axis))
    probabilities = np.take_along_axis(rows.astype("float64"), target[..., None], -1)[..., 0]
    expected = -np.log(probabilities)
    tensors = K.tensor("target", target), K.tensor("output", output)
    result = K[K.tested](*tensors, axis=axis).output("values")
    K.conventions = (ConventionName.LABEL_SHAPE,)
    K.expect("the losses", result, near(expected), shown(expected), at=ARGS)


@BOOK.scenario(
    ("keras.ops.categorical_crossentropy", "keras.ops.sparse_categorical_crossentropy"),
    "logits of {dtype}",
    editions=KERAS_3,
    dtype=("uint8", "int8", "int32"),
)
def whole_logits(K: Recorder, dtype: str) -> None:
    """Logits whose differences are negative."""
    logits, labels = np.array([[1, 3, 2], [2, 0, 4]]), np.array([0, 2], "int32")
    odds = np.exp(logits - 3.0)
    probabilities = odds / odds.sum(-1, keepdims=True)
    sparse = K.tested.endswith("sparse_categorical_crossentropy")
    target = labels if sparse else np.eye(3, dtype="float32")[labels]
    tensors = K.tensor("target", target), K.tensor("output", logits.astype(dtype))
    result = K[K.tested](*tensors, from_logits=True).output("values")
    expected = -np.log(probabilities[[0, 1], labels])
    K.conventions = (ConventionName.INPUT_DTYPE, ConventionName.MIXED_DTYPES)
    K.expect("the losses", result, near(expected), shown(expected), at=ARGS)


INFINITE = np.array([1, np.inf, np.inf, -np.inf], "float32")
FARTHEST = np.array([-np.inf, np.inf, -np.inf, 1], "float32")
WHOLE = np.array([[0, 5], [7, 9]])
NEAR: dict[str, tuple[Array, Array, dict[str, Any]]] = {
    "infinities": (INFINITE, FARTHEST, {}),
    "infinities, rtol 0": (INFINITE, FARTHEST, {"rtol": 0.0}),
    "infinities, rtol 1/8": (INFINITE, FARTHEST, {"rtol": 0.125}),
    "infinities, equal_nan": (INFINITE, FARTHEST, {"equal_nan": True}),
    "int32": (WHOLE.astype("int32"), WHOLE[::-1].astype("int32"), {"rtol": 0.125, "atol": 4.0}),
    "int64": (WHOLE, WHOLE[::-1].copy(), {"rtol": 0.125, "atol": 4.0}),
}
"""Two tensors, and the tolerance; no distance is near its edge."""


@BOOK.scenario("keras.ops.isclose", "{pair}", editions=KERAS_3, pair=NEAR.keys())
def near_numbers(K: Recorder, pair: str) -> None:
    """An infinity is near itself alone, and integers may be near others."""
    x, y, how = NEAR[pair]
    expected = np.isclose(x, y, **how)
    result = K[K.tested](K.tensor("x1", x), K.tensor("x2", y), **how).output("values")
    K.conventions = (ConventionName.INPUT_DTYPE,) if x.dtype.kind == "i" else ()
    K.expect("the comparison", result, is_array(expected), shown(expected), at=SUMMARY)


SUBSCRIPTS = (
    *("a,b->ab", "ab,b->a", "ab,bc->ac", "ab,cb->ac", "abc,cd->abd", "abc,dc->abd"),
    *("abc,cde->abde", "abc,dce->abde", "abc,dec->abde", "abcd,cde->abe", "abcd,ced->abe"),
    *("abcd,ecd->abe", "abcd,abde->abce", "abcd,abed->abce", "abcd,acbe->adbe", "abcd,adbe->acbe"),
    *("abcd,aecd->acbe", "abcd,aecd->aceb", "abcde,aebf->adbcf", "abcde,afce->acdbf"),
)
"""Products that layers make: dense ones, of several axes, and attention."""


@BOOK.scenario(
    "keras.ops.einsum",
    "{dtype}, as layers call it",
    editions=KERAS_3,
    subscripts=SUBSCRIPTS,
    dtype=("int8", "float32"),
)
def products_of_layers(K: Recorder, subscripts: str, dtype: str) -> None:
    """Small whole numbers, of which all sums are exact."""
    lengths = dict(zip("abcdef", (2, 3, 1, 2, 3, 2), strict=True))
    terms = subscripts.partition("->")[0].split(",")
    shapes = [[lengths[letter] for letter in term] for term in terms]
    x, y = (np.resize(np.array([1, -2, 3, 0, 2], dtype), shape) for shape in shapes)
    expected = np.einsum(subscripts, x.astype("int64"), y.astype("int64"))
    result = K[K.tested](subscripts, K.tensor("x", x), K.tensor("y", y)).output("values")
    K.conventions = (ConventionName.INPUT_DTYPE,) if dtype == "int8" else ()
    K.expect("the products", result, is_array(expected), shown(expected), at=SUMMARY)


@BOOK.scenario("keras.ops.moments", "synchronized, alone", editions=KERAS_3, keepdims=(False, True))
def synchronized_moments(K: Recorder, *, keepdims: bool) -> None:
    """Where nothing runs beside it, there is nothing to synchronize."""
    x = np.array([[1, 2, 6], [3, 6, 0]], "float32")
    result = K[K.tested](K.tensor("x", x), [0], keepdims=keepdims, synchronized=True)
    mean, variance = x.mean(0, keepdims=keepdims), x.var(0, keepdims=keepdims)
    K.conventions = (ConventionName.NOTED_BACKENDS,)
    K.expect("the mean", result[0].output("mean"), is_array(mean), shown(mean), at=RETURNS)
    outcome = result[1].output("variance")
    K.expect("the variance", outcome, near(variance), shown(variance), at=RETURNS)


@BOOK.scenario(
    ("keras.ops.one_hot", "keras.ops.multi_hot"),
    "a sparse result",
    editions=KERAS_3,
    axis=lambda function: (-1, 0, 1) if function.endswith("one_hot") else (-1,),
)
def sparse_classes(K: Recorder, axis: int) -> None:
    """As an array, the sparse tensor has the numbers of the other one."""
    labels = np.array([[0, 2], [1, 3], [2, 0]], "int32")
    rows = np.eye(4, dtype="float32")[labels]
    expected = rows.max(1) if K.tested.endswith("multi_hot") else rows
    expected = np.moveaxis(expected, -1, axis)
    result = K[K.tested](K.tensor("labels", labels), 4, axis=axis, sparse=True)
    array = result.output("values")
    K.conventions = (ConventionName.SPARSE_RESULT,)
    K.expect("the classes", array, is_array(expected), shown(expected), at=SUMMARY)


FAMILIES = BOOK.families
