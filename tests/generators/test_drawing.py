"""Drawing with a seed: the same choices make the same call, by Hypothesis, too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from random import Random

import hypothesis
import pytest
from hypothesis import strategies as st
from hypothesis.control import BuildContext
from hypothesis.internal.conjecture.data import ConjectureData

from conformance.generators import drawing, structures
from conformance.generators.collect import key, steered
from conformance.generators.coverage.classes import classes_of
from conformance.generators.drawing import (
    Chooser,
    Drawn,
    Rejected,
    StopShrinking,
    UnsupportedHypothesisError,
    drawn,
    remade,
    seeded,
    shrink,
)
from conformance.generators.structure import Structure, made
from conformance.specs import load
from tests.generators.support import CALLED, NEWEST

DRAWS = 12
SAME = ["sum", "conv2d", "dot", "batch_normalization", "gather"]


def calls(name: str, count: int, seed: int) -> list[Drawn[Structure]]:
    """So many calls of a function, drawn with a seed."""
    random = Random(seed)

    def make(chooser: Chooser) -> Structure:
        return made(chooser, load()[name], NEWEST)

    found = [seeded(make, random) for _ in range(count)]
    return [draw for draw in found if isinstance(draw, Drawn)]


@pytest.mark.parametrize("name", CALLED)
def test_hypothesis_makes_the_same_call_of_the_choices(name: str) -> None:
    strategy = structures(load()[name], NEWEST)
    found = calls(name, DRAWS, 3)
    assert found
    for draw in found:
        again = remade(strategy, draw.choices)
        assert again is not None
        assert key(again) == key(draw.value)
        assert (again.arguments, again.domains) == (draw.value.arguments, draw.value.domains)


@pytest.mark.parametrize(
    ("name", "demanded"),
    [
        (
            "sum",
            {"x rank": "4", "axis written": "tuple", "keepdims": "True", "passing": "by position"},
        ),
        ("conv2d", {"strides": "equal", "padding": "'same'", "x binding": "variable"}),
        ("transpose", {"dtype of tensors": "int64"}),
    ],
)
def test_steered_calls_need_no_steering_to_be_made_again(
    name: str, demanded: dict[str, str]
) -> None:
    strategy = structures(load()[name], NEWEST)
    found = steered(load()[name], NEWEST, demanded, 5, 0)
    assert len(found) == 5
    for draw in found:
        assert demanded.items() <= classes_of(draw.value).items()
        again = remade(strategy, draw.choices)
        assert again is not None
        assert key(again) == key(draw.value)


def test_what_cannot_be_had_is_rejected_with_the_reason() -> None:
    random = Random(0)
    demanded = {"x rank": "0", "axis written": "negative"}
    found = seeded(lambda c: made(c, load()["sum"], NEWEST, demanded=demanded), random)
    assert isinstance(found, Rejected)
    assert "axis written negative" in found.reason
    assert "x rank 0" in found.reason


RARE = (" domain", " known")
"""Features some classes of which come rarely: of one tensor as two, of many patterns."""


@pytest.mark.parametrize("name", SAME)
def test_hypothesis_own_way_reaches_the_same_features(name: str) -> None:
    """What the documented interface of Hypothesis generates has the classes that seeds make."""
    ours = {one for draw in calls(name, 400, 1) for one in classes_of(draw.value).items()}
    theirs: list[tuple[str, str]] = []

    @hypothesis.seed(1)
    @hypothesis.settings(max_examples=80, database=None, deadline=None)
    @hypothesis.given(structures(load()[name], NEWEST))
    def collect(structure: Structure) -> None:
        theirs.extend(classes_of(structure).items())

    collect()
    assert {one for one in theirs if not one[0].endswith(RARE)} <= ours
    assert told(theirs) == told(ours)


def told(ones: Iterable[tuple[str, str]]) -> set[str]:
    """The features; of domains, those that no rare use of one tensor as two has changed."""
    return {feature for feature, _ in ones if not feature.endswith(" domain")}


def test_any_strategy_is_drawn_the_same_for_the_same_seed() -> None:
    strategy = st.lists(st.integers(0, 9), min_size=2).map(tuple)
    first = [drawn(strategy, random) for random in [Random(7)] for _ in range(5)]
    again = [drawn(strategy, random) for random in [Random(7)] for _ in range(5)]
    assert first == again
    for one in first:
        assert one is not None
        assert remade(strategy, one.choices) == one.value


def test_what_is_drawn_depends_on_no_module_that_is_imported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    strategy = st.lists(st.integers(0, 10**6), min_size=40, max_size=40)
    alone = drawn(strategy, Random(5))
    numbers = ", ".join(map(str, range(1000, 1200)))
    (tmp_path / "module_of_numbers.py").write_text(f"NUMBERS = [{numbers}]")
    monkeypatch.syspath_prepend(tmp_path)
    import_module("module_of_numbers")
    usual = [by_hypothesis(strategy, seed) for seed in range(50)]
    assert any(1000 <= n < 1200 for one in usual for n in one), "Hypothesis chooses of them"
    beside = drawn(strategy, Random(5))
    assert alone is not None
    assert beside is not None
    assert beside.value == alone.value


def by_hypothesis(strategy: st.SearchStrategy[list[int]], seed: int) -> list[int]:
    """What Hypothesis itself draws."""
    data = ConjectureData(random=Random(seed))
    with BuildContext(data, is_final=False, wrapped_test=lambda: None):
        return data.draw(strategy)


def test_what_a_strategy_rejects_is_none() -> None:
    assert drawn(st.integers(0, 3).filter(lambda _: False), Random(0)) is None
    assert remade(st.integers(0, 3), b"\xff\xff") is None


def test_shrinking_is_the_same_for_the_same_seed_and_ends_when_told() -> None:
    strategy = st.lists(st.integers(0, 99), min_size=1)
    first = drawn(strategy, Random(5))
    assert first is not None

    def asked(most: int) -> list[list[int]]:
        seen: list[list[int]] = []

        def fails(one: Drawn[list[int]]) -> bool:
            if len(seen) == most:
                raise StopShrinking
            seen.append(one.value)
            return sum(one.value) >= 1

        shrink(strategy, fails, first.choices, 3)
        return seen

    assert asked(10_000) == asked(10_000)
    failing = [its for its in asked(10_000) if sum(its) >= 1]
    assert min(failing, key=lambda its: (len(its), sum(its))) == [1]
    assert len(asked(4)) == 4


@pytest.mark.parametrize(
    "act",
    [
        lambda strategy: drawn(strategy, Random(0)),
        lambda strategy: shrink(strategy, lambda _: False, b"", 0),
    ],
)
@pytest.mark.parametrize("module", ["hypothesis.nowhere", "hypothesis.errors"])
def test_another_hypothesis_is_named(
    act: Callable[[st.SearchStrategy[int]], object], module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawing._class.cache_clear()
    for name in ("ConjectureData", "ConjectureRunner"):
        monkeypatch.setitem(drawing._PRIVATE, name, module)
    with pytest.raises(UnsupportedHypothesisError, match=hypothesis.__version__):
        act(st.integers())
    drawing._class.cache_clear()
