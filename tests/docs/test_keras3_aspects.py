"""The page of aspects of Keras 3 is that of the specs, and each gap has a reason."""

from __future__ import annotations

import pytest

from conformance.engine.planning.demands import demanded_aspects
from conformance.engine.planning.gaps import REASONS, gap
from conformance.results import ASPECTS, Aspect
from conformance.results.scores import CONTRACT
from conformance.scenarios import families_of
from conformance.specs import Spec, load
from conformance.specs.docstrings import examples_of, load_docstrings
from tools import aspects

SPECS = load()
OPS = {
    name: spec
    for name, spec in SPECS.items()
    if "keras-3" in spec.editions and SPECS.theme(name) != CONTRACT
}
DOCSTRINGS = load_docstrings("keras-3.15.1") or {}


@pytest.mark.thorough
def test_the_page_is_that_of_the_specs() -> None:
    assert "\n".join([*aspects.page()]) + "\n" == aspects.PAGE.read_text("utf-8")


def test_each_function_has_its_row() -> None:
    lines = aspects.PAGE.read_text("utf-8").splitlines()
    rows = [line.split("`")[1] for line in lines if line.startswith("| `")]
    assert rows == [*OPS]


def test_a_gap_has_a_reason_and_a_demand_has_none() -> None:
    for spec in OPS.values():
        demanded = demanded_aspects(spec, "keras-3")
        for aspect in ASPECTS:
            word = gap(spec, "keras-3", aspect)
            assert (word is None) is (aspect in demanded), (spec.name, aspect)
            assert word is None or word in REASONS


def with_gap(word: str, aspect: Aspect) -> list[Spec]:
    """The functions that lack an aspect for this reason."""
    specs = [spec for spec in OPS.values() if gap(spec, "keras-3", aspect) == word]
    assert specs
    return specs


def test_the_reasons_are_true() -> None:
    for spec in with_gap("several", Aspect.GRADIENT):
        assert families_of(spec.name, "keras-3")
        assert spec.dtype is None
    for spec in with_gap("steps", Aspect.GRADIENT):
        assert not spec.differentiable
    assert all(not DOCSTRINGS[s.name].examples for s in with_gap("bare", Aspect.EXAMPLE))
    for spec in with_gap("erratum", Aspect.EXAMPLE):
        assert DOCSTRINGS[spec.name].examples
        assert not examples_of("keras-3.15.1", DOCSTRINGS[spec.name])
    assert all(not DOCSTRINGS[s.name].parameters for s in with_gap("undescribed", Aspect.ERROR))
    assert all(DOCSTRINGS[s.name].parameters for s in with_gap("open", Aspect.ERROR))
