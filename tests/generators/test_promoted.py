"""Tensors of different dtypes in one call: which, with what numbers, and what may come of them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
from msgspec.structs import replace

from conformance.editions import Edition
from conformance.generators import Draw, Structure
from conformance.generators.coverage.rows import covering_array
from conformance.generators.defaults import mixtures
from conformance.generators.drawing import Drawn, seeded
from conformance.generators.gradients import differentiated
from conformance.generators.structure import accepted_dtypes, made
from conformance.generators.tensors import orders
from conformance.generators.values import draw_arrays
from conformance.specs import load
from conformance.specs.convention_names import ConventionName
from conformance.specs.model import Dtypes
from tests.generators.support import task


def mixed(function: str, edition: Edition = "keras-3") -> Iterator[Structure]:
    for seed in range(400):
        drawn = seeded(lambda c: made(c, load()[function], edition), Random(seed))
        if isinstance(drawn, Drawn) and ConventionName.MIXED_DTYPES in drawn.value.unsettled:
            yield drawn.value


def dtypes(structure: Structure) -> set[str]:
    return {item.dtype for item in structure.program.inputs}


@pytest.mark.parametrize("function", ["keras.ops.add", "keras.ops.stack", "keras.ops.outer"])
def test_integers_stand_beside_floats_and_floats_come_of_them(function: str) -> None:
    structures = [*mixed(function)]
    assert {"int32", "float32"} in map(dtypes, structures)
    assert {"float32", "float64"} in map(dtypes, structures)
    assert {"float16", "bfloat16", "bool", "int8"} <= set.union(*map(dtypes, structures))
    order = ("bool", "int8", "int32", "bfloat16", "float16", "float32", "float64")
    for structure in structures:
        both = dtypes(structure)
        widest = "float32" if both == {"bfloat16", "float16"} else max(both, key=order.index)
        assert accepted_dtypes(structure) == [widest]


def test_a_plan_is_to_show_each_pair_of_dtypes_that_people_mix() -> None:
    pairs = [*orders(mixtures(load()["keras.ops.add"], "keras-3"))]
    assert len(pairs) == len({*pairs}) == 14
    assert {("int32", "float64"), ("float64", "int32"), ("float32", "bool")} <= {*pairs}
    assert {("int32", "float16"), ("float32", "bfloat16"), ("float32", "int8")} <= {*pairs}
    assert [*orders(("float32", "float64"))] == [("float32", "float64"), ("float64", "float32")]


def test_conditions_are_no_numbers() -> None:
    assert "bool" not in mixtures(load()["keras.ops.select"], "keras-3")


def test_integers_beside_a_short_float_are_numbers_of_it() -> None:
    for structure in mixed("keras.ops.add"):
        if dtypes(structure) == {"int32", "bfloat16"}:
            arrays = draw_arrays(structure, Draw("wide", 1)).values()
            assert all(np.abs(a).max(initial=0) <= 2**8 for a in arrays if a.dtype.kind == "i")


def test_what_takes_floats_alone_gets_no_integers() -> None:
    spec = load()["keras.ops.conv"]
    assert "int32" in mixtures(spec, "keras-3")
    floats = replace(spec, dtypes=Dtypes(probed=[]))
    assert mixtures(floats, "keras-3") == ("float32", "float64")


def test_an_integer_that_a_function_has_only_beside_floats_is_in_no_call_alone() -> None:
    assert {"int32", "float32"} in [dtypes(s) for s in mixed("keras.ops.power")]
    calls = (
        seeded(lambda c: made(c, load()["keras.ops.power"], "keras-3"), Random(seed))
        for seed in range(200)
    )
    assert not [c for c in calls if isinstance(c, Drawn) and dtypes(c.value) == {"int32"}]


def test_other_editions_mix_floats_alone() -> None:
    assert {frozenset(dtypes(s)) for s in mixed("maximum", "keras-2.2")} == {
        frozenset({"float32", "float64"})
    }


def test_the_numbers_are_the_same_in_each_of_the_dtypes() -> None:
    for structure in mixed("keras.ops.add"):
        for array in draw_arrays(structure, Draw("large", 3)).values():
            narrow = array.astype("float32").astype(array.dtype)
            same = (narrow == array) | ~np.isfinite(narrow.astype(float))
            assert same.all()


@pytest.mark.parametrize("function", ["keras.ops.add", "keras.ops.hstack"])
def test_a_plan_shows_each_dtype_before_and_after_each_other(function: str) -> None:
    """Which of two comes first decides whose a promotion is; by chance one call in many mixes."""
    mine = task("keras-3", function)
    draws = covering_array(mine.spec, "keras-3", mine.profile.extents, mine.own_seed).kept
    shown = {
        tuple(dict.fromkeys(item.dtype for item in drawn.value.program.inputs))
        for drawn in draws
        if ConventionName.MIXED_DTYPES in drawn.value.unsettled
    }
    assert shown >= {*orders(mixtures(mine.spec, "keras-3"))}


@pytest.mark.parametrize("function", ["keras.ops.hstack", "keras.ops.add"])
def test_no_gradient_is_asked_of_a_call_of_two_dtypes(function: str) -> None:
    """It may be refused, and an integer has none."""
    structures = [*mixed(function)]
    assert structures
    assert not [structure for structure in structures if differentiated(structure)]
