"""Where a convention leaves the dtype of a result open, its value is that of the dtype of
the result: no cast to another dtype takes anything of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.dtypes import BFLOAT16, holds_more, is_floating, rounded
from conformance.editions import EDITIONS
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.promotions import promotions
from conformance.generators import Draw
from conformance.generators.drawing import Drawn, seeded
from conformance.generators.structure import made
from conformance.generators.values import suits
from conformance.oracle.evaluate import OF_NUMBERS, ORACLES, widened
from conformance.results import Aspect, Verdict
from conformance.specs import Spec, load
from tests.engine.test_single_call_readings import judged

Array = npt.NDArray[Any]
PROFILES = ("ordinary", "halves", "zeros", "wide", "large")
SPECS = [spec for spec in load().values() if spec.dtype is not None]
SEEDS = 15
CLIP = load()["keras.ops.clip"]


def calls(spec: Spec, count: int = SEEDS) -> Iterator[Prepared]:
    """Some calls of a function with one draw each, in every edition, for which there is an
    answer."""
    yield from (prepared for prepared in drawn(spec, count) if prepared.evidence is None)


def drawn(spec: Spec, count: int) -> Iterator[Prepared]:
    """Those, and the calls whose oracle accepts answers and gives no value."""
    for edition in (e for e in EDITIONS if e in spec.editions):
        random = Random(7)
        for number in range(count):
            draw = seeded(lambda chooser, e=edition: made(chooser, spec, e, elements=60), random)  # type: ignore[misc]
            assert isinstance(draw, Drawn)
            named = [p for p in PROFILES if suits(p, draw.value)]
            prepared = Prepared(draw.value, [Draw(named[number % len(named)], number)])
            try:
                prepared.expectation(0)
            except (ValueError, IndexError):
                continue
            yield prepared


def wide(prepared: Prepared, dtype: str) -> Array:
    """The oracle's own value, of tensors in wide dtypes, before anything is rounded."""
    oracle, arguments = prepared.structure.oracle, prepared.oracle_arguments(0)
    kinds = {a.dtype.kind for a in arguments.values() if isinstance(a, np.ndarray)}
    counts = is_floating(dtype) and "f" not in kinds and oracle in OF_NUMBERS
    with np.errstate(all="ignore"):
        return np.asarray(
            ORACLES[oracle](**widened(arguments, dtype, prepared.given, counts=counts))
        )


def findings(prepared: Prepared, value: Array, dtype: str | None = None) -> list[Finding]:
    """What is found of the value of a call; `dtype` is that of the value, if NumPy lacks it."""
    findings = judged(prepared, lambda _: np.asarray(value), dtype=dtype)
    return [f for f in findings if f.aspect is Aspect.VALUE]


def violates(prepared: Prepared, value: Array, dtype: str | None = None) -> bool:
    return any(f.verdict is Verdict.VIOLATES for f in findings(prepared, value, dtype))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_the_value_of_each_allowed_dtype_is_right(spec: Spec) -> None:
    for prepared in calls(spec):
        for dtype in promotions(prepared):
            value = wide(prepared, dtype)
            with np.errstate(all="ignore"):
                answer = rounded(value, dtype)
            if np.isfinite(answer).all() or not np.isfinite(value).all():
                lacked = dtype if dtype == BFLOAT16 else None
                assert not violates(prepared, answer, lacked), (
                    prepared.structure.program,
                    dtype,
                    answer,
                )


def of_fractions() -> Iterator[tuple[Prepared, str, Array]]:
    """Calls of every function of integers with an answer that integers do not hold."""
    for spec in SPECS:
        for prepared in calls(spec):
            for dtype in (d for d in promotions(prepared) if is_floating(d)):
                value = wide(prepared, dtype)
                if not is_floating(prepared.dtypes[0]) and (value != np.trunc(value)).any():
                    yield prepared, dtype, value


@pytest.mark.thorough
def test_fractions_are_lost_in_no_dtype_that_holds_them() -> None:
    shown = list(of_fractions())
    assert {"keras.ops.clip"} <= {prepared.structure.spec.name for prepared, _, _ in shown}
    for prepared, dtype, value in shown:
        lacked = dtype if dtype == BFLOAT16 else None
        dropped = rounded(np.trunc(value), dtype)
        assert violates(prepared, dropped, lacked), (prepared.structure.program, dtype)


def clipped(change: Callable[[Array], Array], dtype: str) -> set[Verdict]:
    """The verdicts on clip of integers between bounds with fractions, of a backend that changes
    what it should give, in a dtype that the result may have."""
    shown: set[Verdict] = set()
    for prepared in calls(CLIP, 400):
        own, value = prepared.dtypes[0], wide(prepared, "float64")
        may_be = dtype == own or dtype in promotions(prepared)
        if may_be and not is_floating(own) and (value != np.trunc(value)).any():
            verdicts = {f.verdict for f in findings(prepared, np.asarray(change(value), dtype))}
            shown |= verdicts or {Verdict.CONFORMS}
    return shown


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_clip_of_integers_keeps_the_fractions_of_its_bounds(dtype: str) -> None:
    assert Verdict.VIOLATES not in clipped(lambda x: x, dtype)
    for change in (np.trunc, np.rint, np.floor, np.ceil, lambda x: x + 0.25 * (x != np.trunc(x))):
        assert Verdict.VIOLATES in clipped(change, dtype), change


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_clip_of_integers_drops_them_in_an_integer_dtype(dtype: str) -> None:
    assert Verdict.VIOLATES not in clipped(np.trunc, dtype)
    assert Verdict.VIOLATES in clipped(np.floor, dtype)
    assert Verdict.VIOLATES in clipped(lambda x: np.trunc(x) + 1, dtype)


@pytest.mark.parametrize(
    ("dtype", "of", "right"),
    [
        ("float32", "float32", True),
        ("float64", "float64", True),
        ("float64", "float32", False),
        ("float32", "float64", False),
    ],
)
def test_nextafter_gives_the_next_number_of_its_dtype(dtype: str, of: str, right: bool) -> None:
    shown: set[Verdict] = set()
    for prepared in drawn(load()["keras.ops.nextafter"], 60):
        if prepared.dtypes[0] in {"float32", dtype}:
            x, y = (prepared.oracle_arguments(0)[name].astype(of) for name in "xy")
            verdicts = {
                f.verdict for f in findings(prepared, np.asarray(np.nextafter(x, y), dtype))
            }
            shown |= verdicts or {Verdict.CONFORMS}
    assert shown
    assert (Verdict.VIOLATES not in shown) is right


def test_every_reading_is_among_the_promotions() -> None:
    shown = {dtype for prepared in calls(CLIP) for dtype in promotions(prepared)}
    floats = {BFLOAT16, "float16", "float32", "float64"}
    assert shown == {*floats, "int32", "int64", "uint32", "uint64"}


def test_what_promotes() -> None:
    assert holds_more("float64", "float32")
    assert holds_more("float32", "bfloat16")
    assert not holds_more("float16", "bfloat16"), "its range is smaller"
    assert not holds_more("bfloat16", "float16")
    assert holds_more("int32", "uint8")
    assert not holds_more("uint32", "int32"), "it lacks negative numbers"
    assert holds_more("float16", "int32")
    assert not holds_more("int64", "float16")
    assert not holds_more("int32", "bool")
