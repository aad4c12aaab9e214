"""Normalisations of Keras 3: NumPy's and torch's in float64, and right ones pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.oracle import ORACLES, Expectation, expect
from conformance.oracle.expectation import Array
from conformance.oracle.gradient_bounds import WeightedGradient
from conformance.specs import load
from tests.bounds import assert_right

RNG = np.random.default_rng(0)
DTYPES = ("float32", "float64")


def _ask(name: str, dtype: str, part: str = "", **arguments: Any) -> Expectation:
    spec = load()[f"keras.ops.{name}"]
    assert spec.accuracy is not None
    oracle = f"{spec.oracle}{part}"
    return expect(oracle, arguments, dtype, spec.accuracy, flush_subnormals=False)


def _normal(*shape: int, dtype: str = "float32") -> Array:
    return RNG.normal(size=shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_by_statistics(axis: int, dtype: str) -> None:
    x = _normal(3, 4, 5, dtype=dtype)
    mean, offset, scale = (_normal(x.shape[axis], dtype=dtype) for _ in range(3))
    variance, along = np.square(offset), [1, 1, 1]
    along[axis] = -1
    m, v, b, g = (a.reshape(along).astype(float) for a in (mean, variance, offset, scale))
    epsilon = float(np.asarray(0.5, dtype))
    arguments: dict[str, Any] = {
        "x": x,
        "mean": mean,
        "variance": variance,
        "axis": axis,
        "epsilon": epsilon,
    }
    expected = (x - m) / np.sqrt(v + epsilon)
    assert_right(expected.astype(dtype), _ask("batch_normalization", dtype, **arguments))
    both = {**arguments, "offset": offset, "scale": scale}
    expected = (expected * g + b).astype(dtype)
    assert_right(expected, _ask("batch_normalization", dtype, **both))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("axis", [0, -1, (0, 1)])
def test_norms(axis: Any, order: int, dtype: str) -> None:
    x = _normal(3, 4, dtype=dtype)
    where: dict[str, Any] = {"axis": axis if isinstance(axis, int) else None, "keepdims": True}
    flat = x.astype(float) if isinstance(axis, int) else x.astype(float).reshape(-1)
    norm = np.linalg.norm(flat, order, **where)
    for epsilon in (None, 2.0, 0.5):
        expected = (x / np.maximum(norm, epsilon or 1e-7)).astype(dtype)
        arguments = {"x": x, "axis": axis, "order": order, "epsilon": epsilon}
        assert_right(expected, _ask("normalize", dtype, **arguments))


def test_a_norm_of_matrices_is_another_reading() -> None:
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    arguments = {"x": x, "axis": (0, 1), "order": 1}
    np.testing.assert_allclose(ORACLES["normalize"](**arguments), x / 10)
    np.testing.assert_allclose(ORACLES["normalize"](**arguments, of_matrix=True), x / 6)
    with pytest.raises(ValueError, match="matrices"):
        ORACLES["normalize"](**{**arguments, "order": 3}, of_matrix=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axes", [[0], (0, 2), 1])
def test_moments(axes: Any, keepdims: bool, dtype: str) -> None:
    x = _normal(3, 4, 5, dtype=dtype)
    where = axes if isinstance(axes, int) else tuple(axes)
    for part, function in ((".mean", np.mean), (".variance", np.var)):
        expected = function(x.astype(float), axis=where, keepdims=keepdims).astype(dtype)
        assert_right(expected, _ask("moments", dtype, part, x=x, axes=axes, keepdims=keepdims))


@pytest.mark.torch
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("epsilon", [None, 0.01])
def test_those_of_torch(epsilon: float | None, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    x, scale, shift = (_normal(*shape, dtype=dtype) for shape in ((3, 6), (6,), (6,)))
    limit = 1e-7 if epsilon is None else float(np.asarray(epsilon, dtype))
    tensor, gamma, beta = (torch.tensor(a.astype(float)) for a in (x, scale, shift))
    functions = torch.nn.functional
    expected = functions.layer_norm(tensor, (6,), gamma, beta, limit).numpy().astype(dtype)
    arguments: dict[str, Any] = {"x": x, "gamma": scale, "beta": shift, "epsilon": epsilon}
    assert_right(expected, _ask("layer_normalization", dtype, **arguments))
    expected = functions.rms_norm(tensor, (6,), gamma, limit).numpy().astype(dtype)
    assert_right(expected, _ask("rms_normalization", dtype, x=x, scale=scale, epsilon=epsilon))


@pytest.mark.parametrize("name", ["layer_normalization", "rms_normalization"])
def test_an_epsilon_may_be_a_limit(name: str) -> None:
    x = np.array([[3.0, -3.0]])
    assert ORACLES[name](x=x, epsilon=0.5)[0, 0] == pytest.approx(3 / np.sqrt(9.5))
    assert ORACLES[name](x=x, epsilon=0.5, least=True)[0, 0] == 1
    assert ORACLES[name](x=x, epsilon=6.0, least=True)[0, 0] == 0.5


FUNCTIONS = ("normalize", "layer_normalization", "rms_normalization", "sparsemax", "glu")


def _gradient(name: str, x: Array) -> WeightedGradient:
    spec = load()[f"keras.ops.{name}"]
    assert spec.accuracy is not None and spec.oracle is not None
    weights = np.cos(np.arange(x.size // (1 + (name == "glu")))).reshape(len(x), -1)
    return WeightedGradient(spec.oracle, {"x": x}, weights, spec.accuracy)


def _of_torch(name: str, x: Array, dtype: str) -> Array:
    torch = pytest.importorskip("torch")
    functions, t = torch.nn.functional, torch.tensor(x.astype(dtype), requires_grad=True)
    last = x.shape[-1:]
    result = {
        "normalize": lambda: functions.normalize(t, dim=-1, eps=1e-7),
        "layer_normalization": lambda: functions.layer_norm(t, last, eps=1e-7),
        "rms_normalization": lambda: functions.rms_norm(t, last, eps=1e-7),
        "glu": lambda: functions.glu(t),
        "sparsemax": lambda: _sparsemax(torch, t),
    }[name]()
    weights = torch.tensor(_gradient(name, x).weights.astype(dtype))
    (gradient,) = torch.autograd.grad(result, t, weights)
    return np.asarray(gradient.numpy())


def _sparsemax(torch: Any, t: Any) -> Any:
    falling, _ = torch.sort(t, -1, descending=True)
    totals, count = torch.cumsum(falling, -1) - 1, torch.arange(1, t.shape[-1] + 1)
    k = (count * falling > totals).sum(-1, keepdim=True)
    return torch.relu(t - torch.gather(totals, -1, k - 1) / k)


@pytest.mark.torch
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_gradients_of_torch_are_inside_and_wrong_ones_are_not(name: str, dtype: str) -> None:
    x = _normal(2, 4, dtype=dtype)
    asked, got = _gradient(name, x), _of_torch(name, x, dtype)
    assert not asked.outside(("x", None), got).any()
    for wrong in (got * 1.01, -got, got + 0.01):
        assert asked.outside(("x", None), wrong).any()
