"""Lengths of axes: their classes, how they are drawn, and the limit on elements."""

from __future__ import annotations

import math

import numpy as np
import pytest

from conformance.generators import Draw, Structure, draw_arrays
from conformance.generators.arrangement import PERIOD, factors
from conformance.generators.collect import generate
from conformance.generators.sizes import (
    CLASSES,
    ELEMENTS,
    OF_SHORT,
    length_class,
    long_axis,
    size_class,
)
from conformance.generators.structure import expected_shape, structures
from conformance.specs import load
from tests.generators.support import CALLED, NEWEST, demanded, tensors

LARGER = 10
"""How many times larger than the limit a result may be: strides and borders multiply."""


def test_every_length_has_a_class() -> None:
    for name, lengths in CLASSES.items():
        assert {length_class(n) for n in lengths} == {name}
    assert [length_class(n) for n in (4, 6, 10, 14, 20, 130, 4096, 9999)] == [
        "2-3",
        "7-9",
        "7-9",
        "15-17",
        "15-17",
        "127-129",
        "4097-",
        "4097-",
    ]


def test_the_class_of_a_shape_is_that_of_its_longest_axis() -> None:
    shapes = [(), (1, 1), (3, 2), (2, 16, 3), (0, 4099), (4099, 1)]
    assert [size_class(s) for s in shapes] == ["1", "1", "2-6", "7-33", "0", "34-"]


def test_the_place_of_a_long_axis() -> None:
    shapes = [(6, 6), (7,), (7, 2), (2, 7), (2, 7, 2), (7, 2, 9), ()]
    places = ["none", "first", "first", "last", "inner", "last", "none"]
    assert [long_axis(s) for s in shapes] == places


@pytest.mark.parametrize("length", CLASSES)
@pytest.mark.parametrize("function", ["exp", "sum", "dot", "softmax", "concatenate", "relu"])
def test_a_length_can_be_demanded(function: str, length: str) -> None:
    name = next(iter(tensors(function)))
    structures = demanded(function, {f"{name} length": length}, 10)
    assert len(structures) > 2
    for structure in structures:
        shapes = structure.runtime.shapes[name]
        every = shapes if isinstance(shapes, list) else [shapes]
        assert length_class(min(0 if 0 in s else max(s) for s in every)) == length or length in {
            length_class(max(s)) for s in every
        }


@pytest.mark.parametrize("place", ["first", "last", "inner"])
def test_a_place_can_be_demanded(place: str) -> None:
    structures = demanded("exp", {"x length": "31-33", "x long axis": place}, 10)
    shapes = [s.program.inputs[0].shape for s in structures]
    assert len(shapes) == 10
    assert {long_axis(shape) for shape in shapes} == {place}
    assert {max(shape) for shape in shapes} <= {*CLASSES["31-33"]}


def free(function: str) -> list[Structure]:
    return generate(structures(load()[function], NEWEST), 60, 0)


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
            sizes = {size_class(i.shape) for s in free(name) for i in s.program.inputs}
            assert sizes - {*OF_SHORT}, name


def test_the_smallest_axes_come_first() -> None:
    """What a failing structure shrinks to has no long axis unless it needs one."""
    short = [s for s in free("exp") if size_class(s.program.inputs[0].shape) in OF_SHORT]
    assert len(short) > 20


def test_the_extremes_of_long_arrays_lie_at_an_end() -> None:
    structure = next(
        s
        for s in demanded("exp", {"x length": "63-65"}, 40)
        if s.program.inputs[0].dtype == "float32" and long_axis(_shapes(s)[0]) != "none"
    )
    first = -sum(structure.program.inputs[0].shape) % PERIOD
    numbers = (PERIOD + first + n for n in range(PERIOD))
    drawn, up, down = (draw_arrays(structure, Draw("ordinary", n))["x"] for n in numbers)
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
