"""Readings of conventions about single elements, axes and statistics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance.oracle.indices import CLIPPED, FROM_THE_END, NOT_A_NUMBER
from conformance.oracle.variants.model import NoReadingError, Reading, Variant, keyword
from conformance.specs.convention_names import ConventionName

Arguments = dict[str, Any]


def _least_wins(_function: str, arguments: Arguments) -> Arguments:
    low, high = arguments["min_value"], arguments["max_value"]
    return {**arguments, "max_value": max(low, high)}


def _along_the_last(function: str, arguments: Arguments) -> Arguments:
    """Vectors stand along the last axis, which they stretch if it has length 1, as broadcasting has
    it; ValueError if they do not fit."""
    if function != "batch_normalization":
        raise NoReadingError(f"{function} makes its statistics itself")
    vector, last = arguments["mean"].shape, arguments["x"].shape[-1:]
    if vector != last and (1,) not in (vector, last):
        raise ValueError("the vectors do not fit the last axis")
    return {**arguments, "axis": -1}


def _limits_of_float32(function: str, arguments: Arguments) -> Arguments:
    """Probabilities from logits are limited by constants of float32, whatever their dtype."""
    if function != "binary_crossentropy":
        raise NoReadingError(f"for {function} the upper limit is within the bound in any dtype")
    return {**arguments, "limits": True, "single": True}


def _batch_axes(_function: str, arguments: Arguments) -> Arguments:
    """The first axes of two tensors go together, and the others as broadcasting has them;
    NoReadingError for tensors of one rank, ValueError if the first axes do not fit."""
    x, y = arguments.get("x"), arguments.get("y")
    if not (isinstance(x, np.ndarray) and isinstance(y, np.ndarray)):
        raise NoReadingError("there are no two tensors")
    if x.ndim == y.ndim or not (x.ndim and y.ndim):
        raise NoReadingError("the first axes go together anyway, or there is one alone")
    rank = max(x.ndim, y.ndim)
    return {**arguments, "x": _stretched(x, rank), "y": _stretched(y, rank)}


def _stretched(x: np.ndarray[Any, Any], rank: int) -> np.ndarray[Any, Any]:
    """With axes of length 1 behind the first."""
    return x.reshape(x.shape[0], *(1,) * (rank - x.ndim), *x.shape[1:])


def _last_but_one(_function: str, arguments: Arguments) -> Arguments:
    """The last axis of x and the last but one of y; ValueError if that is the axis of samples."""
    if arguments.get("axes") is not None:
        raise NoReadingError("the axes are given")
    if arguments["y"].ndim == 2:
        raise ValueError("the last but one axis of y is that of the samples")
    return arguments


def _signed_zeros(_function: str, arguments: Arguments) -> Arguments:
    """A negative zero is less than a positive one; NoReadingError if there is none."""
    x = arguments["x"]
    if not (x.dtype.kind == "f" and ((x == 0) & np.signbit(x)).any()):
        raise NoReadingError("there is no negative zero")
    return {**arguments, "signed": True}


def _everywhere(_function: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if arguments.get("window", "hann") is not None:
        raise NoReadingError("a window has the length of the sequences")
    return {**arguments, "window_at": "everywhere"}


VARIANTS: Mapping[Reading, Variant] = {
    (ConventionName.AXIS_ORDER, "samples first"): keyword("samples_first", True),
    (ConventionName.BATCH_AXES_DEFAULT, "last but one"): _last_but_one,
    (ConventionName.BROADCASTING, "batch axes"): _batch_axes,
    (ConventionName.CLIP_ORDER, "min_value"): _least_wins,
    (ConventionName.CLIPPING, "logits, too"): keyword("limits", True),
    (ConventionName.CLIPPING, "logits, too, in float32"): _limits_of_float32,
    (ConventionName.INDICES_OUT_OF_RANGE, FROM_THE_END): keyword("beyond", FROM_THE_END),
    (ConventionName.INDICES_OUT_OF_RANGE, CLIPPED): keyword("beyond", CLIPPED),
    (ConventionName.INDICES_OUT_OF_RANGE, NOT_A_NUMBER): keyword("beyond", NOT_A_NUMBER),
    (ConventionName.SUM_OF_PROBABILITIES, "as they are"): keyword("divides", False),
    (ConventionName.EPSILON_IN_NORMS, "a limit"): keyword("least", True),
    (ConventionName.NORM_OF_AXES, "of a matrix"): keyword("of_matrix", True),
    (ConventionName.EXPONENT, "zero"): keyword("pole", 0.0),
    (ConventionName.FEATURE_VECTORS, "as they are"): _along_the_last,
    (ConventionName.HALF_EVEN, "up"): keyword("halves", "up"),
    (ConventionName.HALF_EVEN, "away from zero"): keyword("halves", "away"),
    (ConventionName.MIXED_DTYPES, "taken together"): lambda _function, arguments: arguments,
    (ConventionName.POPULATION_VARIANCE, "sample"): keyword("sample", True),
    (ConventionName.POPULATION_VARIANCE, "with epsilon"): keyword("guarded", True),
    (ConventionName.SAME_CORRELATION, "late"): keyword("late", True),
    (ConventionName.SHORTER_WINDOW, "at the beginning"): keyword("window_at", "beginning"),
    (ConventionName.SHORTER_WINDOW, "everywhere"): _everywhere,
    (ConventionName.HAMMING_WINDOW, "symmetric"): keyword("periodic", False),
    (ConventionName.SMALL_NORMS, "at least 1e-6"): keyword("least", 1e-12),
    (ConventionName.SMALL_NORMS, "not a number"): keyword("divides_zero", True),
    (ConventionName.TIES, "last"): keyword("last", True),
    (ConventionName.VARIANCE_OF_DIFFERENCES, "squares"): keyword("squares", True),
    (ConventionName.TIES, "signed zeros"): _signed_zeros,
}
