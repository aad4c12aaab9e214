"""Calls of scenarios that the implementation compiles."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812
from conformance.engine.judging.findings import Finding
from conformance.program.model import COMPILED
from conformance.results import Verdict
from conformance.scenarios import Scenario
from conformance.scenarios.checks import is_array
from conformance.scenarios.model import KERAS_3_DOCUMENT
from conformance.scenarios.recorder import Recorder
from conformance.specs.convention_names import ConventionName
from tests.scenarios.in_process import findings, module

FUNCTION = "keras.ops.unique"
ELEMENTS = np.array([3, 1, 3], "float32")


def _compiled() -> list[Scenario]:
    return [_compiled_call(whole) for whole in (True, False)]


def _compiled_call(whole: bool) -> Scenario:
    K = Recorder(FUNCTION, "keras-3", "tensors, compiled")
    x = K.constant(K.array("x", ELEMENTS), dtype="float32")
    values = K[COMPILED](FUNCTION, whole, x).output("values")
    K.conventions = (ConventionName.COMPILED_CALL,)
    right = np.unique(ELEMENTS)
    K.expect("the results", values, is_array(right), "each once", at={KERAS_3_DOCUMENT: "Args"})
    return K.scenario()


def _findings(compiled: Callable[..., Any]) -> list[Finding]:
    """What the compiled calls find in a module that compiles so."""
    target: SimpleNamespace = module(compiled=compiled)
    return [finding for scenario in _compiled() for finding in findings(scenario, target)]


def _right(name: str, whole: bool, x: Any, **options: Any) -> Any:
    assert name == FUNCTION
    assert isinstance(whole, bool)
    assert not options
    return np.unique(K.eval(x))


def test_a_right_compiled_call_is_not_told() -> None:
    assert not _findings(_right)


def test_a_wrong_compiled_call_contradicts_what_the_call_gives() -> None:
    problems = _findings(lambda *args, **options: np.full(3, 99.0))
    assert Verdict.VIOLATES in {f.verdict for f in problems}


@pytest.mark.parametrize("error", [NotImplementedError, TypeError])
def test_a_call_that_is_not_compiled_is_refused(error: type[Exception]) -> None:
    def compiled(*args: Any, **options: Any) -> Any:
        raise error("nothing is compiled here")

    problems = _findings(compiled)
    assert problems
    assert all(f.verdict is not Verdict.VIOLATES for f in problems)
