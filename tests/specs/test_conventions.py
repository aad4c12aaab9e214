"""Conventions: each is what something rests on, and each that is named exists."""

from __future__ import annotations

import pytest

from conformance.specs import Spec, load, load_conventions
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import unknown

IN_CODE = set(ConventionName)
"""Each is used by a module, to which `test_convention_names` holds them."""


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
