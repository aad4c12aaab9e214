"""Normalisation and padding against NumPy's other functions, loops and evaluations in the dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.oracle import agrees, expect
from conformance.oracle.evaluate import shape_before, value_of
from conformance.oracle.expectation import Array
from conformance.specs.model import Contraction
from tests.bounds import assert_right, assert_same
from tests.oracle.support import DTYPES, allowed, ask, draws

RNG = np.random.default_rng(11)
TRAINING = "normalize_batch_in_training"


def part(name: str, **arguments: Any) -> Any:
    """What is expected of one of the three results."""
    dtype = arguments["x"].dtype.name
    return expect(f"{TRAINING}.{name}", arguments, dtype, Contraction(), flush_subnormals=False)


def features(shape: tuple[int, ...], dtype: str) -> list[Array]:
    mean, beta, gamma = (RNG.normal(size=shape).astype(dtype) for _ in range(3))
    return [mean, np.abs(RNG.normal(size=shape)).astype(dtype), beta, gamma]


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_batch_normalization_place_by_place(axis: int) -> None:
    x = RNG.normal(size=(2, 3, 4))
    mean, var, beta, gamma = features((x.shape[axis],), "float64")
    expectation = ask(
        "batch_normalization",
        x=x, mean=mean, var=var, beta=beta, gamma=gamma, axis=axis, epsilon=0.001,
    )  # fmt: skip
    right = np.empty_like(x)
    for place in np.ndindex(x.shape):
        c = place[axis]
        right[place] = (x[place] - mean[c]) / (var[c] + 0.001) ** 0.5 * gamma[c] + beta[c]
    assert_right(right, expectation)


def test_epsilon_is_under_the_root() -> None:
    """C066: var = 0 and epsilon = 0.001 give 31.6, not 1000."""
    x = np.ones((1, 1))
    zero, unit = np.zeros(1), np.ones(1)
    arguments: dict[str, Any] = {
        "x": x,
        "mean": zero,
        "var": zero,
        "beta": zero,
        "gamma": unit,
        "epsilon": 0.001,
    }
    assert ask("batch_normalization", **arguments).value == pytest.approx(31.6227766)
    assert not allowed("batch_normalization", np.full((1, 1), 1000.0), **arguments)


@pytest.mark.parametrize("axes", [(0,), (0, 1), [1], (0, 2)])
def test_training_is_batch_normalization_with_the_moments(axes: Any) -> None:
    x = RNG.normal(3, 2, size=(3, 4, 5))
    where = tuple(axes)
    sizes = tuple(d for i, d in enumerate(x.shape) if i not in axes)
    gamma, beta = RNG.normal(size=sizes), RNG.normal(size=sizes)
    common: dict[str, Any] = {"x": x, "gamma": gamma, "beta": beta, "reduction_axes": axes}
    assert_right(np.mean(x, where).ravel(), part("mean", **common))
    assert_right(np.var(x, where).ravel(), part("variance", **common))
    scale, shift = (np.expand_dims(v, where) for v in (gamma, beta))
    mean, var = np.mean(x, where, keepdims=True), np.var(x, where, keepdims=True)
    right = (x - mean) / np.sqrt(var + 0.01) * scale + shift
    assert_right(right, part("normalised tensor", epsilon=0.01, **common))


@pytest.mark.parametrize("dtype", DTYPES)
def test_right_answers_pass(dtype: str) -> None:
    """Two orders of evaluation in the dtype, the second with x s - mean s + beta."""
    unit, epsilon = np.dtype(dtype).type(1), np.dtype(dtype).type(0.001)
    for x in draws(dtype, (6, 4), 60):
        mean, var, beta, gamma = features((4,), dtype)
        arguments = {"x": x, "mean": mean, "var": var, "beta": beta, "gamma": gamma}
        scale = gamma * (unit / np.sqrt(var + epsilon))
        for got in (
            (x - mean) / np.sqrt(var + epsilon) * gamma + beta,
            x * scale - mean * scale + beta,
        ):
            assert allowed("batch_normalization", got, epsilon=0.001, **arguments)
        m = x.mean(axis=0, dtype=dtype)
        v = np.square(x - m).mean(axis=0, dtype=dtype)
        s = gamma * (unit / np.sqrt(v + epsilon))
        expected = part(
            "normalised tensor", x=x, gamma=gamma, beta=beta, reduction_axes=[0], epsilon=0.001
        )
        for got in ((x - m) * s + beta, x * s + (beta - m * s)):
            assert agrees(got, expected).all()
        norm = np.sqrt(np.square(x).sum(axis=1, keepdims=True, dtype=dtype))
        norm[norm == 0] = 1
        assert allowed("l2_normalize", x / norm, x=x, axis=1)
        assert allowed("l2_normalize", x * (unit / norm), x=x, axis=1)


def test_wrong_answers_fail() -> None:
    x = RNG.normal(size=(5, 3)).astype("float32")
    units, zero = np.ones(3, "float32"), np.zeros(3, "float32")
    arguments = {"x": x, "gamma": units, "beta": zero, "reduction_axes": (0,), "epsilon": 0.001}
    unbiased = (x - x.mean(0)) / np.sqrt(x.var(0, ddof=1) + 0.001)
    assert not agrees(unbiased, part("normalised tensor", **arguments)).any()
    assert not agrees(x.var(0, ddof=1), part("variance", **arguments)).any()
    wrong = x / np.abs(x).sum(axis=1, keepdims=True)
    assert not allowed("l2_normalize", wrong, x=x, axis=1)
    assert not allowed("l2_normalize", ask("l2_normalize", x=x, axis=0).value, x=x, axis=1)


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
def test_l2_normalize_gives_norm_one(axis: Any) -> None:
    x = RNG.normal(size=(3, 4))
    value = ask("l2_normalize", x=x, axis=axis).value
    norm = np.sqrt(np.square(x).sum(axis=axis, keepdims=True))
    # squares, their sum, a root, a quotient and a product; then squares and their sum again
    assert_same(value * norm, x, roundings=x.size + 4)
    total = np.square(value).sum(axis=axis)
    assert_same(total, np.ones_like(total), roundings=2 * x.size + 4)


def test_zeros_stay_zeros() -> None:
    x = np.array([[0.0, 0.0], [3.0, 4.0]])
    assert ask("l2_normalize", x=x, axis=1).value.tolist() == [[0, 0], [0.6, 0.8]]


def padded_by_hand(x: Array, pairs: Any, first: int) -> Array:
    lengths = [*x.shape]
    for axis, (before, after) in enumerate(pairs, first):
        lengths[axis] += before + after
    result = np.zeros(lengths, x.dtype)
    for place in np.ndindex(x.shape):
        target = [*place]
        for axis, (before, _) in enumerate(pairs, first):
            target[axis] += before
        result[tuple(target)] = x[place]
    return result


@pytest.mark.parametrize("data_format", ["channels_last", "channels_first", None, "tf", "th"])
def test_padding_and_resizing_element_by_element(data_format: Any) -> None:
    first = 2 if data_format in ("channels_first", "th") else 1
    x = RNG.normal(size=(2, 3, 2, 4))
    pairs = ((1, 2), (0, 3))
    expectation = ask("spatial_2d_padding", x=x, padding=pairs, data_format=data_format)
    assert np.array_equal(expectation.value, padded_by_hand(x, pairs, first))
    volumes = RNG.normal(size=(1, 2, 3, 2, 2))
    pairs3 = ((1, 2), (0, 3), (2, 0))
    expectation = ask("spatial_3d_padding", x=volumes, padding=pairs3, data_format=data_format)
    assert np.array_equal(expectation.value, padded_by_hand(volumes, pairs3, first))
    if data_format is not None:
        large = ask(
            "resize_images", x=x, height_factor=2, width_factor=3, data_format=data_format
        ).value
        for place in np.ndindex(large.shape):
            source = [*place]
            source[first] //= 2
            source[first + 1] //= 3
            assert large[place] == x[tuple(source)]


def test_counts_of_keras_1_are_for_both_sides() -> None:
    x = RNG.normal(size=(2, 3, 2))
    assert np.array_equal(
        ask("temporal_padding", x=x, padding=2).value, padded_by_hand(x, ((2, 2),), 1)
    )
    expectation = ask("asymmetric_temporal_padding", x=x, left_pad=1, right_pad=3)
    assert np.array_equal(expectation.value, padded_by_hand(x, ((1, 3),), 1))
    images = RNG.normal(size=(2, 3, 2, 2))
    expectation = ask("spatial_2d_padding", x=images, padding=(1, 2), data_format="th")
    assert np.array_equal(expectation.value, padded_by_hand(images, ((1, 1), (2, 2)), 2))


@pytest.mark.parametrize("rank", [2, 3, 4, 5])
@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
def test_bias_of_each_channel(rank: int, data_format: str) -> None:
    x = RNG.normal(size=(2, 3, 4, 2, 5)[:rank])
    axis = 1 if data_format == "channels_first" else rank - 1
    bias: Array = RNG.normal(size=(x.shape[axis],))
    result = ask("bias_add", x=x, bias=bias, data_format=data_format).value
    for channel in range(x.shape[axis]):
        got, before = np.take(result, channel, axis), np.take(x, channel, axis)
        room = np.abs(got) + np.abs(bias[channel])
        assert_same(got - before, np.full_like(got, bias[channel]), roundings=1, size=room)


def test_bias_of_each_place_has_its_channels_last() -> None:
    x = RNG.normal(size=(2, 5, 3, 4))
    bias = RNG.normal(size=(3, 4, 5))
    right = np.empty_like(x)
    for n, c, i, j in np.ndindex(x.shape):
        right[n, c, i, j] = x[n, c, i, j] + bias[i, j, c]
    assert_right(right, ask("bias_add", x=x, bias=bias, data_format="channels_first"))


def test_a_norm_beyond_the_range_demands_a_number_from_zero_to_the_right_one() -> None:
    x = np.array([[3e20, -4e20]], np.float32)
    for right in ([[0.6, -0.8]], [[0.0, 0.0]], [[0.3, -0.1]]):
        assert allowed("l2_normalize", np.array(right, np.float32), x=x, axis=1)
    for wrong in ([[7.0, -0.8]], [[0.6, 0.8]], [[np.inf, 0.0]]):
        assert not allowed("l2_normalize", np.array(wrong, np.float32), x=x, axis=1)


@pytest.mark.parametrize(
    ("x", "vector", "axis"), [((2, 3), (3,), -1), ((2, 3, 1), (3,), 1), ((2, 1), (4,), -1)]
)
def test_the_shape_is_known_before_the_value(
    x: tuple[int, ...], vector: tuple[int, ...], axis: int
) -> None:
    vectors = {name: np.full(vector, 0.5) for name in ("mean", "var", "beta", "gamma")}
    arguments = {"x": np.ones(x), **vectors, "axis": axis, "epsilon": 1e-3}
    value = value_of("batch_normalization", arguments, "float64")
    assert shape_before("batch_normalization", arguments) == value.shape
    assert shape_before("exp", {"x": np.ones(x)}) is None


def test_a_shape_of_vectors_that_do_not_fit_is_refused_as_the_value_is() -> None:
    vectors = {name: np.ones(3) for name in ("mean", "var", "beta", "gamma")}
    with pytest.raises(ValueError, match="broadcast"):
        shape_before("batch_normalization", {"x": np.ones((2, 4)), **vectors})
