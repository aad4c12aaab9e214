"""The numbers of a failing case become simpler step by step, and no step is tried twice in vain."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from conformance.engine.verdicts import numbers
from conformance.engine.verdicts.numbers import Array, Numbers

Arrays = Mapping[str, Array]
ANY: Callable[[Arrays], Arrays] = dict
"""Takes any numbers for such as the plan draws."""
START = {"x": np.linspace(0.3, 4.7, 6), "y": np.linspace(-2.2, 1.9, 4)}


def simplest(arrays: Arrays, fails: Callable[[Arrays], bool]) -> tuple[Arrays, list[Arrays]]:
    """The simplest numbers that still fail, and all that was tried on the way."""
    numbers, tried = Numbers(arrays, {}, ANY), list[Arrays]()
    while True:
        candidates = list(numbers.simpler())
        tried += [candidate.arrays for candidate in candidates]
        first = next((n for n, c in enumerate(candidates) if fails(c.arrays)), None)
        numbers.failed(candidates if first is None else candidates[:first])
        if first is None:
            return numbers.best, tried
        numbers.take(candidates[first])


def test_what_fails_with_any_numbers_is_shown_with_zeros() -> None:
    best, tried = simplest(START, lambda _: True)
    assert not any(array.any() for array in best.values())
    assert len(tried) == len(list(Numbers(START, {}, ANY).simpler()))


def test_what_is_simple_is_not_made_less_simple_again() -> None:
    numbers = Numbers(START, {}, ANY)
    numbers.take(next(numbers.simpler()))
    assert list(numbers.simpler()) == []


@pytest.mark.parametrize("name", ["x", "y"])
def test_what_one_array_shows_leaves_the_other_zero(name: str) -> None:
    best, _ = simplest(START, lambda arrays: bool((arrays[name] > 1.2).any()))
    assert np.count_nonzero(best[name]) == 1
    assert not best["y" if name == "x" else "x"].any()


def test_a_step_that_failed_is_not_tried_again() -> None:
    numbers = Numbers(START, {}, ANY)
    candidates = list(numbers.simpler())
    numbers.failed(candidates)
    left = [candidate.step for candidate in numbers.simpler()]
    assert left == [None] * (len(START["x"]) + len(START["y"]))


def test_what_a_call_fixes_stays_as_it_is() -> None:
    best, _ = simplest(START, lambda _: True)
    simplest_arrays, _ = simplest_with(START, {"y": 3})
    assert not best["y"].any()
    assert simplest_arrays["y"] is START["y"]
    assert not simplest_arrays["x"].any()


def simplest_with(arrays: Arrays, below: Mapping[str, int]) -> tuple[Arrays, int]:
    """The numbers after every step that is possible, and how many there were."""
    numbers, count = Numbers(arrays, below, ANY), 0
    while (candidate := next(numbers.simpler(), None)) is not None:
        numbers.take(candidate)
        count += 1
    return numbers.best, count


def test_one_number_of_many_is_found_with_few_trials() -> None:
    long = {"x": np.linspace(1.0, 2.0, 4 * numbers.LONG)}
    place = 2717
    best, tried = simplest(long, lambda arrays: arrays["x"][place] not in (0.0, 1.0))
    assert np.flatnonzero((best["x"] != 0) & (best["x"] != 1)).tolist() == [place]
    assert len(tried) < 12 * numbers.PARTS


def test_numbers_that_the_plan_could_not_draw_are_not_tried() -> None:
    def positive(arrays: Arrays) -> Arrays | None:
        return arrays if all((array > 0).all() for array in arrays.values()) else None

    numbers = Numbers({"x": np.array([2.4, 1.7])}, {}, positive)
    tried = [candidate.arrays["x"].tolist() for candidate in numbers.simpler()]
    assert tried == [[1, 1], [2, 2]]


def test_numbers_are_moved_into_their_domain() -> None:
    def nonzero(arrays: Arrays) -> Arrays:
        return {name: np.where(array == 0, 1, array) for name, array in arrays.items()}

    numbers = Numbers({"x": np.array([2.4, 1.7])}, {}, nonzero)
    tried = [candidate.arrays["x"].tolist() for candidate in numbers.simpler()]
    assert tried == [[1, 1], [1, 1], [1, 1], [2, 2], [1, 1.7], [2.4, 1]]
