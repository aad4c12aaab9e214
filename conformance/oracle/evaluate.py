"""From a function and its arguments to the expectation: widen, answer, bound, settle the range."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from conformance.dtypes import limits, rounded
from conformance.oracle import (
    activations,
    comparison,
    convolution,
    creation,
    elementwise,
    introspection,
    linear_algebra,
    losses,
    normalisation,
    padding,
    pooling,
    reductions,
    shape_ops,
)
from conformance.oracle.bounds import KINDS, BoundQuestion
from conformance.oracle.expectation import Array, Expectation
from conformance.oracle.keras_ops import arrays as keras_arrays
from conformance.oracle.keras_ops import (
    casting,
    complex_numbers,
    counting,
    divisions,
    filters,
    fourier,
    intervals,
    least_squares,
    lettering,
    matrices,
    norms,
    numpy_functions,
    patches,
    pictures,
    pieces,
    places,
    resampling,
    resizing,
    scaling,
    short_time,
    uniques,
)
from conformance.oracle.keras_ops import ctc as keras_ctc
from conformance.oracle.keras_ops import elements as keras_elements
from conformance.oracle.keras_ops import images as keras_images
from conformance.oracle.keras_ops import normalisation as keras_normalisation
from conformance.oracle.keras_ops import rows as keras_rows
from conformance.oracle.keras_ops import special as keras_special
from conformance.oracle.keras_ops import sums as keras_sums
from conformance.oracle.keras_ops import windows as keras_windows
from conformance.oracle.rounding import WIDE, Arithmetic, arithmetic, flushed, name_of
from conformance.oracle.special_values import PICKS
from conformance.oracle.terms import terms
from conformance.specs.model import Accuracy

ORACLES: Mapping[str, Callable[..., Array]] = {
    **numpy_functions.ORACLES,
    **keras_elements.ORACLES,
    **divisions.ORACLES,
    **keras_arrays.ORACLES,
    **keras_sums.ORACLES,
    **norms.ORACLES,
    **keras_normalisation.ORACLES,
    **keras_rows.ORACLES,
    **keras_special.ORACLES,
    **reductions.ORACLES,
    **elementwise.ORACLES,
    **comparison.ORACLES,
    **shape_ops.ORACLES,
    **linear_algebra.ORACLES,
    **creation.ORACLES,
    "print_tensor": creation.identity,
    **introspection.ORACLES,
    **activations.ORACLES,
    **normalisation.ORACLES,
    **padding.ORACLES,
    **losses.ORACLES,
    **convolution.ORACLES,
    **pooling.ORACLES,
    **keras_windows.ORACLES,
    **keras_images.ORACLES,
    **intervals.ORACLES,
    **lettering.ORACLES,
    **casting.ORACLES,
    **counting.ORACLES,
    **pieces.ORACLES,
    **places.ORACLES,
    **matrices.ORACLES,
    **pictures.ORACLES,
    **fourier.ORACLES,
    **short_time.ORACLES,
    **least_squares.ORACLES,
    **patches.ORACLES,
    **filters.ORACLES,
    **uniques.ORACLES,
    **keras_ctc.ORACLES,
    **resampling.ORACLES,
    **resizing.ORACLES,
    **scaling.ORACLES,
    **complex_numbers.ORACLES,
}
"""Canonical function name to its oracle: wide tensors by parameter name to the wide value."""


_OF_NUMBERS = (
    elementwise.ORACLES,
    keras_elements.ORACLES,
    reductions.ORACLES,
    keras_sums.ORACLES,
    norms.ORACLES,
    numpy_functions.ORACLES,
    activations.ORACLES,
    keras_normalisation.ORACLES,
    keras_rows.ORACLES,
    keras_images.ORACLES,
    keras_windows.ORACLES,
    ("batch_normalization", "binary_crossentropy", "categorical_crossentropy"),
)
OF_NUMBERS = frozenset(name for oracles in _OF_NUMBERS for name in oracles) - {
    *keras_elements.OF_INTEGERS
}
"""Functions that take integers for numbers, and none of them for places or labels, and that take
other numbers as well."""

Beyond = Literal["modulo", "wider", "saturated"]
"""An integer beyond the range of its dtype is taken modulo the size of that range, kept, or
replaced by the nearest."""


def expect(
    function: str,
    arguments: Mapping[str, Any],
    dtype: str,
    accuracy: Accuracy,
    *,
    flush_subnormals: bool = True,
    beyond: Beyond = "modulo",
    nearby: bool = False,
    given: str | None = None,
) -> Expectation:
    """The right answer of one call, with an error bound for every element.

    `arguments` maps keras-2.2 parameter names to NumPy arrays in the case's own dtype (lists of
    them where the function takes a list) or to Python values. A Python float is rounded to the
    dtype of the floating tensors beside it. `dtype` is the result dtype. `accuracy` is the spec's
    record. With `flush_subnormals` the bound allows that numbers below the smallest normal one are
    read or written as zero (the documents are silent on it). `beyond` is about integers beyond the
    range of the dtype. With `nearby` the bound does not rest on sums that need no
    rounding for these very numbers. `given` is the dtype of the floating tensors where their
    arrays do not say it: bfloat16, whose numbers they hold in float32.

    KeyError: no such function; ValueError or IndexError: arguments that no document allows.
    """
    model, oracle = _model(dtype, flush_subnormals, nearby=nearby), ORACLES[function]
    counts = _counts(function, arguments, dtype)
    wide = widened(arguments, dtype, given, counts=counts)
    with np.errstate(all="ignore"):
        if model is None:
            value = _integers(oracle(**wide), dtype, beyond)
            bound = np.zeros(value.shape)
        else:
            value, bound = KINDS[type(accuracy)](
                BoundQuestion(function, oracle, wide, model), accuracy
            )
        if flush_subnormals:
            effect = _effect_of_flushing(oracle, arguments, wide, dtype, given)
            if effect is not None:
                bound = bound + effect
            if effect is not None and model is not None and function in PICKS:
                # subnormals that compare as zeros are alike, and any of them may be the result
                bound = bound + np.where(np.abs(value) < model.underflow, model.underflow, 0)
        if counts:
            bound = bound + _effect_of_rounding(oracle, arguments, wide, dtype)
        if model is not None:
            value, bound = _narrowed(*_in_range(value, bound, model))
    return Expectation(value, bound, dtype, terms(function, wide))


def _model(dtype: str, flushes: bool, *, nearby: bool) -> Arithmetic | None:
    model = arithmetic(dtype, flushes)
    return replace(model, nearby=True) if nearby and model is not None else model


def value_of(
    function: str, arguments: Mapping[str, Any], dtype: str, given: str | None = None
) -> Array:
    """The value that `expect` gives, before it is rounded, without a bound, which takes most of the
    time. `arguments`, `dtype`, `given` and errors as there; integers are wrapped."""
    value = unrounded(function, arguments, dtype, given)
    with np.errstate(all="ignore"):
        return value if dtype in WIDE else _integers(value, dtype, "modulo")


def unrounded(
    function: str, arguments: Mapping[str, Any], dtype: str, given: str | None = None
) -> Array:
    """The value in the dtype in which the oracle computes it: nothing is rounded, no fraction is
    dropped, and truth values are not numbers. `arguments`, `dtype`, `given` and errors as of
    `expect`."""
    counts = _counts(function, arguments, dtype)
    with np.errstate(all="ignore"):
        return np.asarray(ORACLES[function](**widened(arguments, dtype, given, counts=counts)))


def shape_before(function: str, arguments: Mapping[str, Any]) -> tuple[int, ...] | None:
    """The shape of the value, where that is known before a value is computed that may be very
    large; ValueError: arguments that do not fit."""
    shape = normalisation.SHAPES.get(function)
    return None if shape is None else shape(**arguments)


def _counts(function: str, arguments: Mapping[str, Any], dtype: str) -> bool:
    """Whether a floating result is made of integers alone, which are numbers.

    A target may round them to the dtype of the result before it computes.
    """
    kinds = {value.dtype.kind for value in arguments.values() if isinstance(value, np.ndarray)}
    return dtype in WIDE and function in OF_NUMBERS and bool(kinds) and "f" not in kinds


def _effect_of_rounding(
    oracle: Callable[..., Array], arguments: Mapping[str, Any], wide: Mapping[str, Any], dtype: str
) -> Any:
    """How far the value moves if integers are rounded to the dtype of the result first."""
    arrays = {name: _rounded(value, dtype) for name, value in arguments.items()}
    return _effect(oracle, widened(arrays, dtype), wide)


def _rounded(value: Any, dtype: str) -> Any:
    return rounded(value, dtype) if isinstance(value, np.ndarray) else value


def widened(
    arguments: Mapping[str, Any], dtype: str, given: str | None = None, *, counts: bool = False
) -> dict[str, Any]:
    """The arguments with tensors in a wide type and Python floats rounded to the case's dtype.

    A result of a wider dtype than the tensors have is computed in it: so are the floats. With
    `counts` integers and truth values are numbers of the wide type.
    """
    tensors = [value for value in arguments.values() if isinstance(value, np.ndarray)]
    named = next((name_of(x.dtype) for x in tensors if x.dtype.kind == "f"), dtype)
    floating = given or (dtype if _is_wider(dtype, named) else named)
    scalar: Callable[[float], Any] = float
    if floating in WIDE:
        scalar = partial(rounded, dtype=floating)
    whole = WIDE[dtype] if counts else None
    return {name: _wide(value, scalar, whole) for name, value in arguments.items()}


def _is_wider(dtype: str, other: str) -> bool:
    return dtype in WIDE and other in WIDE and limits(dtype).nmant > limits(other).nmant


def _wide(value: Any, scalar: Callable[[float], Any], whole: Any) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            return value.astype(WIDE[name_of(value.dtype)])
        if whole is not None:
            return value.astype(whole)
        return value if value.dtype.kind == "b" else value.astype(np.int64)
    if type(value) is float:
        return np.float64(scalar(value))
    if isinstance(value, list | tuple) and value and isinstance(value[0], np.ndarray):
        return [_wide(item, scalar, whole) for item in value]
    return value


def _integers(value: Any, dtype: str, beyond: Beyond) -> Array:
    whole = np.asarray(value).astype(np.bool_ if dtype == "bool" else np.int64)
    if beyond == "saturated" and dtype not in ("bool", "uint64"):
        ends = np.iinfo(dtype)
        return np.asarray(np.clip(whole, ends.min, ends.max))
    return whole if beyond == "wider" else whole.astype(dtype).astype(whole.dtype)


def _effect_of_flushing(
    oracle: Callable[..., Array],
    arguments: Mapping[str, Any],
    wide: Mapping[str, Any],
    dtype: str,
    given: str | None,
) -> Any:
    """How far the value moves if every subnormal input is read as zero; None if there is none."""
    smaller = {name: _flushed(value) for name, value in arguments.items()}
    if all(value is arguments[name] for name, value in smaller.items()):
        return None
    return _effect(oracle, widened(smaller, dtype, given), wide)


def _effect(
    oracle: Callable[..., Array], others: Mapping[str, Any], wide: Mapping[str, Any]
) -> Any:
    """How far the value moves with the other arguments."""
    moved = np.asarray(oracle(**others), np.longdouble)
    value = np.asarray(oracle(**wide), np.longdouble)
    same = (moved == value) | (np.isnan(moved) & np.isnan(value))
    effect = np.where(same, 0, np.abs(moved - value))
    return np.where(np.isnan(effect), np.inf, effect)


def _flushed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return flushed(value) if value.dtype.kind == "f" else value
    if isinstance(value, list | tuple) and value and isinstance(value[0], np.ndarray):
        items = [_flushed(item) for item in value]
        same = all(new is old for new, old in zip(items, value, strict=True))
        return value if same else items
    return value


def _in_range(value: Array, bound: Array, model: Arithmetic) -> tuple[Array, Array]:
    """The value and bound, with overflow to infinity settled.

    Where even the nearest allowed number rounds to infinity, infinity is the answer and the bound
    is 0. Where only the farthest does, the value is kept in the finite range; `agrees` then takes
    either. The bound of a NaN or infinity of the function itself is 0, unless it is already
    infinite.
    """
    reach = np.abs(value) + bound
    if not reach.size or reach.max() < model.largest:
        return value, bound
    magnitude = np.abs(value)
    certain = ~(magnitude - bound < model.overflow)
    unbounded = ~(bound < np.inf) & np.isfinite(value)
    limit = np.where(certain, np.inf, np.minimum(magnitude, model.largest))
    limit = np.where(np.isnan(value) | unbounded, magnitude, limit)
    bound = np.where(certain & ~unbounded & ~np.isposinf(bound), 0, bound + (magnitude - limit))
    bound = np.where(np.isnan(bound), np.inf, bound)
    return np.copysign(limit, value), bound


def _narrowed(value: Array, bound: Array) -> tuple[Array, Array]:
    """Both as float64, and what that rounding of the value changes added to the bound."""
    narrow = _float64(value)
    lost = np.where(np.isfinite(narrow), np.abs(value - narrow), 0)
    return narrow, _float64(bound + lost)


def _float64(array: Any) -> Array:
    return np.asarray(array, np.float64)
