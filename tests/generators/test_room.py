"""No call makes a result that is out of proportion to its inputs, however its tensors are made."""

from __future__ import annotations

import math

import pytest

from conformance.generators.sizes import ELEMENTS
from conformance.generators.structure import expected_shape
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
