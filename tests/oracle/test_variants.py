"""Readings of conventions as the oracle computes them, against definitions written otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import signal

from conformance.oracle import ORACLES
from conformance.oracle.variants import VARIANTS, read_otherwise
from conformance.specs import load_conventions
from conformance.specs.convention_names import ConventionName as Name

Array = npt.NDArray[Any]
RANDOM = np.random.default_rng(7)
IMAGE = RANDOM.normal(size=(1, 5, 4, 1))
KERNEL = RANDOM.normal(size=(2, 3, 1, 1))


def answer(function: str, convention: str, reading: str, **arguments: Any) -> Array:
    """The oracle's answer under one reading."""
    changed = read_otherwise(function, arguments, ((convention, reading),))
    return np.asarray(ORACLES[function](**changed))


def own(function: str, **arguments: Any) -> Array:
    return np.asarray(ORACLES[function](**arguments))


def test_every_variant_is_a_reading_that_is_neither_free_nor_a_refusal() -> None:
    known = load_conventions()
    assert {*VARIANTS} <= {(c.name, r.name) for c in known.values() for r in c.variants}


def test_a_flipped_kernel_is_the_convolution_of_mathematics() -> None:
    result = answer("conv2d", Name.KERNEL_ORIENTATION, "flipped", x=IMAGE, kernel=KERNEL)
    expected = signal.convolve2d(IMAGE[0, :, :, 0], KERNEL[:, :, 0, 0], mode="valid")
    np.testing.assert_allclose(result[0, :, :, 0], expected, rtol=1e-12)


def test_the_spatial_axes_of_a_kernel_of_th_are_the_last() -> None:
    x, kernel = np.moveaxis(IMAGE, -1, 1), np.moveaxis(KERNEL, (-1, -2), (0, 1))
    arguments = {"x": x, "kernel": kernel, "data_format": "th"}
    result = answer("conv2d", Name.KERNEL_ORIENTATION, "flipped", **arguments)
    expected = answer("conv2d", Name.KERNEL_ORIENTATION, "flipped", x=IMAGE, kernel=KERNEL)
    np.testing.assert_array_equal(np.moveaxis(result, 1, -1), expected)


def test_a_kernel_of_theano_names_the_channels_first() -> None:
    x, kernel = RANDOM.normal(size=(1, 2, 4, 4)), RANDOM.normal(size=(3, 2, 2, 2))
    result = answer(
        "conv2d", Name.KERNEL_LAYOUT, "th", x=x, kernel=kernel, data_format="channels_first"
    )
    for out in range(3):
        parts = (signal.correlate2d(x[0, c], kernel[out, c], mode="valid") for c in range(2))
        np.testing.assert_allclose(result[0, out], sum(parts), rtol=1e-12)


def test_the_kernel_of_a_transposed_convolution_is_that_of_the_convolution() -> None:
    x, kernel = RANDOM.normal(size=(1, 3, 3, 2)), RANDOM.normal(size=(2, 2, 4, 2))
    arguments = {"x": x, "kernel": kernel, "output_shape": (1, 4, 4, 4), "data_format": "tf"}
    result = answer("conv2d_transpose", Name.KERNEL_LAYOUT, "of the convolution", **arguments)
    image = RANDOM.normal(size=(1, 4, 4, 4))
    there = own("conv2d", x=image, kernel=kernel)
    np.testing.assert_allclose(np.vdot(result, image), np.vdot(x, there), rtol=1e-12)


