"""Correct gradients are within their bounds, whatever formula gives them; small errors are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest

from conformance.oracle.expectation import Array
from conformance.oracle.gradient_bounds import WeightedGradient
from conformance.oracle.gradient_paths import PATHS
from conformance.oracle.gradients import slopes
from conformance.oracle.rounding import WIDE_IS_WIDER
from conformance.specs import load
from tests.bounds import assert_same
from tests.oracle.test_against_mpmath import CASES, exact

DTYPES = ("float32", "float64")
X = ("x", None)
FOUND = {"float32": 5e-6, "float64": 2e-11}
"""Relative errors of a whole gradient that are to be found."""

Backward = Callable[..., Array]


def unit(x: Array) -> Any:
    """1 in the dtype of the array."""
    return x.dtype.type(1)


def sigmoid(x: Array) -> Array:
    result: Array = unit(x) / (unit(x) + np.exp(-x))
    return result


def softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    result: Array = powers / powers.sum(-1, keepdims=True)
    return result


def norm(x: Array) -> Array:
    result: Array = np.sqrt(np.square(x).sum(-1, keepdims=True))
    return result


def spread(w: Array, x: Array) -> Array:
    return np.broadcast_to(w[..., None], x.shape)


def normalised_by(w: Array, x: Array, length: Array) -> Array:
    y = x / length
    result: Array = (w - y * (w * y).sum(-1, keepdims=True)) / length
    return result


def centred(x: Array) -> Array:
    result: Array = x - x.mean(-1, keepdims=True)
    return result


ELEMENTWISE: dict[str, list[Backward]] = {
    "exp": [lambda w, x: w * np.exp(x)],
    "square": [lambda w, x: 2 * w * x, lambda w, x: w * x + w * x],
    "sin": [lambda w, x: w * np.cos(x)],
    "cos": [lambda w, x: -w * np.sin(x)],
    "abs": [lambda w, x: w * np.sign(x)],
    "tanh": [
        lambda w, x: w * (unit(x) - np.square(np.tanh(x))),
        lambda w, x: w / np.square(np.cosh(x)),
    ],
    "sigmoid": [
        lambda w, x: w * sigmoid(x) * (unit(x) - sigmoid(x)),
        lambda w, x: w * np.exp(-x) / np.square(unit(x) + np.exp(-x)),
    ],
    "softplus": [
        lambda w, x: w * sigmoid(x),
        lambda w, x: w * (unit(x) - np.exp(-np.log1p(np.exp(x)))),
    ],
    "softsign": [
        lambda w, x: w / np.square(unit(x) + np.abs(x)),
        lambda w, x: w / (unit(x) + np.abs(x)) - w * np.abs(x) / np.square(unit(x) + np.abs(x)),
    ],
    "elu": [
        lambda w, x: w * np.where(x > 0, unit(x), np.exp(np.minimum(x, 0))),
        lambda w, x: w * np.where(x > 0, unit(x), np.expm1(np.minimum(x, 0)) + unit(x)),
    ],
}
ALONG_ROWS: dict[str, list[Backward]] = {
    "softmax": [
        lambda w, x: softmax(x) * (w - (w * softmax(x)).sum(-1, keepdims=True)),
        lambda w, x: w * softmax(x) - softmax(x) * (w * softmax(x)).sum(-1, keepdims=True),
    ],
    "l2_normalize": [
        lambda w, x: normalised_by(w, x, norm(x)),
        lambda w, x: w / norm(x) - x * (w * x).sum(-1, keepdims=True) / norm(x) ** 3,
    ],
}
REDUCED: dict[str, list[Backward]] = {
    "sum": [spread],
    "mean": [lambda w, x: spread(w, x) / x.dtype.type(x.shape[-1])],
    "var": [lambda w, x: 2 * spread(w, x) * centred(x) / x.dtype.type(x.shape[-1])],
    "std": [
        lambda w, x: (
            spread(w, x) * centred(x) / (x.dtype.type(x.shape[-1]) * x.std(-1, keepdims=True))
        )
    ],
    "logsumexp": [
        lambda w, x: spread(w, x) * softmax(x),
        lambda w, x: spread(w, x) * np.exp(x - np.log(np.exp(x).sum(-1, keepdims=True))),
    ],
    "prod": [lambda w, x: spread(w, x) * x.prod(-1, keepdims=True) / x],
}
BACKWARD = ELEMENTWISE | ALONG_ROWS | REDUCED


def gradient_of(function: str, x: Array, w: Array, **more: Any) -> WeightedGradient:
    specs = load()
    accuracy = specs[function if function in specs else f"keras.ops.{function}"].accuracy
    assert accuracy is not None
    return WeightedGradient(function, {"x": x, **more}, w, accuracy)


@cache
def cases(function: str, dtype: str) -> list[tuple[WeightedGradient, Array, Array]]:
    """The gradient of a function at some points, with the weights and the points."""
    return list(_cases(function, dtype))


def _cases(function: str, dtype: str) -> Iterator[tuple[WeightedGradient, Array, Array]]:
    random = np.random.default_rng(len(function))
    more = {} if function in ELEMENTWISE else {"axis": -1}
    for shape, size in (((1, 3), 1), ((2, 4), 3), ((3, 5), 8), ((1, 12), 3), ((4, 2), 15)):
        x = random.uniform(-size, size, shape).astype(dtype)
        result = shape[:1] if function in REDUCED else shape
        w = (random.uniform(0.5, 1.5, result) * random.choice((-1, 1), result)).astype(dtype)
        yield gradient_of(function, x, w, **more), w, x


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", BACKWARD)
def test_right_gradients_are_inside(function: str, dtype: str) -> None:
    for gradient, w, x in cases(function, dtype):
        for backward in BACKWARD[function]:
            got = backward(w, x)
            assert got.dtype == dtype
            assert not gradient.outside(X, got).any()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", BACKWARD)
def test_a_small_relative_error_is_found(function: str, dtype: str) -> None:
    wrong = [
        gradient.outside(X, (BACKWARD[function][0](w, x) * (1 + FOUND[dtype])).astype(dtype)).any()
        for gradient, w, x in cases(function, dtype)
    ]
    assert any(wrong)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", BACKWARD)
def test_beyond_the_bound_every_element_is_outside(function: str, dtype: str) -> None:
    for gradient, _, x in cases(function, dtype):
        slope, name = gradient.slopes[X], x.dtype.name
        room = gradient.bound(X, name) + gradient.conditioning(X, name)
        spacing = np.spacing(np.abs(slope.value).astype(dtype))
        for sign, end in ((1, slope.high), (-1, slope.low)):
            wrong = (end + sign * (1.01 * room + 2 * spacing)).astype(dtype)
            np.testing.assert_array_equal(gradient.outside(X, wrong), np.isfinite(slope.value))


@pytest.mark.parametrize("function", [f for f in CASES if f in ELEMENTWISE] + ["log", "sqrt"])
def test_the_differences_are_within_their_error(function: str) -> None:
    """Against derivatives with 50 digits, on smooth sides of kinks too."""
    x = np.array([1e-3, 0.1, 0.7, 1.5, 3.0, 9.0, 17.0])
    if function not in {"log", "sqrt"}:
        x = np.concatenate([-x, x])
    (slope,) = slopes(function, {"x": x}, np.ones(x.shape)).values()
    for i, point in enumerate(x):
        right = mpmath.diff(CASES[function][0], exact(point))
        for side in (slope.low[i], slope.high[i]):
            rounded = 2.0**-52 * abs(right)
            assert abs(exact(side) - right) <= slope.error[i] + rounded, point


@pytest.mark.skipif(not WIDE_IS_WIDER, reason="the differences have no more digits than float64")
def test_the_differences_are_far_better_than_float32() -> None:
    for function in ELEMENTWISE:
        for gradient, _, _ in cases(function, "float32"):
            slope = gradient.slopes[X]
            smooth = slope.kink == 0
            assert (slope.error <= 2.0**-30 * (1 + slope.scale))[smooth].all(), function


@pytest.mark.parametrize("order", [1, 1.5, 2, 3, 5, 6, 8, 20])
def test_the_difference_of_two_steps_bounds_the_error(order: float) -> None:
    """Of an error of c h^p, by what Richardson's extrapolation makes of it."""
    coarse, fine = 1.0, 2.0**-order
    assert abs(16 * fine - coarse) / 15 <= abs(coarse - fine)
    assert abs(2 * fine - coarse) <= abs(coarse - fine)


