"""Arguments whose meaning may depend on each other stand beside each other in settled calls."""

from __future__ import annotations

import pytest

from conformance.generators.collect import collect_all, key
from conformance.generators.coverage.pairs import Pair, pairs, telling
from conformance.generators.forms import ABSENT, form
from conformance.program import Argument
from conformance.specs import kinds, load
from tests.generators.support import CALLED, collected, everything, task

REDUCTIONS = ["sum", "max", "min", "prod", "mean", "var", "std", "any", "all", "logsumexp"]


def told(name: str) -> set[Pair]:
    """The pairs in calls that show how an argument is understood."""
    found = everything(name)
    return {pair for place in telling(found) for pair in pairs(found[place])}


def test_every_reduction_with_a_switch_is_looked_at() -> None:
    rules = {name: load()[name].parameters for name in CALLED}
    axes = [n for n, its in rules.items() if isinstance(its.get("axis"), kinds.Axes)]
    assert {n for n in axes if "keepdims" in rules[n]} == {*REDUCTIONS}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_keepdims_stands_beside_every_form_of_axis(name: str) -> None:
    wanted = {
        (("axis", axis), ("keepdims", keepdims))
        for axis in (ABSENT, "zero", "positive")
        for keepdims in (ABSENT, "False", "True")
    }
    assert wanted - told(name) == set()


def test_what_tells_something_is_settled_and_not_empty() -> None:
    found = everything("sum")
    for place in telling(found):
        assert not found[place].unsettled
        assert all(0 not in i.shape for i in found[place].program.inputs)
        assert max(sum(d > 1 for d in i.shape) for i in found[place].program.inputs) > 1


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
    again = collect_all(mine.spec, "keras-2.2", mine.profile.structures, mine.own_seed)
    assert [key(s) for s in again] == [key(s) for s in collected("keras-2.2", "std")]
