"""The registration of families, and the records of which scenarios are made."""

from __future__ import annotations

import importlib
import pkgutil
import re
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest

from conformance import scenarios
from conformance.engine import PROFILES
from conformance.scenarios import Check, Family, Problem, Scenario, families_of
from conformance.scenarios.families import FAMILIES
from conformance.specs import EDITIONS, load

PAGE = (Path(__file__).parents[2] / "docs" / "scenarios.md").read_text("utf-8")

POSITIONAL = {
    Check: ["name", "aspect"],
    Family: ["function", "aspects"],
    Problem: ["gives", "detail"],
    Scenario: ["function", "title"],
}


def rooms() -> list[ModuleType]:
    """Every module that offers families, but for the one that registers them."""
    packages = pkgutil.walk_packages(scenarios.__path__, f"{scenarios.__name__}.")
    modules = [importlib.import_module(module.name) for module in packages]
    return [m for m in modules if hasattr(m, "FAMILIES") and m.__name__.count(".") > 2]


def test_every_family_is_registered_once() -> None:
    offered = [family for module in rooms() for family in module.FAMILIES]
    assert len(rooms()) > 15
    assert len({*map(id, FAMILIES)}) == len(FAMILIES) == len(offered)
    assert {*map(id, offered)} == {*map(id, FAMILIES)}


def test_a_family_is_found_by_its_function_in_its_editions_only() -> None:
    for family in FAMILIES:
        for edition in EDITIONS:
            assert (family in families_of(family.function, edition)) is (edition in family.editions)


def test_a_family_is_of_a_documented_function() -> None:
    assert {family.function for family in FAMILIES} <= set(load())


@pytest.mark.parametrize("record", POSITIONAL, ids=lambda record: record.__name__)
def test_records_take_keywords_after_their_first_two_fields(record: type) -> None:
    assert [f.name for f in fields(record) if not f.kw_only] == POSITIONAL[record]


def test_the_page_has_every_folder() -> None:
    folder = Path(scenarios.__file__).parent
    folders = {path.parent.name for path in folder.glob("*/__init__.py")}
    table = PAGE.partition("## Folders")[2].partition("\n## ")[0]
    assert {*re.findall(r"^\| `(\w+)/`", table, re.MULTILINE)} == folders


def test_the_page_has_the_figures_of_the_profiles() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE)
    figures = {name: (int(drawn), int(started)) for name, drawn, started in rows}
    assert figures == {name: (p.scenarios, p.setups) for name, p in PROFILES.items()}