@pytest.mark.parametrize("x", [0.0, 2.0**-30])
def test_a_jump_in_the_second_derivative_is_part_of_the_error(x: float) -> None:
    for function, alpha in (("elu", {"alpha": 1.0}), ("softsign", {})):
        (slope,) = slopes(function, {"x": np.array([x]), **alpha}, np.ones(1)).values()
        assert abs(slope.value - 1) <= slope.error + 2 * x
        assert slope.error > 1e-7


@pytest.mark.parametrize("function", ["tanh", "softmax", "sigmoid", "softplus"])
def test_the_jacobian_alone_does_not_show_what_cancels(function: str) -> None:
    """Where the function is flat, the terms of its derivative are larger than the derivative."""
    x = np.array([[7.0, -3.0, 0.5]], "float32") * (1 if function == "softmax" else -2)
    w = np.array([[1.3, -0.7, 0.9]], "float32")
    gradient = gradient_of(function, x, w, **({"axis": -1} if function == "softmax" else {}))
    got = [backward(w, x) for backward in BACKWARD[function]]
    assert not any(gradient.outside(X, g).any() for g in got)
    of_jacobian = 64 * 2.0**-24 * gradient.slopes[X].scale
    assert any((np.abs(g - gradient.slopes[X].value) > of_jacobian).any() for g in got)


