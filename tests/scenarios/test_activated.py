"""Crossentropies of keras.ops of what an activation gives: right ones, and ones that take logits.

Those of the backend's functions are among the mutants (`tests/engine/mutants/promises.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special

from conformance.scenarios.promises.activated import TARGETS
from tests.scenarios import keras_ops as ops
from tests.specs.keras3_right import HEAD, RIGHT


class Activated(np.ndarray):
    """What an activation gives, which has not forgotten what it was given."""

    logits: Any = None


def activated(values: Any, logits: Any) -> Any:
    array = np.asarray(values, logits.dtype).view(Activated)
    array.logits = logits
    return array


ACTIVATIONS: ops.Functions = {
    "softmax": lambda x, axis=-1: activated(scipy.special.softmax(x, axis), x),
    "sigmoid": lambda x: activated(scipy.special.expit(x), x),
}


def crossentropy(name: str) -> Any:
    """The right one."""
    names: dict[str, Any] = {}
    exec(HEAD + RIGHT[name], names)
    return names[name]


def of_the_logits(name: str) -> Any:
    """One that takes what the activation was given, whichever that was."""
    right = crossentropy(name)
    return lambda target, output: right(target, output.logits, from_logits=True)


@pytest.mark.parametrize("name", TARGETS)
def test_a_right_crossentropy_has_no_problem(name: str) -> None:
    scenarios = ops.scenarios(name)
    changed = {**ACTIVATIONS, name: crossentropy(name)}
    assert {part for s in scenarios for part in ACTIVATIONS if part in s.title} == {*ACTIVATIONS}
    assert not [problem for scenario in scenarios for problem in ops.problems_of(scenario, changed)]


@pytest.mark.parametrize("name", TARGETS)
def test_one_that_takes_the_logits_of_another_activation_is_found(name: str) -> None:
    changed = {**ACTIVATIONS, name: of_the_logits(name)}
    of_activations = [s for s in ops.scenarios(name) if any(a in s.title for a in ACTIVATIONS)]
    wrong = [s.title for s in of_activations if ops.problems_of(s, changed)]
    other = "softmax" if name == "binary_crossentropy" else "sigmoid"
    assert wrong
    assert all(other in title for title in wrong), "its own activation's logits give its numbers"
