"""The CTC oracle against the enumeration of all paths, and against finite differences."""

from __future__ import annotations

from itertools import groupby, product
from typing import Any

import numpy as np
import pytest

from conformance.oracle import agrees, ctc, ctc_paths
from tests.bounds import assert_same, library, log_probability

RNG = np.random.default_rng(11)


def distributions(*shape: int) -> Any:
    weights = RNG.uniform(0.1, 1.0, size=shape)
    return weights / weights.sum(axis=-1, keepdims=True)


def label_of(path: tuple[int, ...], blank: int) -> tuple[int, ...]:
    return tuple(k for k, _ in groupby(path) if k != blank)


def enumerated(y: Any) -> dict[tuple[int, ...], float]:
    """The probability of every label, from the definition."""
    steps, categories = y.shape
    total: dict[tuple[int, ...], float] = {}
    for path in product(range(categories), repeat=steps):
        label = label_of(path, categories - 1)
        probability = np.prod([y[t, k] for t, k in enumerate(path)])
        total[label] = total.get(label, 0.0) + float(probability)
    return total


def assert_log(logarithm: Any, probability: float, steps: int, categories: int) -> None:
    """A logarithm is that of a probability which was summed over paths of products."""
    counted = log_probability(steps) + steps + categories**steps
    expected = np.log(probability)
    assert_same(logarithm, expected, roundings=counted, size=1 + np.abs(expected))


def cases() -> list[tuple[int, int]]:
    return list(product(range(1, 6), range(2, 5)))


@pytest.mark.parametrize(("steps", "categories"), cases())
def test_every_label_has_the_probability_of_its_paths(steps: int, categories: int) -> None:
    y = distributions(steps, categories)
    probabilities = enumerated(y)
    assert sum(probabilities.values()) == pytest.approx(1)
    for label, probability in probabilities.items():
        assert_log(ctc_paths.log_probability(y, label), probability, steps, categories)


@pytest.mark.parametrize(("steps", "categories"), cases())
def test_ranked_labels_are_those_of_the_enumeration(steps: int, categories: int) -> None:
    y = distributions(steps, categories)
    probabilities = enumerated(y)
    ranking = ctc_paths.ranked(y)
    assert [label for label, _ in ranking] == sorted(probabilities, key=lambda k: -probabilities[k])
    for label, value in ranking:
        assert_log(value, probabilities[label], steps, categories)


def test_a_label_that_no_path_stands_for_has_an_infinite_loss() -> None:
    y = distributions(2, 4)
    assert ctc_paths.log_probability(y, (1, 1)) == -np.inf
    assert ctc_paths.log_probability(y, (0, 1, 2)) == -np.inf


@pytest.mark.parametrize("label", [(), (0,), (1, 1), (0, 1, 0)])
def test_occupation_is_the_share_of_the_paths(label: tuple[int, ...]) -> None:
    y = distributions(4, 3)
    shares = np.zeros_like(y)
    for path in product(range(3), repeat=4):
        if label_of(path, 2) == label:
            shares[range(4), path] += np.prod(y[range(4), path])
    shares /= shares[0].sum()
    # two recursions and a logarithm, of which the exponential is taken
    counted = 2 * log_probability(4) + 3 + library("exp") + 3**4
    size = shares * (1 + 4 * np.abs(np.log(y)).max())
    assert_same(ctc_paths.occupation(y, label), shares, roundings=counted, size=size)


def batch(dtype: str = "float64") -> dict[str, Any]:
    return {
        "y_true": np.array([[1, 1, 0], [0, 2, 2]]),
        "y_pred": distributions(2, 6, 4).astype(dtype),
        "input_length": np.array([[6], [4]]),
        "label_length": np.array([[3], [1]]),
    }


def test_what_is_beyond_the_lengths_has_no_effect() -> None:
    arguments = batch()
    before = ctc_paths.ctc_batch_cost(**arguments)
    arguments["y_true"][1, 1:] = 0
    arguments["y_pred"][1, 4:] = 0.25
    np.testing.assert_array_equal(ctc_paths.ctc_batch_cost(**arguments), before)
    assert before.shape == (2, 1)