@pytest.mark.parametrize("function", PATHS)
def test_magnitudes_of_paths_have_the_shape_of_the_tensors(function: str) -> None:
    random = np.random.default_rng(3)
    x, t = random.uniform(0.1, 0.9, (2, 3)), random.uniform(0.1, 0.9, (2, 3))
    labels = np.array([2, 0])
    losses: dict[str, dict[str, Any]] = {
        "categorical_crossentropy": {"target": t, "output": x},
        "sparse_categorical_crossentropy": {"target": labels, "output": x},
        "binary_crossentropy": {"target": t, "output": x},
        "normalize_batch_in_training.normalised tensor": {
            "x": x, "gamma": t[0], "beta": t[1], "reduction_axes": [0], "epsilon": 1e-3,
        },
        "glu": {"x": x.T},
        "average": {"x": x, "weights": t},
        "attention": dict.fromkeys(("query", "key", "value"), x[None, :, None]),
        **{name: {"x": [x, t]} for name in ("fft.real", "fft2.real", "ifft2.real", "irfft")},
    }  # fmt: skip
    arguments = losses.get(function, {"x": x})
    shapes = {
        "glu": (3, 1),
        "corrcoef": (2, 2),
        "attention": (1, 2, 1, 3),
        "rfft.real": (2, 2),
        "irfft": (2, 4),
        **dict.fromkeys(("var", "std", "nanvar", "nanstd", "average"), ()),
    }
    w = np.ones(2 if "categorical" in function else shapes.get(function, (2, 3)))
    for logits in (False, True):
        options = {**arguments, "from_logits": logits} if "entropy" in function else arguments
        gradients = slopes(function, options, w)
        for name, several in PATHS[function](w, **options).items():
            pairs = enumerate(several) if isinstance(several, list) else [(None, several)]
            for place, magnitudes in pairs:
                value = gradients[name, place].value
                assert magnitudes.shape == value.shape
                # what is added up is no less than its sum
                assert (magnitudes >= np.abs(value) * (1 - 1e-9)).all(), name


def test_roundings_on_the_way_forward_are_those_of_the_inputs() -> None:
    """The logarithm that is taken from x has its rounding error in each slope."""
    x = (1000 + np.linspace(-0.5, 0.5, 7)).astype("float32")[None]
    gradient = gradient_of("logsumexp", x, np.ones(1, "float32"), axis=-1)
    half = np.spacing(np.float32(1000)) / 2
    logarithm = np.log(np.exp(x.astype("float64") - 1000).sum()) + 1000 + half
    got = np.exp(x - logarithm)
    assert (np.abs(got - gradient.slopes[X].value) > gradient.bound(X, "float32")).any()
    assert not gradient.outside(X, got).any()
    assert gradient.outside(X, got * np.float32(1.01)).any()


