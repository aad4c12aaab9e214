"""Lengths of axes: their classes, how they are drawn, and the limit on elements."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from conformance.generators import Draw, Structure, draw_arrays
from conformance.generators.arrangement import PERIOD, factors
from conformance.generators.collect import generate
from conformance.generators.sizes import (
    CLASSES,
    ELEMENTS,
    LONG,
    class_of,
    long_axis,
    size_class,
)
from conformance.generators.structure import expected_shape, structures
from conformance.specs import load
from tests.generators.support import CALLED, NEWEST, tensors

LARGER = 5
"""How many times larger than the limit a result may be: strides and borders multiply."""


def test_every_length_has_a_class() -> None:
    for name, lengths in CLASSES.items():
        assert {class_of(n) for n in lengths} == {name}
    assert [class_of(n) for n in (4, 6, 10, 14, 20, 130, 4096, 9999)] == [
        "4-6",
        "4-6",
        "10-14",
        "10-14",
        "18-30",
        "130-4096",
        "130-4096",
        "4097-",
    ]


def test_the_class_of_a_shape_is_that_of_its_longest_axis() -> None:
    shapes = [(), (1, 1), (3, 2), (2, 16, 3), (0, 4099), (4099, 1)]
    assert [size_class(s) for s in shapes] == ["1", "1", "2-3", "15-17", "0", "4097-"]


def test_the_place_of_a_long_axis() -> None:
    shapes = [(6, 2), (7,), (7, 2), (2, 7), (2, 7, 2), (7, 2, 9), ()]
    places = ["none", "only", "first", "last", "middle", "several", "none"]
    assert [long_axis(s) for s in shapes] == places


def made(function: str, count: int = 40, **wanted: str) -> list[Structure]:
    names = {name.replace("_", " "): one for name, one in wanted.items()}
    return generate(structures(load()[function], NEWEST, wanted=names), count, 0)


@pytest.mark.parametrize("size", CLASSES)
@pytest.mark.parametrize("function", ["exp", "sum", "dot", "softmax", "concatenate", "relu"])
def test_a_class_can_be_wanted(function: str, size: str) -> None:
    found = made(function, x_size=size, tensors_size=size)
    hit = sum(size_class(i.shape) == size for s in found for i in s.program.inputs[:1])
    scalars = sum(not i.shape for s in found for i in s.program.inputs[:1])
    varied = function == "concatenate"  # its axis that varies has lengths of its own
    assert varied or hit + scalars == len(found)
    assert hit


@pytest.mark.parametrize("place", ["first", "last"])
def test_a_place_can_be_wanted(place: str) -> None:
    found = made("exp", x_size="31-33", x_long_axis=place)
    places = Counter(long_axis(i.shape) for s in found for i in s.program.inputs)
    assert set(places) <= {place, "only", "several", "none"}
    assert places[place] > 5


def _shapes(structure: Structure) -> list[tuple[int, ...]]:
    return [*(i.shape for i in structure.program.inputs), expected_shape(structure)]


@pytest.mark.parametrize("limit", [500, ELEMENTS])
def test_no_tensor_is_much_larger_than_the_limit(limit: int) -> None:
    for name in CALLED:
        for structure in generate(structures(load()[name], NEWEST, elements=limit), 8, 1):
            most = max(map(math.prod, _shapes(structure)))
            assert most <= LARGER * limit, (name, _shapes(structure))


def test_long_axes_are_drawn_of_every_function_with_tensors() -> None:
    for name in CALLED:
        if tensors(name):
            found = {size_class(i.shape) for s in made(name, 60) for i in s.program.inputs}
            assert found & {*LONG}, name


def test_the_smallest_axes_come_first() -> None:
    """What a failing structure shrinks to has no long axis unless it needs one."""
    short = [
        s for s in made("exp", 60) if size_class(s.program.inputs[0].shape) in ("0", "1", "2-3")
    ]
    assert len(short) > 20


def test_the_extremes_of_long_arrays_lie_at_an_end() -> None:
    structure = next(
        s
        for s in made("exp", 200, x_size="63-65")
        if s.program.inputs[0].dtype == "float32" and long_axis(_shapes(s)[0]) != "none"
    )
    drawn, up, down = (draw_arrays(structure, Draw("ordinary", n))["x"] for n in range(PERIOD))
    axis = int(np.argmax(up.shape))
    assert (np.diff(up, axis=axis) >= 0).all()
    assert (np.diff(down, axis=axis) <= 0).all()
    assert not (np.diff(drawn, axis=axis) >= 0).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_product_of_many_factors_stays_in_range(dtype: str) -> None:
    for length in (129, 4097):
        values = np.random.default_rng(length).uniform(-3, 3, length).astype(dtype)
        product = np.prod(factors(np.random.default_rng(0), values).astype(np.float64))
        assert 1e-3 < abs(product) < 1e3
