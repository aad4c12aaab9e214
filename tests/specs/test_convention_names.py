"""The conventions that code names: each is in `conventions.yaml`, and none is a bare string."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

import conformance
from conformance.specs import load_conventions
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

PACKAGE = Path(conformance.__file__).parent
HOME = "specs/convention_names.py"
OTHER_MEANINGS: Mapping[str, set[str]] = {
    "adapters/worker/": {"parameters"},
    "cli/": {"accuracy", "parameters", "seed"},
    "engine/judging/cases.py": {"subnormal"},
    "engine/planning/profiles.py": {"extremes", "subnormal"},
    "engine/planning/spec_faults.py": {"accuracy", "differentiable", "parameters"},
    "generators/exhaustive.py": {"extremes", "subnormal"},
    "generators/kinds.py": {"empty"},
    "generators/structure.py": {"extremes", "subnormal"},
    "generators/values.py": {"extremes", "subnormal"},
    "mutation/": {"nearest", "seed"},
    "program/": {"parameters"},
    "pytest_plugin.py": {"seed"},
    "reference/": {"nearest", "seed"},
    "reporting/": {"accuracy", "seed"},
    "generators/drawers/between.py": {"nearest"},
    "oracle/keras_ops/casting.py": {"empty"},
    "oracle/keras_ops/sums.py": {"nearest"},
    "scenarios/control_flow/recurrent.py": {"seed"},
    "generators/drawers/resampling.py": {"nearest"},
    "oracle/keras_ops/resampling.py": {"nearest"},
    "oracle/keras_ops/resizing.py": {"nearest"},
    "results/": {"accuracy", "purity", "seed"},
    "scenarios/model.py": {"accuracy"},
    "scenarios/randomness/edge_seeds.py": {"seed"},
    "scenarios/promises/keras_numbers.py": {"nearest"},
    "scenarios/randomness/elastic.py": {"nearest", "seed"},
    "scenarios/randomness/keras_random.py": {"seed"},
    "scenarios/randomness/random_tensors.py": {"seed"},
    "specs/": {"accuracy", "parameters", "purity", "seed", "subnormal"},
}
"""Words that are something else in a module, or in a package: aspects, value profiles, fields,
arguments and functions."""


@cache
def tree_of(path: str) -> ast.Module:
    """A module of the package, by its path in it."""
    return ast.parse((PACKAGE / path).read_text("utf-8"))


def bare(tree: ast.Module) -> set[str]:
    """The conventions whose names are strings in a module."""
    constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    strings = {value for value in constants if isinstance(value, str)}
    return strings & set(load_conventions())


def named(tree: ast.Module) -> set[str]:
    """The members of `ConventionName` that a module uses."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "ConventionName"
    }


MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))
OTHERS = [path for path in MODULES if path != HOME]


@pytest.mark.parametrize("member", ConventionName)
def test_each_member_is_a_convention(member: ConventionName) -> None:
    assert member.value in load_conventions()
    assert member.name == member.value.upper().replace("-", "_")


def test_members_are_texts_like_others() -> None:
    assert f"{ConventionName.SCALAR}" == "scalar"
    assert sorted(["z", ConventionName.EMPTY, "a"]) == ["a", "empty", "z"]
    assert {"empty"} == {ConventionName.EMPTY}


def test_each_member_is_used() -> None:
    used = set().union(*(named(tree_of(path)) for path in OTHERS))
    assert [m.name for m in ConventionName if m.name not in used] == []


@pytest.mark.parametrize("path", OTHERS)
def test_no_convention_is_a_bare_string(path: str) -> None:
    allowed = (words for place, words in OTHER_MEANINGS.items() if path.startswith(place))
    assert bare(tree_of(path)) <= set().union(*allowed)


@pytest.mark.parametrize("place", OTHER_MEANINGS)
def test_each_other_meaning_is_met(place: str) -> None:
    met = (bare(tree_of(path)) for path in OTHERS if path.startswith(place))
    assert set().union(*met) == OTHER_MEANINGS[place]


def test_a_bare_string_is_found() -> None:
    tree = ast.parse("def f(x):\n    return ('scalar',) if x else ConventionName.EMPTY")
    assert bare(tree) == {"scalar"}
    assert named(tree) == {"EMPTY"}


@pytest.mark.parametrize(
    ("shape", "dtype", "rests"),
    [
        ((2, 3), "float32", ()),
        ((2, None), "float64", ()),
        ((), "float32", ("scalar",)),
        ((2, 0), "float64", ("empty",)),
        ((1,), "int32", ("input-dtype",)),
        ((), "bool", ("input-dtype", "scalar")),
        ((0, 1), "float16", ("empty", "input-dtype")),
    ],
)
def test_what_is_unsettled_of_a_tensor(
    shape: tuple[int | None, ...], dtype: str, rests: tuple[str, ...]
) -> None:
    assert unsettled_of(shape, dtype) == rests


def test_what_is_unsettled_depends_on_the_documented_dtypes() -> None:
    assert unsettled_of((2,), "float64", documented=("float32",)) == ("input-dtype",)
    assert unsettled_of((2,), "int32", documented=("int32",)) == ()
