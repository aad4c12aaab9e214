"""Conversions and singular vectors of keras.ops: right functions pass, wrong ones violate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from tests.engine.keras_calls import prepared, problems


def converted(x: Any, dtype: Any = None) -> Any:
    return np.asarray(x, dtype)


def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    assert compute_uv
    return tuple(np.linalg.svd(x.astype("float64"), full_matrices))


def turned(x: Any, **how: Any) -> Any:
    u, s, v = svd(x, **how)
    return u, s, v.swapaxes(-1, -2)


RIGHT: Mapping[str, Callable[..., Any]] = {
    "convert_to_tensor": converted,
    "array": converted,
    "svd": svd,
}


def of_32_bits(x: Any, dtype: Any = None) -> Any:
    return np.asarray(x, dtype or ("float32" if x.dtype == "float64" else None))


def after(changed: Callable[..., Any]) -> Callable[..., Any]:
    """What is made of the right factors."""
    return lambda x, **how: changed(*svd(x, **how))


WRONG: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("convert_to_tensor", "dtype ignored", lambda x, dtype=None: x),
    ("convert_to_tensor", "floats of 32 bits", of_32_bits),
    ("convert_to_tensor", "rounded", lambda x, dtype=None: np.rint(x).astype(dtype or x.dtype)),
    ("convert_to_tensor", "an axis more", lambda x, dtype=None: converted(x, dtype)[None]),
    ("array", "dtype ignored", lambda x, dtype=None: x),
    ("array", "zeros", np.zeros_like),
    ("array", "an axis more", lambda x, dtype=None: converted(x, dtype)[None]),
    ("svd", "always full", lambda x, full_matrices=True: svd(x)),
    ("svd", "never full", lambda x, full_matrices=True: svd(x, False)),
    ("svd", "squares", after(lambda u, s, v: (u, s**2, v))),
    ("svd", "vectors exchanged", after(lambda u, s, v: (v.swapaxes(-1, -2), s, u))),
    ("svd", "in another order", after(lambda u, s, v: (u, s[..., ::-1], v))),
    ("svd", "no unit vectors", after(lambda u, s, v: (2 * u, s, v / 2))),
    ("svd", "of another sign", after(lambda u, s, v: (-u, -s, v))),
)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_violates_nothing(name: str) -> None:
    assert prepared(name)
    assert not [(f.gives, f.demands) for f in problems(name, RIGHT[name])]


def test_the_right_vectors_may_be_columns() -> None:
    assert not [(f.gives, f.demands) for f in problems("svd", turned)]


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_violates(name: str, how: str, wrong: Callable[..., Any]) -> None:
    assert next(problems(name, wrong, ValueError, IndexError, TypeError), None) is not None
