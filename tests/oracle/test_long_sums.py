"""Values and bounds at real lengths: against mpmath, of honest arithmetic, and of wrong sums.

The numbers are those of the plan: in two draws of three the extremes lie at one end, so that a sum
that leaves out the end is outside the bound although thousands of terms may round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest

from conformance.generators.arrangement import PERIOD, arranged, factors
from conformance.generators.values import fill
from conformance.oracle import Expectation, agrees
from conformance.oracle.compare import is_inaccurate
from conformance.oracle.expectation import Array
from conformance.oracle.rounding import arithmetic, is_exact, quantum
from tests.oracle.support import SUMS, ask

mpmath.mp.dps = 50
LENGTHS = (17, 33, 129, 4097)
DTYPES = ("float32", "float64")
PROFILES = ("ordinary", "halves", "integers")
Numbers = list[mpmath.mpf]


def drawn(length: int, dtype: str, profile: str, number: int, domain: str = "real") -> Array:
    rng = np.random.default_rng([length, number])
    numbers = fill(rng, (length,), dtype, "real", profile)
    numbers = factors(rng, numbers) if domain == "factor" else numbers
    return arranged(numbers, domain, profile, number)


def every_draw(domain: str = "real") -> Iterator[Array]:
    for length in LENGTHS:
        for dtype in DTYPES:
            for profile in PROFILES:
                yield from (drawn(length, dtype, profile, n, domain) for n in range(PERIOD))


def exact(array: Array) -> Numbers:
    return [mpmath.mpf(float(v)) for v in array]


def _var(x: Numbers) -> mpmath.mpf:
    mean = mpmath.fsum(x) / len(x)
    return mpmath.fsum((v - mean) ** 2 for v in x) / len(x)


def _softmax(x: Numbers) -> Numbers:
    powers = [mpmath.exp(v) for v in x]
    total = mpmath.fsum(powers)
    return [p / total for p in powers]


def _unit(x: Numbers) -> Numbers:
    length = mpmath.sqrt(mpmath.fsum(v * v for v in x))
    return [v / length for v in x]


def _running(x: Numbers) -> Numbers:
    sums, total = [], mpmath.mpf(0)
    for v in x:
        total += v
        sums.append(total)
    return sums


EXACT: dict[str, Callable[[Numbers], Any]] = {
    "sum": mpmath.fsum,
    "mean": lambda x: mpmath.fsum(x) / len(x),
    "var": _var,
    "std": lambda x: mpmath.sqrt(_var(x)),
    "prod": mpmath.fprod,
    "cumsum": _running,
    "logsumexp": lambda x: mpmath.log(mpmath.fsum(mpmath.exp(v) for v in x)),
    "softmax": _softmax,
    "l2_normalize": _unit,
}
OWN_SHARE = 0.01
"""How much of a bound the oracle's own error may be, where something is allowed at all."""


def domain_of(function: str) -> str:
    return "factor" if function == "prod" else "real"


@pytest.mark.parametrize("function", EXACT)
def test_the_value_is_right_at_every_length(function: str) -> None:
    for x in every_draw(domain_of(function)):
        expectation = ask(function, x=x)
        totals = EXACT[function](exact(x))
        totals = totals if isinstance(totals, list) else [totals]
        for value, bound, total in zip(
            expectation.value.flat, expectation.bound.flat, totals, strict=True
        ):
            error = abs(mpmath.mpf(float(value)) - total)
            # a float64 value is itself rounded once
            assert error <= OWN_SHARE * float(bound) + 2.0**-53 * abs(float(total))


HONEST: dict[str, Callable[[Array, Callable[[Array], Any]], Any]] = {
    "sum": lambda x, add: add(x),
    "mean": lambda x, add: add(x) / x.dtype.type(x.size),
    "var": lambda x, add: add(np.square(x - add(x) / x.dtype.type(x.size))) / x.dtype.type(x.size),
    "prod": lambda x, _: np.multiply.reduce(x),
    "cumsum": lambda x, _: np.cumsum(x, dtype=x.dtype),
    "logsumexp": lambda x, add: np.log(add(np.exp(x - x.max()))) + x.max(),
    "softmax": lambda x, add: np.exp(x - x.max()) / add(np.exp(x - x.max())),
    "l2_normalize": lambda x, add: x / np.sqrt(add(np.square(x))),
}


@pytest.mark.parametrize("order", SUMS)
@pytest.mark.parametrize("function", HONEST)
def test_honest_sums_are_within_the_bound(function: str, order: str) -> None:
    for x in every_draw(domain_of(function)):
        got = np.asarray(HONEST[function](x, SUMS[order]), x.dtype)
        assert agrees(got, ask(function, x=x)).all()


