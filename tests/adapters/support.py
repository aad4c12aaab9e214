"""Programs, batches and launches that several tests of the worker use."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from conformance.adapters.observations import Array, Batch, Raised, Returned, StructureObservation
from conformance.adapters.process import Family, Launch
from conformance.program import Argument, Binding, Input, Program, Ref, Step

FAKES = Path(__file__).parent / "fakes"


def launch(
    name: str, *, python: str = sys.executable, family: Family = "graph", **env: str
) -> Launch:
    """How to start the fake called `name`, with `env` for it to read."""
    environment = {"PYTHONPATH": str(FAKES), "PYTHONDONTWRITEBYTECODE": "1", **env}
    return Launch(python, f"fakes.{name}", family, environment)


def call(
    function: str,
    *inputs: Input,
    args: Sequence[Argument] = (),
    **kwargs: Argument,
) -> Program:
    """`y = K.function(inputs..., args..., **kwargs)`."""
    references = tuple(Ref(item.name) for item in inputs)
    step = Step("y", function, (*references, *args), tuple(kwargs.items()))
    return Program(inputs, (step,), ("y",))


def x(*shape: int, name: str = "x", dtype: str = "float32", binding: str = "placeholder") -> Input:
    return Input(name, shape, dtype, Binding(binding))


def batch(program: Program, draws: int = 4, seed: int = 0) -> Batch:
    """Positive numbers, so that no fake misbehaves."""
    random = np.random.default_rng(seed)
    arrays = {
        item.name: (1 + random.random((draws, *item.shape)) * 3).astype(item.dtype)
        for item in program.inputs
    }
    return Batch(program, arrays, draws)


def negative_at(draw: int, draws: int = 4, **kwargs: Any) -> Batch:
    """`exp` of positive numbers, but for one draw, where a fake misbehaves."""
    result = batch(call("exp", x(3, **kwargs)), draws)
    result.arrays["x"][draw] *= -1
    return result


def arrays(observation: StructureObservation) -> list[Array]:
    """The arrays of the only output; AssertionError if a draw has none."""
    found = []
    for draw in observation.draws:
        assert isinstance(draw.outcome, Returned), draw.outcome
        (value,) = next(iter(draw.outcome.values.values()))
        assert value.array is not None
        found.append(value.array)
    return found


def error(observation: StructureObservation, draw: int = 0) -> Raised:
    """What the draw raised."""
    outcome = observation.draws[draw].outcome
    assert isinstance(outcome, Raised), outcome
    return outcome
