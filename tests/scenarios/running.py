"""Scenarios run on the reference in this process."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

import conformance.reference as K  # noqa: N812
from conformance.adapters.worker.conformance_worker.calling import CALLS
from conformance.observations import Value
from conformance.program import Argument, Function, Ref, Step
from conformance.scenarios import Check, Problem, Scenario


def problems(scenario: Scenario) -> dict[str, Problem]:
    """What the checks of a scenario find, by the name of the check."""
    names: dict[str, Any] = dict(scenario.arrays)
    run(scenario.program.steps, names)
    results = ((c.name, tested(c, *(names[o] for o in c.outputs))) for c in scenario.checks)
    return {name: problem for name, problem in results if problem is not None}


def tested(check: Check, *results: Any) -> Problem | None:
    """What a check says of what its outputs gave."""
    return check.test(*(tuple(map(value, flat(result))) for result in results))


def run(steps: Iterable[Step], names: dict[str, Any]) -> None:
    """Call the steps and put their results into `names`."""
    for step in steps:
        args = [resolved(a, names) for a in step.args]
        kwargs = {k: resolved(a, names) for k, a in step.kwargs}
        call = partial(function(step.function), *args, **kwargs)
        names[step.result] = attempted(call) if step.attempt else call()


def attempted(call: Callable[[], Any]) -> str:
    """What an attempted step gives: that it returns, or the classes of what it raises."""
    try:
        call()
    except Exception as error:
        return "raises " + " ".join(c.__name__ for c in type(error).__mro__)
    return "returns"


def function(name: str) -> Callable[..., Any]:
    """A function of the reference, or an operator."""
    package, _, rest = name.rpartition(".")
    if name in CALLS:
        return CALLS[name]
    implementation: Callable[..., Any] = getattr(operator if package else K, rest)
    return implementation


def resolved(argument: Argument, names: dict[str, Any]) -> Any:
    """The argument that is passed."""
    if isinstance(argument, Ref):
        return names[argument.name]
    if isinstance(argument, Function):
        return closure(argument, names)
    if isinstance(argument, list | tuple):
        return type(argument)(resolved(a, names) for a in argument)
    return argument


def closure(body: Function, outside: dict[str, Any]) -> Callable[..., Any]:
    """The callable that a program holds."""

    def called(*args: Any) -> Any:
        names = {**outside, **dict(zip(body.parameters, args, strict=True))}
        run(body.steps, names)
        return resolved(body.returns, names)

    return called


def flat(result: Any) -> list[Any]:
    """The parts of a result."""
    return [p for r in result for p in flat(r)] if isinstance(result, list | tuple) else [result]


def value(part: Any) -> Value:
    """One part as an observation."""
    name = type(part).__name__
    if isinstance(part, str) or part is None:
        return Value(None, name, name, text=part)
    array = np.asarray(part)
    return Value(array, array.dtype.name, name)
