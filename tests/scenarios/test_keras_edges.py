"""Edges of keras.ops: right functions have no problem, and wrong ones do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import ndimage

from conformance.observations import Value
from conformance.scenarios import Check
from conformance.scenarios.configuration import keras_config
from conformance.scenarios.promises import keras_edges
from tests.scenarios import keras_ops as ops

Function = Callable[..., Any]


def of_first(x: Any, repeats: Any, axis: Any = None) -> Any:
    """As many copies of the first slice as there should be of each."""
    slices = x.reshape(-1) if axis is None else x
    count = np.ravel(repeats)[0]
    return np.take(slices, [0] * count, 0 if axis is None else axis)


def swapped(x: Any, repeats: Any, axis: Any = None) -> Any:
    return np.repeat(x, repeats, axis)[..., ::-1]


def flattened(x: Any, repeats: Any, axis: Any = None) -> Any:
    return np.repeat(x, repeats) if np.ndim(repeats) == 0 else np.repeat(x, repeats, axis)


def crop(images: Any, top: int, left: int, height: int, width: int) -> Any:
    """With zeros beyond the image."""
    rest = images[top:, left:]
    sides = [(0, max(0, n - m)) for n, m in zip((height, width), rest.shape, strict=False)]
    return np.pad(rest, [*sides, (0, 0)])[:height, :width]


def pad(images: Any, top: int, left: int, height: int, width: int) -> Any:
    """The rest of the image is cut off."""
    sides = (top, max(0, height)), (left, max(0, width)), (0, 0)
    return np.pad(images, sides)[:height, :width]


def sized(function: Function, kind: str) -> Function:
    def called(images: Any, **k: Any) -> Any:
        sides = k[f"top_{kind}"], k[f"left_{kind}"]
        return function(images, *sides, k["target_height"], k["target_width"])

    return called


def shorter(images: Any, top: int, left: int, height: int, width: int) -> Any:
    return images[top : top + height, left : left + width]


def clamped(images: Any, top: int, left: int, height: int, width: int) -> Any:
    """The last rows and columns of the image, where the target ends beyond it."""
    rows, columns = images.shape[0] - height, images.shape[1] - width
    return crop(images, min(top, max(rows, 0)), min(left, max(columns, 0)), height, width)


def grown(images: Any, top: int, left: int, height: int, width: int) -> Any:
    return np.pad(images, ((top, 0), (left, 0), (0, 0)))


def unpadded(images: Any, top: int, left: int, height: int, width: int) -> Any:
    return pad(images, 0, 0, height, width)


def blur(images: Any, kernel_size: Any, **_: Any) -> Any:
    return ndimage.uniform_filter(images, (*kernel_size, 1), mode="constant")


def turned(images: Any, kernel_size: Any, **_: Any) -> Any:
    return blur(images, kernel_size[::-1])


def cut(images: Any, kernel_size: Any, **_: Any) -> Any:
    return blur(images, kernel_size)[:, 1:-1]


def square(images: Any, kernel_size: Any, **_: Any) -> Any:
    return blur(images, (max(kernel_size),) * 2)


RIGHT: Mapping[str, Function] = {
    "repeat": np.repeat,
    "image.crop_images": sized(crop, "cropping"),
    "image.pad_images": sized(pad, "padding"),
    "image.gaussian_blur": blur,
}
WRONG: tuple[tuple[str, str, Function], ...] = (
    ("repeat", "of the first", of_first),
    ("repeat", "from the end", swapped),
    ("repeat", "a scalar for a flat tensor", flattened),
    ("repeat", "the first count for all", lambda x, n, axis=None: np.repeat(x, np.max(n), axis)),
    ("image.crop_images", "shorter", sized(shorter, "cropping")),
    ("image.crop_images", "clamped", sized(clamped, "cropping")),
    ("image.pad_images", "grown", sized(grown, "padding")),
    ("image.pad_images", "unpadded", sized(unpadded, "padding")),
    ("image.gaussian_blur", "width before height", turned),
    ("image.gaussian_blur", "without borders", cut),
    ("image.gaussian_blur", "as high as wide", square),
)


own_scenarios = partial(ops.scenarios_in, keras_edges.FAMILIES)
problems = partial(ops.problems_in, keras_edges.FAMILIES)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_has_no_problem(name: str) -> None:
    assert own_scenarios(name)
    assert not problems(name, RIGHT[name])


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_is_found(name: str, how: str, wrong: Function) -> None:
    assert problems(name, wrong)


# More elements than there are, calls that are refused, and dtypes: the checks on outputs.


def outputs(*values: Any) -> tuple[Value, ...]:
    held = [value if isinstance(value, str) else np.asarray(value) for value in values]
    return tuple(
        Value(None, "str", "str", text=v)
        if isinstance(v, str)
        else Value(v, v.dtype.name, "ndarray")
        for v in held
    )


def check_of(name: str, check: str, number: int = -1) -> Check:
    """The check of that name in the last scenario that has it, or in another one."""
    checks = [c for s in own_scenarios(name) for c in s.checks if c.name == check]
    return checks[number]


VALUES = [[3, 2, 1], [6, 5, 4]]
INDICES = [[0, 1, 2], [0, 1, 2]]
TOPS = {
    "all": (VALUES, INDICES, True),
    "one again": ([[3, 2, 1, 1], [6, 5, 4, 6]], [[0, 1, 2, 2], [0, 1, 2, 0]], True),
    "zeros at an index beyond": ([[3, 2, 1, 0], [6, 5, 4, 0]], [[0, 1, 2, 3]] * 2, False),
    "garbage": ([[3, 2, 1, 0], [6, 5, 4, 0]], [[0, 1, 2, -304257584]] * 2, False),
    "fewer": ([[3, 2], [6, 5]], [[0, 1], [0, 1]], False),
    "other values": ([[3, 2, 2], [6, 5, 4]], INDICES, False),
    "one row": (VALUES[0], INDICES[0], False),
    "values without indices": ([[3, 2, 1, 0], [6, 5, 4, 0]], INDICES, False),
}


@pytest.mark.parametrize(("values", "indices", "fine"), TOPS.values(), ids=TOPS.keys())
def test_the_top_of_few_names_elements(values: Any, indices: Any, fine: bool) -> None:
    # the rows of the scenario are 3 2 1 and 6 5 4
    test = check_of("top_k", "the elements").test
    assert (test(outputs(values), outputs(indices)) is None) is fine


@pytest.mark.parametrize(("symbol", "fine"), [((2, 3), True), ((2, 4), False), ((), False)])
def test_a_symbol_has_the_shape_of_the_top(symbol: tuple[int, ...], fine: bool) -> None:
    test = check_of("top_k", "the shape of the symbol").test
    assert (test(outputs(*symbol), outputs(VALUES)) is None) is fine


REFUSED = "raises ValueError Exception"


@pytest.mark.parametrize(("outcome", "fine"), [(REFUSED, True), ("returns", False)])
def test_points_of_other_shapes_are_refused(outcome: str, fine: bool) -> None:
    test = check_of("image.perspective_transform", "refused").test
    assert (test(outputs(outcome)) is None) is fine


def test_a_scenario_that_may_read_beyond_has_its_own_process() -> None:
    assert all(scenario.setup for scenario in own_scenarios("top_k"))


@pytest.mark.parametrize("dtype", ["int32", "bool", "float16"])
@pytest.mark.parametrize("claimed", ["int32", "bool", "float16", "float32", "bfloat16", "int64"])
def test_an_array_keeps_its_dtype(dtype: str, claimed: str) -> None:
    families = keras_config.BOOK.families_of(keras_config.own_dtype)
    scenarios = [s for family in families for s in family.make("keras-3")]  # type: ignore[union-attr]
    chosen = [s for s in scenarios if f"an array of {dtype} after" in s.title]
    assert len(chosen) == len(keras_config.FLOATX)
    for scenario in chosen:
        (check,) = (c for c in scenario.checks if c.name == "the dtype of the array")
        assert (check.test(outputs(claimed)) is None) is (claimed == dtype)
