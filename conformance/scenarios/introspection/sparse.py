"""What the documents promise of sparse tensors: is_sparse and to_dense.

No document says how a sparse placeholder is fed. What `ctc_label_dense_to_sparse` makes is the only
sparse tensor with a value that documented calls alone give.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from conformance.editions import Edition
from conformance.results import Aspect
from conformance.scenarios.checks import (
    OTHER_CLAIMED_DTYPES,
    OTHER_DTYPES,
    has_dtype,
    has_static_shape,
    is_array,
    is_one_of,
)
from conformance.scenarios.model import Check, Family, Scenario
from conformance.scenarios.writing import ProgramWriter

Array = npt.NDArray[Any]

EDITIONS: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")
IS_SPARSE = {"ja-2.0": 1303, "zh-TW": 267, "ko-2.2": 145}
"""A truth value: whether a tensor is sparse by its type."""
TO_DENSE = {"ja-2.0": 1333, "zh-TW": 282, "ko-2.2": 177}
SPARSE = {"ja-2.0": 451, "ko-2.2": 334}
"""The parameter of placeholder."""

shapes = st.lists(st.integers(1, 4), min_size=2, max_size=2).map(tuple)
dtypes = st.sampled_from(["float32", "float64"])


def truth(name: str, output: str, expected: bool, at: dict[str, int], **more: Any) -> Check:
    """A check of what is_sparse answers."""
    aspect = more.pop("aspect", Aspect.VALUE)
    return Check(
        name,
        aspect,
        outputs=(output,),
        test=is_one_of(expected),
        demands=str(expected),
        at=at,
        **more,
    )


def kinds(shape: tuple[int, ...], dtype: str) -> Scenario:
    """is_sparse of placeholders, of a variable full of zeros, and of a product."""
    writer = ProgramWriter()
    dense = writer.call("placeholder", shape, dtype=dtype, sparse=False)
    zeros = writer.call("variable", writer.array("value", np.zeros(shape, dtype)), dtype=dtype)
    sparse = writer.call("placeholder", shape, dtype=dtype, sparse=True)
    writer.observe("dense", "is_sparse", dense)
    writer.observe("zeros", "is_sparse", zeros)
    writer.observe("result", "is_sparse", writer.call("square", dense))
    writer.observe("sparse", "is_sparse", sparse)
    checks = (
        truth("a dense placeholder", "dense", False, IS_SPARSE),
        truth("a variable full of zeros", "zeros", False, IS_SPARSE),
        truth("a dense result", "result", False, IS_SPARSE),
        truth("a sparse placeholder", "sparse", True, IS_SPARSE),
    )
    title = "is_sparse of tensors of both sorts"
    return Scenario(
        "is_sparse", title, program=writer.program(), arrays=writer.arrays, checks=checks
    )


def dense_kinds(shape: tuple[int, ...], dtype: str) -> Scenario:
    """is_sparse of dense tensors alone."""
    writer = ProgramWriter()
    zeros = writer.call("variable", writer.array("value", np.zeros(shape, dtype)), dtype=dtype)
    writer.observe("zeros", "is_sparse", zeros)
    checks = (truth("a variable full of zeros", "zeros", False, IS_SPARSE),)
    title = "is_sparse of a dense tensor"
    return Scenario(
        "is_sparse", title, program=writer.program(), arrays=writer.arrays, checks=checks
    )


def placeholders(_: str) -> Sequence[Scenario]:
    """placeholder with the argument sparse."""
    writer = ProgramWriter()
    for name, argument in (("dense", {"sparse": False}), ("sparse", {"sparse": True})):
        made = writer.call("placeholder", (2, 3), **argument)
        writer.observe(name, "is_sparse", made)
        writer.observe(f"{name}_ndim", "ndim", made)
    checks = (
        truth("without sparse", "dense", False, SPARSE),
        truth("with sparse", "sparse", True, SPARSE),
        Check(
            "axes",
            Aspect.VALUE,
            outputs=("sparse_ndim",),
            test=is_one_of(2),
            demands="2 axes",
            at={"ja-2.0": 448, "ko-2.2": 328},
        ),
    )
    title = "placeholders of both sorts"
    return (Scenario("placeholder", title, program=writer.program(), arrays={}, checks=checks),)


def from_sparse(shape: tuple[int, ...], dtype: str) -> Scenario:
    """to_dense of a sparse placeholder: kind, dtype and static shape of the result."""
    writer = ProgramWriter()
    dense = writer.call("to_dense", writer.call("placeholder", shape, dtype=dtype, sparse=True))
    writer.observe("sparse", "is_sparse", dense)
    writer.observe("dtype", "dtype", dense)
    writer.observe("shape", "int_shape", dense)
    checks = (
        truth("the result is dense", "sparse", False, TO_DENSE),
        Check(
            "the dtype is kept",
            Aspect.DTYPE,
            outputs=("dtype",),
            test=is_one_of(dtype),
            demands=dtype,
            alternatives=OTHER_CLAIMED_DTYPES,
        ),
        Check(
            "int_shape",
            Aspect.STATIC_SHAPE,
            outputs=("shape",),
            test=has_static_shape(shape),
            demands=str(shape),
        ),
    )
    title = "to_dense of a sparse placeholder"
    return Scenario("to_dense", title, program=writer.program(), arrays={}, checks=checks)


def from_dense(shape: tuple[int, ...], dtype: str, seed: int) -> Scenario:
    """to_dense of a tensor that is dense already: the documents say "potentially sparse"."""
    value = np.random.default_rng(seed).integers(-3, 4, size=shape).astype(dtype)
    if dtype == "float64":
        value += 2.0**-30  # which float32 lacks beside 1, 2 and 3
    writer = ProgramWriter()
    x = writer.call("variable", writer.array("value", value), dtype=dtype)
    dense = writer.call("to_dense", x)
    writer.observe("sparse", "is_sparse", dense)
    writer.observe("elements", "eval", dense)
    at = {"ja-2.0": 1329, "zh-TW": 282, "ko-2.2": 173}
    checks = (
        truth("the result is dense", "sparse", False, TO_DENSE),
        Check(
            "the elements",
            Aspect.VALUE,
            outputs=("elements",),
            test=is_array(value),
            demands="x itself",
            at=at,
        ),
        Check(
            "the dtype is kept",
            Aspect.DTYPE,
            outputs=("elements",),
            test=has_dtype(dtype),
            demands=dtype,
            alternatives=OTHER_DTYPES,
        ),
    )
    title = "to_dense of a dense tensor"
    return Scenario(
        "to_dense", title, program=writer.program(), arrays=writer.arrays, checks=checks
    )


def from_labels(shape: tuple[int, ...], seed: int) -> Scenario:
    """to_dense of a sparse tensor with a value: whole labels, of which nothing is left out."""
    value = np.random.default_rng(seed).integers(0, 5, size=shape).astype("int32")
    writer = ProgramWriter()
    labels = writer.call("variable", writer.array("value", value), dtype="int32")
    whole = np.full(shape[0], shape[1], "int32")
    lengths = writer.call("variable", writer.array("lengths", whole), dtype="int32")
    sparse = writer.call("ctc_label_dense_to_sparse", labels, lengths)
    writer.observe("elements", "eval", writer.call("to_dense", sparse))
    test = is_array(value)
    checks = (
        Check(
            "the elements",
            Aspect.VALUE,
            outputs=("elements",),
            test=test,
            demands="the elements",
            at=TO_DENSE,
        ),
    )
    title = "to_dense of sparse labels"
    return Scenario(
        "to_dense", title, program=writer.program(), arrays=writer.arrays, checks=checks
    )


def _of(
    make: Callable[..., Scenario], *more: Any
) -> Callable[[Edition], st.SearchStrategy[Scenario]]:
    return lambda _: st.builds(make, shapes, *more)


_seeds = st.integers(0, 2**32 - 1)
_VALUE = frozenset({Aspect.VALUE})
_ALL = frozenset({Aspect.VALUE, Aspect.DTYPE, Aspect.STATIC_SHAPE})

FAMILIES: tuple[Family, ...] = (
    Family("is_sparse", _VALUE, make=_of(kinds, dtypes), editions=EDITIONS, share=0.5),
    Family("is_sparse", _VALUE, make=_of(dense_kinds, dtypes), editions=EDITIONS, share=0.25),
    Family("to_dense", _ALL, make=_of(from_sparse, dtypes), editions=EDITIONS, share=0.5),
    Family(
        "to_dense",
        _VALUE | {Aspect.DTYPE},
        make=_of(from_dense, dtypes, _seeds),
        editions=EDITIONS,
        share=0.5,
    ),
    Family(
        "to_dense",
        _VALUE | {Aspect.DTYPE},
        make=lambda _: [from_dense((2, 3), "float64", 1)],
        editions=EDITIONS,
    ),
    Family("to_dense", _VALUE, make=_of(from_labels, _seeds), editions=EDITIONS, share=0.25),
    Family("placeholder", _VALUE, make=placeholders, editions=EDITIONS),
)
