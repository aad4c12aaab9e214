"""Scenarios of keras.config and of seeds at the ends of their range, on right and wrong fakes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from conformance.results import Aspect
from conformance.scenarios import Scenario, families_of
from tests.scenarios import running
from tests.scenarios.running import problems

Functions = Mapping[str, Callable[..., Any]]


class Keras:
    """Some functions of Keras 3 on NumPy; a symbolic tensor is one of zeros."""

    def __init__(self, **changed: Any) -> None:
        self.floatx, self.layout = "float32", "channels_last"
        own: Functions = {
            "keras.config.set_floatx": self.set_floatx,
            "keras.config.set_image_data_format": self.set_layout,
            "keras.ops.zeros": lambda shape: np.zeros(shape, self.floatx),
            "keras.ops.mean": lambda x: np.asarray(np.mean(x)).astype(self.floatx),
            "keras.ops.fabs": lambda x: np.abs(x).astype(self.floatx),
            "keras.ops.image.rgb_to_grayscale": self.grey,
            "keras.random.SeedGenerator": lambda seed: iter(range(seed, seed + 99)),
            "keras.random.normal": self.normal,
            "constant": np.asarray,
            "placeholder": np.zeros,
            "eval": np.asarray,
            "int_shape": lambda x: x.shape,
            "dtype": lambda x: x.dtype.name,
        }
        self.functions = {**own, **{n: f(self) for n, f in changed.items()}}

    def set_floatx(self, floatx: str) -> None:
        self.floatx = floatx

    def set_layout(self, layout: str) -> None:
        self.layout = layout

    def grey(self, x: Any, data_format: str | None = None) -> Any:
        first = (data_format or self.layout) == "channels_first"
        return np.mean(x, 1 if first else -1, keepdims=True)

    def normal(self, shape: Any, mean: Any = 0, stddev: Any = 1, *, seed: Any) -> Any:
        number = seed if isinstance(seed, int) else next(seed)
        drawn = np.random.default_rng(number % 2**32).normal(mean, stddev, shape)
        return drawn.astype(self.floatx)


def failing(scenario: Scenario, patch: pytest.MonkeyPatch, **changed: Any) -> set[str]:
    """The checks that fail on the fake with some functions changed."""
    patch.setattr(running, "function", Keras(**changed).functions.__getitem__)
    return {*problems(scenario)}


def scenarios(name: str, aspect: Aspect, left_out: str) -> list[Scenario]:
    """The fixed scenarios of a function that look at an aspect."""
    families = (f for f in families_of(name, "keras-3") if aspect in f.aspects)
    every = [s for f in families if isinstance(cases := f.make("keras-3"), list) for s in cases]
    return [s for s in every if left_out not in s.title]


GREY = "keras.ops.image.rgb_to_grayscale"
CONFIGURED = ("keras.ops.zeros", "keras.ops.mean", "keras.ops.fabs", GREY)
FAULTS: tuple[tuple[str, Callable[[Keras], Any], set[str]], ...] = (
    ("keras.ops.zeros", lambda _: lambda s: np.zeros(s, "float32"), {"the default dtype"}),
    ("keras.ops.zeros", lambda k: lambda s: np.ones(s, k.floatx), {"the numbers"}),
    (
        "keras.ops.mean",
        lambda k: lambda x: np.asarray(x.mean(), k.floatx if x.any() else "float32"),
        {"the dtype of the symbol"},
    ),
    (
        GREY,
        lambda k: lambda x, data_format=None: k.grey(x, data_format or "channels_last"),
        {"the default layout", "the shape of the symbol"},
    ),
)


@pytest.mark.parametrize("name", CONFIGURED)
def test_right_functions_follow_the_configuration(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = scenarios(name, Aspect.CONFIGURATION, "bfloat16")
    assert [failing(scenario, monkeypatch) for scenario in cases] == [set(), set()]


@pytest.mark.parametrize(("name", "fault", "checks"), FAULTS)
def test_a_function_that_does_not_follow_it_is_convicted(
    name: str, fault: Callable[[Keras], Any], checks: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = scenarios(name, Aspect.CONFIGURATION, "bfloat16")
    assert set().union(*(failing(s, monkeypatch, **{name: fault}) for s in cases)) == checks


def _or_drawn(k: Keras) -> Callable[..., Any]:
    """Zero is taken for no seed."""
    generator = np.random.default_rng(7)
    return lambda *a, seed, **p: k.normal(*a, seed=seed or int(generator.integers(99)), **p)


def _clipped(k: Keras) -> Callable[..., Any]:
    """Negative seeds are one."""
    return lambda *a, seed, **p: k.normal(
        *a, seed=max(seed, 0) if isinstance(seed, int) else seed, **p
    )


def _forgetful(k: Keras) -> Callable[..., Any]:
    """A generator of any seed starts anew."""
    other = iter(range(5, 999))
    return lambda *a, seed, **p: k.normal(*a, seed=seed if isinstance(seed, int) else other, **p)


SEEDS: tuple[tuple[Callable[[Keras], Any] | None, set[str]], ...] = (
    (None, set()),
    (_or_drawn, {"the same seed gives the same numbers"}),
    (_clipped, {"the next seed gives other numbers"}),
    (_forgetful, {"two generators with one seed agree"}),
)


@pytest.mark.parametrize(("fault", "checks"), SEEDS)
def test_seeds_at_the_ends_of_their_range(
    fault: Callable[[Keras], Any] | None, checks: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "keras.random.normal"
    changed = {} if fault is None else {name: fault}
    titles = ("the seed ", "SeedGenerator(")
    cases = [s for s in scenarios(name, Aspect.SEED, "no seed") if s.title.startswith(titles)]
    assert len(cases) == 10
    assert set().union(*(failing(s, monkeypatch, **changed) for s in cases)) == checks