@pytest.mark.parametrize("function", ["std", "nanstd"])
def test_the_mean_is_rounded(function: str) -> None:
    """Of two elements the gradient of std does not change with the roundings of the inputs."""
    x = np.array([-0.99999994, -0.9677229], "float32")[:, None]
    mean = np.float32(x.mean() - np.spacing(np.float32(0.98)) / 2)
    got = (x - mean) / (2 * x.std())
    gradient = gradient_of(function, x, np.ones(1, "float32"), axis=0)
    assert not gradient.outside(X, got).any()
    assert gradient.outside(X, got * np.float32(1.001)).all()


@pytest.mark.parametrize("function", ["nanvar", "nanstd"])
def test_nan_adds_nothing_to_a_mean(function: str) -> None:
    x, w = np.array([[1.0, np.nan, 4.0], [2.0, 0.5, -3.0]]), np.ones(2)
    magnitudes = PATHS[function](w, x=x, axis=1)["x"]
    alone = PATHS[function](w[:1], x=x[:1, ::2], axis=1)["x"]
    assert_same(magnitudes[0], np.array([alone[0, 0], 0, alone[0, 1]]), 20)
    assert_same(
        magnitudes[1], PATHS[function.removeprefix("nan")](w[1:], x=x[1:], axis=1)["x"][0], 20
    )


def test_a_mean_has_a_rounding_for_each_element() -> None:
    """Where it is summed from left to right."""
    x = (0.1 + np.linspace(-1e-5, 1e-5, 2000)).astype("float32")[None]
    mean = np.cumsum(x, axis=1, dtype="float32")[:, -1:] / np.float32(2000)
    got = 2 * (x - mean) / np.float32(2000)
    assert not gradient_of("var", x, np.ones(1, "float32"), axis=1).outside(X, got).any()


def test_a_mean_far_from_zero_hides_no_error() -> None:
    x = (1000 + np.linspace(-0.5, 0.5, 7)).astype("float32")[None]
    gradient = gradient_of("var", x, np.ones(1, "float32"), axis=-1)
    got = 2 * (x - np.float32(1000) - np.spacing(np.float32(1000))) / np.float32(7)
    assert not gradient.outside(X, got).any()
    assert gradient.outside(X, got * np.float32(1.01)).any()


def test_a_gradient_is_judged_in_the_coarser_dtype() -> None:
    x, w = np.array([[0.3, 1.1]]), np.array([[1.0, -0.6]])
    gradient = gradient_of("exp", x, w)
    right = w * np.exp(x)
    single = right.astype("float32")
    assert not gradient.outside(X, right).any()
    assert not gradient.outside(X, single).any()
    assert gradient.outside(X, single.astype("float64")).all()
    narrow = gradient_of("exp", x.astype("float32"), w.astype("float32"))
    assert not narrow.outside(X, narrow.slopes[X].value * (1 + 1e-7)).any()
    assert narrow.outside(X, narrow.slopes[X].value * (1 + 1e-5)).all()


def test_each_tensor_of_a_list_is_judged() -> None:
    tensors = [np.ones((2, 1), "float32"), np.ones((2, 3), "float32")]
    w = np.arange(8, dtype="float32").reshape(2, 4) + 1
    accuracy = load()["concatenate"].accuracy
    assert accuracy is not None
    gradient = WeightedGradient("concatenate", {"tensors": tensors, "axis": -1}, w, accuracy)
    assert not gradient.outside(("tensors", 1), w[:, 1:]).any()
    assert gradient.outside(("tensors", 0), w[:, 1:2]).all()


def test_what_underflows_may_be_zero() -> None:
    x = np.array([[-90.0, -100.0]], "float32")
    gradient = gradient_of("exp", x, np.ones((1, 2), "float32"))
    assert not gradient.outside(X, np.zeros((1, 2), "float32")).any()
    assert gradient.outside(X, np.full((1, 2), 1e-30, "float32")).all()


def test_of_many_elements_the_others_are_not_judged() -> None:
    x = np.linspace(0.5, 1.5, 40, dtype="float32")[None]
    gradient = gradient_of("exp", x, np.ones(x.shape, "float32"))
    outside = gradient.outside(X, np.full(x.shape, -1, "float32"))
    np.testing.assert_array_equal(outside, np.isfinite(gradient.slopes[X].value))
    assert 0 < outside.sum() < x.size


