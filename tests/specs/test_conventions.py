"""Conventions: each is what something rests on, and each that is named exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import conformance
from conformance.specs import Spec, load, load_conventions
from conformance.specs.conventions import unknown

PACKAGE = Path(str(conformance.__file__)).parent
CODE = [
    path.read_text("utf-8")
    for path in PACKAGE.rglob("*.py")
    if path.relative_to(PACKAGE).parts[0] != "specs"
]
IN_CODE = {name for text in CODE for name in re.findall(r"""["']([a-z]+(?:-[a-z]+)*)["']""", text)}
"""Texts in the code that read like the name of a convention."""


def named_by(spec: Spec) -> set[str | None]:
    """The conventions that a spec names."""
    profiles = [spec.profiles, *spec.silent.values()]
    return {
        spec.arrangement,
        *(case.convention for case in spec.unsettled),
        *(error.convention for error in spec.errors),
        *(part.convention for part in spec.results),
        *(name for listed in profiles for name in listed.values()),
    }


@pytest.mark.parametrize("name", load_conventions())
def test_a_spec_a_scenario_or_the_code_names_each_convention(name: str) -> None:
    assert name in IN_CODE or any(name in named_by(spec) for spec in load().values())


def test_an_unknown_convention_is_refused_with_those_of_a_similar_name() -> None:
    assert unknown("same-paddings").partition("did you mean ")[2].startswith("same-padding")
    assert unknown("xyz").endswith("is not in conventions.yaml")
