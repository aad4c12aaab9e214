"""Functions of rows that Keras 3 has: SciPy's, mpmath's and NumPy's, and right ones pass."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.signal
import scipy.spatial
import scipy.special

from conformance.oracle import ORACLES, Expectation, expect
from conformance.oracle.expectation import Array
from conformance.specs import load
from conformance.specs.model import Conditioned
from tests.bounds import assert_right
from tests.oracle.test_against_mpmath import exact

RNG = np.random.default_rng(0)
DTYPES = ("float32", "float64")
EIGHTEEN = 1e-18


def _ask(name: str, dtype: str, **arguments: Any) -> Expectation:
    spec = load()[f"keras.ops.{name}"]
    assert spec.accuracy is not None
    return expect(spec.oracle or name, arguments, dtype, spec.accuracy, flush_subnormals=False)


def _normal(*shape: int, dtype: str = "float32") -> Array:
    return RNG.normal(size=shape).astype(dtype)


@pytest.mark.parametrize("x", [0.0, 1e-9, -3e-5, 0.1, -0.5, 0.9, -0.99, 0.999999, 1 - 2.0**-53])
def test_the_inverse_of_the_error_function(x: float) -> None:
    result = ORACLES["erfinv"](x=np.array([x], np.longdouble))[0]
    with mpmath.workdps(40):
        right = mpmath.erfinv(mpmath.mpf(x))
        assert abs(exact(result) - right) <= 4 * EIGHTEEN * abs(right)


def test_the_ends_of_the_inverse_error_function() -> None:
    result = ORACLES["erfinv"](x=np.array([1.0, -1.0, 2.0, -0.0]))
    np.testing.assert_array_equal(result, [np.inf, -np.inf, np.nan, -0.0])


@pytest.mark.parametrize("x", [0.0, 1e-5, -0.7, 3.0, 20.0, 39.99, -40.01, 88.0, 300.0, 700.0])
def test_the_bessel_function(x: float) -> None:
    result = ORACLES["i0"](x=np.array([x], np.longdouble))[0]
    with mpmath.workdps(40):
        right = mpmath.besseli(0, mpmath.mpf(x))
        assert abs(exact(result) - right) <= 1e-16 * right


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_functions_of_scipy_pass(dtype: str) -> None:
    x, y = RNG.uniform(-0.99, 0.99, 200), RNG.uniform(-80, 80, 200)
    for name, of in (("erfinv", x), ("i0", y)):
        values = of.astype(dtype)
        right = getattr(scipy.special, name)(values.astype(float)).astype(dtype)
        assert_right(right, _ask(name, dtype, x=values))


@pytest.mark.parametrize("length", [2, 3, 12, 65])
def test_windows(length: int) -> None:
    for name in ("bartlett", "blackman"):
        window = scipy.signal.get_window(name, length, fftbins=False)
        assert_right(window.astype("float32"), _ask(name, "float32", length=length))
    for beta in (14.0, 0.5):
        window = scipy.signal.get_window(("kaiser", beta), length, fftbins=False)
        expected = _ask("kaiser", "float32", length=length, beta=beta)
        assert_right(window.astype("float32"), expected)
        assert expected.bound.max() < 1e-4


@pytest.mark.parametrize("endpoint", [True, False])
def test_numbers_on_a_log_scale(endpoint: bool) -> None:
    for num in (2, 5, 50):
        options: dict[str, Any] = {"num": num, "endpoint": endpoint}
        expected = np.logspace(-0.5, 3, base=3, **options)
        assert_right(expected, _ask("logspace", "float64", start=-0.5, stop=3.0, base=3, **options))
        expected = np.geomspace(2.0, 0.25, **options)
        assert_right(expected, _ask("geomspace", "float64", start=2.0, stop=0.25, **options))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [-1, 0])
def test_gates(axis: int, dtype: str) -> None:
    x = _normal(4, 6, dtype=dtype)
    first, second = np.split(x.astype(float), 2, axis)
    expected = (first * scipy.special.expit(second)).astype(dtype)
    assert_right(expected, _ask("glu", dtype, x=x, axis=axis))


def _projected(z: Array) -> Array:
    """The point of the simplex that is nearest to z, by bisection of the threshold."""
    low, high = z.min() - 1, z.max()
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(z - middle, 0).sum() > 1 else (low, middle)
    return np.asarray(np.maximum(z - low, 0))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scale", [0.1, 1.0, 20.0])
def test_sparsemax_is_the_nearest_point_of_the_simplex(scale: float, dtype: str) -> None:
    x = (scale * _normal(7, 5)).astype(dtype)
    nearest = np.stack([_projected(column) for column in x.T.astype(float)], -1)
    expected = _ask("sparsemax", dtype, x=x, axis=0)
    assert_right(nearest.astype(dtype), expected)
    assert expected.bound.max() < 1e-4 * scale


def test_sparsemax_of_equal_elements() -> None:
    np.testing.assert_array_equal(ORACLES["sparsemax"](x=np.ones((2, 4))), np.full((2, 4), 0.25))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lengths", [(9, 3), (3, 9), (5, 4), (1, 3)])
def test_correlations_of_vectors(lengths: tuple[int, int], dtype: str) -> None:
    x, y = (_normal(n, dtype=dtype) for n in lengths)
    for mode in ("full", "valid"):
        expected = np.correlate(x, y, mode)
        assert_right(expected, _ask("correlate", dtype, x=x, y=y, mode=mode))
    shorter = min(lengths)
    if shorter % 2:
        assert_right(np.correlate(x, y, "same"), _ask("correlate", dtype, x=x, y=y, mode="same"))


def test_both_places_where_same_may_begin() -> None:
    x, y = np.arange(1.0, 6.0), np.array([1.0, 10.0])
    full = np.correlate(x, y, "full")
    for late in (False, True):
        result = ORACLES["correlate"](x=x, y=y, mode="same", late=late)
        np.testing.assert_array_equal(result, full[late:][:5])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shift", [0.0, 64.0])
def test_correlations_of_rows(shift: float, dtype: str) -> None:
    x = (_normal(3, 50) + shift).astype(dtype)
    correlations = np.corrcoef(x.astype(float)).astype(dtype)
    expected = _ask("corrcoef", dtype, x=x)
    assert_right(correlations, expected)
    assert expected.bound.max() < 2e-2


@pytest.mark.parametrize("dtype", DTYPES)
def test_distances(dtype: str) -> None:
    x, y = _normal(4, 6, dtype=dtype), _normal(3, 6, dtype=dtype)
    expected = scipy.spatial.distance.cdist(x, y).astype(dtype)
    assert_right(expected, _ask("cdist", dtype, x=x, y=y))
    assert_right(expected[None], _ask("cdist", dtype, x=x[None], y=y[None]))


def _attended(q: Array, k: Array, v: Array, bias: Array, *, causal: bool) -> Array:
    """Position by position, with the softmax of SciPy."""
    result = np.zeros(q.shape)
    for b, t, n in np.ndindex(*q.shape[:3]):
        last = t + 1 if causal else k.shape[1]
        logits = k[b, :last, n] @ q[b, t, n] / np.sqrt(q.shape[-1]) + bias[b, n, t, :last]
        result[b, t, n] = scipy.special.softmax(logits) @ v[b, :last, n]
    return result


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal: bool, dtype: str) -> None:
    q, k, v = (_normal(2, 4, 3, 5, dtype=dtype) for _ in range(3))
    bias = _normal(2, 3, 4, 4, dtype=dtype)
    wide = (a.astype(float) for a in (q, k, v, bias))
    attention = _attended(*wide, causal=causal).astype(dtype)
    arguments = {"query": q, "key": k, "value": v, "bias": bias, "is_causal": causal}
    expected = _ask("dot_product_attention", dtype, **arguments)
    assert_right(attention, expected)
    assert expected.bound.max() < 1e-3


def test_saturated_casts() -> None:
    x = np.array([1e5, -1e5, 65504.0, 1.5, np.inf])
    result = expect("saturate_cast", {"x": x, "dtype": "float16"}, "float16", _ulp()).value
    np.testing.assert_array_equal(result, [65504.0, -65504.0, 65504.0, 1.5, 65504.0])


def _ulp() -> Any:
    return load()["keras.ops.saturate_cast"].accuracy


@pytest.mark.torch
def test_the_ctc_losses_of_logits_are_those_of_torch() -> None:
    torch = pytest.importorskip("torch")
    x, labels = RNG.normal(size=(3, 6, 4)), RNG.integers(0, 3, (3, 2))
    steps, sizes = np.array([6, 5, 4]), np.array([2, 1, 2])
    logs = torch.log_softmax(torch.tensor(x), -1).transpose(0, 1)
    tensors = [torch.tensor(a) for a in (labels, steps, sizes)]
    losses = torch.nn.functional.ctc_loss(logs, *tensors, blank=3, reduction="none").numpy()
    lengths = {"target_length": sizes, "output_length": steps}
    arguments = {"target": labels, "output": x, **lengths, "mask_index": 3}
    assert_right(losses, expect("ctc_loss", arguments, "float64", Conditioned(factor=4.0)))


def test_a_progression_to_what_its_dtype_does_not_hold_is_open() -> None:
    ends = {"start": np.array([1.0, 1.0]), "stop": np.array([1e-300, 1e-30]), "num": 3}
    open_columns = np.isinf(_ask("geomspace", "float32", **ends).bound).all(0)
    assert open_columns.tolist() == [True, False]
