"""Arguments of keras.ops that single calls do not draw.

Integers are raised to powers and make images, targets have several axes, kernels have even sizes,
and truth values stand among numbers.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from conformance.oracle.losses import in_top_k
from conformance.scenarios.checks import has_shape, is_array
from conformance.scenarios.drawn_arrays import a_shape, small
from conformance.scenarios.model import (
    ARGS,
    KERAS_3,
    KERAS_3_DOCUMENT,
    RETURNS,
    SUMMARY,
    Alternative,
)
from conformance.scenarios.recorder import Book, Lines, Recorder
from conformance.specs.convention_names import ConventionName

BOOK = Book()
INTEGERS = ("int8", "int16", "int32", "int64")


@BOOK.scenario(
    "keras.ops.power", "integers to a power", editions=KERAS_3, share=2.0, dtype=INTEGERS
)
def powers(K: Recorder, draw: st.DrawFn, dtype: str) -> None:
    """Bases from -3 to 3 and exponents from 0 to 4, whose powers every integer type holds."""
    shape = a_shape(draw)
    bases, exponents = small(draw, shape, dtype, 3), abs(small(draw, shape, dtype))
    results = K[K.tested](K.tensor("x1", bases), K.tensor("x2", exponents))
    expected = bases**exponents
    K.expect("the powers", results.output("values"), is_array(expected), "the powers", at=RETURNS)


@BOOK.scenario("keras.ops.power", "integers to a negative power", editions=KERAS_3, dtype=INTEGERS)
def negative_powers(K: Recorder, draw: st.DrawFn, dtype: str) -> None:
    """Bases other than 0: a fraction, which a result of integers drops."""
    shape = a_shape(draw)
    bases, exponents = small(draw, shape, dtype, 3), -1 - abs(small(draw, shape, dtype, 2))
    bases[bases == 0] = 3
    results = K[K.tested](K.tensor("x1", bases), K.tensor("x2", exponents)).output("values")
    fractions = bases.astype("float64") ** exponents
    as_fractions = Alternative(
        ConventionName.NEGATIVE_POWER, "fractions", is_array(fractions.astype("float32"))
    )
    K.expect(
        "the powers",
        results,
        is_array(np.trunc(fractions).astype(dtype)),
        "fractions, cut off in integers",
        at=RETURNS,
        alternatives=(as_fractions,),
    )
    K.conventions = (ConventionName.NEGATIVE_POWER,)


@BOOK.scenario("keras.ops.in_top_k", "targets of {rank} axes", editions=KERAS_3, rank=(2, 3))
def several_axes(K: Recorder, draw: st.DrawFn, rank: int) -> None:
    """Each target is compared with its own row of predictions, all of which differ."""
    shape, classes = a_shape(draw, rank, rank, 3), draw(st.integers(2, 5))
    generator = np.random.default_rng(draw(st.integers(0, 2**16)))
    order = np.arange(classes, dtype="float32")
    rows = [generator.permutation(order) for _ in range(int(np.prod(shape)))]
    targets = generator.integers(0, classes, len(rows), dtype="int32")
    k = draw(st.integers(1, classes))
    expected = in_top_k(np.stack(rows), targets, k).reshape(shape)
    predictions = K.tensor("predictions", np.stack(rows).reshape(*shape, classes))
    result = K[K.tested](K.tensor("targets", targets.reshape(shape)), predictions, k)
    values = result.output("values")
    K.expect("the result", values, is_array(expected), "that of each row", at=RETURNS)


@BOOK.scenario(
    "keras.ops.image.gaussian_blur",
    "a kernel of {kernel}",
    editions=KERAS_3,
    kernel=((2, 2), (4, 4), (2, 3), (3, 2)),
)
def even_kernels(K: Recorder, draw: st.DrawFn, kernel: tuple[int, int]) -> None:
    """The image keeps its shape. On which side of its centre a kernel is longer is not said."""
    shape = draw(st.sampled_from(((6, 5, 3), (2, 6, 5, 3))))
    images = K.tensor("images", small(draw, shape))
    blurred = K[K.tested](images, kernel_size=kernel, data_format="channels_last")
    at: Lines = {KERAS_3_DOCUMENT: "Examples"}
    shape_kept = has_shape(shape)
    K.expect("the shape", blurred.output("values"), shape_kept, f"shape {shape}", at=at)


@BOOK.scenario(
    "keras.ops.image.scale_and_translate",
    "an image of {dtype}",
    editions=KERAS_3,
    dtype=("uint8", "int32"),
)
def whole_numbers(K: Recorder, draw: st.DrawFn, dtype: str) -> None:
    """An image of integers that is neither scaled nor moved stays as it is."""
    shape = draw(st.sampled_from(((3, 4, 2), (2, 3, 4, 1))))
    image = small(draw, shape, "int32", 50).astype(dtype) + np.asarray(60, dtype)
    scale, translation = np.ones(2, "float32"), np.zeros(2, "float32")
    arguments = K.tensor("scale", scale), K.tensor("translation", translation)
    axes = (len(shape) - 3, len(shape) - 2)
    images = K.tensor("images", image)
    result = K[K.tested](images, shape, *arguments, axes, "linear").output("values")
    K.expect("the image", result, is_array(image), "the same image", at=ARGS)


@BOOK.scenario(
    "keras.ops.isin",
    "{first} in {second}",
    editions=KERAS_3,
    first=("bool", "int32", "float32"),
    second=("bool", "uint8", "float32"),
)
def truth_values(K: Recorder, first: str, second: str) -> None:
    """Truth values count as 0 and 1 among numbers."""
    numbers, ones = np.array([1, 0, 1, 1], first), np.array([1], second)
    results = K[K.tested](K.tensor("x1", numbers), K.tensor("x2", ones)).output("values")
    right = is_array([True, False, True, True])
    K.expect("the result", results, right, "True for each 1", at=SUMMARY)


FAMILIES = BOOK.families
