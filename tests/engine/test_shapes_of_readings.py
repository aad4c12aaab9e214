"""Results of another shape: too large to be sent, or that of another reading."""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from conformance.adapters.worker.conformance_worker.limits import MOST_VALUE_BYTES
from conformance.adapters.worker.conformance_worker.values import Columns, read
from conformance.dtypes import BFLOAT16
from conformance.engine.judging.cases import Prepared
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.judge import judge
from conformance.observations import DrawObservation, Raised, Returned, StructureObservation, Value
from conformance.oracle.variants import VARIANTS
from conformance.results import Aspect, FindingKind, Verdict
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import taken
from tests.engine.support import examine, module, run_script
from tests.engine.test_opened_readings import calls
from tests.engine.test_single_call_readings import judged, right

AS_THEY_ARE = (ConventionName.FEATURE_VECTORS, "as they are")
MOST = 10**5
"""Elements of a result that is judged as wrong: with millions it takes minutes."""
OUTER = """
from conformance.reference import *
from conformance.reference import greater_equal as _right, expand_dims

def greater_equal(x, y):
    if len(x.shape) == 1 and (x.shape[0] or 0) > 4000:
        return _right(expand_dims(x, 1), expand_dims(y, 0))
    return _right(x, y)
"""
"""A backend that takes every row of x with every row of y."""


def stretched(prepared: Prepared) -> dict[str, Any] | None:
    """The arguments of a call that another reading gives another shape, as that reading has them;
    None if there is no such call."""
    try:
        changed = VARIANTS[AS_THEY_ARE](prepared.structure.oracle, prepared.oracle_arguments(0))
    except ValueError:
        return None
    shape = right(prepared.structure.oracle, changed, prepared.dtypes[0]).shape
    return changed if shape != prepared.shape else None


def of_shape(prepared: Prepared, shape: tuple[int, ...]) -> list[Finding]:
    """What is found of results of which the shape alone came."""
    unsent = Value(None, prepared.dtypes[0], "ndarray", "too large", None, shape)
    draws = tuple(DrawObservation(Returned({"result": (unsent,)})) for _ in prepared.draws)
    findings = judge(prepared, StructureObservation((), (), draws)).findings
    return [f for f in findings if f.aspect is Aspect.VALUE]


@cache
def all_stretched() -> list[Prepared]:
    return [p for p in calls("batch_normalization") if stretched(p) is not None]


def test_the_shape_of_a_reading_is_no_violation_if_nothing_else_came() -> None:
    assert all_stretched()
    for prepared in all_stretched():
        arguments = stretched(prepared)
        assert arguments is not None
        shape = right(prepared.structure.oracle, arguments, prepared.dtypes[0]).shape
        findings = of_shape(prepared, shape)
        assert {f.verdict for f in findings} == {Verdict.DIVERGES}
        assert {r for f in findings for r in f.readings} == {taken(*AS_THEY_ARE)}
        (other,) = {f.verdict for f in of_shape(prepared, (*shape, 7))}
        assert other is Verdict.VIOLATES


def test_a_result_of_bfloat16_may_be_too_large_to_be_sent() -> None:
    """NumPy lacks this dtype, so no array of it can stand for the result."""
    halves = [p for p in calls("keras.ops.add", "keras-3") if p.dtypes[0] == BFLOAT16]
    assert halves
    for prepared in halves:
        assert {f.kind for f in of_shape(prepared, (*prepared.shape, 7))} == {FindingKind.SHAPE}


def test_what_is_wrong_under_the_reading_of_its_shape_is_compared_with_that_reading() -> None:
    sizes = [(p, math.prod(p.shape_under(0, (AS_THEY_ARE,)) or ())) for p in all_stretched()]
    small = [prepared for prepared, size in sizes if size < MOST]
    assert small
    for prepared in small:

        def answer(number: int, prepared: Prepared = prepared) -> npt.NDArray[Any]:
            arguments = prepared.oracle_arguments(number)
            changed = VARIANTS[AS_THEY_ARE](prepared.structure.oracle, arguments)
            return right(prepared.structure.oracle, changed, prepared.dtypes[0]) + np.float16(60)

        findings = [f for f in judged(prepared, answer) if f.verdict is Verdict.VIOLATES]
        assert {f.kind for f in findings} <= {FindingKind.VALUE}
        assert all(taken(*AS_THEY_ARE) in f.demands for f in findings)
        assert findings or prepared.structure.runtime.dtypes["x"] == "float16"


