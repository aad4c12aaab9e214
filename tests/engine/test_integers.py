"""Integers and truth values for functions of real numbers: where the formula has fractions, so has
the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding
from conformance.generators import Draw
from conformance.generators.classes import DTYPE
from conformance.generators.collect import steered
from conformance.observations import Raised
from conformance.results import Aspect, FindingKind, Verdict
from conformance.specs import load
from conformance.specs.convention_names import ConventionName
from tests.engine.test_single_call_readings import judged

Array = npt.NDArray[Any]
INTEGERS = ("int8", "uint8", "int16", "int32", "int64")
FRACTIONS = ("gelu", "sigmoid", "softplus", "layer_normalization", "average_pool", "psnr", "cdist")


@cache
def calls(name: str, dtype: str, profile: str = "ordinary") -> Sequence[Prepared]:
    """A few calls of a function with tensors of a dtype that have elements."""
    spec = load()[f"keras.ops.{name}"]
    draws = steered(spec, "keras-3", {DTYPE: dtype}, 4, 0)
    drawn = (Prepared(draw.value, [Draw(profile, 3)]) for draw in draws)
    return [p for p in drawn if all(a.size for a in p.arrays[0].values()) and 0 not in p.shape]


def violations(
    name: str, dtype: str, answer: Callable[[Prepared], Array | Raised]
) -> list[Finding]:
    """What violates in these answers to the calls."""
    findings = [f for p in calls(name, dtype) for f in judged(p, lambda _, p=p: answer(p))]  # type: ignore[misc]
    return [f for f in findings if f.verdict is Verdict.VIOLATES and f.aspect is Aspect.VALUE]


def exact(prepared: Prepared, dtype: str = "float32") -> Array:
    return np.asarray(prepared.expectation(0, dtype).value, dtype)


def truncated(prepared: Prepared) -> Array:
    """The fake that computes in the dtype of its tensors: `gelu` of int32 on NumPy gives zeros."""
    with np.errstate(invalid="ignore"):
        return exact(prepared).astype(prepared.structure.program.inputs[0].dtype)


@pytest.mark.parametrize("name", FRACTIONS)
def test_fractions_that_are_dropped_violate(name: str) -> None:
    assert violations(name, "int32", truncated)
    assert violations(name, "uint8", truncated) or name in ("cdist", "psnr")


@pytest.mark.parametrize("name", [*FRACTIONS, "relu", "max_pool"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_the_right_answer_passes(name: str, dtype: str) -> None:
    assert calls(name, dtype)
    assert not violations(name, dtype, exact)


def test_truth_values_are_numbers_where_the_result_has_fractions() -> None:
    assert not violations("sigmoid", "bool", exact)
    assert violations("sigmoid", "bool", truncated)
    assert "bool" not in load()["keras.ops.relu"].dtypes.probed


def test_a_refusal_is_a_reading() -> None:
    refused = Raised("TypeError", ("TypeError",), "gelu of int32 is not supported", "step")
    (prepared, *_) = calls("gelu", "int32")
    (finding,) = judged(prepared, lambda _: refused)
    assert finding.verdict is Verdict.UNSUPPORTED


def test_half_the_digits_do_for_integers_that_float16_holds() -> None:
    def halves(prepared: Prepared) -> Array:
        return exact(prepared, "float16").astype("float32")

    (prepared, *_) = calls("sigmoid", "uint8")
    (finding,) = (f for f in judged(prepared, lambda _: halves(prepared)) if f.aspect == "value")
    assert (finding.verdict, finding.kind) == (Verdict.DIVERGES, FindingKind.ACCURACY)
    assert violations("sigmoid", "int32", halves)


def test_integers_that_leave_their_dtype_may_stay_in_a_wider_one() -> None:
    """The sum of more than 14 times 9 is no int8."""
    spec = load()["keras.ops.sum"]
    features = {DTYPE: "int8", "x rank": "1", "axis": "absent", "keepdims": "absent"}
    (draw,) = steered(spec, "keras-3", features, 1, 0)
    length = draw.value.program.inputs[0].shape[0]
    prepared = Prepared(draw.value, [Draw("ordinary", 0)], [{"x": np.full(length, 100, np.int8)}])
    total = np.asarray(100 * length, np.int32)
    assert not [f for f in judged(prepared, lambda _: total) if f.verdict is Verdict.VIOLATES]
    wrong = np.asarray(100 * length + 1, np.int32)
    assert [f for f in judged(prepared, lambda _: wrong) if f.verdict is Verdict.VIOLATES]


def test_equal_integers_are_ties_in_each_profile() -> None:
    (prepared, *_) = calls("in_top_k", "int16")
    assert ConventionName.TIED_SCORES in prepared.structure.conventions("ordinary")


def test_a_dtype_that_is_out_is_tried_nowhere() -> None:
    assert not {*INTEGERS} & {*load()["keras.ops.erf"].dtypes.probed}


def test_two_dtypes_may_be_computed_in_the_shorter_float_and_not_in_integers() -> None:
    spec = load()["keras.ops.divide"]
    features = {DTYPE: "float32", "mixed dtypes": "float32 then float16", "aliases": "no"}
    draws = steered(spec, "keras-3", {**features, "x binding": "constant"}, 4, 0)
    calls = (Prepared(draw.value, [Draw("ordinary", 0)]) for draw in draws)
    prepared = next(call for call in calls if 0 not in call.shape)
    short, whole = exact(prepared, "float16").astype("float32"), np.trunc(exact(prepared))
    (finding,) = (f for f in judged(prepared, lambda _: short) if f.aspect is Aspect.VALUE)
    assert finding.kind == FindingKind.ACCURACY
    assert [f for f in judged(prepared, lambda _: whole) if f.verdict is Verdict.VIOLATES]


def test_bounds_beyond_the_dtype_are_no_bounds() -> None:
    """The fake casts them first: as uint8, -2 and 5000 are 254 and 136."""
    spec, features = load()["keras.ops.clip"], {DTYPE: "uint8", "x rank": "1", "x size": "2-6"}
    draws = steered(spec, "keras-3", features, 40, 0)
    calls = [Prepared(draw.value, [Draw("wide", 0)]) for draw in draws]

    def cast(prepared: Prepared) -> Array:
        x, low, high = (prepared.oracle_arguments(0)[n] for n in ("x", "min_value", "max_value"))
        return np.clip(x, *(np.asarray(int(end)).astype("uint8") for end in (low, high)))

    def right(prepared: Prepared) -> Array:
        return np.asarray(prepared.expectation(0).value, prepared.dtypes[0])

    wrong = {f.verdict for p in calls for f in judged(p, lambda _, p=p: cast(p))}  # type: ignore[misc]
    assert Verdict.VIOLATES in wrong
    fine = {f.verdict for p in calls for f in judged(p, lambda _, p=p: right(p))}  # type: ignore[misc]
    assert Verdict.VIOLATES not in fine
