"""The plan shows every two classes of features together that a settled call can have."""

from __future__ import annotations

import pytest

from conformance.engine import PROFILES
from conformance.generators.collect import key
from conformance.generators.coverage.classes import classes_of
from conformance.generators.coverage.items import SETTLED, Item, apart, levels
from conformance.generators.coverage.rows import covering_array
from conformance.generators.coverage.table import lacking, table
from conformance.generators.forms import ABSENT, form
from conformance.program import Argument
from conformance.specs import kinds, load
from tests.generators.support import CALLED, collected, everything, task

REDUCTIONS = ["sum", "max", "min", "prod", "mean", "var", "std", "any", "all", "logsumexp"]


def pairs_of(name: str) -> set[frozenset[tuple[str, str]]]:
    """The pairs in calls that the documents settle."""
    settled = [s for s in everything(name) if levels(s)[0] == SETTLED]
    return {
        frozenset((first, other))
        for structure in settled
        for first in classes_of(structure).items()
        for other in classes_of(structure).items()
    }


def test_every_reduction_with_a_switch_is_looked_at() -> None:
    rules = {name: load()[name].parameters for name in CALLED}
    axes = [n for n, its in rules.items() if isinstance(its.get("axis"), kinds.Axes)]
    assert {n for n in axes if "keepdims" in rules[n]} == {*REDUCTIONS}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_keepdims_stands_beside_every_form_of_axis(name: str) -> None:
    forms = (("axis", ABSENT), *(("axis written", form) for form in ("zero", "positive")))
    expected = {
        frozenset((form, ("keepdims", keepdims)))
        for form in forms
        for keepdims in (ABSENT, "False", "True")
    }
    assert expected - pairs_of(name) == set()


@pytest.mark.parametrize(
    ("rule", "value", "expected"),
    [
        (kinds.Boolean(), True, "True"),
        (kinds.Axes(of="x"), None, "None"),
        (kinds.Axes(of="x"), 0, "zero"),
        (kinds.Axes(of="x"), -2, "negative"),
        (kinds.Axes(of="x"), [1], "list of one"),
        (kinds.Axes(of="x"), (1, -1), "tuple of several and a negative one"),
        (kinds.Axes(of="x"), [], "list of nothing"),
        (kinds.Literals(values=["a"]), "a", "'a'"),
        (kinds.Real(range=(0, 1)), 0.5, "positive"),
    ],
)
def test_form(rule: kinds.ParameterRule, value: Argument, expected: str) -> None:
    assert form(rule, value) == expected


def test_structures_do_not_depend_on_what_was_made_before() -> None:
    mine = task("keras-2.2", "std")
    again = covering_array(mine.spec, "keras-2.2", mine.profile.extents, mine.own_seed).kept
    assert [key(d.value) for d in again] == [key(s) for s in collected("keras-2.2", "std")]


def test_a_smaller_plan_is_the_beginning_of_a_greater_one() -> None:
    mine = task("keras-2.2", "conv2d")
    few = covering_array(mine.spec, "keras-2.2", PROFILES["smoke"].extents, mine.own_seed).kept
    assert [key(draw.value) for draw in few] == [key(s) for s in everything("conv2d")[:5]]


def lacks(name: str) -> list[Item]:
    """What a sample shows, and the plan does not."""
    mine = task("keras-2.2", name)
    array = covering_array(mine.spec, "keras-2.2", mine.profile.extents, mine.own_seed)
    assert table(array).missing == ()
    return lacking(array, mine.own_seed)


@pytest.mark.parametrize("name", ["abs", "dot", "categorical_crossentropy"])
def test_the_plan_lacks_nothing_that_a_sample_shows(name: str) -> None:
    assert lacks(name) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLED)
def test_no_plan_lacks_what_a_sample_shows(name: str) -> None:
    assert lacks(name) == []


def test_features_that_stand_apart() -> None:
    assert apart("x rank", "axis") is None
    assert apart("x rank", "y rank") is None
    assert apart("x size", "y size") is not None
    assert apart("dtype of tensors", "x long axis") is not None
    assert apart("x long axis", "dtype of tensors") is not None
