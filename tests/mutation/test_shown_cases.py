"""What is shown of planted errors is a case of the plan, and right without the error.

A few errors; `python -m tools.shown_cases` looks at many.
"""

from __future__ import annotations

import numpy as np
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from conformance.adapters.registry import shipped
from conformance.engine.verdicts.origins import pack
from tools.shown_cases import Showing, ShownMutant, of_wrappers, statuses

FUNCTIONS = ("sqrt", "softmax", "gather", "categorical_crossentropy", "max", "batch_dot")
SAMPLE = 8


@pytest.fixture(scope="module")
def cases() -> list[ShownMutant]:
    """What is shown of a few errors in the reference."""
    target = shipped()["reference"]
    showing = Showing(target)
    planted, _ = of_wrappers(target, SAMPLE, 0, lambda name: name in FUNCTIONS)
    shown = [case for mutant in planted for case in showing.cases(mutant)]
    assert showing.run == SAMPLE
    return shown


def test_each_case_is_one_of_the_plan(cases: list[ShownMutant]) -> None:
    assert cases
    assert [case for case in cases if case.unfair] == []


def test_each_script_ends_well_without_the_error(cases: list[ShownMutant]) -> None:
    scripts = [str(case.failure.script) for case in cases]
    ended = statuses(shipped()["reference"], scripts)
    assert [status for status, _ in ended] == [0] * len(scripts), ended


def test_numbers_outside_of_a_domain_are_not_fair() -> None:
    target = shipped()["reference"]
    showing = Showing(target)
    planted, _ = of_wrappers(target, 100, 0, lambda name: name == "sqrt")
    scaled = next(mutant for mutant in planted if mutant.name == "sqrt: scaled")
    for case in showing.cases(scaled):
        origin = case.failure.origin
        if origin is not UNSET and origin.arrays:
            numbers = {n: pack(-np.ones(_shape(case, n), "float32")) for n in origin.arrays}
            outside = replace(case.failure, origin=replace(origin, arrays=numbers))
            assert "not drawn" in showing.unfair("sqrt", outside)
            return
    pytest.fail("no case has simpler numbers")


def _shape(case: ShownMutant, name: str) -> list[int]:
    assert case.failure.inputs is not None
    return list(case.failure.inputs[name].shape)