def without_the_end(function: str, x: Array) -> Array:
    """What comes out if the last element is not looked at."""
    right = np.asarray(HONEST[function](x, np.sum))
    if function in ("softmax", "l2_normalize"):
        return np.append(HONEST[function](x[:-1], np.sum), right[-1])
    if function == "cumsum":
        return np.append(right[:-1], right[-2])
    shorter = np.asarray(HONEST[function](x[:-1], np.sum))
    return np.asarray(shorter * ((x.size - 1) / x.size) if function == "mean" else shorter)


def is_wrong(got: Array, expectation: Expectation) -> bool:
    """Whether it is outside the bound, and by more than the digits that no document promises."""
    got = got.astype(expectation.dtype)
    if agrees(got, expectation).all():
        return False
    return not is_inaccurate(got, expectation, single_will_do=False)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", HONEST)
def test_a_sum_without_its_last_term_is_wrong(function: str, dtype: str, length: int) -> None:
    arrays = [drawn(length, dtype, "ordinary", n, domain_of(function)) for n in range(PERIOD)]
    assert any(is_wrong(without_the_end(function, x), ask(function, x=x)) for x in arrays)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_lost_half_is_wrong(dtype: str, length: int) -> None:
    x = drawn(length, dtype, "halves", 0)
    place = int(np.flatnonzero(x)[length // 3])
    rest = np.delete(x, place)
    assert is_wrong(np.sum(rest), ask("sum", x=x))
    ones = np.ones((length, 1), dtype)
    assert is_wrong((rest @ ones[1:]).reshape(1, 1), ask("dot", x=x[np.newaxis], y=ones))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", LENGTHS)
def test_products_of_matrices(length: int, dtype: str) -> None:
    for number in range(PERIOD):
        x = drawn(2 * length, dtype, "ordinary", number).reshape(2, length)
        y = drawn(3 * length, dtype, "ordinary", number + 1).reshape(length, 3)
        expectation = ask("dot", x=x, y=y)
        for i, j in np.ndindex(2, 3):
            total = mpmath.fsum(a * b for a, b in zip(exact(x[i]), exact(y[:, j]), strict=True))
            error = abs(mpmath.mpf(float(expectation.value[i, j])) - total)
            assert error <= OWN_SHARE * expectation.bound[i, j] + 2.0**-53 * abs(float(total))
        assert agrees(x @ y, expectation).all()
        assert agrees(np.einsum("ik,kj->ij", x, y), expectation).all()
        batch = ask("batch_dot", x=x[np.newaxis], y=y[np.newaxis], axes=(2, 1))
        assert agrees((x @ y)[np.newaxis], batch).all()


@pytest.mark.parametrize("channels", [5, 17, 33, 129])
def test_convolutions_of_many_channels(channels: int) -> None:
    rng = np.random.default_rng(channels)
    x = fill(rng, (1, 5, 5, channels), "float32", "real", "ordinary")
    kernel = fill(rng, (3, 3, channels, 2), "float32", "real", "ordinary")
    expectation = ask("conv2d", x=x, kernel=kernel)
    seen = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    order = (0, 1, 2, 4, 5, 3)
    flat = np.ascontiguousarray(seen.transpose(order)).reshape(9, -1)
    got = (flat @ kernel.reshape(-1, 2)).reshape(1, 3, 3, 2)
    assert agrees(got, expectation).all()
    without = (flat[:, :-1] @ kernel.reshape(-1, 2)[:-1]).reshape(1, 3, 3, 2)
    assert is_wrong(without, expectation)


def test_the_rounding_of_the_value_itself_is_allowed_for() -> None:
    """A product of two float64 numbers may lie nearly in the middle between two others."""
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=(20_000, 1)) for _ in range(2))
    assert agrees(x * y, ask("batch_dot", x=x, y=y, axes=1)).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_quanta(dtype: str) -> None:
    model = arithmetic(dtype, True)
    assert model is not None
    assert quantum(np.array([0.75, -6.0, 0.0, np.inf], dtype)) == 0.25
    assert quantum(np.array([8.0, 24.0], dtype)) == 8.0
    assert quantum(np.zeros(3, dtype)) == np.inf
    assert quantum(np.array([1 + np.finfo(dtype).eps], dtype)) == np.finfo(dtype).eps
    largest = 2.0**model.precision
    reached = is_exact(np.array([largest / 2 - 0.5, largest / 2]), 0.5, model)
    assert reached.tolist() == [True, False]
    assert not is_exact(np.array([0.0]), model.smallest_subnormal, model).any()
