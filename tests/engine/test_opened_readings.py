"""Readings that an answer opens, not the call: numbers computed with 32 bits in place of 64, and a
variance computed from the mean of squares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.editions import Edition
from conformance.engine import PROFILES
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding
from conformance.oracle.variants import NARROWED, VARIANTS
from conformance.results import IN_32_BITS, Aspect, FindingKind, Verdict
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import taken
from tests.engine.support import tasks
from tests.engine.test_single_call_readings import judged, right
from tests.oracle.support import allowed, draws

Array = npt.NDArray[Any]
SQUARES = taken(ConventionName.VARIANCE_OF_DIFFERENCES, "squares")
TRAINING = "normalize_batch_in_training"
WIDE = {"float64": "float32", "int64": "int32", "uint64": "uint32"}


@cache
def calls(function: str, edition: Edition = "keras-2.2") -> list[Prepared]:
    """The valid calls that a default run makes of a function."""
    (task,) = tasks([function], PROFILES["default"], edition=edition)
    return [p for p in task.prepared() if p.structure.error is None]


def values(
    function: str, backend: Callable[[Prepared, dict[str, Any]], Array]
) -> Iterator[Finding]:
    """What is found of the values of a backend that answers every call."""
    for prepared in calls(function):
        findings = judged(
            prepared,
            lambda number, p=prepared: backend(p, p.oracle_arguments(number)),  # type: ignore[misc]
        )
        yield from (f for f in findings if f.aspect is Aspect.VALUE)


def shown(findings: list[Finding]) -> set[str]:
    return {reading for finding in findings for reading in finding.readings}


def by_squares(x: Array, axes: tuple[int, ...] | None, *, keepdims: bool = False) -> Array:
    """A variance in the dtype of x, computed in one pass."""
    mean = np.mean(x, axis=axes, keepdims=keepdims, dtype=x.dtype)
    squares = np.mean(np.square(x), axis=axes, keepdims=keepdims, dtype=x.dtype)
    return np.asarray(squares - np.square(mean))


def one_pass(prepared: Prepared, arguments: dict[str, Any]) -> Array:
    """The batch variance by squares; of the others the right answer."""
    name, dtype = prepared.structure.oracle, prepared.dtypes[0]
    if not name.endswith(".variance") or dtype == "float16":
        return right(name, arguments, dtype)
    axes = tuple(arguments["reduction_axes"])
    with np.errstate(all="ignore"):
        return by_squares(arguments["x"].astype(dtype), axes).reshape(-1)


def test_a_variance_by_squares_is_a_reading() -> None:
    findings = list(values(TRAINING, one_pass))
    assert not [f.gives for f in findings if f.verdict is Verdict.VIOLATES]
    assert SQUARES in shown(findings)


@pytest.mark.parametrize("factor", [0.0, 0.5, 2.0])
def test_another_variance_is_none(factor: float) -> None:
    with np.errstate(all="ignore"):
        findings = list(values(TRAINING, lambda p, a: one_pass(p, a) * np.float16(factor)))
    assert Verdict.VIOLATES in {f.verdict for f in findings}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["var", "std"])
def test_the_bound_holds_for_both_ways(name: str, dtype: str) -> None:
    for x in draws(dtype, (3, 17), 200):
        squared, two = by_squares(x, (1,)), np.var(x, axis=1, dtype=dtype)
        wrong = two + x.dtype.type(0.01) * np.mean(np.square(x), axis=1)
        for variance, passes in ((squared, True), (two, True), (wrong, False)):
            spread = np.sqrt(np.maximum(variance, 0)) if name == "std" else variance
            assert allowed(name, spread, x=x, axis=1, squares=True) == passes


def narrow(prepared: Prepared, arguments: dict[str, Any]) -> Array:
    """What a backend gives that knows 32 bits alone, in the dtype that it has them in."""
    name, dtype = prepared.structure.oracle, prepared.dtypes[0]
    changed = VARIANTS[NARROWED](name, arguments)
    return right(name, changed, WIDE.get(dtype, dtype))


def hidden(prepared: Prepared, arguments: dict[str, Any]) -> Array:
    """The same, in an array of the dtype that was asked for."""
    return narrow(prepared, arguments).astype(prepared.dtypes[0])


@pytest.mark.parametrize("function", ["square", "log", "sin", "cumsum"])
def test_32_bits_are_a_reading_of_results_that_have_32(function: str) -> None:
    findings = list(values(function, narrow))
    assert not [f.gives for f in findings if f.verdict is Verdict.VIOLATES]
    assert taken(*NARROWED) in shown(findings)


@pytest.mark.parametrize("function", ["square", "cumsum", "sin"])
def test_they_are_none_of_results_that_have_64(function: str) -> None:
    findings = list(values(function, hidden))
    assert Verdict.VIOLATES in {f.verdict for f in findings}
    assert taken(*NARROWED) not in shown(findings)


def finite(findings: Iterator[Finding]) -> list[Finding]:
    """Those whose answer is finite numbers of float64."""
    arrays = [(f, f.got) for f in findings if isinstance(f.got, np.ndarray)]
    return [f for f, got in arrays if got.dtype == np.float64 and np.isfinite(got).all()]


@pytest.mark.parametrize("function", ["square", "cumsum", "sin"])
def test_a_wrong_answer_says_that_it_is_right_with_32_bits(function: str) -> None:
    narrowed = [f for f in finite(values(function, hidden)) if f.kind == FindingKind.ACCURACY]
    assert narrowed
    assert all(f.gives.endswith(IN_32_BITS) for f in narrowed)
    with np.errstate(all="ignore"):
        others = finite(values(function, lambda p, a: np.asarray(hidden(p, a) * 2 + 1)))
    assert others
    assert not any(IN_32_BITS in f.gives for f in others)


def test_an_index_shows_no_digits_of_the_tensor() -> None:
    findings = list(values("argmax", narrow))
    assert Verdict.VIOLATES in {f.verdict for f in findings}