def test_documents_leave_open_how_probabilities_are_kept_from_zero() -> None:
    t, p = np.array([[0.0, 0.3, 1.0]]), np.array([[0.01, 0.5, 0.99]])
    accuracy = load()["binary_crossentropy"].accuracy
    assert accuracy is not None
    arguments = {"target": t, "output": p, "from_logits": False}
    gradient = WeightedGradient("binary_crossentropy", arguments, np.ones(t.shape), accuracy)
    for added in (0.0, 1e-7):
        by_output = (1 - t) / (1 - p + added) - t / (p + added)
        by_target = np.log(1 - p + added) - np.log(p + added)
        assert not gradient.outside(("output", None), by_output).any()
        assert not gradient.outside(("target", None), by_target).any()
    wrong = (1 - t) / (1 - p + 1e-6) - t / (p + 1e-6)
    assert gradient.outside(("output", None), wrong).any()


def test_documents_leave_open_whether_probabilities_are_divided_by_their_sum() -> None:
    t, p = np.array([[0.2, 0.3, 0.5]]), np.array([[0.1, 0.5, 0.3]])
    accuracy = load()["categorical_crossentropy"].accuracy
    assert accuracy is not None
    gradient = WeightedGradient(
        "categorical_crossentropy", {"target": t, "output": p}, np.ones(1), accuracy
    )
    for total in (1.0, 0.9):
        assert not gradient.outside(("target", None), -np.log(p / total)).any()
    assert not gradient.outside(("output", None), 1 / 0.9 - t / p).any()
    assert not gradient.outside(("output", None), -t / p).any()
    assert gradient.outside(("output", None), t / p).any()


INACCURATE = [
    # dtype, relative error, whether it is inaccurate rather than wrong
    ("float32", 1e-5, True),
    ("float32", 1e-4, True),
    ("float32", 1e-2, False),
    ("float64", 1e-10, True),
    ("float64", 1e-7, True),
    ("float64", 1e-2, False),
    ("float32", np.inf, False),
    ("float32", np.nan, False),
]


@pytest.mark.parametrize(("dtype", "error", "expected"), INACCURATE)
@pytest.mark.parametrize("size", [1.0, 1e-6])
def test_inaccurate_or_wrong(dtype: str, error: float, expected: bool, size: float) -> None:
    x = np.array([[0.3, 1.1]], dtype)
    w = np.array([[size, -size]], dtype)
    gradient = gradient_of("exp", x, w)
    got = (w * np.exp(x)).astype("float64")
    got[0, 1] *= 1 + error
    assert gradient.outside(X, got.astype(dtype)).tolist() == [[False, True]]
    assert gradient.is_inaccurate(X, got.astype(dtype)) is expected


def test_beside_a_kink_an_error_is_measured_from_the_nearest_slope() -> None:
    x, w = np.zeros((1, 2), "float32"), np.ones((1, 2), "float32")
    gradient = gradient_of("relu", x, w)
    assert gradient.is_inaccurate(X, np.array([[1.0001, -0.0001]], "float32"))
    assert not gradient.is_inaccurate(X, np.array([[1.01, 0.5]], "float32"))


def test_a_tensor_of_rank_0_is_judged_like_others() -> None:
    x, weight = np.array(0.5), np.array(2.0)
    accuracy = load()["exp"].accuracy
    assert accuracy is not None
    gradient = WeightedGradient("exp", {"x": x}, weight, accuracy)
    correct = weight * np.exp(x)
    assert 0 < gradient.conditioning(X, "float64") < 1e-14
    assert not gradient.outside(X, np.asarray(correct)).any()
    assert gradient.outside(X, np.asarray(correct * (1 + 1e-11))).all()


@pytest.mark.parametrize(("x", "expected"), [(-14.4, False), (-5.0, True)])
def test_the_tail_of_sigmoid_is_as_exact_as_tanh(x: float, expected: bool) -> None:
    arguments, accuracy = {"x": np.array([x], np.float32)}, load()["sigmoid"].accuracy
    assert accuracy is not None
    tested = WeightedGradient("sigmoid", arguments, np.ones(1), accuracy)
    slope = tested.slopes["x", None].value
    assert not tested.outside(("x", None), slope.astype(np.float32)).any()
    assert tested.outside(("x", None), (0.9 * slope).astype(np.float32)).any() == expected
