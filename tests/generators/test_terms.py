"""Which axes are the terms of a sum, and that the plan shows long ones and every known pattern."""

from __future__ import annotations

import math

import pytest

from conformance.generators.coverage.classes import classes_of
from conformance.generators.coverage.items import ANY, levels
from conformance.generators.coverage.rare import patterns_of
from conformance.generators.coverage.terms import long_axes_of, terms_class
from conformance.generators.sizes import length_class
from conformance.generators.structure import Structure, expected_shape
from conformance.specs import kinds, load
from tests.generators.support import everything

SUMMED = ["sum", "cumsum", "logsumexp", "dot", "batch_dot", "normalize_batch_in_training"]
NOT_SUMMED = ["equal", "maximum", "squeeze", "expand_dims", "stack", "relu"]
PATTERNS = {1: ["none"], 2: ["none", "n?", "?n"], 4: ["none", "n?n?", "?nnn"]}


@pytest.mark.parametrize("name", SUMMED)
def test_sums_are_tried_with_a_long_axis(name: str) -> None:
    assert [long for long in long_axes_of(load()[name]) if long.place is None]


@pytest.mark.parametrize("name", NOT_SUMMED)
def test_what_takes_no_terms_together_has_no_long_sum(name: str) -> None:
    assert not [long for long in long_axes_of(load()[name]) if long.place is None]
    assert {terms_class(structure) for structure in everything(name)} == {None}


def contracted(structure: Structure) -> int:
    """The length that a batch-wise product sums over, told from the elements of all three: each of
    x and y has it once for each sample, and the result not at all."""
    x, y = (structure.runtime.shapes[name] for name in ("x", "y"))
    result = math.prod(expected_shape(structure))
    return math.isqrt(math.prod(x) * math.prod(y) // (x[0] * result))


def test_the_terms_of_a_batch_wise_product_are_those_of_its_contracted_axis() -> None:
    filled = [s for s in everything("batch_dot") if levels(s)[0] > ANY]
    sizes = [(terms_class(s), length_class(contracted(s))) for s in filled]
    assert [mine for mine, _ in sizes] == [its for _, its in sizes]
    assert "4097-" in {mine for mine, _ in sizes}


def test_the_terms_of_a_product_are_those_of_the_last_axis() -> None:
    for structure in everything("dot"):
        assert terms_class(structure) == length_class(structure.runtime.shapes["x"][-1])


@pytest.mark.parametrize("rank", PATTERNS)
def test_every_combination_of_known_dimensions_is_listed(rank: int) -> None:
    patterns = patterns_of(kinds.TensorKind(ranks=(rank, rank)))
    assert {*PATTERNS[rank]} <= {*patterns}
    assert len(patterns) == len({*patterns}) == max(1, 2**rank - 1)


@pytest.mark.parametrize("name", ["relu", "sum", "transpose", "sign", "reshape"])
def test_a_plan_shows_every_combination_of_known_dimensions(name: str) -> None:
    shown = {classes_of(structure).get("x known") for structure in everything(name)}
    assert {*patterns_of(load()[name].parameters["x"])} <= shown
