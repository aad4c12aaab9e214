"""No call makes a result that is out of proportion to its inputs, however its tensors are made."""

from __future__ import annotations

import math

import pytest

from conformance.generators import structures
from conformance.generators.collect import generate
from conformance.generators.sizes import ELEMENTS
from conformance.generators.structure import expected_shape
from conformance.specs import load
from tests.generators.support import PAIRS, collected

PADDED = 6 * 3
"""How many times more elements zeros around an image may make of three short axes."""


@pytest.mark.parametrize(("edition", "name"), PAIRS)
def test_a_result_has_room(edition: str, name: str) -> None:
    for structure in collected(edition, name):
        if structure.error is None:
            assert math.prod(expected_shape(structure)) <= PADDED * ELEMENTS


@pytest.mark.parametrize("name", ["dot", "batch_dot"])
def test_a_product_with_itself_is_shown_and_has_room(name: str) -> None:
    alone = [s for s in collected("keras-2.2", name) if len(s.program.inputs) == 1]
    assert alone
    for structure in alone:
        assert math.prod(expected_shape(structure)) <= 4 * ELEMENTS


def test_an_operand_of_einsum_with_a_letter_twice_has_room() -> None:
    drawn = generate(structures(load()["keras.ops.einsum"], "keras-3"), 400, 0)
    operands = [i.shape for s in drawn for i in s.program.inputs]
    assert any(len(set(shape)) == 1 and max(shape) > 30 for shape in operands if len(shape) == 2)
    assert max(map(math.prod, operands)) <= 4 * ELEMENTS
