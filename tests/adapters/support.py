"""Programs, batches and launches that several tests of the worker use."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from conformance.adapters.process import Family, Launch
from conformance.adapters.session import Session
from conformance.observations import Array, Batch, Raised, Returned, StructureObservation
from conformance.program import Argument, Binding, Input, Program, Ref, Step
from tests.processors import OPENBLAS, VARIABLE

FAKES = Path(__file__).parent / "fakes"


def launch(
    name: str, *, python: str = sys.executable, family: Family = "graph", **env: str
) -> Launch:
    """How to start the fake called `name`, with `env` among its environment variables."""
    environment = {"PYTHONPATH": str(FAKES), "PYTHONDONTWRITEBYTECODE": "1", **_kernels(), **env}
    return Launch(python, f"fakes.{name}", family, environment)


def _kernels() -> dict[str, str]:
    """The variables by which NumPy chooses its kernels, as they are for the tests.

    A worker sees no variables of the host. With other kernels than the test's it would give other
    last digits than the test expects of the same computation.
    """
    return {name: os.environ[name] for name in (VARIABLE, *OPENBLAS) if name in os.environ}


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
    """`exp` of positive numbers, except in one draw, where a fake misbehaves."""
    result = batch(call("exp", x(3, **kwargs)), draws)
    result.arrays["x"][draw] *= -1
    return result


def arrays(observation: StructureObservation) -> list[Array]:
    """The arrays of the only output; AssertionError if a draw has none."""
    values = []
    for draw in observation.draws:
        assert isinstance(draw.outcome, Returned), draw.outcome
        (value,) = next(iter(draw.outcome.values.values()))
        assert value.array is not None
        values.append(value.array)
    return values


def error(observation: StructureObservation, draw: int = 0) -> Raised:
    """What the draw raised."""
    outcome = observation.draws[draw].outcome
    assert isinstance(outcome, Raised), outcome
    return outcome


def surrounded(asked: Batch) -> list[Batch]:
    """The batch between others that every fake computes correctly."""
    around = [batch(call("softmax", x(2, 3)), seed=i) for i in range(4)]
    return [around[0], asked, *around[1:]]


def run(session: Session, asked: Batch) -> StructureObservation:
    """Run the batch among others, and check that the others are not affected."""
    todo = surrounded(asked)
    done = list(session.run_batches(todo))
    assert [b for b, _ in done] == todo
    for b, observation in done:
        if b is not asked:
            e = np.exp(b.arrays["x"] - b.arrays["x"].max(axis=-1, keepdims=True))
            expected = e / e.sum(axis=-1, keepdims=True)
            np.testing.assert_allclose(np.stack(arrays(observation)), expected, rtol=1e-6)
            assert observation.incidents == ()
    return done[1][1]


def check_others(observation: StructureObservation, asked: Batch, blamed: int) -> None:
    """Check that all draws except the blamed one have the right values."""
    for i, draw in enumerate(observation.draws):
        if i != blamed:
            assert isinstance(draw.outcome, Returned), draw.outcome
            np.testing.assert_array_equal(
                draw.outcome.value("y").array, np.exp(asked.arrays["x"][i])
            )
    assert observation.outputs[0].metadata[0].shape == (3,)


def alive(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
