"""A wrong answer to an infinity, NaN, zero or an extreme number is a violation, and rightly so."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from conformance.dtypes import held_in, limits
from conformance.engine.judging.answers import CallAnswer
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding, Judgement
from conformance.engine.judging.values import judge
from conformance.engine.planning.exhaustive import is_elementwise
from conformance.generators import Draw
from conformance.generators.exhaustive import _of_profiles, _rows, of_length, plain_call
from conformance.observations import DrawObservation, Returned, Value
from conformance.results import Verdict
from conformance.specs import load

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

Array = npt.NDArray[Any]
DTYPE = "float16"
MOST, TINY = float(limits(DTYPE).max), float(limits(DTYPE).tiny)
LEAST = float(limits(DTYPE).smallest_subnormal)
POINTS = (np.inf, -np.inf, np.nan, 0.0, -0.0, MOST, -MOST, TINY, -TINY, LEAST, -LEAST)
PLANTED = (0.3, 3.25, -7.5)
"""Wrong answers; those that are no more than a fifth off are left out."""
OPEN = {
    **dict.fromkeys(("rsqrt", "sqrt", "log", "log1p", "log2", "log10", "arccosh"), (-np.inf,)),
    **dict.fromkeys(("arcsin", "arccos", "arctanh", "erfinv"), (np.inf, -np.inf, MOST, -MOST)),
}
"""Points outside of the function's domain, where anything may stand."""
FEW = {
    "sin": "no document says how exact the sine of the largest number is",
    "cos": "no document says how exact the cosine of the largest number is",
    "gelu": "the largest number times a rounded 0 is any number",
    "arccosh": "tiny numbers are outside of its domain",
    "ceil": "a number between those of a subnormal number and of 0",
    "sign": "a number between those of a subnormal number and of 0",
    "angle": "a number between those of a subnormal number and of 0",
    "signbit": "the sign of NaN, of zero and of a subnormal number",
    "logical_not": "a subnormal number may be 0",
}
"""Functions of which some finite points, or the sign of NaN, stay open."""


class Part(NamedTuple):
    """The points of one profile, in one array of a call."""

    prepared: Prepared
    x: Array


@cache
def elementwise() -> list[str]:
    """The elementwise functions of keras.ops of one tensor."""
    names = [name for name in load() if name.startswith("keras.ops.")]
    return [name.removeprefix("keras.ops.") for name in names if parts(name)]


@cache
def parts(name: str) -> list[Part]:
    spec = load()[name]
    call = plain_call(spec, "keras-3", DTYPE, 1) if "keras-3" in spec.editions else None
    if call is None or not is_elementwise(call):
        return []
    (item,) = call.program.inputs
    return [
        Part(Prepared(of_length(call, x.size), [Draw(p, 0)], [{item.name: x}], elementwise=True), x)
        for p, numbers in _of_profiles(call, np.array(POINTS, held_in(DTYPE)))
        for x in _rows(numbers, p, numbers.size + (p == "special"))
    ]


def findings(prepared: Prepared, got: Array) -> list[Finding]:
    returned = Returned({"result": (Value(got, prepared.dtypes[0], "ndarray"),)})
    conventions = prepared.structure.conventions(prepared.profiles[0])
    case = CallAnswer(prepared, 0, DrawObservation(returned), conventions, {})
    return [*judge(case, returned, Judgement())]


def right(part: Part) -> Array:
    with np.errstate(all="ignore"):
        value = part.prepared.expectation(0).value
        return np.asarray(value.astype(held_in(part.prepared.dtypes[0])))


def planted(name: str) -> Iterator[tuple[float, Any, bool]]:
    """Each point with a wrong answer, and whether that is a violation."""
    for part in parts(f"keras.ops.{name}"):
        answer = right(part)
        for place, x in enumerate(part.x.tolist()):
            for wrong in wrongs(answer[place]):
                same = np.equal(part.x, x) & (np.signbit(part.x) == np.signbit(x))
                got = np.where(np.isnan(part.x) if np.isnan(x) else same, wrong, answer)
                shown = findings(part.prepared, got.astype(answer.dtype))
                yield x, wrong, any(f.verdict is Verdict.VIOLATES for f in shown)


