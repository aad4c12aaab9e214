"""Calls of Keras 3 with symbolic tensors whose first length is not known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis.strategies import SearchStrategy

from conformance.observations import Value
from conformance.results import Aspect
from conformance.scenarios import Scenario, families_of
from tests.scenarios.in_process import drawn


def _of_unknown_length(function: str) -> list[Scenario]:
    made = [family.make("keras-3") for family in families_of(function, "keras-3")]
    scenarios = (s for one in made if isinstance(one, SearchStrategy) for s in drawn(one, 30))
    return [s for s in scenarios if "unknown length" in s.title]


def _shapes(scenario: Scenario) -> list[Any]:
    steps = scenario.program.steps
    return [dict(s.kwargs)["shape"] for s in steps if s.function == "placeholder"]


@pytest.mark.parametrize(
    ("function", "inner"),
    [("where", 0), ("cross", 1), ("inv", 2), ("image.crop_images", 3)],
)
def test_lengths_are_unknown_where_the_call_does_not_need_them(function: str, inner: int) -> None:
    found = [shape for s in _of_unknown_length(f"keras.ops.{function}") for shape in _shapes(s)]
    assert any(None in shape for shape in found)
    for shape in found:
        assert None not in shape[1:]
        assert shape[:1] != (None,) or len(shape) > inner


@pytest.mark.parametrize("function", ["unstack", "squeeze"])
def test_lengths_are_known_where_the_rank_of_the_result_depends_on_them(function: str) -> None:
    assert not _of_unknown_length(f"keras.ops.{function}")


def test_a_known_length_must_be_right_and_an_unknown_one_need_not_be_known() -> None:
    scenario = next(s for s in _of_unknown_length("keras.ops.where") if len(_shapes(s)[1]) > 1)
    (check,) = (c for c in scenario.checks if c.aspect is Aspect.STATIC_SHAPE)
    right = [int(n) for n in check.demands.strip("()").split(",") if n]

    def told(*lengths: int | None) -> bool:
        arrays = [None if n is None else np.array(n) for n in lengths]
        kinds = [type(n).__name__ for n in lengths]
        values = tuple(Value(a, k, k) for a, k in zip(arrays, kinds, strict=True))
        return check.test(values) is not None

    assert not told(None, *right[1:])
    assert not told(*right)
    assert told(None, *right[1:-1], right[-1] + 1)
    assert told(right[0] + 1, *right[1:])
