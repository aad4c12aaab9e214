"""Dtypes that a target does not have as it is run, such as float64 on JAX without 64 bits.

A case that needs one shows nothing: the target computes in another dtype and may say so. It is left
out, as a case is that needs an absent function.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.trials import Trial
from conformance.program import Binding, Function, Program, Step

_MAKERS = ("constant", "variable")
"""Functions that make a tensor of an array in the dtype that they are asked for."""


def lacking_dtype(trial: Trial, lacks: Collection[str]) -> str | None:
    """The first dtype in `lacks` that a trial needs, or None: an input has it, the program names
    it, or the result cannot have another."""
    if not lacks:
        return None
    needed = {*_needed(trial.batch.program)}
    if isinstance(trial, CallTrial) and trial.prepared.structure.error is None:
        accepted = {*trial.prepared.dtypes}
        needed |= accepted if accepted <= {*lacks} else set()
    return min(needed & {*lacks}, default=None)


def _needed(program: Program) -> Iterator[str]:
    converted = {name for step in program.steps for name in _converted(step)}
    for item in program.inputs:
        if item.binding is not Binding.ARRAY or item.name not in converted:
            yield item.dtype
    for step in program.steps:
        yield from _texts([step.args, [value for _, value in step.kwargs]])


def _converted(step: Step) -> frozenset[str]:
    """The arrays of which a step makes a tensor of another dtype."""
    asked = any(name == "dtype" for name, _ in step.kwargs)
    return step.mentions() if step.function in _MAKERS and asked else frozenset()


def _texts(part: Any) -> Iterator[str]:
    """Every text among arguments, those of callables included."""
    match part:
        case str():
            yield part
        case tuple() | list():
            for item in part:
                yield from _texts(item)
        case Function():
            for step in part.steps:
                yield from _texts([step.args, [value for _, value in step.kwargs]])
