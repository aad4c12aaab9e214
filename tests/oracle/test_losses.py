"""Crossentropies against mpmath and SciPy, and in_top_k against sorting."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.special
import scipy.stats

from tests.bounds import assert_right, assert_same, library
from tests.oracle.support import DTYPES, allowed, ask

RNG = np.random.default_rng(5)


def distributions(shape: tuple[int, ...], axis: int, dtype: str = "float64") -> Any:
    weights = np.exp(RNG.uniform(-1.5, 1.5, shape))
    return (weights / weights.sum(axis=axis, keepdims=True)).astype(dtype)


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_categorical_is_scipys_cross_entropy(axis: int) -> None:
    target, output = distributions((3, 4, 2), axis), distributions((3, 4, 2), axis)
    divergence = scipy.stats.entropy(target, output, axis=axis)
    expected = divergence + scipy.stats.entropy(target, axis=axis)
    loss = ask("categorical_crossentropy", target=target, output=output, axis=axis)
    # the entropy is taken off and put on again, and a rounding of a quotient moves its logarithm
    parts = 2 * np.abs(np.log(target)) + np.abs(np.log(output)) + 2
    counted = target.shape[axis] + library("log") + 4
    size = (target * parts).sum(axis=axis)
    assert_same(loss.value, expected, roundings=counted, size=size)


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_categorical_from_logits_is_that_of_the_softmax(axis: int) -> None:
    target, logits = distributions((3, 4), axis), RNG.uniform(-5, 5, (3, 4))
    expected = -(target * scipy.special.log_softmax(logits, axis=axis)).sum(axis=axis)
    arguments: dict[str, Any] = {"target": target, "output": logits, "axis": axis}
    assert_right(expected, ask("categorical_crossentropy", from_logits=True, **arguments))


@pytest.mark.parametrize("from_logits", [False, True])
@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_sparse_is_categorical_of_one_hot(axis: int, from_logits: bool) -> None:
    output = RNG.uniform(-3, 3, (3, 4)) if from_logits else distributions((3, 4), axis)
    count = output.shape[axis]
    labels = RNG.integers(0, count, 12 // count)
    target = np.moveaxis(np.eye(count)[labels], -1, axis)
    common: dict[str, Any] = {"output": output, "from_logits": from_logits, "axis": axis}
    sparse = ask("sparse_categorical_crossentropy", "float64", target=labels, **common)
    whole = ask("categorical_crossentropy", target=target, **common)
    assert_right(whole.value, sparse)
    # the classes have neighbours: another label is another answer
    other = ask("sparse_categorical_crossentropy", "float64", target=(labels + 1) % count, **common)
    assert (np.abs(sparse.value - other.value) > sparse.bound + other.bound).all()


@pytest.mark.parametrize("from_logits", [False, True])
def test_binary_against_mpmath(from_logits: bool) -> None:
    target = RNG.random((4, 5))
    output = RNG.uniform(-5, 5, (4, 5)) if from_logits else RNG.uniform(0.01, 0.99, (4, 5))

    def cross_entropy(t: float, o: float) -> float:
        p = 1 / (1 + mpmath.exp(-mpmath.mpf(o))) if from_logits else mpmath.mpf(o)
        return float(-(t * mpmath.log(p) + (1 - t) * mpmath.log(1 - p)))

    with mpmath.workdps(40):
        expected = np.vectorize(cross_entropy)(target, output)
    loss = ask("binary_crossentropy", target=target, output=output, from_logits=from_logits)
    assert_right(expected, loss)


def binary_by_logits(target: Any, output: Any) -> Any:
    """In the arrays' own dtype, as TensorFlow does it."""
    unit = output.dtype.type(1)
    z = np.log(output / (unit - output))
    return np.maximum(z, 0) - z * target + np.log1p(np.exp(-np.abs(z)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_right_answers_pass(dtype: str) -> None:
    for _ in range(50):
        target, output = RNG.random(30).astype(dtype), RNG.uniform(0.01, 0.99, 30).astype(dtype)
        unit = output.dtype.type(1)
        plain = -(target * np.log(output) + (unit - target) * np.log(unit - output))
        for got in (plain, binary_by_logits(target, output)):
            assert allowed("binary_crossentropy", got, target=target, output=output)
        t, o = distributions((6, 5), -1, dtype), distributions((6, 5), -1, dtype)
        divided = o / o.sum(axis=-1, keepdims=True, dtype=dtype)
        for p in (o, divided):
            got = -(t * np.log(p)).sum(axis=-1, dtype=dtype)
            assert allowed("categorical_crossentropy", got, target=t, output=o)
        z = RNG.uniform(-5, 5, (6, 5)).astype(dtype)
        top = z.max(axis=-1, keepdims=True)
        logs = z - top - np.log(np.exp(z - top).sum(axis=-1, keepdims=True, dtype=dtype))
        got = -(t * logs).sum(axis=-1, dtype=dtype)
        assert allowed("categorical_crossentropy", got, target=t, output=z, from_logits=True)


def limited_by_float32(target: Any, output: Any) -> Any:
    """In float64, with limits that are constants of float32."""
    low = np.float32(1e-7)
    limited = np.clip(output, np.float64(low), np.float64(np.float32(1) - low))
    return -(target * np.log(limited) + (1 - target) * np.log(1 - limited))


def test_the_limits_of_logits_may_be_constants_of_float32() -> None:
    target = np.array([0.24, 1.0, 0.0, 0.5, 0.25])
    logits = np.array([93.4, 46.4, -20.6, 30.0, 0.5])
    got = limited_by_float32(target, scipy.special.expit(logits))
    how = {"target": target, "output": logits, "from_logits": True, "limits": True}
    assert allowed("binary_crossentropy", got, **how, single=True)
    assert not allowed("binary_crossentropy", got, **how)
    for place in range(len(got)):
        wrong = got + 1e-6 * (np.arange(len(got)) == place)
        assert not allowed("binary_crossentropy", wrong, **how, single=True), place


def test_probabilities_may_be_limited_before_they_are_divided_by_their_sum() -> None:
    target, output = np.array([0, 1]), np.array([[1.0, 0, 0, 0], [0.25, 0.25, 0.5, 0]])
    limited = np.clip(output, 1e-7, 1 - 1e-7)
    shares = limited / limited.sum(axis=-1, keepdims=True)
    got = -np.log(shares[[0, 1], target])
    assert allowed("sparse_categorical_crossentropy", got, output=output, target=target)
    more = got + np.array([1e-6, 0])
    assert not allowed("sparse_categorical_crossentropy", more, output=output, target=target)


def test_wrong_answers_fail() -> None:
    target, output = distributions((6, 5), -1, "float32"), distributions((6, 5), -1, "float32")
    value = ask("categorical_crossentropy", target=target, output=output).value
    wrong = {
        "swapped": -(output * np.log(target)).sum(-1),
        "mean": value / 5,
        "logits": -(target * scipy.special.log_softmax(output, -1)).sum(-1),
        "base 2": value / np.log(2),
        "inexact": value * (1 + 1e-3),
    }
    for name, got in wrong.items():
        arguments = {"target": target, "output": output}
        assert not allowed("categorical_crossentropy", got.astype("float32"), **arguments), name


def test_in_top_k_against_sorting() -> None:
    for _ in range(200):
        scores = RNG.integers(0, 4, (5, 4)).astype("float32")
        targets, k = RNG.integers(0, 4, 5), int(RNG.integers(1, 5))
        expectation = ask("in_top_k", "bool", predictions=scores, targets=targets, k=k)
        own = scores[np.arange(5), targets]
        assert np.array_equal(expectation.value, own >= np.sort(scores)[:, -k])
        assert expectation.value.dtype == np.bool_