@pytest.mark.parametrize(
    ("reading", "length", "size", "stride", "front"),
    [
        ("half", 5, 4, 1, 2),
        ("half", 6, 3, 2, 1),
        ("half", 6, 2, 2, 1),
        ("front", 5, 4, 1, 2),
        ("front", 6, 2, 2, 0),
        ("front", 6, 3, 2, 1),
        ("middle", 3, 1, 3, -1),
        ("middle", 4, 1, 2, 0),
        ("middle", 5, 4, 1, 1),
        ("centred", 2, 2, 1, 0),
        ("centred", 5, 3, 3, 1),
        ("centred", 5, 2, 3, 0),
        ("centred", 4, 1, 3, 0),
        ("centred", 6, 1, 3, -1),
    ],
)
def test_where_windows_begin(reading: str, length: int, size: int, stride: int, front: int) -> None:
    x, kernel = RANDOM.normal(size=length), RANDOM.normal(size=size)
    result = answer(
        "conv1d",
        Name.SAME_PADDING,
        reading,
        x=x[np.newaxis, :, np.newaxis],
        kernel=kernel[:, np.newaxis, np.newaxis],
        strides=stride,
        padding="same",
    )
    around = np.pad(x, 9)
    starts = range(9 - front, 9 - front + stride * -(-length // stride), stride)
    expected = [around[s : s + size] @ kernel for s in starts]
    np.testing.assert_allclose(result.ravel(), expected, rtol=1e-12)


@pytest.mark.parametrize(("size", "front"), [(2, 1), (3, 1), (4, 3), (5, 3)])
def test_a_pooling_of_theano_begins_early(size: int, front: int) -> None:
    x = RANDOM.normal(size=7)
    result = answer(
        "pool2d",
        Name.SAME_PADDING,
        "early",
        x=x.reshape(1, 7, 1, 1),
        pool_size=(size, 1),
        padding="same",
    )
    expected = [x[max(0, i - front) : i - front + size].max() for i in range(7)]
    np.testing.assert_array_equal(result.ravel(), expected)


def test_a_border_that_counts_is_zeros() -> None:
    x = RANDOM.normal(size=(1, 3, 3, 1))
    arguments = {"x": x, "pool_size": (3, 3), "padding": "same", "pool_mode": "avg"}
    result = answer("pool2d", Name.AVERAGE_BORDER, "counted", **arguments)
    expected = signal.convolve2d(x[0, :, :, 0], np.full((3, 3), 1 / 9), mode="same")
    np.testing.assert_allclose(result[0, :, :, 0], expected, rtol=1e-12)


def test_biases_of_channels_first() -> None:
    x, bias = np.zeros((1, 3, 2, 2)), np.arange(12.0).reshape(2, 2, 3)
    arguments = {"x": x, "bias": bias, "data_format": "channels_first"}
    result = answer("bias_add", Name.BIAS_LAYOUT, "reshaped", **arguments)
    np.testing.assert_array_equal(result[0], bias.reshape(3, 2, 2))
    whole = {**arguments, "bias": bias.reshape(3, 2, 2)}
    result = answer("bias_add", Name.BIAS_LAYOUT, "like x", **whole)
    np.testing.assert_array_equal(result[0], bias.reshape(3, 2, 2))


def test_sequences_with_their_channels_first() -> None:
    x, kernel = RANDOM.normal(size=(2, 3, 5)), RANDOM.normal(size=(4, 6, 2))
    arguments: dict[str, Any] = {"kernel": kernel, "kernel_size": (2,), "strides": (1,)}
    result = answer(
        "local_conv1d",
        Name.SEQUENCE_FORMAT,
        "channels_first",
        inputs=x,
        data_format="channels_first",
        **arguments,
    )
    windows = np.stack([x[:, :, i : i + 2].reshape(2, 6) for i in range(4)], 1)
    np.testing.assert_allclose(result, np.einsum("bpf,pfo->bop", windows, kernel), rtol=1e-12)


def test_windows_named_by_width_and_height() -> None:
    x, kernel = RANDOM.normal(size=(1, 4, 4, 1)), RANDOM.normal(size=(12, 2, 1))
    arguments: dict[str, Any] = {"inputs": x, "kernel": kernel, "strides": (1, 1)}
    result = answer(
        "local_conv2d", Name.ROWS_FIRST, "columns first", kernel_size=(1, 2), **arguments
    )
    np.testing.assert_array_equal(result, own("local_conv2d", kernel_size=(2, 1), **arguments))


def test_the_variance_of_a_sample() -> None:
    x = RANDOM.normal(size=(4, 3))
    name = "normalize_batch_in_training.variance"
    result = answer(name, Name.POPULATION_VARIANCE, "sample", x=x, reduction_axes=(0,))
    np.testing.assert_allclose(result, x.var(axis=0, ddof=1), rtol=1e-12)
    single = answer(name, Name.POPULATION_VARIANCE, "sample", x=x[:1], reduction_axes=(0,))
    np.testing.assert_array_equal(single, np.zeros(3))


def test_the_variance_with_epsilon() -> None:
    x = RANDOM.normal(size=(4, 3))
    name = "normalize_batch_in_training.variance"
    arguments: dict[str, Any] = {"x": x, "reduction_axes": (0,), "epsilon": 0.5}
    result = answer(name, Name.POPULATION_VARIANCE, "with epsilon", **arguments)
    np.testing.assert_allclose(result, x.var(axis=0) + 0.5, rtol=1e-12)


def test_short_vectors() -> None:
    x = np.array([[3e-7, 4e-7], [0.0, 0.0], [3.0, 4.0]])
    arguments: dict[str, Any] = {"x": x, "axis": 1}
    raised = answer("l2_normalize", Name.SMALL_NORMS, "at least 1e-6", **arguments)
    np.testing.assert_allclose(raised, [[0.3, 0.4], [0.0, 0.0], [0.6, 0.8]], rtol=1e-12)
    with np.errstate(invalid="ignore"):
        divided = answer("l2_normalize", Name.SMALL_NORMS, "not a number", **arguments)
    expected = np.array([[0.6, 0.8], [np.nan, np.nan], [0.6, 0.8]])
    np.testing.assert_allclose(divided, expected, rtol=1e-12)


HALVES = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.25])


