"""Calls of scenarios that the implementation compiles."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis.strategies import SearchStrategy

import conformance.reference as K  # noqa: N812
from conformance.engine.judging.findings import Finding
from conformance.generators.compiled import COMPILED
from conformance.results import Verdict
from conformance.scenarios import Scenario, families_of
from tests.scenarios.in_process import drawn, findings, module

FUNCTION = "keras.ops.squeeze"


def _compiled() -> list[Scenario]:
    made = [family.make("keras-3") for family in families_of(FUNCTION, "keras-3")]
    scenarios = (s for one in made if isinstance(one, SearchStrategy) for s in drawn(one, 10))
    return [s for s in scenarios if any(step.function == COMPILED for step in s.program.steps)]


def _found(compiled: Callable[..., Any]) -> list[Finding]:
    """What the compiled calls find in a module that compiles so."""
    target: SimpleNamespace = module(compiled=compiled)
    return [finding for scenario in _compiled() for finding in findings(scenario, target)]


def _right(name: str, whole: bool, x: Any, **options: Any) -> Any:
    assert name == FUNCTION
    assert isinstance(whole, bool)
    return np.squeeze(K.eval(x), **options)


def test_a_right_compiled_call_is_not_told() -> None:
    assert len(_compiled()) > 3
    assert not _found(_right)


def test_a_wrong_compiled_call_contradicts_what_the_call_gives() -> None:
    found = _found(lambda *args, **options: -_right(*args, **options))
    assert {f.verdict for f in found} == {Verdict.VIOLATES}


@pytest.mark.parametrize("error", [NotImplementedError, TypeError])
def test_a_call_that_is_not_compiled_is_refused(error: type[Exception]) -> None:
    def compiled(*args: Any, **options: Any) -> Any:
        raise error("nothing is compiled here")

    found = _found(compiled)
    assert found
    assert all(f.verdict is not Verdict.VIOLATES for f in found)
