"""The documents' promises about sparse tensors, and about a variable without elements.

No document says how to feed a sparse placeholder. Only `ctc_label_dense_to_sparse` makes a sparse
tensor with a value by documented calls alone.

Every case with an empty array rests on such a variable being computed and read. A library that
cannot hold it fails here, and no other function is blamed for it (`engine/judging/probes.py`).
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from conformance.results import Aspect
from conformance.scenarios.checks import (
    OTHER_CLAIMED_DTYPES,
    OTHER_DTYPES,
    has_dtype,
    has_static_shape,
    is_array,
    is_one_of,
)
from conformance.scenarios.model import KERAS_2
from conformance.scenarios.recorder import Book, Lines, Recorder, Result
from conformance.specs.convention_names import ConventionName

BOOK = Book()
IS_SPARSE: Lines = {"ja-2.0": 1303, "zh-TW": 267, "ko-2.2": 145}
"""A truth value: whether a tensor is sparse by its type."""
TO_DENSE: Lines = {"ja-2.0": 1333, "zh-TW": 282, "ko-2.2": 177}
SPARSE: Lines = {"ja-2.0": 451, "ko-2.2": 334}
"""The parameter of placeholder."""

SHAPES = st.lists(st.integers(1, 4), min_size=2, max_size=2).map(tuple)
DTYPES = st.sampled_from(["float32", "float64"])
SEEDS = st.integers(0, 2**32 - 1)
Shape = tuple[int, ...]


def _expect_truth(K: Recorder, name: str, output: str, answer: bool, at: Lines) -> None:
    K.expect(name, output, is_one_of(answer), str(answer), at=at)


def _zeros(K: Recorder, shape: Shape, dtype: str) -> Result:
    return K.variable(K.array("value", np.zeros(shape, dtype)), dtype=dtype)


@BOOK.scenario(
    "is_sparse",
    "is_sparse of tensors of both sorts",
    editions=KERAS_2,
    share=0.5,
    shape=SHAPES,
    dtype=DTYPES,
)
def kinds(K: Recorder, shape: Shape, dtype: str) -> None:
    """is_sparse of placeholders, of a variable full of zeros, and of a product."""
    dense = K.placeholder(shape, dtype=dtype, sparse=False)
    zeros = _zeros(K, shape, dtype)
    sparse = K.placeholder(shape, dtype=dtype, sparse=True)
    K.is_sparse(dense).output("dense")
    K.is_sparse(zeros).output("zeros")
    K.is_sparse(K.square(dense)).output("result")
    K.is_sparse(sparse).output("sparse")
    _expect_truth(K, "a dense placeholder", "dense", False, IS_SPARSE)
    _expect_truth(K, "a variable full of zeros", "zeros", False, IS_SPARSE)
    _expect_truth(K, "a dense result", "result", False, IS_SPARSE)
    _expect_truth(K, "a sparse placeholder", "sparse", True, IS_SPARSE)


@BOOK.scenario(
    "is_sparse",
    "is_sparse of a dense tensor",
    editions=KERAS_2,
    share=0.25,
    shape=SHAPES,
    dtype=DTYPES,
)
def dense_kinds(K: Recorder, shape: Shape, dtype: str) -> None:
    """is_sparse of dense tensors alone."""
    K.is_sparse(_zeros(K, shape, dtype)).output("zeros")
    _expect_truth(K, "a variable full of zeros", "zeros", False, IS_SPARSE)


ALL = (Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE)
OF_SPARSE = "to_dense of a sparse placeholder"


@BOOK.scenario("to_dense", OF_SPARSE, *ALL, editions=KERAS_2, share=0.5, shape=SHAPES, dtype=DTYPES)
def from_sparse(K: Recorder, shape: Shape, dtype: str) -> None:
    """to_dense of a sparse placeholder: kind, dtype and static shape of the result."""
    dense = K.to_dense(K.placeholder(shape, dtype=dtype, sparse=True))
    K.is_sparse(dense).output("sparse")
    claimed = K.dtype(dense).output("dtype")
    static = K.int_shape(dense).output("shape")
    _expect_truth(K, "the result is dense", "sparse", False, TO_DENSE)
    test, aspect, others = is_one_of(dtype), Aspect.DTYPE, OTHER_CLAIMED_DTYPES
    K.expect("the dtype is kept", claimed, test, dtype, aspect=aspect, alternatives=others)
    test = has_static_shape(shape)
    K.expect("int_shape", static, test, str(shape), aspect=Aspect.STATIC_SHAPE)


OF_DENSE = ("to_dense", "to_dense of a dense tensor", Aspect.VALUE, Aspect.DTYPE)


@BOOK.scenario(*OF_DENSE, editions=KERAS_2, shape=[(2, 3)], dtype=["float64"], seed=[1])
@BOOK.scenario(*OF_DENSE, editions=KERAS_2, share=0.5, shape=SHAPES, dtype=DTYPES, seed=SEEDS)
def from_dense(K: Recorder, shape: Shape, dtype: str, seed: int) -> None:
    """to_dense of a tensor that is dense already: the documents say "potentially sparse"."""
    value = np.random.default_rng(seed).integers(-3, 4, size=shape).astype(dtype)
    if dtype == "float64":
        value += 2.0**-30  # which float32 lacks beside 1, 2 and 3
    dense = K.to_dense(K.variable(K.array("value", value), dtype=dtype))
    K.is_sparse(dense).output("sparse")
    elements, at = K.eval(dense).output("elements"), {"ja-2.0": 1329, "zh-TW": 282, "ko-2.2": 173}
    _expect_truth(K, "the result is dense", "sparse", False, TO_DENSE)
    K.expect("the elements", elements, is_array(value), "x itself", at=at)
    test, aspect = has_dtype(dtype), Aspect.DTYPE
    K.expect("the dtype is kept", elements, test, dtype, aspect=aspect, alternatives=OTHER_DTYPES)


OF_LABELS = "to_dense of sparse labels"


@BOOK.scenario("to_dense", OF_LABELS, editions=KERAS_2, share=0.25, shape=SHAPES, seed=SEEDS)
def from_labels(K: Recorder, shape: Shape, seed: int) -> None:
    """to_dense of a sparse tensor with a value: whole labels, of which nothing is left out."""
    value = np.random.default_rng(seed).integers(0, 5, size=shape).astype("int32")
    labels = K.variable(K.array("value", value), dtype="int32")
    whole = np.full(shape[0], shape[1], "int32")
    lengths = K.variable(K.array("lengths", whole), dtype="int32")
    sparse = K.ctc_label_dense_to_sparse(labels, lengths)
    elements = K.eval(K.to_dense(sparse)).output("elements")
    K.expect("the elements", elements, is_array(value), "the elements", at=TO_DENSE)


@BOOK.scenario("placeholder", "placeholders of both sorts", editions=KERAS_2)
def placeholders(K: Recorder) -> None:
    """placeholder with the argument sparse."""
    for name, sparse in (("dense", False), ("sparse", True)):
        tensor = K.placeholder((2, 3), sparse=sparse)
        K.is_sparse(tensor).output(name)
        K.ndim(tensor).output(f"{name}_ndim")
    _expect_truth(K, "without sparse", "dense", False, SPARSE)
    _expect_truth(K, "with sparse", "sparse", True, SPARSE)
    K.expect("axes", "sparse_ndim", is_one_of(2), "2 axes", at={"ja-2.0": 448, "ko-2.2": 328})


@BOOK.scenario("variable", "a variable without elements")
def empty_variable(K: Recorder) -> None:
    """A variable of shape (0,), read back, and its square."""
    nothing, demands = np.zeros((0,), "float32"), "an array of shape (0,)"
    x = K.variable(K.array("value", nothing), dtype="float32")
    read, squares = K.get_value(x).output("read"), K.eval(K.square(x)).output("squares")
    K.conventions = (ConventionName.EMPTY,)
    K.expect("it is read back", read, is_array(nothing), demands)
    K.expect("it can be computed with", squares, is_array(nothing), demands)


FAMILIES = BOOK.families