def test_only_the_rank_is_demanded_where_nothing_else_of_the_shape_follows() -> None:
    name = "batch-axes-default"
    omitted = [
        p
        for p in calls("batch_dot")
        if p.structure.unsettled == (name,) and p.arrays[0].get("y", p.arrays[0]["x"]).ndim > 2
    ]
    explicit = [p for p in calls("batch_dot") if p.structure.settled]
    seen: set[str] = set()
    for chosen, words in ((omitted, "rank {}"), (explicit, "shape {}")):
        assert chosen
        for prepared in chosen:
            shape, rank = prepared.shape, len(prepared.shape)
            (other,) = {f.demands for f in of_shape(prepared, (*shape, 7))}
            raised = Raised("ValueError", ("ValueError",), "no axes", "call")
            findings = judged(prepared, lambda _, r=raised: r)  # type: ignore[misc]
            demand = words.format(rank if chosen is omitted else shape)
            assert (f"shape {other}" if chosen is explicit else other) == demand
            instead = {f.demands for f in findings if f.verdict is Verdict.VIOLATES}
            assert instead <= {f"a result of {demand}"}
            seen |= instead
    assert {words.split()[3] for words in seen} == {"rank", "shape"}


def test_no_axes_may_be_refused_where_the_last_but_one_is_that_of_the_samples() -> None:
    raised = Raised("ValueError", ("ValueError",), "no axes", "call")
    seen: set[tuple[bool, str]] = set()
    for prepared in calls("batch_dot"):
        if prepared.structure.unsettled == ("batch-axes-default",):
            samples = prepared.arrays[0].get("y", prepared.arrays[0]["x"]).ndim == 2
            findings = judged(prepared, lambda _: raised)
            seen |= {
                (samples, str(name)) for f in findings for name in f.conventions or [f.verdict]
            }
    assert (True, "violates") not in seen
    assert {(True, "batch-axes-default"), (False, "violates")} <= seen
    assert (False, "batch-axes-default") not in seen


def test_the_shapes_of_all_readings_are_demanded() -> None:
    as_th = [((ConventionName.KERNEL_LAYOUT, "th"),)]
    laid = [p for p in calls("conv1d") if ConventionName.KERNEL_LAYOUT in p.structure.unsettled]
    several = 0
    for prepared in laid:
        shape = prepared.shape
        (demand,) = {f.demands for f in of_shape(prepared, (*shape[:2], 7001))}
        others = {prepared.shape_under(0, reading) for reading in as_th} - {None, shape}
        assert demand.split(" or ") == [str(s) for s in (shape, *others)]
        several += bool(others)
    assert several


def test_the_shape_of_what_is_too_large_is_told() -> None:
    columns, large = Columns(), np.zeros((MOST_VALUE_BYTES // 8 + 1, 2), np.float32)
    columns.add(0, "result", 0, read(large))
    payloads: list[npt.NDArray[Any]] = []
    (column,) = columns.answer(payloads)
    (group,) = column["groups"]
    assert (group["shape"], group["payload"], payloads) == (large.shape, None, [])


@pytest.mark.slow
def test_a_script_shows_the_shape_that_was_too_large_to_send(tmp_path: Path) -> None:
    (tmp_path / "outer.py").write_text(OUTER)
    outcome = examine(module("outer", tmp_path), ["greater_equal"], "default")
    failures = [f for *_, f in outcome.failures(Verdict.VIOLATES) if "gives shape" in f.message]
    assert failures
    assert re.search(r"gives shape \((\d{4,}), \1\)", failures[0].message)
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{failures[0].script}"
    ran = run_script(script, Path(__file__).parents[2])
    assert (ran.returncode, "(shapes (4097, 4097), (4097,) mismatch)" in ran.stderr) == (1, True)
