"""`scale_and_translate`: a function with normalised weights passes, wrong ones violate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from tests.engine.keras_calls import prepared, problems

NAME = "image.scale_and_translate"


def _keys(d: float) -> float:
    if d < 1:
        return 1.5 * d**3 - 2.5 * d**2 + 1
    return -0.5 * d**3 + 2.5 * d**2 - 4 * d + 2


FILTERS: Mapping[str, tuple[int, Callable[[float], float]]] = {
    "linear": (1, lambda d: 1 - d),
    "cubic": (2, _keys),
    "lanczos3": (3, lambda d: float(np.sinc(d) * np.sinc(d / 3))),
    "lanczos5": (5, lambda d: float(np.sinc(d) * np.sinc(d / 5))),
}
SAME = {"triangle": "linear"}


def _named(method: str) -> tuple[int, Callable[[float], float]]:
    plain = method.removeprefix("bi").removeprefix("tri")
    return FILTERS[SAME.get(method, plain)]


def row(length: int, place: float, method: str, width: float) -> Any:
    """The weights of one element of the result, which add up to 1."""
    radius, kernel = _named(method)
    far = [abs(place - i) / width for i in range(length)]
    weights = np.array([kernel(d) if d < radius else 0.0 for d in far])
    return weights / weights.sum()


def scaled(  # noqa: PLR0917 - as documented
    images: Any,
    output_shape: Any,
    scale: Any,
    translation: Any,
    spatial_dims: Any,
    method: str,
    antialias: bool = True,
    corner: float = 0.5,
) -> Any:
    x = images.astype(float)
    for axis, s, t in zip(map(int, spatial_dims), scale, translation, strict=True):
        n, rows = x.shape[axis], []
        for place in (np.arange(output_shape[axis]) + corner - t) / s - corner:
            inside = -0.5 <= place <= n - 0.5
            width = 1 / min(float(s), 1) if antialias else 1
            rows.append(row(n, place, method, width) if inside else np.zeros(n))
        x = np.moveaxis(np.tensordot(x, np.array(rows), (axis, 1)), -1, axis)
    return x.astype(images.dtype)


def without(**fixed: Any) -> Callable[..., Any]:
    return lambda *args, **how: scaled(*args, **{**how, **fixed})


def method_of(other: Mapping[str, str]) -> Callable[..., Any]:
    """The function with another method in the place of some."""

    def called(*args: Any, method: str = "", **how: Any) -> Any:
        front, name = (args[:5], args[5]) if len(args) == 6 else (args, method)
        names = ("images", "output_shape", "scale", "translation", "spatial_dims")
        return scaled(**dict(zip(names, front, strict=False)), method=other.get(name, name), **how)

    return called


WRONG: Mapping[str, Callable[..., Any]] = {
    "antialias ignored": without(antialias=False),
    "always antialiased": without(antialias=True),
    "corners in the place of middles": without(corner=0.0),
    "inverse scale": lambda x, size, s, *a, **k: scaled(x, size, 1 / s, *a, **k),
    "against the steps": lambda x, size, s, t, *a, **k: scaled(x, size, s, -t, *a, **k),
    "axes in order": lambda x, size, s, t, axes, *a, **k: scaled(
        x, size, s, t, sorted(axes), *a, **k
    ),
    "cubic is linear": method_of(dict.fromkeys(("cubic", "bicubic", "tricubic"), "linear")),
    "linear is cubic": method_of(dict.fromkeys(("linear", "bilinear", "triangle"), "cubic")),
}


def test_a_right_function_violates_nothing() -> None:
    assert prepared(NAME)
    assert not [(f.gives, f.demands) for f in problems(NAME, scaled)]


@pytest.mark.parametrize("how", WRONG)
def test_a_wrong_function_violates(how: str) -> None:
    assert next(problems(NAME, WRONG[how]), None) is not None