def test_gradient_is_that_of_finite_differences() -> None:
    arguments = batch()
    x = np.log(arguments.pop("y_pred"))

    def total(logits: Any) -> float:
        y = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
        return float(ctc_paths.ctc_batch_cost(y_pred=y, **arguments).sum())

    gradient = ctc.ctc_gradient(x, **arguments)
    for index in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[index] = 1e-5
        slope = (total(x + step) - total(x - step)) / 2e-5
        assert gradient[index] == pytest.approx(slope, abs=1e-8)
    assert not gradient[1, 4:].any()


def test_best_path_merges_before_it_drops_blanks() -> None:
    y = np.eye(3)[[0, 0, 2, 0, 1, 1, 2]]
    assert ctc_paths.best_path(y) == (0, 0, 1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bounds_allow_rounding_and_epsilon_but_not_a_wrong_formula(dtype: str) -> None:
    arguments = batch(dtype)
    expectation = ctc.expected_cost(**arguments)
    exact = expectation.value
    assert agrees(exact.astype(dtype), expectation).all()
    fuzzy = {**arguments, "y_pred": arguments["y_pred"] + arguments["y_pred"].dtype.type(1e-7)}
    assert agrees(ctc_paths.ctc_batch_cost(**fuzzy).astype(dtype), expectation).all()
    wrong = arguments["y_pred"] + 1e-4
    assert not agrees(ctc_paths.ctc_batch_cost(**{**arguments, "y_pred": wrong}), expectation).any()
    assert not agrees(exact - np.log(arguments["input_length"]), expectation).any()


def test_log_probabilities_of_several_labels() -> None:
    y = distributions(2, 4, 3).astype("float32")
    labels = [[(0, 1), (), (1, 1)], [(1,), (0,), ()]]
    expectation = ctc.expected_log_probabilities(y, np.array([4, 2]), labels)
    assert expectation.value.shape == (2, 3)
    for row, (steps, row_labels) in enumerate(zip((4, 2), labels, strict=True)):
        table = enumerated(y[row, :steps].astype("float64"))
        for value, label in zip(expectation.value[row], row_labels, strict=True):
            assert_log(value, table[label], steps, 3)


def of_first_blank(y: Any, label: tuple[int, ...]) -> float:
    """The probability of a label whose blank is the first class, from the definition."""
    steps, categories = y.shape
    paths = product(range(categories), repeat=steps)
    return sum(
        float(np.prod([y[t, k] for t, k in enumerate(path)]))
        for path in paths
        if label_of(path, 0) == label
    )


def test_the_first_class_may_be_the_blank() -> None:
    y_pred = distributions(3, 4, 3)
    y_true, label_length = np.array([[1, 2], [2, 2], [0, 1]]), np.array([[2], [2], [2]])
    lengths = np.array([[4], [3], [4]])
    expectation = ctc.expected_cost_of_first_blank(y_true, y_pred, lengths, label_length)
    for sample, (label, steps) in enumerate((((1, 2), 4), ((2, 2), 3))):
        probability = of_first_blank(y_pred[sample, :steps], label)
        assert_log(-expectation.value[sample, 0], probability, 4, 3)
    np.testing.assert_array_equal(np.isinf(expectation.bound[:, 0]), [False, False, True])


def test_the_gradient_for_the_first_class_as_blank_is_that_of_finite_differences() -> None:
    x = RNG.normal(size=(2, 3, 3))
    arguments = {
        "y_true": np.array([[1, 2], [0, 1]]),
        "input_length": np.array([[3], [3]]),
        "label_length": np.array([[2], [2]]),
    }
    expectation = ctc.expected_gradient_of_first_blank(x, **arguments)
    assert np.isinf(expectation.bound[1]).all()
    assert np.isfinite(expectation.bound[0]).all()
    for place in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[place] = 1e-6
        ends = [np.log(of_first_blank(_shares(x[0] + way * step), (1, 2))) for way in (-1, 1)]
        assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(expectation.value[0][place], abs=1e-7)


def _shares(x: Any) -> Any:
    powers = np.exp(x)
    return powers / powers.sum(axis=-1, keepdims=True)
