"""Random tensors and dropout of the reference: laws, seeds, flags, gradients, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import conformance.reference as K  # noqa: N812
from tests.bounds import assert_same

TENSORS: dict[str, tuple[float, ...]] = {
    "random_normal": (1.0, 2.0),
    "random_uniform": (-2.0, 3.0),
    "random_binomial": (0.3,),
    "truncated_normal": (1.0, 2.0),
}
VARIABLES = {"random_uniform_variable": (-2.0, 3.0), "random_normal_variable": (1.0, 2.0)}
LAWS = {
    "random_normal": stats.norm(1, 2),
    "random_normal_variable": stats.norm(1, 2),
    "random_uniform": stats.uniform(-2, 5),
    "random_uniform_variable": stats.uniform(-2, 5),
    "truncated_normal": stats.truncnorm(-2, 2, 1, 2),
}
ALL = TENSORS | VARIABLES


def drawn(name: str, shape: tuple[int, ...], **options: Any) -> Any:
    return K.eval(getattr(K, name)(shape, *ALL[name], **options))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", LAWS)
def test_law(name: str, dtype: str) -> None:
    sample = drawn(name, (100, 500), dtype=dtype, seed=11)
    assert sample.dtype == dtype
    assert stats.kstest(sample.ravel(), LAWS[name].cdf).pvalue > 1e-4
    low, high = LAWS[name].support()
    assert sample.min() >= low
    assert sample.max() <= high


def test_binomial() -> None:
    sample = drawn("random_binomial", (50_000,), seed=1)
    assert set(np.unique(sample)) == {0, 1}
    assert stats.binomtest(int(sample.sum()), sample.size, 0.3).pvalue > 1e-4
    assert not K.eval(K.random_binomial((9,))).any()
    assert K.eval(K.random_binomial((9,), 1.0, "int32")).tolist() == [1] * 9


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3, 4)])
@pytest.mark.parametrize("name", ALL)
def test_shapes_and_dtypes(name: str, shape: tuple[int, ...]) -> None:
    for dtype in (None, "float16", "float64"):
        tensor = getattr(K, name)(shape, *ALL[name], dtype=dtype)
        value = K.eval(tensor)
        assert value.shape == K.int_shape(tensor) == shape
        assert value.dtype == K.dtype(tensor) == (dtype or K.floatx())


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("seed", [0, 7, -7, 2**40])
def test_a_seed_is_a_beginning(name: str, seed: int) -> None:
    first, second = (drawn(name, (200,), seed=seed) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert (first != drawn(name, (200,), seed=seed + 1)).any()
    assert (first != drawn(name, (200,), seed=-seed - 1)).any()


@pytest.mark.parametrize("name", ALL)
def test_no_seed_is_no_repetition(name: str) -> None:
    assert (drawn(name, (200,)) != drawn(name, (200,))).any()


@pytest.mark.parametrize("name", TENSORS)
def test_each_evaluation_draws_anew_also_when_compiled(name: str) -> None:
    tensor = getattr(K, name)((200,), *TENSORS[name], seed=3)
    compiled = K.function([], [tensor, tensor + 0])
    first, second = compiled([]), compiled([])
    np.testing.assert_array_equal(first[0], first[1])
    assert (first[0] != second[0]).any()
    assert (K.eval(tensor) != second[0]).any()


@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable_keeps_its_numbers(name: str) -> None:
    numbers = getattr(K, name)((20,), *VARIABLES[name])
    first = K.get_value(numbers)
    np.testing.assert_array_equal(first, K.get_value(numbers))
    K.set_value(numbers, np.zeros(20))
    assert not K.eval(numbers).any()


def test_upper_bounds_are_not_drawn() -> None:
    assert K.eval(K.random_uniform((500_000,), dtype="float16", seed=1)).max() < 1
    whole = K.eval(K.random_uniform((1_000,), -1, 3, "int32", seed=1))
    assert set(whole) == {-1, 0, 1, 2}
    assert set(K.eval(K.random_uniform((9,), 2, 2, "int32"))) == {2}
    assert set(K.eval(K.random_uniform((9,), 2.0, 2.0))) == {2}


ERRORS: list[tuple[str, Any]] = [
    ("maxval 0.0 is below minval 1.0; swap", lambda: K.random_uniform((2,), 1.0, 0.0)),
    ("high 0 is below low 1; swap", lambda: K.random_uniform_variable((2,), 1, 0)),
    ("write 'float32'", lambda: K.random_uniform((2,), 0.5, 2, "int32")),
    ("stddev is -1; write", lambda: K.random_normal((2,), 0.0, -1)),
    ("scale is -1; write", lambda: K.random_normal_variable((2,), 0.0, -1)),
    ("dtype is int32; write", lambda: K.truncated_normal((2,), dtype="int32")),
    ("mean is nan; write", lambda: K.truncated_normal((2,), float("nan"))),
    ("p is 1.5; write a number from 0 to 1", lambda: K.random_binomial((2,), 1.5)),
    ("seed must be an integer", lambda: K.random_normal((2,), seed=0.5)),
    ("shape must be a tuple of integers", lambda: K.random_normal(2)),
    ("x is a ndarray, not a tensor", lambda: K.dropout(np.ones(3), 0.5)),
    ("level is 1; write", lambda: K.dropout(K.ones((2,)), 1)),
    ("level is -0.5; write", lambda: K.dropout(K.ones((2,)), -0.5)),
    (r"noise_shape \(3,\) does not broadcast", lambda: K.dropout(K.ones((2,)), 0.5, (3,))),
    (r"noise_shape \(1, 2\) does not", lambda: K.dropout(K.ones((2,)), 0.5, (1, 2))),
    ("noise_shape must be a tuple", lambda: K.dropout(K.ones((2,)), 0.5, 2)),
]


@pytest.mark.parametrize(("message", "call"), ERRORS, ids=[m for m, _ in ERRORS])
def test_errors_say_what_to_write(message: str, call: Any) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_dropout_is_exact_in_what_it_keeps(dtype: str) -> None:
    x = np.linspace(-3, 3, 4_000).astype(dtype)
    got = K.eval(K.dropout(K.variable(x, dtype), 0.3, seed=5))
    exact = (x.astype("longdouble") / (1 - np.longdouble(0.3))).astype(dtype)
    nonzero = got != 0
    assert got.dtype == dtype
    assert_same(got[nonzero], exact[nonzero], roundings=2, dtype=dtype)
    assert stats.binomtest(int((~nonzero).sum()), x.size, 0.3).pvalue > 1e-4


def test_dropout_drops_what_is_infinite() -> None:
    got = K.eval(K.dropout(K.variable([np.inf, -np.inf, np.nan] * 100), 0.5, seed=1))
    assert (got == 0).any()
    assert not np.isfinite(got[got != 0]).any()


def test_dropout_of_nothing_and_of_integers() -> None:
    np.testing.assert_array_equal(K.eval(K.dropout(K.variable([1.5, 2.0]), 0)), [1.5, 2.0])
    whole = K.dropout(K.variable([3, 3], dtype="int32"), 0.25)
    assert K.dtype(whole) == "float32"
    assert set(K.eval(whole)) <= {0.0, 4.0}


@pytest.mark.parametrize("noise", [(40, 1, 3), (1, 50, 1), (50, 1), (3,), (1,), (40, 50, 3)])
def test_noise_shape(noise: tuple[int, ...]) -> None:
    got = K.eval(K.dropout(K.ones((40, 50, 3)), 0.5, noise, seed=2))
    padded = (1,) * (3 - len(noise)) + noise
    for axis, length in enumerate(padded):
        assert (got == got.take([0], axis)).all() == (length == 1)


def test_flags_follow_shapes_that_are_known_at_run_time_only() -> None:
    x = K.placeholder((None, 4))
    plain = K.dropout(x, 0.5)
    rows = K.dropout(x, 0.5, (K.shape(x)[0], 1))
    assert K.int_shape(plain) == K.int_shape(rows) == (None, 4)
    compiled = K.function([x], [plain, rows])
    for n in (0, 1, 300):
        a, b = compiled([np.ones((n, 4))])
        assert a.shape == b.shape == (n, 4)
        assert (b == b[:, :1]).all()
    fixed = K.function([x], [K.dropout(x, 0.5, (2, 4))])
    with pytest.raises(ValueError, match="broadcast"):
        fixed([np.ones((3, 4))])


def test_the_gradient_meets_the_same_flags() -> None:
    x = K.variable(np.linspace(1, 2, 50))
    y = K.dropout(x, 0.4)
    (gradient,) = K.gradients(K.sum(y * y), [x])
    got, slope = K.function([], [y, gradient])([])
    factor = np.where(got == 0, 0, 1 / 0.6)
    assert_same(slope, 2 * got * factor, roundings=5, dtype="float32")
    assert 0 < np.count_nonzero(got) < 50
