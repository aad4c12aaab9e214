"""Compiled calls: of the backend's tensors alone, and of what documents settle."""

from __future__ import annotations

import pytest

from conformance.generators import generate, structures
from conformance.generators.compiled import compiled
from conformance.generators.twins import rebound
from conformance.program import Binding
from conformance.specs import load

SPECS = load()
MADE = {
    name: [*generate(structures(SPECS[name], "keras-3"), 60, 0)]
    for name in ("keras.ops.dot", "keras.ops.concatenate", "keras.ops.erf")
}


@pytest.mark.parametrize("name", MADE)
def test_it_is_the_same_call_of_tensors(name: str) -> None:
    pairs = [(s, c) for s in MADE[name] if (c := compiled(s, whole=True)) is not None]
    assert pairs
    for structure, twin in pairs:
        (before, *_), (after, *_) = structure.program.steps, twin.program.steps
        assert (after.function, *after.args[:2]) == ("compiled", name, True)
        assert (after.args[2:], after.kwargs) == (before.args, before.kwargs)
        assert {i.binding for i in twin.program.inputs} == {Binding.CONSTANT}
        assert twin.unsettled == ("compiled-call",)
        assert [*rebound(twin)] == []


@pytest.mark.parametrize("name", MADE)
def test_what_else_a_call_rests_on_is_not_compiled(name: str) -> None:
    inputs = {"variable-input", "array-input", "python-input"}
    for structure in MADE[name]:
        rests = {*structure.unsettled} - inputs
        dtypes = {*structure.runtime.dtypes.values()}
        settled = not rests and dtypes == {"float32"}
        assert (compiled(structure, whole=False) is not None) is settled


def test_constants_of_zeros_have_nothing_to_compile() -> None:
    for structure in generate(structures(SPECS["keras.ops.ones"], "keras-3"), 3, 0):
        assert compiled(structure, whole=False) is None
