"""Pseudo-inverses, least squares, ranks and pivots: right functions pass, wrong ones are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from tests.engine.keras_calls import prepared, problems


def floats(x: Any) -> Any:
    return x if x.dtype.kind == "f" else x.astype("float32")


def pinv(x: Any, rcond: Any = None) -> Any:
    # NumPy 1 takes no None, and by default cuts less than NumPy 2 does
    x = floats(x)
    least = max(x.shape[-2:]) * np.finfo(x.dtype).eps if rcond is None else rcond
    return np.linalg.pinv(x, least)


def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    return np.linalg.lstsq(floats(a), floats(b), rcond=rcond)[0]


def matrix_rank(x: Any, tol: Any = None) -> Any:
    return np.linalg.matrix_rank(x, tol)


def lu_factor(x: Any) -> Any:
    parts = [scipy.linalg.lu_factor(matrix) for matrix in x.reshape(-1, *x.shape[-2:])]
    factors, pivots = (np.stack(column) for column in zip(*parts, strict=True))
    return factors.reshape(x.shape), pivots.reshape(x.shape[:-1])


RIGHT: Mapping[str, Callable[..., Any]] = {
    "pinv": pinv,
    "lstsq": lstsq,
    "matrix_rank": matrix_rank,
    "lu_factor": lu_factor,
}


def permuted(x: Any) -> Any:
    """Pivots as the order of the rows."""
    factors, pivots = lu_factor(x)
    orders = np.zeros_like(pivots)
    for exchanges, order in zip(
        pivots.reshape(-1, x.shape[-1]), orders.reshape(-1, x.shape[-1]), strict=True
    ):
        order[:] = np.arange(len(order))
        for row, other in enumerate(exchanges):
            order[[row, other]] = order[[other, row]]
    return factors, orders


def from_one(x: Any) -> Any:
    factors, pivots = lu_factor(x)
    return factors, pivots + 1


def absolute(x: Any, rcond: Any = None) -> Any:
    """The tolerance is a number, and no part of the largest singular value."""
    return pinv(x, rcond and rcond / np.linalg.norm(x, 2, (-2, -1)).max())


def of_all(x: Any, rcond: Any = None) -> Any:
    """The tolerance is a part of the largest singular value of all matrices."""
    sizes = np.linalg.norm(x, 2, (-2, -1))
    return pinv(x, rcond and rcond * sizes.max() / sizes)


def after(changed: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: changed(*lu_factor(x))


WRONG: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("pinv", "the transpose", lambda x, rcond=None: x.swapaxes(-1, -2)),
    ("pinv", "transposed", lambda x, rcond=None: pinv(x, rcond).swapaxes(-1, -2)),
    ("pinv", "nothing is cut", lambda x, rcond=None: pinv(x)),
    ("pinv", "all but one is cut", lambda x, rcond=None: pinv(x, 0.999)),
    ("pinv", "a number", absolute),
    ("pinv", "a part of the largest of all", of_all),
    ("lstsq", "the first rows", lambda a, b, **k: lstsq(a[: a.shape[1]], b[: a.shape[1]], **k)),
    ("lstsq", "a column", lambda a, b, **k: lstsq(a, b if b.ndim > 1 else b[:, None], **k)),
    ("lstsq", "everything", lambda a, b, rcond=None: np.linalg.lstsq(a, b, rcond=rcond)[3]),
    ("lstsq", "not the shortest", lambda a, b, **k: lstsq(a, b, **k) + (a.shape[1] > len(a))),
    ("lstsq", "nothing is cut", lambda a, b, rcond=None: lstsq(a, b)),
    ("matrix_rank", "the tolerance ignored", lambda x, tol=None: matrix_rank(x)),
    ("matrix_rank", "the smaller length", lambda x, tol=None: np.min(x.shape[-2:])),
    (
        "matrix_rank",
        "a part of the largest",
        lambda x, tol=None: matrix_rank(x, tol and tol * np.linalg.norm(x, 2, (-2, -1)).max()),
    ),
    ("lu_factor", "turned", after(lambda both, pivots: (both.swapaxes(-1, -2), pivots))),
    ("lu_factor", "no pivots", after(lambda both, pivots: (both, 0 * pivots))),
    ("lu_factor", "pivots of another order", after(lambda both, pivots: (both, pivots[..., ::-1]))),
    ("lu_factor", "of the transpose", lambda x: lu_factor(x.swapaxes(-1, -2))),
    ("lu_factor", "rounded", after(lambda both, pivots: (both.astype("float16"), pivots))),
)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_violates_nothing(name: str) -> None:
    assert prepared(name)
    findings = [(f.gives, f.demands) for f in problems(name, RIGHT[name])]
    assert not findings


@pytest.mark.parametrize("function", [permuted, from_one])
def test_pivots_may_tell_the_order_otherwise(function: Callable[..., Any]) -> None:
    assert not [(f.gives, f.demands) for f in problems("lu_factor", function)]


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_violates(name: str, how: str, wrong: Callable[..., Any]) -> None:
    assert next(problems(name, wrong, ValueError, np.linalg.LinAlgError), None) is not None
