"""Results for NaN and infinities that standards settle: `special-values` leaves none of them open.

IEEE 754-2019 defines arithmetic (clause 5.4), comparisons (5.11), and copies (5.5.1); ISO C defines
the functions of `math.h` (annex F.10), such as hypot(inf, NaN) = inf. They do not settle formulas
of several operations, the place of NaN in an order, or the integer of a NaN. A number outside a
function's domain, such as -1 or -inf for a root, also stays open: Keras itself takes the root of
max(x, 0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.oracle.expectation import Array

Mask = npt.NDArray[np.bool_]

DEFINED = frozenset(
    (
        *("abs", "add", "subtract", "multiply", "divide", "negative", "reciprocal", "square"),
        *("equal", "not_equal", "greater", "greater_equal", "less", "less_equal"),
        *("isnan", "isinf", "isfinite", "isposinf", "isneginf", "fmax", "fmin", "fmod"),
        *("ceil", "floor", "round", "trunc", "sqrt", "rsqrt", "cbrt", "hypot", "pow", "power"),
        *("exp", "exp2", "expm1", "log", "log10", "log1p", "log2", "erf", "erfc", "nextafter"),
        *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2"),
        *("sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh"),
    )
)
"""Elementwise functions whose results for NaN and infinities the standards define."""
PARTIAL = frozenset(
    (
        *("sqrt", "rsqrt", "log", "log10", "log1p", "log2"),
        *("arcsin", "arccos", "arccosh", "arctanh"),
    )
)
"""Those of them that are not defined for some finite numbers: infinities beyond those are alike."""
COPIES = frozenset(
    (
        *("identity", "cast", "converted", "variable", "constant", "placeholder", "broadcast_to"),
        *("reshape", "ravel", "flatten", "batch_flatten", "expand_dims", "squeeze"),
        *("keras.squeeze", "transpose", "transposed", "permute_dimensions", "moveaxis", "swapaxes"),
        *("rearrange", "flip", "fliplr", "flipud", "reverse", "roll", "rot90", "diagonal"),
        *("tile", "repeat", "repeat_elements", "repeated", "concatenate", "append", "stack"),
        *("hstack", "vstack", "dstack", "split.part", "hsplit.part", "vsplit.part", "dsplit.part"),
        *("unstack.slice", "slice", "gather", "take", "take_along_axis", "crop_images"),
        *("space_to_depth", "depth_to_space", "where"),
    )
)
"""Functions whose results are numbers that they were passed."""
ORDERS = frozenset(("max", "min", "maximum", "minimum", "argmax", "argmin", "clip", "sort"))
"""Functions of the order of numbers, in which infinities have a place and NaN has none."""
PICKS = ORDERS | {
    *("nanmax", "nanmin", "fmax", "fmin", "segment_max", "segment_min"),
    *("max_pool", "adaptive_max_pool", "argsort", "argpartition"),
    *("top_k.values", "top_k.indices", "nanargmax", "nanargmin"),
}
"""Functions that pick an element by its order, or several."""
WITHOUT_NAN = frozenset(("nanvar", "nanstd", "nanmedian", "nanpercentile", "nanquantile"))
"""Functions that documents define for NaN, which they leave out, and not for infinities."""


def special(x: Array, function: str) -> Mask:
    """A mask of the numbers x (any shape) of a result about which `special-values` leaves something
    open."""
    return np.asarray(np.isnan(x) if function in ORDERS else ~np.isfinite(x))


def special_input(x: Array, function: str) -> Mask:
    """The same mask of the numbers x (any shape) of an argument."""
    return np.isinf(x) if function in WITHOUT_NAN else special(x, function)


def settled(function: str, arguments: Mapping[str, Any], value: Array) -> Mask:
    """A mask of the elements of a result (any shape) in which the standards leave nothing open."""
    if function in COPIES:
        return np.full(value.shape, value.dtype.kind == "f")
    if function == "nan_to_num":
        return _replaced(**arguments)
    if function not in DEFINED:
        return np.zeros(value.shape, np.bool_)
    floats = [np.asarray(a) for a in arguments.values() if _is_floating(a)]
    of_special = _any([~np.isfinite(a) for a in floats], value)
    if function in PARTIAL:
        of_special &= _any([np.isnan(a) for a in floats], value) | ~np.isnan(value)
    return of_special


def _replaced(x: Array, posinf: Any = None, neginf: Any = None, **_others: Any) -> Mask:
    """Where `nan_to_num` has a number that the call names. Which large number stands for an
    infinity otherwise is open."""
    floats = x if x.dtype.kind == "f" else np.zeros(x.shape)
    mask = np.isnan(floats)
    if posinf is not None:
        mask |= floats == np.inf
    if neginf is not None:
        mask |= floats == -np.inf
    return np.asarray(mask)


def _any(masks: Sequence[Mask], value: Array) -> Mask:
    """Where one of the masks, broadcast to the shape of the value, is true."""
    shaped = [np.broadcast_to(mask, value.shape) for mask in masks]
    return np.asarray(np.logical_or.reduce([np.zeros(value.shape, np.bool_), *shaped]))


def _is_floating(argument: Any) -> bool:
    return isinstance(argument, float) or (
        isinstance(argument, np.ndarray) and argument.dtype.kind == "f"
    )
