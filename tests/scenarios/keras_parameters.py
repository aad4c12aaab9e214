"""Functions of keras.ops with parameters that few callers give, on NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.scenarios import Scenario
from tests.scenarios import keras_ops as ops

Functions = Mapping[str, Callable[..., Any]]


def linspace(start: Any, stop: Any, num: int = 50, **others: Any) -> Any:
    return np.linspace(np.asarray(start, "float64"), np.asarray(stop, "float64"), num, **others)


def geomspace(start: Any, stop: Any, num: int = 50, **others: Any) -> Any:
    return np.geomspace(np.asarray(start, "float64"), np.asarray(stop, "float64"), num, **others)


def logspace(start: Any, stop: Any, num: int = 50, base: Any = 10, **others: Any) -> Any:
    return np.logspace(
        np.asarray(start, "float64"), np.asarray(stop, "float64"), num, base=base, **others
    )


def like(fill: Any) -> Callable[..., Any]:
    return lambda x, dtype=None: np.full_like(x, fill, dtype)


def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    wide = x.astype("float64")
    if not compute_uv:
        return np.linalg.svd(wide, compute_uv=False)
    return tuple(np.linalg.svd(wide, full_matrices))


def cholesky_inverse(x: Any, upper: bool = False) -> Any:
    factor = np.linalg.inv(np.linalg.cholesky(x.astype("float64")))
    assert isinstance(upper, bool)
    return factor.swapaxes(-1, -2) @ factor


def matrix_rank(x: Any, tol: Any = None) -> Any:
    return np.linalg.matrix_rank(x, tol)


def pinv(x: Any, rcond: Any = None) -> Any:
    least = max(x.shape[-2:]) * np.finfo(x.dtype).eps if rcond is None else rcond
    return np.linalg.pinv(x, least)


def total(found: Callable[..., Any]) -> Callable[..., Any]:
    """Whole numbers up to 2**53 are added and multiplied without rounding."""

    def called(x: Any, axis: Any = None, dtype: Any = None) -> Any:
        return found(x.astype("float64"), axis=axis).astype(dtype or x.dtype)

    return called


RIGHT: Functions = {
    "linspace": linspace,
    "logspace": logspace,
    "geomspace": geomspace,
    "full_like": np.full_like,
    "zeros_like": like(0),
    "ones_like": like(1),
    "round": np.round,
    "svd": svd,
    "cholesky_inverse": cholesky_inverse,
    "matrix_rank": matrix_rank,
    "pinv": pinv,
    "lstsq": ops.lstsq,
    "quantile": np.quantile,
    "nanquantile": np.nanquantile,
    "percentile": np.percentile,
    "nanpercentile": np.nanpercentile,
    "prod": total(np.prod),
    "cumsum": total(np.cumsum),
    "cumprod": total(np.cumprod),
    "nancumsum": total(np.nancumsum),
    "nancumprod": total(np.nancumprod),
    "max": np.max,
    "min": np.min,
    "stft": ops.stft,
    "istft": ops.istft,
}


def scenarios(name: str) -> list[Scenario]:
    """Those whose program calls the function at once, and is judged by what comes."""
    return [one for one in ops.scenarios(name) if not any(s.attempt for s in one.program.steps)]
