"""A failing call is shown as a user types it: no argument that repeats a default, eager tensors."""

from __future__ import annotations

import pytest

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import described
from conformance.engine.verdicts.plain_calls import plainer
from conformance.generators import Draw
from conformance.generators.compiled import compiled
from conformance.generators.complex_numbers import call_of
from conformance.program import Binding, Layout
from conformance.specs.convention_names import ConventionName
from tests.engine.keras_calls import prepared

SYMBOLIC = {Binding.PLACEHOLDER, Binding.PLACEHOLDER_NONE}
DEFAULTS = ("keepdims=False", "axis=None", "dtype=None", "data_format=None", "x=x")


@pytest.mark.parametrize("name", ["sum", "nanmean", "image.resize", "std", "one_hot", "irfft"])
def test_the_plainest_call_repeats_no_default_and_is_eager(name: str) -> None:
    shortened = 0
    for call in prepared(name):
        for form in plainer(CallTrial(call)):
            words = described(form.prepared)
            assert not any(text in words for text in DEFAULTS)
            shortened += len(words) < len(described(call))
        plainest = next(plainer(CallTrial(call)), None)
        if plainest is not None and call.structure.error is None:
            bindings = {item.binding for item in plainest.prepared.structure.program.inputs}
            assert bindings.isdisjoint(SYMBOLIC)
    assert shortened


@pytest.mark.parametrize("name", ["sum", "linspace", "image.resize", "moments", "conv", "cumsum"])
def test_the_expectation_stays(name: str) -> None:
    for call in prepared(name)[:40]:
        for form in plainer(CallTrial(call)):
            assert form.prepared.shape == call.shape
            assert form.prepared.dtypes == call.dtypes
            assert form.prepared.arrays == call.arrays
            assert {*form.unsettled} <= {*call.structure.unsettled}


def test_what_every_call_needs_comes_by_position() -> None:
    for call in prepared("moments"):
        for form in plainer(CallTrial(call)):
            step = call_of(form.prepared.structure.program)
            assert len(step.args) == 2
            assert {name for name, _ in step.kwargs} <= {"keepdims", "synchronized"}


def test_the_plainest_form_has_no_plainer_one() -> None:
    plainest = [next(plainer(CallTrial(call)), None) for call in prepared("relu")]
    forms = [form for form in plainest if form is not None]
    assert forms
    assert not [other for form in forms for other in plainer(form)]


@pytest.mark.parametrize("whole", [True, False, ["x"]])
def test_a_compiled_call_is_first_computed_at_once(whole: bool | list[str]) -> None:
    calls = (compiled(call.structure, whole=whole) for call in prepared("relu"))
    structures = [call for call in calls if call is not None]
    assert structures
    for structure in structures:
        forms = [*plainer(CallTrial(Prepared(structure, [Draw("ordinary", 0)])))]
        plain, *others = (described(form.prepared) for form in forms)
        assert plain.startswith("keras.ops.relu(")
        assert ConventionName.COMPILED_CALL not in forms[0].unsettled
        compiled_again = [words for words in others if words.startswith("compiled keras.ops.relu(")]
        odd = _layouts(Prepared(structure, [])) != {Layout.C}
        assert len(compiled_again) == (odd if whole is False else isinstance(whole, list))


def test_an_array_lies_in_memory_row_by_row_if_the_fault_allows_it() -> None:
    odd = [call for call in prepared("relu") if _layouts(call) != {Layout.C}]
    assert odd
    for call in odd:
        assert _layouts(next(plainer(CallTrial(call))).prepared) == {Layout.C}


def _layouts(call: Prepared) -> set[Layout]:
    return {item.layout for item in call.structure.program.inputs}
