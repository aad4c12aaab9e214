"""No correct evaluation in a dtype is outside the bounds, whatever order it takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.oracle.expectation import Array
from tests.oracle.support import DTYPES, SUMS, allowed, draws, extremes

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # overflow is meant

LENGTHS = (1, 2, 3, 7, 40)
SMALL = ("float16", "float32")


def rounded(x: Array, function: Any) -> Array:
    """The correctly rounded result (but for ties) of an elementwise function."""
    with np.errstate(all="ignore"):
        return np.asarray(function(x.astype(np.longdouble))).astype(x.dtype)


@pytest.mark.parametrize("order", SUMS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums(dtype: str, order: str) -> None:
    add = SUMS[order]
    for length in LENGTHS:
        for x in draws(dtype, (length,), 40, seed=length):
            n = x.dtype.type(length)
            assert allowed("sum", add(x), x=x)
            assert allowed("mean", add(x) / n, x=x)
            assert allowed("mean", add(x) * (x.dtype.type(1) / n), x=x)


@pytest.mark.parametrize("order", SUMS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_variances(dtype: str, order: str) -> None:
    add = SUMS[order]
    for length in LENGTHS:
        for x in draws(dtype, (length,), 40, seed=length):
            n = x.dtype.type(length)
            variance = add(np.square(x - add(x) / n)) / n
            assert allowed("var", variance, x=x)
            assert allowed("std", np.sqrt(variance), x=x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_scans(dtype: str) -> None:
    for length in LENGTHS:
        for x in draws(dtype, (length,), 60, seed=length):
            assert allowed("cumsum", np.cumsum(x, dtype=dtype), x=x)
            assert allowed("cumsum", [SUMS["backwards"](x[: i + 1]) for i in range(length)], x=x)
            y = np.clip(x, -1.5, 1.5)
            assert allowed("cumprod", np.cumprod(y, dtype=dtype), x=y)
            assert allowed("prod", np.multiply.reduce(y[::-1]), x=y)
            assert allowed("prod", np.multiply.reduce(np.sort(y)), x=y)


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_that_underflow_on_the_way(dtype: str) -> None:
    x = np.array([2.0**-10] * 12 + [2.0**9] * 12, np.float64)
    x[0] = 3.0
    for y in (x, x[::-1], np.ravel(x.reshape(2, 12).T)):
        assert allowed("prod", np.multiply.reduce(y.astype(dtype)), x=x.astype(dtype))


@pytest.mark.parametrize("order", SUMS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_inner_products(dtype: str, order: str) -> None:
    add = SUMS[order]
    for length in (1, 2, 5, 16):
        pairs = zip(draws(dtype, (2, length), 15), draws(dtype, (length, 2), 15, 9), strict=True)
        for x, y in pairs:
            right = np.array([[add(row * column) for column in y.T] for row in x])
            assert allowed("dot", right, x=x, y=y)
            diagonal = np.diag(right)[:, np.newaxis]
            assert allowed("batch_dot", diagonal, x=x, y=np.ascontiguousarray(y.T), axes=1)


@pytest.mark.parametrize("flush", [False, True])
@pytest.mark.parametrize("order", ["forwards", "pairwise", "by magnitude"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_ends_of_the_range(dtype: str, order: str, flush: bool) -> None:
    add = SUMS[order]
    for length in (1, 2, 6):
        n = np.dtype(dtype).type(length)
        for x, y in extremes(dtype, length, 40):
            assert allowed("sum", add(x), x=x, flush=flush)
            assert allowed("mean", add(y) / n, x=y, flush=flush)
            variance = add(np.square(x - add(x) / n)) / n
            assert allowed("var", variance, x=x, flush=flush)
            assert allowed("std", np.sqrt(variance), x=x, flush=flush)
            assert allowed("dot", add(x * y), x=x, y=y, flush=flush)
            assert allowed("cumprod", np.cumprod(y, dtype=dtype), x=y, flush=flush)
            assert allowed("prod", np.multiply.reduce(y[::-1]), x=y, flush=flush)


def flush(x: Array) -> Array:
    """Zero for every subnormal number."""
    return np.where(np.abs(x) < np.finfo(x.dtype).smallest_normal, x.dtype.type(0), x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_subnormals_read_and_written_as_zero(dtype: str) -> None:
    for x, y in extremes(dtype, 6, 150):
        a, b = flush(x), flush(y)
        assert allowed("dot", SUMS["forwards"](flush(a * b)), x=x, y=y, flush=True)
        for function in ("square", "abs", "sqrt", "exp", "tanh", "log"):
            got = flush(getattr(np, function)(np.abs(b)))
            assert allowed(function, got, x=np.abs(y), flush=True), function
        assert allowed("maximum", np.maximum(a, b), x=x, y=y, flush=True)
        assert allowed("greater", a > b, dtype="bool", x=x, y=y, flush=True)
        total = a.dtype.type(0)
        for term in a:
            total = flush(np.add(total, term))
        assert allowed("sum", total, x=x, flush=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_softmax_with_the_maximum_subtracted(dtype: str) -> None:
    for shape in ((1,), (4,), (3, 4), (2, 30)):
        for x in draws(dtype, shape, 60):
            top = x.max(axis=-1, keepdims=True)
            powers = np.exp(x - top)
            total = powers.sum(axis=-1, keepdims=True, dtype=dtype)
            assert allowed("softmax", powers / total, x=x)
            assert allowed("logsumexp", (np.log(total) + top)[..., 0], x=x, axis=-1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_logarithm_of_exponentials_with_3_ulp(dtype: str) -> None:
    """Nothing is subtracted first, and small arguments do not hide an error of exp."""
    x = np.geomspace(0.001, 0.5, 40).astype(dtype)[:, np.newaxis]
    powers = np.exp(x.astype(np.longdouble))
    for off in (-3, 3):
        inexact = powers + off * np.finfo(dtype).eps
        assert allowed("logsumexp", np.log(inexact).astype(dtype)[:, 0], x=x, axis=1)
    assert not allowed(
        "logsumexp", np.log(powers - 8 * np.finfo(dtype).eps)[:1, 0], x=x[:1], axis=1
    )


def test_logarithms_of_numpys_kernels_for_wide_registers() -> None:
    """What NumPy 2.4 gives in float32 with AVX2, 3.67 ULP off; without, it is 0.8 at most."""
    x = np.array([float.fromhex("0x1.929562p-1"), float.fromhex("0x1.8ed3cep-1")], np.float32)
    got = np.array([float.fromhex("-0x1.ec626ap-3"), float.fromhex("-0x1.ff9510p-3")], np.float32)
    assert allowed("log", got, x=x)
    assert not allowed("log", got + np.spacing(got), x=x)


@pytest.mark.parametrize("dtype", SMALL)
def test_plain_formulas(dtype: str) -> None:
    unit = np.dtype(dtype).type(1)
    for drawn in draws(dtype, (40,), 60):
        x = np.clip(drawn, -8, 8)
        assert allowed("softsign", x / (unit + np.abs(x)), x=x)
        assert allowed("sigmoid", unit / (unit + np.exp(-x)), x=x)
        assert allowed("elu", np.where(x > 0, x, np.expm1(x)), x=x)
        assert allowed("softplus", np.logaddexp(unit * 0, x), x=x)
        fifth = np.dtype(dtype).type(0.2)
        assert allowed("hard_sigmoid", np.clip(fifth * x + unit / 2, 0, 1), x=x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_elementwise(dtype: str) -> None:
    for x in draws(dtype, (40,), 60):
        for function in ("exp", "sin", "cos", "tanh", "square", "abs", "sign"):
            assert allowed(function, rounded(x, getattr(np, function)), x=x), function
        assert allowed("round", np.rint(x), x=x)
        assert allowed(
            "clip",
            np.clip(x, x.dtype.type(-0.1), x.dtype.type(0.3)),
            x=x,
            min_value=-0.1,
            max_value=0.3,
        )
        assert allowed("maximum", np.maximum(x, x[::-1]), x=x, y=x[::-1])
        positive = np.abs(x) + np.finfo(dtype).smallest_normal
        assert allowed("log", rounded(positive, np.log), x=positive)
        assert allowed("sqrt", np.sqrt(positive), x=positive)
        for exponent in (0, 1, 2, 3, -1, -2):
            got = rounded(x, lambda y, a=exponent: y**a)
            assert allowed("pow", got, x=x, a=exponent), exponent


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("alpha", "max_value"), [(0.0, None), (0.1, None), (0.1, 1.5), (0.0, 0.75)]
)
def test_relu(dtype: str, alpha: float, max_value: float | None) -> None:
    for x in draws(dtype, (40,), 30):
        slope = x.dtype.type(alpha)
        got = np.where(x > 0, x, slope * x if alpha else 0).astype(dtype)
        if max_value is not None:
            got = np.minimum(got, x.dtype.type(max_value))
        assert allowed("relu", got, x=x, alpha=alpha, max_value=max_value)
