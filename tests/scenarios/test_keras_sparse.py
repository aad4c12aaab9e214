"""Sparse tensors: functions that give what they give for a dense one, and wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conformance.scenarios import Problem
from conformance.scenarios.promises.keras_sparse import CALLS, FAMILIES
from tests.scenarios import keras_ops as ops
from tests.scenarios import running
from tests.scenarios.running import flat

NAMES = sorted({call.function for call in CALLS})


class Sparse(np.ndarray[Any, Any]):
    """A matrix that a backend keeps as a sparse one."""


def one_hot(x: Any, num_classes: int, sparse: bool = False) -> Any:
    rows = np.eye(num_classes, dtype="float32")[x]
    return rows.view(Sparse) if sparse else rows


def right(*args: Any, **_: Any) -> Any:
    """Some numbers of the tensors, the same for each kind of tensor."""
    return sum(np.asarray(part) for part in flat(list(args)) if isinstance(part, np.ndarray))


def is_sparse(args: Any) -> bool:
    return any(isinstance(part, Sparse) for part in flat(list(args)))


def other_numbers(*args: Any, **_: Any) -> Any:
    return right(*args) + np.float32(0.001 * is_sparse(args))


def other_shape(*args: Any, **_: Any) -> Any:
    return right(*args)[None] if is_sparse(args) else right(*args)


def other_dtype(*args: Any, **_: Any) -> Any:
    return right(*args).astype("float64") if is_sparse(args) else right(*args)


def problems(name: str, function: Callable[..., Any]) -> list[list[Problem]]:
    changed = {"one_hot": one_hot, name: function}
    scenarios = ops.scenarios_in(FAMILIES, name)
    assert scenarios
    return [ops.problems_of(scenario, changed) for scenario in scenarios]


@pytest.mark.parametrize("name", NAMES)
def test_the_numbers_are_those_of_the_dense_tensor(name: str) -> None:
    assert not any(problems(name, right))
    for wrong in (other_numbers, other_shape, other_dtype):
        assert all(problems(name, wrong))


def test_a_refusal_of_sparse_tensors_is_a_reading() -> None:
    (scenario,) = ops.scenarios_in(FAMILIES, "abs")
    check = next(check for check in scenario.checks if check.name == "taken")
    (alternative,) = check.alternatives
    for text, is_taken in (("returns", True), ("raises ValueError Exception", False)):
        assert (running.tested(check, text) is None) is is_taken
        assert (alternative.test((running.value(text),)) is None) is not is_taken


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_static_shape_is_a_problem_of_its_own(name: str) -> None:
    for of_call in problems(name, other_shape):
        assert {problem.detail for problem in of_call} == {"value", "shape"}
