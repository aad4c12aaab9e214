"""How many terms each element of a result is a sum (or a product) of."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from conformance.oracle import convolution, reductions
from conformance.oracle.keras_ops import images as keras_images
from conformance.oracle.keras_ops import windows as keras_windows
from conformance.oracle.linear_algebra import batch_axes

Count = Callable[..., int]


def terms(function: str, arguments: Mapping[str, Any]) -> int:
    """The number for a call with the arguments of `evaluate.ORACLES`; 1 if nothing is summed."""
    count = TERMS.get(function)
    return 1 if count is None else max(1, count(**arguments))


def _reduced(x: Any, axis: Any = None, **_: Any) -> int:
    return reductions.terms(x, axis)


def _along(axis: int, of: str) -> Count:
    """The length of an axis, by its parameter's default, of a tensor."""

    def count(**arguments: Any) -> int:
        along = arguments.get("axis", axis)
        return int(arguments[of].size if along is None else arguments[of].shape[along])

    return count


def _in_batch(x: Any, reduction_axes: Any, **_: Any) -> int:
    return reductions.terms(x, tuple(reduction_axes))


def _of_moments(x: Any, axes: Any, **_: Any) -> int:
    return reductions.terms(x, axes)


def _normalised(x: Any, axis: Any = -1, **_: Any) -> int:
    return reductions.terms(x, axis)


def _dot(x: Any, **_: Any) -> int:
    return x.shape[-1] if x.ndim else 1


def _batch_dot(x: Any, y: Any, axes: Any = None) -> int:
    return int(x.shape[batch_axes(x, y, axes)[0]])


def _pooled(pool_size: Any, **_: Any) -> int:
    return math.prod(pool_size)


_TRAINING = "normalize_batch_in_training"

TERMS: Mapping[str, Count] = {
    **dict.fromkeys(("sum", "prod", "mean", "var", "std", "logsumexp", "l2_normalize"), _reduced),
    **dict.fromkeys(("cumsum", "cumprod"), _along(0, "x")),
    **dict.fromkeys(("nansum", "nanprod", "nanmean", "nanvar", "nanstd", "average"), _reduced),
    **dict.fromkeys(("nancumsum", "nancumprod"), _along(0, "x")),
    "softmax": _along(-1, "x"),
    **dict.fromkeys(
        ("categorical_crossentropy", "sparse_categorical_crossentropy"), _along(-1, "output")
    ),
    **{f"{_TRAINING}.{part}": _in_batch for part in ("normalised tensor", "mean", "variance")},
    **{f"moments.{part}": _of_moments for part in ("mean", "variance")},
    **dict.fromkeys(("normalize", "rms_normalization", "layer_normalization"), _normalised),
    "dot": _dot,
    "batch_dot": _batch_dot,
    **dict.fromkeys(("pool2d", "pool3d"), _pooled),
    **convolution.TERMS,
    **keras_windows.TERMS,
    **keras_images.TERMS,
}
