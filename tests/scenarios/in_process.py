"""Scenarios run in this process, by the worker's own code, on a module or something like one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

import conformance.reference
from conformance.adapters.answers import observation
from conformance.adapters.worker.conformance_worker.adapters import GraphAdapter
from conformance.adapters.worker.conformance_worker.loop import Worker
from conformance.adapters.worker.conformance_worker.running import Manner
from conformance.editions import Edition
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.observations import Batch, StructureObservation
from conformance.program import to_json
from conformance.results import Aspect
from conformance.scenarios import Scenario
from conformance.scenarios.recorder import Recipe


def module(**changed: Any) -> SimpleNamespace:
    """The reference with some functions exchanged, or left out where they are None."""
    known = conformance.reference
    functions = {name: getattr(known, name) for name in known.__all__} | changed
    present = {name: function for name, function in functions.items() if function is not None}
    return SimpleNamespace(__name__="conformance.reference", **present)


def recorded(
    write: Callable[..., None],
    function: str,
    *values: Any,
    edition: Edition = "keras-2.2",
    aspect: Aspect = Aspect.VALUE,
) -> Scenario:
    """The scenario that a function of a recorder writes with these values of its parameters."""
    names = write.__code__.co_varnames[1 : write.__code__.co_argcount]
    recipe = Recipe(write, function, function, aspect)
    return recipe.recorded(edition, **dict(zip(names, values, strict=True)))


def findings(scenario: Scenario, target: Any) -> list[Finding]:
    """What is wrong with a target that runs a scenario."""
    scene = ScenarioTrial(scenario, scenario.function)
    return list(scene.judge(observed(scene.batch, target)).findings)


def observed(batch: Batch, target: Any) -> StructureObservation:
    """What comes of a batch on a target."""
    names = list(batch.arrays)
    request = {
        "command": "run",
        "id": 1,
        "program": to_json(batch.program),
        "draws": batch.draws,
        "arrays": {name: i for i, name in enumerate(names)},
        "fresh": batch.fresh,
    }
    worker = Worker(target, GraphAdapter(target), Manner(eager=False, draws_together=False))
    header, arrays = worker.answer(request, [batch.arrays[name] for name in names])
    assert header["ok"], header
    return observation(header, arrays, batch)


def smallest(
    strategy: st.SearchStrategy[Scenario],
    target: Callable[[], Any],
    condition: Callable[[Finding], bool],
    examples: int = 300,
) -> Scenario | None:
    """The smallest scenario with such a finding, or None if there is none among so many."""

    def fails(scenario: Scenario) -> bool:
        return any(condition(finding) for finding in findings(scenario, target()))

    chosen = settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    try:
        return find(strategy, fails, settings=chosen)
    except NoSuchExample:
        return None


def drawn(strategy: st.SearchStrategy[Scenario], examples: int) -> Iterator[Scenario]:
    """Some scenarios of a strategy."""
    scenarios: list[Scenario] = []

    def keep(scenario: Scenario) -> bool:
        scenarios.append(scenario)
        return False

    chosen = settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    try:
        find(strategy, keep, settings=chosen)
    except NoSuchExample:
        yield from scenarios
