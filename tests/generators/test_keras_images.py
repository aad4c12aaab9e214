"""Images of Keras 3, of one to three spatial axes, and the numbers that go with them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from conformance.generators import Structure
from conformance.generators.collect import steered
from conformance.specs import image_rules, load
from conformance.specs.rules import evaluate

SPECS = load()
MOVED = ("conv", "depthwise_conv", "separable_conv", "conv_transpose", "average_pool", "max_pool")


@cache
def _some(name: str) -> list[Structure]:
    drawn = [draw.value for draw in steered(SPECS[f"keras.ops.{name}"], "keras-3", {}, 80, 0)]
    return [structure for structure in drawn if structure.error is None]


def _sizes(structure: Structure) -> Sequence[int]:
    values, shape = structure.runtime.values, structure.runtime.shapes["x"]
    return [n or 0 for n in image_rules.spatial(shape, values["data_format"])]


@pytest.mark.parametrize("name", MOVED)
def test_there_are_images_of_each_number_of_axes(name: str) -> None:
    most = 2 if name in ("depthwise_conv", "separable_conv") else 3
    assert {len(_sizes(s)) for s in _some(name)} == {*range(1, most + 1)}


@pytest.mark.parametrize("name", MOVED)
def test_a_number_for_each_axis_comes_as_a_tuple_a_list_or_a_single_one(name: str) -> None:
    moves = [s.runtime.values["strides"] for s in _some(name)]
    assert {int, tuple, list} <= {type(m) for m in moves}
    for structure in _some(name):
        strides: Any = structure.runtime.values["strides"]
        if strides is not None:
            each_stride = image_rules.each(strides, _sizes(structure))
            assert len(each_stride) == len(_sizes(structure))
            assert all(1 <= stride <= 3 for stride in each_stride)


@pytest.mark.parametrize(
    "name", [*MOVED, "unfold", "fold", "adaptive_max_pool", "space_to_depth", "depth_to_space"]
)
def test_what_is_known_of_the_shape_is_true(name: str) -> None:
    spec = SPECS[f"keras.ops.{name}"]
    for structure in _some(name):
        static, runtime = (evaluate(spec.shape, s) for s in (structure.static, structure.runtime))
        assert len(static) == len(runtime)
        assert all(a in (None, b) for a, b in zip(static, runtime, strict=True))
        assert all(n is not None and n >= 0 for n in runtime)


def test_output_padding_is_less_than_the_strides() -> None:
    for structure in _some("conv_transpose"):
        values, sizes = structure.runtime.values, _sizes(structure)
        if values["output_padding"] is not None:
            pairs = (image_rules.each(values[n], sizes) for n in ("output_padding", "strides"))
            assert all(0 <= more < stride for more, stride in zip(*pairs, strict=True))


def test_an_adaptive_pool_has_no_more_windows_than_elements() -> None:
    for structure in _some("adaptive_average_pool"):
        sizes = _sizes(structure)
        counts = image_rules.each(structure.runtime.values["output_size"], sizes)
        assert all(1 <= count <= n for count, n in zip(counts, sizes, strict=True))


def test_images_are_divided_into_blocks() -> None:
    for name, power in (("space_to_depth", 1), ("depth_to_space", 2)):
        for structure in _some(name):
            values, shape = structure.runtime.values, structure.runtime.shapes["x"]
            channels = image_rules.channels(shape, values["data_format"]) or 0
            divided = _sizes(structure) if power == 1 else [channels]
            assert all(n % values["block_size"] ** power == 0 for n in divided)
