"""A report says the same in every run: samples have seeds, or what is said has no figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis.strategies import SearchStrategy

from conformance.program import Function, Step
from conformance.results import Aspect
from conformance.scenarios import Family, Problem, Scenario, families_of
from conformance.scenarios.randomness import chance, random_tensors, statistics
from conformance.scenarios.randomness.chance import ByChance
from tests.scenarios.in_process import drawn
from tests.scenarios.test_randomness import FUNCTIONS, failures

NOT_SEEDED = {"a tensor evaluated twice", "a function called twice"}
"""Scenarios about what comes without a seed; they say that two samples are equal, or nothing."""


def drawing(scenario: Scenario) -> list[Step]:
    """The steps that draw numbers, in callables too."""
    arguments = [a for s in scenario.program.steps for a in (*s.args, *dict(s.kwargs).values())]
    inner = [step for a in arguments if isinstance(a, Function) for step in a.steps]
    every = (*scenario.program.steps, *inner)
    return [step for step in every if step.function in FUNCTIONS]


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if not f.endswith("_variable")])
def test_every_sample_has_a_seed(function: str) -> None:
    for scenario in (s for f in families_of(function, "keras-2.2") for s in some(f)):
        refused = any(c.aspect is Aspect.ERROR for c in scenario.checks)
        if scenario.title in NOT_SEEDED or refused:
            continue
        for step in drawing(scenario):
            seeded = "seed" in dict(step.kwargs) or random_tensors.SEED in step.args
            assert seeded, (scenario.title, step)


def some(family: Family) -> Iterable[Scenario]:
    """All scenarios of a family, or the first that are drawn."""
    scenarios = family.make("keras-2.2")
    return drawn(scenarios, 5) if isinstance(scenarios, SearchStrategy) else scenarios


SAID: dict[str, Callable[[np.random.Generator], Any]] = {
    "another mean": lambda g: g.normal(0.0, 2.0, random_tensors.SAMPLE),
    "another spread": lambda g: g.normal(1.0, 3.0, random_tensors.SAMPLE),
    "another law": lambda g: g.uniform(
        1 - 2 * np.sqrt(3), 1 + 2 * np.sqrt(3), random_tensors.SAMPLE
    ),
    "out of range": lambda g: g.normal(1e5, 2.0, random_tensors.SAMPLE),
    "in pairs": lambda g: np.repeat(g.normal(1.0, 2.0, random_tensors.SAMPLE), 2).reshape(400, -1),
    "another shape": lambda g: g.normal(1.0, 2.0, (2, 3)).astype("int32"),
}


@pytest.mark.parametrize("what", SAID)
def test_what_is_said_of_a_variable_has_no_figures(what: str) -> None:
    samples = [SAID[what](np.random.default_rng(seed)) for seed in (1, 2)]
    first, other = (failures("random_normal_variable", sample) for sample in samples)
    assert first
    assert [shown(p) for p in first.values()] == [shown(p) for p in other.values()]
    assert all(p.got is None and p.expected is None for p in first.values())


def shown(problem: Problem) -> tuple[str, str, tuple[str, ...]]:
    """What a report has of a problem."""
    return (problem.gives, problem.detail, problem.conventions)


def test_a_test_without_figures_is_as_rarely_wrong() -> None:
    test = chance.has_mean(statistics.normal(0, 1))
    plain = chance.without_figures(test)
    assert isinstance(plain, ByChance)
    assert isinstance(test, ByChance)
    assert plain.rate == test.rate
    assert not isinstance(chance.without_figures(chance.takes_only(0.0)), ByChance)
