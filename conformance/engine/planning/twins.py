"""Twins of trials: the reruns that show whether a dtype or a binding causes a failure.

A backend may refuse float16, or an input made as a constant, without breaking a document. A
refused trial therefore gets *twins*: the same call in the dtype in which the documents compute,
and the same call with its inputs made in other ways. The suite blames the dtype or the binding
only if the twin without it succeeds. If every twin fails as well, the function itself is at
fault. The structures of twins are made in `generators.twins`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.gradients import GradientTrial
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.engine.judging.trials import Trial
from conformance.generators import Structure
from conformance.generators.gradients import differentiated
from conformance.generators.twins import rebound, with_first_dtype
from conformance.scenarios.rebinding import in_variables


def of_first_dtype(trial: Trial, call: Callable[[Structure], Trial]) -> Trial | None:
    """The trial with the dtype in which the documents compute; None if it has no other.

    `call` makes a trial of a structure.
    """
    structure = _structure(trial)
    found = None if structure is None else with_first_dtype(structure)
    return None if found is None else _like(trial, found, call)


def made_otherwise(trial: Trial, call: Callable[[Structure], Trial]) -> Iterator[Trial]:
    """The trial with its inputs made in other ways, the likeliest to work first.

    Empty for a gradient, which is about variables.
    """
    if isinstance(trial, CallTrial):
        yield from (call(structure) for structure in rebound(trial.prepared.structure))
    elif isinstance(trial, ScenarioTrial):
        scenario = in_variables(trial.scenario)
        yield from () if scenario is None else (replace(trial, scenario=scenario),)


def _structure(trial: Trial) -> Structure | None:
    match trial:
        case CallTrial():
            return trial.prepared.structure
        case GradientTrial():
            return trial.differentiated.structure
    return None


def _like(trial: Trial, structure: Structure, call: Callable[[Structure], Trial]) -> Trial | None:
    if not isinstance(trial, GradientTrial):
        return call(structure)
    made = differentiated(structure)
    return None if made is None else GradientTrial(made, trial.seed)
