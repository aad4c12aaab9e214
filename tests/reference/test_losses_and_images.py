"""Normalisation, padding and losses of the reference: values, errors and gradients."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812
from conformance.oracle import ORACLES, expect
from conformance.specs.model import Contraction
from tests.bounds import assert_right, assert_within
from tests.oracle.support import ask

RNG = np.random.default_rng(3)
IMAGES = RNG.normal(size=(2, 3, 4, 5))
VOLUMES = RNG.normal(size=(1, 2, 3, 2, 2))
VECTOR = RNG.normal(size=5)
SHARES = np.exp(RNG.normal(size=(3, 4)))
SHARES /= SHARES.sum(axis=-1, keepdims=True)
TARGETS = np.array([[0.0, 1, 0, 0], [0.25, 0.25, 0, 0.5], [1, 0, 0, 0]])
LOGITS = RNG.uniform(-4, 4, (3, 4))
LABELS = np.array([1, 3, 0])
STATISTICS = {"mean": VECTOR, "var": VECTOR**2, "beta": VECTOR + 1, "gamma": VECTOR - 2}
FIRST = "channels_first"

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("batch_normalization", {"x": IMAGES, **STATISTICS, "epsilon": 0.01}),
    ("batch_normalization", {"x": IMAGES[..., :1], "axis": 1, "epsilon": 0.001}),
    ("l2_normalize", {"x": IMAGES, "axis": 1}),
    ("l2_normalize", {"x": IMAGES, "axis": (0, -1)}),
    ("l2_normalize", {"x": np.zeros((2, 2)), "axis": 1}),
    ("temporal_padding", {"x": IMAGES[0], "padding": (2, 0)}),
    ("spatial_2d_padding", {"x": IMAGES, "padding": ((1, 0), (2, 3)), "data_format": FIRST}),
    ("spatial_3d_padding", {"x": VOLUMES, "padding": ((1, 0), (2, 3), (0, 1))}),
    ("resize_images", {"x": IMAGES, "height_factor": 2, "width_factor": 3, "data_format": FIRST}),
    (
        "resize_volumes",
        {
            "x": VOLUMES,
            "depth_factor": 2,
            "height_factor": 1,
            "width_factor": 3,
            "data_format": "channels_last",
        },
    ),
    ("bias_add", {"x": IMAGES, "bias": VECTOR}),
    ("bias_add", {"x": IMAGES, "bias": VECTOR[:3], "data_format": FIRST}),
    ("bias_add", {"x": IMAGES, "bias": IMAGES[0], "data_format": "channels_last"}),
    ("bias_add", {"x": IMAGES, "bias": IMAGES[0].transpose(1, 2, 0), "data_format": FIRST}),
    ("categorical_crossentropy", {"target": TARGETS, "output": SHARES}),
    ("categorical_crossentropy", {"target": TARGETS, "output": LOGITS, "from_logits": True}),
    (
        "categorical_crossentropy",
        {"target": TARGETS.T, "output": LOGITS.T, "from_logits": True, "axis": 0},
    ),
    ("sparse_categorical_crossentropy", {"target": LABELS, "output": SHARES}),
    (
        "sparse_categorical_crossentropy",
        {"target": LABELS, "output": LOGITS.T, "from_logits": True, "axis": 0},
    ),
    ("binary_crossentropy", {"target": TARGETS, "output": SHARES}),
    ("binary_crossentropy", {"target": TARGETS, "output": LOGITS, "from_logits": True}),
    ("in_top_k", {"predictions": SHARES, "targets": LABELS, "k": 2}),
]
CALLS[1][1].update({n: v[:3] for n, v in STATISTICS.items()})


def value(name: str, arguments: dict[str, Any]) -> Any:
    def tensor(item: Any) -> Any:
        return K.variable(item, dtype=item.dtype.name) if isinstance(item, np.ndarray) else item

    return K.eval(getattr(K, name)(**{n: tensor(v) for n, v in arguments.items()}))


@pytest.mark.parametrize(
    ("name", "arguments"), CALLS, ids=[f"{n}-{i}" for i, (n, _) in enumerate(CALLS)]
)
def test_values_are_the_oracles(name: str, arguments: dict[str, Any]) -> None:
    result = value(name, arguments)
    assert result.dtype == ("bool" if name == "in_top_k" else "float64")
    assert_right(result, ask(name, result.dtype.name, **arguments))


def test_float32_is_rounded_once() -> None:
    x = IMAGES.astype("float32")
    result = value("l2_normalize", {"x": x, "axis": -1})
    wide = ask("l2_normalize", x=x.astype("float64"), axis=-1)
    assert result.dtype == np.float32
    half = np.spacing(np.abs(wide.value).astype("float32")) / 2
    assert_within(result, wide.value, half + wide.bound)


def test_three_results_of_training() -> None:
    x, gamma, beta = (a.astype("float32") for a in (IMAGES, VECTOR, VECTOR + 1))
    tensors = [K.variable(a) for a in (x, gamma, beta)]
    results = K.normalize_batch_in_training(*tensors, [0, 1, 2])
    assert [K.int_shape(r) for r in results] == [IMAGES.shape, (5,), (5,)]
    arguments = {"x": x, "gamma": gamma, "beta": beta, "reduction_axes": [0, 1, 2]}
    for part, result in zip(("normalised tensor", "mean", "variance"), results, strict=True):
        name = f"normalize_batch_in_training.{part}"
        options = arguments | ({"epsilon": 1e-3} if part == "normalised tensor" else {})
        assert_right(K.eval(result), expect(name, options, "float32", Contraction()))


def test_static_shapes_with_unknown_dimensions() -> None:
    x = K.placeholder((None, 3, None, 2))
    assert K.int_shape(K.spatial_2d_padding(x, ((1, 2), (0, 1)))) == (None, 6, None, 2)
    assert K.int_shape(K.resize_images(x, 2, 3, FIRST)) == (None, 3, None, 6)
    assert K.int_shape(K.bias_add(x, K.placeholder((None,)))) == (None, 3, None, 2)
    output, target = K.placeholder((None, 4)), K.placeholder((5, None))
    assert K.int_shape(K.categorical_crossentropy(target, output)) == (5,)
    assert K.int_shape(K.binary_crossentropy(target, output)) == (5, 4)


X4, X3, V5 = K.variable(IMAGES), K.variable(IMAGES[0]), K.variable(VECTOR)
P, T = K.variable(SHARES), K.variable(TARGETS)
REFUSED: list[tuple[Any, str]] = [
    (lambda: K.resize_images(X4, 2, 2, "tf"), "data_format is 'tf'"),
    (lambda: K.resize_images(X4, 2, 2, None), "data_format is None"),
    (lambda: K.resize_images(X4, 0, 2, "channels_last"), "height_factor is 0"),
    (lambda: K.spatial_2d_padding(X4, data_format="last"), "data_format is 'last'"),
    (lambda: K.spatial_2d_padding(X4, (1, 1)), r"padding\[0\] is 1; write a tuple of two"),
    (lambda: K.spatial_2d_padding(X3), "needs rank 4"),
    (lambda: K.temporal_padding(X3, (1, 1, 1)), "write a tuple of two integers"),
    (lambda: K.temporal_padding(X3, (-1, 1)), "write an integer from 0 up"),
    (lambda: K.bias_add(X4, V5, "NHWC"), "data_format is 'NHWC'"),
    (lambda: K.bias_add(X4, P), "needs rank 1 or 3"),
    (lambda: K.bias_add(X4, V5, FIRST), "x and bias along axis 1"),
    (lambda: K.categorical_crossentropy(T, P, axis=2), "axis 2 is out of range"),
    (lambda: K.categorical_crossentropy(T, P, axis=-2), "write -1 or one from 0"),
    (lambda: K.sparse_categorical_crossentropy(T, P, axis=5), "out of range"),
    (lambda: K.categorical_crossentropy(T, X4), "differ in rank"),
    (lambda: K.batch_normalization(X4, P, P, P, P), "needs rank 1, or 4"),
    (lambda: K.normalize_batch_in_training(X4, V5, V5, 0), "reduction_axes must be a list"),
    (lambda: K.normalize_batch_in_training(X4, V5, V5, [0]), "needs rank 3"),
    (lambda: K.in_top_k(P, T, 1), "targets is float32"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_label_that_is_no_class_is_refused_when_computing() -> None:
    with pytest.raises(ValueError, match="label 4 is not a class"):
        K.eval(K.sparse_categorical_crossentropy(K.variable([0, 4, 1], dtype="int32"), P))


def test_shapes_that_differ_are_refused_when_computing() -> None:
    target, output = K.placeholder((None, 4)), K.placeholder((None, 4))
    loss = K.function([target, output], [K.categorical_crossentropy(target, output)])
    with pytest.raises(ValueError, match="must be equal"):
        loss([np.ones((1, 4)), np.ones((3, 4))])


DIFFERENTIABLE = [
    (name, arguments)
    for name, arguments in CALLS
    if name != "in_top_k" and not (name == "l2_normalize" and not arguments["x"].any())
]


@pytest.mark.parametrize(("name", "arguments"), DIFFERENTIABLE)
def test_gradients_are_finite_differences(name: str, arguments: dict[str, Any]) -> None:
    floats = {n: v for n, v in arguments.items() if getattr(v, "dtype", "") == np.float64}
    tensors = {
        n: K.variable(v, dtype=v.dtype.name) if isinstance(v, np.ndarray) else v
        for n, v in arguments.items()
    }
    loss = K.sum(K.square(getattr(K, name)(**tensors)))
    for parameter, array in floats.items():
        (gradient,) = K.gradients(loss, [tensors[parameter]])
        direction = RNG.normal(size=array.shape)
        ends = [
            np.square(
                ORACLES[name](**{**arguments, parameter: array + sign * 1e-6 * direction})
            ).sum()
            for sign in (1, -1)
        ]
        slope = (ends[0] - ends[1]) / 2e-6
        assert np.sum(K.eval(gradient) * direction) == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_keras_1() -> None:
    source = """
import numpy as np
import conformance.reference as K
x = K.variable(np.ones((1, 2, 3, 4)))
print(K.int_shape(K.spatial_2d_padding(x, padding=(1, 2), dim_ordering='th')))
print(K.int_shape(K.resize_images(X=x, height_factor=2, width_factor=1, dim_ordering='tf')))
s = K.variable(np.ones((1, 2, 3)))
print(K.int_shape(K.temporal_padding(s, 2)), K.int_shape(K.asymmetric_temporal_padding(s, 0, 3)))
p = K.variable([[0.25, 0.75]])
t = K.variable([[1.0, 0.0]])
print([round(float(v), 4) for v in K.eval(K.categorical_crossentropy(p, t))])
try:
    K.resize_images(x, 2, 2, 'channels_last')
except ValueError as error:
    print(error)
"""
    environment = {**os.environ, "CONFORMANCE_REFERENCE_EDITION": "keras-1"}
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, env=environment, check=False
    )
    assert done.stdout.splitlines() == [
        "(1, 2, 5, 8)",
        "(1, 4, 3, 4)",
        "(1, 6, 3) (1, 5, 3)",
        "[1.3863]",
        "resize_images: dim_ordering is 'channels_last'; write 'tf' or 'th'",
    ], done.stderr