@pytest.mark.parametrize(
    ("reading", "expected"),
    [("up", [-2, -1, 0, 1, 2, 3, 0]), ("away from zero", [-3, -2, -1, 1, 2, 3, 0])],
)
def test_halves(reading: str, expected: list[float]) -> None:
    np.testing.assert_array_equal(answer("round", Name.HALF_EVEN, reading, x=HALVES), expected)


def test_single_elements() -> None:
    x = np.array([[3.0, 1.0, 3.0], [0.0, 0.0, -1.0]])
    assert answer("argmax", Name.TIES, "last", x=x, axis=1).tolist() == [2, 1]
    assert answer("argmin", Name.TIES, "last", x=x, axis=0).tolist() == [1, 1, 1]

    arguments: dict[str, Any] = {"min_value": 2.0, "max_value": 1.0}
    assert (answer("clip", Name.CLIP_ORDER, "min_value", x=x, **arguments) == 2).all()
    with np.errstate(divide="ignore"):
        power = answer("pow", Name.EXPONENT, "zero", x=np.array([0.0, 2.0]), a=-1)
    assert power.tolist() == [0.0, 0.5]


def test_a_negative_zero_may_be_less_than_a_positive_one() -> None:
    x = np.array([[-0.0, 0.0, -0.0], [0.0, -0.0, 0.0], [-1.0, -0.0, -2.0]])
    assert answer("argmax", Name.TIES, "signed zeros", x=x, axis=1).tolist() == [1, 0, 1]
    assert answer("argmin", Name.TIES, "signed zeros", x=x, axis=1).tolist() == [0, 1, 2]
    for x in (np.array([2, 0, 2]), np.array([[0.0, -1.0]])):
        with pytest.raises(ValueError, match="no negative zero"):
            answer("argmax", Name.TIES, "signed zeros", x=x, axis=0)


def test_axes_after_that_of_the_samples() -> None:
    x = RANDOM.normal(size=(2, 3, 4))
    result = answer("transpose", Name.AXIS_ORDER, "samples first", x=x)
    np.testing.assert_array_equal(result, np.einsum("bij->bji", x))


