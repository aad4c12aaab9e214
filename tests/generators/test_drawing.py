"""Drawing with a seed: the same choices make the same call, by Hypothesis, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from random import Random

import hypothesis
import pytest
from hypothesis import strategies as st
from hypothesis.control import BuildContext
from hypothesis.internal.conjecture.data import ConjectureData

from conformance.generators import hypothesis_engine, structures
from conformance.generators.collect import key, steered
from conformance.generators.coverage.classes import classes_of
from conformance.generators.drawing import (
    ByHypothesis,
    Chooser,
    Drawn,
    Rejected,
    StopShrinking,
    drawn,
    remade,
    seeded,
    shrink,
)
from conformance.generators.hypothesis_engine import PrivateEngine, PublicEngine
from conformance.generators.structure import Structure, made
from conformance.results import Aspect, Verdict
from conformance.specs import load
from tests.engine.support import examine, fake
from tests.generators.support import CALLED, NEWEST

DRAWS = 12
SAME = ["sum", "conv2d", "dot", "batch_normalization", "gather"]


def calls(name: str, count: int, seed: int) -> list[Drawn[Structure]]:
    """So many calls of a function, drawn with a seed."""
    random = Random(seed)

    def make(chooser: Chooser) -> Structure:
        return made(chooser, load()[name], NEWEST)

    draws = [seeded(make, random) for _ in range(count)]
    return [draw for draw in draws if isinstance(draw, Drawn)]


@pytest.mark.parametrize("name", CALLED)
def test_hypothesis_makes_the_same_call_of_the_choices(name: str) -> None:
    strategy = structures(load()[name], NEWEST)
    draws = calls(name, DRAWS, 3)
    assert draws
    for draw in draws:
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
    draws = steered(load()[name], NEWEST, demanded, 5, 0)
    assert len(draws) == 5
    for draw in draws:
        assert demanded.items() <= classes_of(draw.value).items()
        again = remade(strategy, draw.choices)
        assert again is not None
        assert key(again) == key(draw.value)


def test_what_cannot_be_had_is_rejected_with_the_reason() -> None:
    random = Random(0)
    demanded = {"x rank": "0", "axis written": "negative"}
    outcome = seeded(lambda c: made(c, load()["sum"], NEWEST, demanded=demanded), random)
    assert isinstance(outcome, Rejected)
    assert "axis written negative" in outcome.reason
    assert "x rank 0" in outcome.reason


RARE = (" domain", " known")
"""Features some classes of which come rarely: of one tensor as two, of many patterns."""


@pytest.mark.parametrize("name", SAME)
def test_hypothesis_own_way_reaches_the_same_features(name: str) -> None:
    """What the documented interface of Hypothesis generates has the classes that seeds make."""
    ours = {pair for draw in calls(name, 400, 1) for pair in classes_of(draw.value).items()}
    theirs: list[tuple[str, str]] = []

    @hypothesis.seed(1)
    @hypothesis.settings(max_examples=80, database=None, deadline=None)
    @hypothesis.given(structures(load()[name], NEWEST))
    def collect(structure: Structure) -> None:
        theirs.extend(classes_of(structure).items())

    collect()
    assert {pair for pair in theirs if not pair[0].endswith(RARE)} <= ours
    assert frequent(theirs) == frequent(ours)


def frequent(ones: Iterable[tuple[str, str]]) -> set[str]:
    """The features; of domains, those that no rare use of one tensor as two has changed."""
    return {feature for feature, _ in ones if not feature.endswith(" domain")}


def test_any_strategy_is_drawn_the_same_for_the_same_seed() -> None:
    strategy = st.lists(st.integers(0, 9), min_size=2).map(tuple)
    first = [drawn(strategy, random) for random in [Random(7)] for _ in range(5)]
    again = [drawn(strategy, random) for random in [Random(7)] for _ in range(5)]
    assert first == again
    for draw in first:
        assert draw is not None
        assert remade(strategy, draw.choices) == draw.value


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
    assert any(1000 <= n < 1200 for numbers in usual for n in numbers), "Hypothesis chooses of them"
    beside = drawn(strategy, Random(5))
    assert alone is not None
    assert beside is not None
    assert beside.value == alone.value


def by_hypothesis(strategy: st.SearchStrategy[list[int]], seed: int) -> list[int]:
    """What Hypothesis itself draws."""
    data = ConjectureData(random=Random(seed))
    with BuildContext(data, is_final=False, wrapped_test=lambda: None):
        return data.draw(strategy)


@pytest.mark.parametrize("other", [((False,), (True,)), ((0.0,), (1.0,))])
def test_numbers_are_picked_as_they_are_written(other: tuple[tuple[float], ...]) -> None:
    @st.composite
    def axes(draw: st.DrawFn) -> tuple[int]:
        chooser = ByHypothesis(draw)
        chooser.pick(other)
        picked: tuple[int] = chooser.pick(((0,), (1,)))
        return picked

    pick = drawn(axes(), Random(0))
    assert pick is not None
    assert type(pick.value[0]) is int


def test_what_a_strategy_rejects_is_none() -> None:
    assert drawn(st.integers(0, 3).filter(lambda _: False), Random(0)) is None
    assert remade(st.integers(0, 3), b"\xff\xff") is None


def test_shrinking_is_the_same_for_the_same_seed_and_ends_when_told() -> None:
    strategy = st.lists(st.integers(0, 99), min_size=1)
    first = drawn(strategy, Random(5))
    assert first is not None

    def asked(most: int) -> list[list[int]]:
        seen: list[list[int]] = []

        def fails(draw: Drawn[list[int]]) -> bool:
            if len(seen) == most:
                raise StopShrinking
            seen.append(draw.value)
            return sum(draw.value) >= 1

        shrink(strategy, fails, first.choices, 3)
        return seen

    assert asked(10_000) == asked(10_000)
    failing = [its for its in asked(10_000) if sum(its) >= 1]
    assert min(failing, key=lambda its: (len(its), sum(its))) == [1]
    assert len(asked(4)) == 4


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    """A Hypothesis whose private classes are elsewhere."""
    monkeypatch.setitem(hypothesis_engine._PRIVATE, request.param, "hypothesis.nowhere")
    for cached in (hypothesis_engine.engine, hypothesis_engine._provider):
        cached.cache_clear()
    yield
    monkeypatch.undo()
    for cached in (hypothesis_engine.engine, hypothesis_engine._provider):
        cached.cache_clear()


def test_the_installed_hypothesis_has_the_private_classes() -> None:
    assert isinstance(hypothesis_engine.engine(), PrivateEngine)


@pytest.mark.parametrize("public", [*hypothesis_engine._PRIVATE], indirect=True)
def test_another_hypothesis_is_reached_by_its_public_interface(public: None) -> None:
    assert isinstance(hypothesis_engine.engine(), PublicEngine)


BY_PUBLIC = pytest.mark.parametrize("public", ["ConjectureData"], indirect=True)


@BY_PUBLIC
@pytest.mark.parametrize("name", SAME)
def test_the_public_interface_makes_the_same_call_of_the_choices(public: None, name: str) -> None:
    test_hypothesis_makes_the_same_call_of_the_choices(name)


@BY_PUBLIC
def test_the_public_interface_draws_and_shrinks(public: None) -> None:
    test_any_strategy_is_drawn_the_same_for_the_same_seed()
    test_shrinking_is_the_same_for_the_same_seed_and_ends_when_told()
    test_what_a_strategy_rejects_is_none()
    lists = st.lists(st.integers(0, 99), max_size=20)
    different = {str(drawn(lists, Random(seed))) for seed in range(20)}
    assert len(different) > 15
    only = drawn(st.just(3), Random(0))
    assert only is not None
    assert only.value == 3


@BY_PUBLIC
def test_a_failure_is_found_and_made_smaller_by_the_public_interface(public: None) -> None:
    outcome = examine(fake("wrong_axis"), ["softmax"])
    assert outcome.aspect("softmax", Aspect.VALUE).verdict is Verdict.VIOLATES
    (failure, *_) = outcome.failures(Verdict.VIOLATES)
    assert "with x = float32 [[[0" in failure[2].message, failure[2].message