def wrongs(right: Any) -> list[Any]:
    if right.dtype.kind == "b":
        return [not right]
    if not np.isfinite(right):
        return [*PLANTED]
    return [w for w in PLANTED if abs(w - right) > 0.2 * max(1.0, abs(right))]


def test_right_answers_are_none() -> None:
    assert len(elementwise()) > 70
    for name in elementwise():
        for part in parts(f"keras.ops.{name}"):
            assert findings(part.prepared, right(part)) == [], (name, part.x)


@pytest.mark.parametrize("name", ["sigmoid", "softplus", "silu", "elu", "erfc", "i0", "round"])
def test_a_wrong_answer_to_a_special_point_violates(name: str) -> None:
    missed = [(x, wrong) for x, wrong, violates in planted(name) if not violates]
    assert missed == []


@pytest.mark.slow
def test_every_elementwise_function_is_judged_at_every_special_point() -> None:
    for name in elementwise():
        missed = {x for x, _, violates in planted(name) if not violates}
        if name in FEW:
            assert not missed & {np.inf}, name
        else:
            assert missed <= {*OPEN.get(name, ())}, name


@pytest.mark.parametrize(
    ("dtype", "answer", "allowed"),
    [
        ("float32", -150, True),
        ("float32", -np.inf, True),
        ("float32", -7.5, False),
        ("float32", 0.3, False),
        ("float16", -np.inf, True),
        ("float16", -7.5, False),
    ],
)
def test_a_logarithm_of_a_subnormal_number_may_be_nearer_to_that_of_zero(
    dtype: str, answer: float, allowed: bool
) -> None:
    """JAX and TensorFlow have -150 for each of them in a long array of float32."""
    call = plain_call(load()["keras.ops.log2"], "keras-3", dtype, 1)
    assert call is not None
    x = {"x": np.array([limits(dtype).smallest_subnormal], dtype)}
    prepared = Prepared(of_length(call, 1), [Draw("subnormal", 0)], [x], elementwise=True)
    (finding,) = findings(prepared, np.array([answer], dtype))
    assert (finding.verdict is Verdict.DIVERGES) is allowed


@pytest.mark.parametrize(
    ("name", "x", "answer"),
    [
        ("sigmoid", -np.inf, np.nan),
        ("softplus", -np.inf, np.nan),
        ("silu", -np.inf, -0.0),
        ("silu", -np.inf, -np.inf),
        ("relu", np.nan, 0.0),
        ("relu6", np.nan, 6.0),
        ("relu", np.inf, MOST),
        ("sign", np.nan, -1.0),
        ("sinc", np.inf, 0.0),
        ("softsign", np.inf, 1.0),
        ("erfinv", np.inf, 5.0),
    ],
)
def test_what_implementations_have_in_the_place_of_a_limit_is_allowed(
    name: str, x: float, answer: float
) -> None:
    (part,) = (p for p in parts(f"keras.ops.{name}") if np.isnan(p.x).any())
    places = np.isnan(part.x) if np.isnan(x) else part.x == x
    shown = findings(part.prepared, np.where(places, answer, right(part)).astype(DTYPE))
    assert [f.readings for f in shown] == [("special-values: other numbers",)]


def test_a_hypotenuse_with_an_infinite_side_is_infinite() -> None:
    call = plain_call(load()["keras.ops.hypot"], "keras-3", DTYPE, 2)
    assert call is not None
    sides = {"x": np.array([np.inf, -np.inf, 1], DTYPE), "y": np.array([np.nan, np.nan, 1], DTYPE)}
    prepared = Prepared(of_length(call, 3), [Draw("special", 0)], [sides])
    root = np.sqrt(np.array(2, DTYPE))
    assert findings(prepared, np.array([np.inf, np.inf, root], DTYPE)) == []
    (finding,) = findings(prepared, np.array([np.nan, np.inf, root], DTYPE))
    assert finding.verdict is Verdict.VIOLATES
