"""Uncommon arguments of keras.ops, and containers of results: right functions and wrong ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from scipy import ndimage

from conformance.observations import Value
from conformance.scenarios import Problem
from conformance.scenarios.model import Scenario
from tests.scenarios import keras_ops as ops

Function = Callable[..., Any]


def power(x1: Any, x2: Any) -> Any:
    return np.trunc(x1.astype("float64") ** x2).astype(x1.dtype)


def wrapped_round(x1: Any, x2: Any) -> Any:
    """A negative exponent is taken for a large one."""
    with np.errstate(over="ignore"):
        return x1 ** x2.view(f"u{x2.dtype.name}")


def in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    scores = np.take_along_axis(predictions, targets[..., None], -1)
    return (predictions > scores).sum(-1) < k


def gaussian_blur(images: Any, kernel_size: Any, data_format: str) -> Any:
    first = images.ndim - 3
    size = [1] * first + [*kernel_size, 1]
    return ndimage.uniform_filter(images, size, mode="constant")


def scaled(images: Any, shape: Any, *_: Any) -> Any:
    return images[tuple(map(slice, shape))]


def isin(x1: Any, x2: Any) -> Any:
    return np.isin(x1.astype("float64"), x2.astype("float64"))


RIGHT: Mapping[str, Function] = {
    "power": power,
    "in_top_k": in_top_k,
    "image.gaussian_blur": gaussian_blur,
    "image.scale_and_translate": scaled,
    "isin": isin,
    "split": np.split,
    "top_k": lambda x, k: (np.sort(x)[..., ::-1][..., :k], np.argsort(x)[..., ::-1][..., :k]),
}
WRONG: tuple[tuple[str, str, Function], ...] = (
    ("power", "wrapped round", wrapped_round),
    ("power", "of the magnitude", lambda a, b: power(a, abs(b))),
    ("power", "without signs", lambda a, b: power(abs(a), b)),
    ("in_top_k", "along the first axis", lambda t, p, k: in_top_k(t, p[::-1], k)),
    ("in_top_k", "broadcast", lambda t, p, k: in_top_k(t, p, k)[..., None] & np.ones(2, bool)),
    ("in_top_k", "one less", lambda t, p, k: in_top_k(t, p, k - 1)),
    (
        "image.gaussian_blur",
        "longer",
        lambda x, **k: np.pad(gaussian_blur(x, **k), [(0, 0)] * (x.ndim - 3) + [(0, 1)] * 3),
    ),
    ("image.scale_and_translate", "the least", lambda x, *a: np.full_like(x, x.min())),
    ("image.scale_and_translate", "moved", lambda x, *a: np.roll(x, 1, -2)),
    ("isin", "in other dtypes", lambda a, b: isin(a, b) & (a.dtype == b.dtype)),
    ("split", "in a tuple", lambda x, indices_or_sections: tuple(np.split(x, 2))),
    ("top_k", "in a list", lambda x, k: [*RIGHT["top_k"](x, k)]),
)


def chosen(name: str) -> Iterator[Scenario]:
    """The scenarios of this sort; `split` and others have more."""
    for scenario in ops.scenarios(name):
        words = ("power", "targets of", "a kernel of", "an image of", " in ", "container")
        if any(word in scenario.title for word in words):
            yield scenario


def problems(name: str, function: Function) -> list[Problem]:
    short = {name: function, name.rpartition(".")[2]: function}
    return [problem for s in chosen(name) for problem in ops.problems_of(s, short)]


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_has_no_problem(name: str) -> None:
    assert [*chosen(name)]
    assert not problems(name, RIGHT[name])


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_is_found(name: str, how: str, wrong: Function) -> None:
    assert problems(name, wrong)


@pytest.mark.parametrize(("slope", "fine"), [(1.0, True), (-np.inf, False), (np.nan, False)])
def test_a_gradient_is_a_number(slope: float, fine: bool) -> None:
    scenarios = ops.scenarios("normalize")
    (scenario,) = (s for s in scenarios if "the gradient in float16" in s.title)
    (check,) = scenario.checks
    gradient = Value(np.array([[1.0, slope]], "float32"), "float32", "ndarray")
    assert (check.test((gradient,)) is None) is fine
