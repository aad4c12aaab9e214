"""Twins differ from their structure in what they are told to, and in nothing else."""

from __future__ import annotations

from conformance.generators import generate, structures
from conformance.generators.twins import with_first_dtype
from conformance.program import Binding
from conformance.specs import load


def test_a_twin_has_its_dtype_also_where_a_placeholder_is_told_it() -> None:
    spec = load()["conv1d"]
    strategy = structures(spec, "keras-2.2", dtype="float64", binding=Binding.PLACEHOLDER_NONE)
    twins = [with_first_dtype(s) for s in generate(strategy, 5, 0)]
    inputs = [item for twin in twins if twin is not None for item in twin.program.inputs]
    dtypes = [dict(item.arguments or ()).get("dtype") for item in inputs]
    assert {item.dtype for item in inputs} == {"float32"}
    assert {*dtypes} == {None, "float32"}


def test_a_call_whose_other_arguments_fit_one_dtype_has_no_twin_of_another() -> None:
    """A view of 64 bits as another dtype of 64 bits; one of 32 bits has no such view."""
    strategy = structures(load()["keras.ops.view"], "keras-3", dtype="int64")
    assert [with_first_dtype(s) for s in generate(strategy, 5, 0)] == [None] * 5
