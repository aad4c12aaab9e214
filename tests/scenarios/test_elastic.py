"""Scenarios of elastic_transform on right and wrong fakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conformance.scenarios import Scenario
from conformance.scenarios.randomness import elastic
from tests.scenarios import running
from tests.scenarios.in_process import drawn
from tests.scenarios.running import problems

Transform = Callable[..., Any]


def right(x: Any, alpha: float = 20.0, *, seed: int, **_: Any) -> Any:
    """The elements in another order, which is an interpolation by the nearest ones."""
    return x if not alpha else np.random.default_rng(seed).permutation(x.ravel()).reshape(x.shape)


NUMBERS = iter(range(10**6))


def scenarios() -> list[Scenario]:
    first, second = elastic.FAMILIES
    strategy: Any = first.make("keras-3")
    return [*drawn(strategy, 25), *second.make("keras-3")]  # type: ignore[misc]


FAULTS: dict[str, tuple[Transform | None, set[str]]] = {
    "right": (right, set()),
    "brighter": (lambda x, **k: right(x, **k) + np.asarray(8, x.dtype), {"the numbers"}),
    "deformed by nothing": (lambda x, **k: right(x, **{**k, "alpha": 1.0}), {"the numbers"}),
    "a row less": (lambda x, **k: right(x, **k)[1:], {"the numbers", "the shape"}),
    "integers": (lambda x, **k: right(x, **k).astype("int32"), {"the dtype", "the numbers"}),
    "without a seed": (
        lambda x, seed, **k: right(x, seed=next(NUMBERS), **k),
        {"the same seed gives the same image"},
    ),
    "one seed": (lambda x, seed, **k: right(x, seed=3, **k), {"another seed gives another image"}),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_elastic_transform(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fault, checks = FAULTS[name]
    functions: dict[str, Any] = {
        elastic.ELASTIC: fault,
        "constant": np.asarray,
        "eval": np.asarray,
        "int_shape": lambda x: x.shape,
    }
    monkeypatch.setattr(running, "function", functions.__getitem__)
    assert {name for scenario in scenarios() for name in problems(scenario)} == checks