def test_first_axes_may_go_together_whatever_the_ranks() -> None:
    x, y = RANDOM.normal(size=(2, 3, 2, 4)), RANDOM.normal(size=(2, 2, 1))
    result = answer("maximum", Name.BROADCASTING, "batch axes", x=x, y=y)
    for sample, rows in enumerate(result):
        np.testing.assert_array_equal(rows, np.maximum(x[sample], y[sample]))
    swapped = answer("maximum", Name.BROADCASTING, "batch axes", x=y, y=x)
    np.testing.assert_array_equal(swapped, result)


def test_statistics_along_the_last_axis_whatever_axis_is() -> None:
    x, mean, var, beta, gamma = (RANDOM.uniform(1, 2, s) for s in ((3, 3), 3, 3, 3, 3))
    arguments = {"x": x, "mean": mean, "var": var, "beta": beta, "gamma": gamma, "axis": 0}
    result = answer("batch_normalization", Name.FEATURE_VECTORS, "as they are", **arguments)
    np.testing.assert_allclose(result, (x - mean) / np.sqrt(var) * gamma + beta, rtol=1e-12)


@pytest.mark.parametrize(
    ("function", "convention", "reading", "arguments"),
    [
        (
            "batch_normalization",
            Name.FEATURE_VECTORS,
            "as they are",
            {"x": np.ones((3, 2)), "mean": np.ones(3), "axis": 0},
        ),
        ("normalize_batch_in_training", Name.FEATURE_VECTORS, "as they are", {"x": IMAGE}),
        ("batch_dot", Name.BATCH_AXES_DEFAULT, "last but one", {"axes": 1}),
        ("batch_dot", Name.BATCH_AXES_DEFAULT, "last but one", {"y": np.ones((3, 2))}),
        ("categorical_crossentropy", Name.CLIPPING, "logits, too, in float32", {"x": IMAGE}),
        ("equal", Name.BROADCASTING, "batch axes", {"x": np.ones((2, 3)), "y": np.ones((1, 3))}),
        ("equal", Name.BROADCASTING, "batch axes", {"x": np.ones((2, 3)), "y": np.ones(())}),
        ("equal", Name.BROADCASTING, "batch axes", {"x": np.ones((2, 3)), "y": np.ones(3)}),
        ("bias_add", Name.BROADCASTING, "batch axes", {"x": IMAGE, "bias": np.ones(1)}),
        ("conv2d", Name.KERNEL_LAYOUT, "th", {"x": IMAGE, "kernel": KERNEL}),
        ("conv2d", Name.KERNEL_LAYOUT, "of the convolution", {"x": IMAGE, "kernel": KERNEL}),
        ("conv2d", Name.SAME_PADDING, "half", {"x": IMAGE, "kernel": KERNEL, "padding": "valid"}),
        ("conv2d", Name.SAME_PADDING, "early", {"x": IMAGE, "kernel": KERNEL, "padding": "same"}),
        ("pool2d", Name.DEFAULT_DATA_FORMAT, "channels_first", {"data_format": "channels_last"}),
        ("transpose", Name.AXIS_ORDER, "samples first", {"x": IMAGE[0, :, 0, 0]}),
    ],
)
def test_a_reading_that_is_none_for_a_call_is_refused(
    function: str, convention: str, reading: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(ValueError):
        answer(function, convention, reading, **arguments)


def test_subnormal_numbers_of_16_bits_are_numbers_of_32() -> None:
    """In a mixed call a float16 becomes a float32 first, of which its subnormals are normal."""
    x = np.array([0.0, 1e-40, 1e-40, 1.0], "float32")
    y = np.array([1e-6, 1e-6, 0.0, 0.0], "float16")
    arguments = {"x": x, "y": y}
    read = (((Name.SUBNORMAL, "flushed in 32 bits")),)
    changed = read_otherwise("not_equal", arguments, read)
    np.testing.assert_array_equal(changed["x"] != changed["y"], [True, True, False, True])
    assert np.signbit(read_otherwise("exp", {"x": -x}, read)["x"]).all()
