"""The oracle's formulas of single numbers, held against interval arithmetic: value and bound.

In 16 bits they are held against it on every number, because a run relies on them there: the oracle,
which computes with 53 bits, takes the place of a table of correctly rounded results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from conformance.dtypes import BFLOAT16, rounded
from conformance.editions import EDITIONS
from conformance.engine.planning.exhaustive import is_elementwise
from conformance.generators import Structure
from conformance.generators.domains import DOMAINS
from conformance.generators.exhaustive import every_number, plain_call
from conformance.generators.values import fill
from conformance.oracle import Expectation, agrees, expect
from conformance.oracle.evaluate import unrounded, widened
from conformance.oracle.gradient_bounds import WeightedGradient
from conformance.oracle.rounding import arithmetic, ulp
from conformance.specs import load
from conformance.specs.model import Exact

pytest.importorskip("flint")
from tests.oracle.intervals import FORMULAS, Array, Ball, arb, exact, slope

DTYPES = ("float16", BFLOAT16, "float32", "float64")
SHARP = 2.0**-7
"""How much of an ULP of the dtype, or of the bound where that is larger, the oracle may be off."""
POINTS = 10_000
ALIKE_AMONG_FLOATS = ("saturate_cast",)
"""Functions that have several right answers, but one alone where the result is of floats."""
DECIMALS = (-1, 1, 2, 3)
"""Those that the spec of `round` has beside its default."""
PROFILES = ("ordinary", "large", "offset", "extremes", "subnormal")


@cache
def calls() -> Mapping[str, Structure]:
    """A call of each elementwise function of the oracle whose results are rounded."""
    calls_by_oracle: dict[str, Structure] = {}
    for spec in load().values():
        for edition in (edition for edition in EDITIONS if edition in spec.editions):
            sole = replace(spec, unique=True) if spec.oracle in ALIKE_AMONG_FLOATS else spec
            call = plain_call(sole, edition, "float16", 1)
            if call is None or isinstance(spec.accuracy, Exact) or not is_elementwise(call):
                continue
            calls_by_oracle.setdefault(call.oracle, call)
    return calls_by_oracle


def variants(name: str) -> Iterator[dict[str, Any]]:
    """The arguments beside the tensor with which a function is tried."""
    own = {
        n: v for n, v in calls()[name].arguments.items() if n not in calls()[name].runtime.shapes
    }
    yield own
    if name == "gelu":
        yield {"approximate": False}
    if name == "round to decimals":
        yield from ({"decimals": number} for number in DECIMALS)


def check(name: str, dtype: str, numbers: Array) -> None:
    """Hold the oracle's value and bound of some numbers against the exact ones."""
    (tensor,) = calls()[name].runtime.shapes
    accuracy, rounding = calls()[name].accuracy, BFLOAT16 if dtype == BFLOAT16 else None
    for beside in variants(name):
        dtype = str(beside.get("dtype") or dtype)
        arguments = {tensor: numbers, **beside}
        wide = widened(arguments, dtype, rounding)
        others = {n: v for n, v in wide.items() if n != tensor}
        results = [exact(name, number, others) for number in wide[tensor]]
        defined = np.array([result.is_finite() for result in results])
        value = unrounded(name, arguments, dtype, rounding)
        expected = expect(name, arguments, dtype, accuracy, flush_subnormals=False, given=rounding)
        assert not np.isfinite(value[~defined]).any(), name
        right = np.array([_number(r) if r.is_finite() else np.nan for r in results])
        with np.errstate(over="ignore"):
            answer = rounded(right, dtype)
        wrong = ~agrees(answer, expected) & defined
        assert not wrong.any(), (name, dtype, numbers[wrong][:5], answer[wrong][:5])
        _assert_sharp(name, value, expected, results, numbers)


def _number(result: Ball) -> float:
    try:
        return float(result.mid())
    except OverflowError:
        return float(np.copysign(np.inf, 1 if result > 0 else -1))


def _assert_sharp(
    name: str, value: Array, expected: Expectation, results: list[Ball], numbers: Array
) -> None:
    """The oracle's own error is a small part of what a result may be off."""
    model = arithmetic(expected.dtype, False)
    assert model is not None
    room = SHARP * np.maximum(ulp(value, model), expected.bound)
    inside = np.isfinite(value) & np.isfinite(expected.value)
    for place in np.flatnonzero(inside):
        off = float((results[place] - arb(value[place])).abs_upper())
        assert off <= room[place], (name, expected.dtype, numbers[place], off / room[place])


def of_16_bits(name: str, dtype: str) -> Array:
    """Every number that has an answer; intervals have no negative zero."""
    numbers = every_number(dtype)
    numbers = numbers[(numbers != 0) | ~np.signbit(numbers)]
    (domain,) = {*calls()[name].domains.values()}
    inside = DOMAINS[domain].admits(numbers) | ~np.array(DOMAINS[domain].undefined)
    return np.asarray(numbers[np.isfinite(numbers) & inside])


def points(name: str, dtype: str, count: int) -> Array:
    """Numbers of each profile."""
    rng = np.random.default_rng(51)
    (domain,) = {*calls()[name].domains.values()}
    each = count // len(PROFILES)
    return np.concatenate([fill(rng, (each,), dtype, domain, p) for p in PROFILES])


def test_each_function_has_a_formula() -> None:
    assert calls().keys() == FORMULAS.keys()


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_oracle_is_right_on_some_numbers(dtype: str) -> None:
    for name in FORMULAS:
        check(name, dtype, points(name, dtype, 50))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FORMULAS)
def test_the_oracle_is_right_on_ten_thousand_numbers(name: str, dtype: str) -> None:
    check(name, dtype, points(name, dtype, POINTS))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float16", BFLOAT16])
@pytest.mark.parametrize("name", FORMULAS)
def test_the_oracle_is_right_on_every_number_of_16_bits(name: str, dtype: str) -> None:
    check(name, dtype, of_16_bits(name, dtype))


STEPPED = ("round to decimals", "saturate_cast")
"""Functions of which the result, not the tensor, has jumps or ends of its own."""
OF_EACH = -(-POINTS // len(FORMULAS))
"""Numbers of each function, for 10,000 in all."""
IN_A_ROW = 16
"""Numbers of a tensor, all of which a gradient's bound is computed for."""


def check_gradient(name: str, numbers: Array) -> None:
    """Hold the bound of gradients against the derivative: right ones are inside."""
    (tensor,), accuracy = calls()[name].runtime.shapes, calls()[name].accuracy
    assert accuracy is not None
    own = next(variants(name))
    wide = widened({tensor: numbers, **own}, "float32")
    others = {n: v for n, v in wide.items() if n != tensor}
    for start in range(0, numbers.size, IN_A_ROW):
        row = numbers[start : start + IN_A_ROW]
        gradient = WeightedGradient(name, {tensor: row, **own}, np.ones_like(row), accuracy)
        right = np.array([_number(slope(name, np.float64(x), others)) for x in row])
        outside = gradient.outside((tensor, None), right.astype("float32"))
        assert not outside.any(), (name, row[outside], right[outside])


@pytest.mark.parametrize("count", [IN_A_ROW, pytest.param(OF_EACH, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", [n for n in FORMULAS if n not in STEPPED])
def test_the_exact_gradient_is_inside(name: str, count: int) -> None:
    rng = np.random.default_rng(51)
    (domain,) = {*calls()[name].domains.values()}
    check_gradient(name, fill(rng, (count,), "float32", domain, "ordinary"))
