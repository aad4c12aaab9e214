"""Rules of `bounds.spread`: what a function does inside a box never leaves what the rule says."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.editions import EDITIONS, Edition
from conformance.engine.judging.cases import answered
from conformance.fuzz.bounds.keras_spread import KERAS_RULES
from conformance.fuzz.bounds.spread import RULES, Box, distance, unknown
from conformance.fuzz.making.composing import composed
from conformance.fuzz.making.growth import Plan
from conformance.fuzz.programs import ProgramCall
from conformance.generators.classes import DTYPE
from conformance.generators.collect import steered
from conformance.generators.drawers.planes import NOTED, SETTLED
from conformance.generators.structure import Structure
from conformance.generators.values import Draw, draw_arrays
from conformance.oracle import ORACLES
from conformance.oracle.evaluate import widened
from conformance.specs import Spec, load

Array = npt.NDArray[Any]
EDITION: Edition = "keras-2.2"
CALLS = 40
MOVES = 4
REACHES = (1e-6, 1e-3)


def specs_of(oracle: str) -> Iterator[Spec]:
    """The specs whose values the oracle knows by this name: that of K, and one of Keras 3."""
    name = oracle.partition(".")[0]
    yield from (load()[known] for known in (name, OF_KERAS.get(name, "")) if known in load())


OF_KERAS = {
    spec.oracle: spec.name for spec in load().values() if "keras-3" in spec.editions and spec.oracle
}
"""Also functions whose arguments a drawer draws, which join no programs."""


def boxes(name: str) -> Iterator[Box]:
    """Calls of a function that the oracle knows, with a reach around their tensors."""
    for spec in specs_of(name):
        yield from _boxes(name, spec)


def _boxes(name: str, spec: Spec) -> Iterator[Box]:
    random = np.random.default_rng(0)
    edition: Edition = [e for e in EDITIONS if e in spec.editions][-1]
    for draw in steered(spec, edition, {DTYPE: "float32"}, CALLS, 0):
        structure = draw.value
        if structure.oracle != name or not _is_small(structure):
            continue
        arrays = draw_arrays(structure, Draw("ordinary", 0))
        arguments = answered(structure, arrays)
        wide = widened(arguments, "float32")
        for size in REACHES:
            reach = {n: _reach(random, v, size) for n, v in wide.items() if _is_tensor(v)}
            with np.errstate(all="ignore"):
                value = np.asarray(ORACLES[name](**wide))
            yield Box(ORACLES[name], wide, reach, value)


def _is_small(structure: Structure) -> bool:
    """Whether it has elements, and few: conventions make no difference to what is proved."""
    sizes = [math.prod(i.shape) for i in structure.program.inputs]
    return all(0 < size < 200 for size in sizes)


def _is_tensor(value: Any) -> bool:
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, np.ndarray)


def _reach(random: np.random.Generator, value: Any, size: float) -> Any:
    if isinstance(value, list):
        return [_reach(random, item, size) for item in value]
    if value.dtype.kind != "f":
        return np.zeros(value.shape)
    return random.uniform(0, size, value.shape) * (random.random(value.shape) < 0.8)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", sorted(KERAS_RULES))
def test_no_place_of_a_box_is_further_away_than_the_rule_says(name: str) -> None:
    random = np.random.default_rng(1)
    seen = 0
    for box in boxes(name):
        with np.errstate(all="ignore"):
            reach = np.asarray(KERAS_RULES[name](box))
            assert reach.shape == box.value.shape
            for _ in range(MOVES):
                moved = box.at(lambda _n, x, r: x + r * random.uniform(-1, 1, x.shape))
                off = distance(moved, box.value)
                rounding = 64 * np.finfo(np.float64).eps * (1 + np.abs(box.value.astype(float)))
                inside = off <= reach * (1 + 1e-9) + rounding * 64
                assert bool(inside[np.isfinite(box.value)].all()), box.arguments
        seen += 1
    assert seen, f"no call of {name} was tried"


@pytest.mark.parametrize("mode", sorted({mode.name for mode in (*SETTLED, *NOTED)}))
@pytest.mark.parametrize("pad_width", [1, (1,), ((2, 1),), ((0, 2), (1, 0))])
def test_the_rule_of_pad_holds_in_every_mode(mode: str, pad_width: Any) -> None:
    random = np.random.default_rng(3)
    x = random.normal(size=(3, 4))
    arguments = {"x": x, "pad_width": pad_width, "mode": mode}
    reach = {"x": random.uniform(0, 0.5, x.shape) * (random.random(x.shape) < 0.8)}
    box = Box(ORACLES["padded"], arguments, reach, ORACLES["padded"](**arguments))
    most = KERAS_RULES["padded"](box)
    assert bool(np.isfinite(most).all())
    for _ in range(50):
        moved = box.at(lambda _n, x, r: x + r * random.uniform(-1, 1, x.shape))
        assert bool((distance(moved, box.value) <= most + 1e-12).all())


def test_a_rule_that_is_too_small_is_noticed() -> None:
    """Half of what `sum` moves is too little: the test above would see it."""
    box = next(b for b in boxes("sum") if b.reach["x"].any())
    half = RULES["sum"](box) / 2
    off = distance(box.at(lambda _n, x, r: x + r), box.value)
    assert bool((off > half).any())


def test_nothing_is_known_without_a_rule() -> None:
    box = next(boxes("square"))
    assert bool(np.isinf(unknown(box)).all())


@pytest.mark.thorough
def test_every_function_that_joins_programs_has_a_rule_or_is_cut() -> None:
    """The functions without a rule are few, and those that one would expect."""
    names = {
        call.oracle
        for number in range(60)
        for call in composed(Plan(EDITION, 0), number).calls
        if isinstance(call, ProgramCall) and call.references()
    }
    without = names - RULES.keys()
    assert without <= {"in_top_k", "sparse_categorical_crossentropy", "one_hot"} | {
        name for name in names if name.endswith(".variance")
    }


def normalising(var: float, reach: float) -> Box:
    """A batch normalisation whose variance is known within a reach, and all else exactly."""
    unit = np.ones(1)
    arguments: dict[str, Any] = {
        "x": 3 * np.ones((1, 1)),
        "mean": unit,
        "var": var * unit,
        "beta": unit,
    }
    arguments |= {"gamma": unit, "axis": -1, "epsilon": 0.01}
    tensors = {n: np.zeros(v.shape) for n, v in arguments.items() if _is_tensor(v)}
    oracle = ORACLES["batch_normalization"]
    return Box(oracle, arguments, {**tensors, "var": reach * unit}, oracle(**arguments))


@pytest.mark.parametrize("var", [-0.0055, -0.001, 0.0, 1e-4, 0.5])
@pytest.mark.parametrize("reach", [0.0, 1e-6, 1e-3, 4e-3])
def test_a_variance_may_be_off_below_zero(var: float, reach: float) -> None:
    """A variable may hold a variance below zero, whose root with epsilon is there all the same."""
    box = normalising(var, reach)
    spread = RULES["batch_normalization"](box)
    assert bool((spread >= 0).all())
    for moved in (box.at(lambda _n, x, r: x + r), box.at(lambda _n, x, r: x - r)):
        assert bool((distance(moved, box.value) <= spread * (1 + 1e-9)).all())


def test_nothing_is_known_where_there_may_be_no_root() -> None:
    with np.errstate(all="ignore"):
        assert bool(np.isinf(RULES["batch_normalization"](normalising(-0.009, 0.002))).all())


def test_the_variance_of_a_batch_is_not_below_zero() -> None:
    """It may be off by much more than it is, and 1 / sqrt(var + epsilon) moves down by more than
    up."""
    oracle = ORACLES["normalize_batch_in_training.normalised tensor"]
    unit, x = np.ones(1), np.asarray([[1.0], [1.001], [1.002]])
    arguments = {"x": x, "gamma": unit, "beta": unit, "reduction_axes": [0], "epsilon": 2e-5}
    reach = {"x": np.full(x.shape, 0.05), "gamma": 0 * unit, "beta": 0 * unit}
    box = Box(oracle, arguments, reach, oracle(**arguments))
    spread = RULES["normalize_batch_in_training.normalised tensor"](box)
    random = np.random.default_rng(2)
    for _ in range(50):
        moved = box.at(lambda _n, x, r: x + r * random.choice((-1, 1), x.shape))
        assert bool((distance(moved, box.value) <= spread).all())
    assert bool(np.isfinite(spread).all())
