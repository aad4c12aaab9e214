"""Reductions of keras.ops over tensors without elements: the shape follows from the arguments.

No docstring mentions such a tensor. It may be refused, and what stands for no elements may be any
number. The axes that remain keep their lengths all the same.
"""

from __future__ import annotations

import numpy as np

from conformance.results import Aspect
from conformance.scenarios.checks import has_dtype, has_shape
from conformance.scenarios.model import ARGS, KERAS_3, RETURNS
from conformance.scenarios.recorder import Book, Recorder, Result
from conformance.specs.convention_names import ConventionName

BOOK = Book()
SHAPE = (0, 3)
AXES = (None, 0, 1)
"""No element is left along axis 0; axis 1 leaves a result without elements."""
REDUCTIONS = tuple(
    f"keras.ops.{name}"
    for name in (
        *("all", "any", "logsumexp", "mean", "median", "prod", "std", "sum", "var"),
        *("nanmean", "nanmedian", "nanprod", "nanstd", "nansum", "nanvar"),
    )
)
WITHOUT_KEEPDIMS = ("keras.ops.average", "keras.ops.count_nonzero")
EXTREMES = tuple(
    f"keras.ops.{name}"
    for name in ("amax", "amin", "argmax", "argmin", "max", "min", "nanmax", "nanmin")
)
"""Functions without a value for no elements: some axis with elements is reduced."""
WITH_INITIAL = ("keras.ops.max", "keras.ops.min")


def _shape(axis: int | None, *, keepdims: bool) -> tuple[int, ...]:
    """The shape that is left of `SHAPE`."""
    reduced = range(len(SHAPE)) if axis is None else (axis,)
    lengths = [1 if place in reduced else length for place, length in enumerate(SHAPE)]
    return tuple(n for place, n in enumerate(lengths) if keepdims or place not in reduced)


def _expect_shape(K: Recorder, axis: int | None, *, keepdims: bool, **how: object) -> Result:
    if keepdims:
        how["keepdims"] = True
    result = K[K.tested](K.tensor("x", np.zeros(SHAPE, "float32")), axis=axis, **how)
    shape, values = _shape(axis, keepdims=keepdims), result.output("values")
    K.conventions = (ConventionName.EMPTY,)
    K.expect("the shape", values, has_shape(shape), f"shape {shape}", at=ARGS)
    return values


@BOOK.scenario(
    REDUCTIONS, "a tensor of shape (0, 3)", editions=KERAS_3, axis=AXES, keepdims=(False, True)
)
def reduced(K: Recorder, axis: int | None, *, keepdims: bool) -> None:
    """The axes that are reduced are gone, or have length 1."""
    _expect_shape(K, axis, keepdims=keepdims)


@BOOK.scenario(WITHOUT_KEEPDIMS, "a tensor of shape (0, 3)", editions=KERAS_3, axis=AXES)
def reduced_away(K: Recorder, axis: int | None) -> None:
    """The axes that are reduced are gone."""
    _expect_shape(K, axis, keepdims=False)


@BOOK.scenario(EXTREMES, "a tensor of shape (0, 3)", editions=KERAS_3, keepdims=(False, True))
def extremes_of_none(K: Recorder, *, keepdims: bool) -> None:
    """Three elements are reduced, no times."""
    _expect_shape(K, 1, keepdims=keepdims)


@BOOK.scenario(
    WITH_INITIAL,
    "a tensor of shape (0, 3)",
    Aspect.VALUE,
    Aspect.DTYPE,
    editions=KERAS_3,
    axis=AXES,
    keepdims=(False, True),
)
def initial(K: Recorder, axis: int | None, *, keepdims: bool) -> None:
    """The initial stands for no elements, in the dtype of the tensor."""
    result = _expect_shape(K, axis, keepdims=keepdims, initial=2)
    K.expect("the dtype", result, has_dtype("float32"), "float32", aspect=Aspect.DTYPE, at=RETURNS)


FAMILIES = BOOK.families
