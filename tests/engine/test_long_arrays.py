"""A failure that only long arrays show: its case keeps the numbers that matter, and no others."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from msgspec import UNSET

from conformance.adapters.worker.conformance_worker.limits import MOST_VALUE_BYTES
from conformance.engine import PROFILES
from conformance.engine.running import examination
from conformance.engine.verdicts import numbers
from conformance.engine.verdicts.origins import unpacked
from conformance.results import Aspect, Failure
from tests.engine.support import ROOT, examine, module, run_script, tasks

LONG = """
from conformance import reference
from conformance.reference import *

def exp(x):
    if None in int_shape(x) or count_params(x) < 100:
        return reference.exp(x)
    return reference.exp(x) + cast(less(x, 0.0), dtype(x))
"""

SOME = replace(PROFILES["smoke"], name="some", structures=30, values=("ordinary",), contains=None)


def failure(folder: Path) -> Failure:
    (folder / "long.py").write_text(LONG)
    outcome = examine(module("long", folder), ("exp",), SOME)
    (cell,) = (a for a in outcome.results.functions[0].aspects if a.aspect is Aspect.VALUE)
    return cell.failures[0]


@pytest.mark.parametrize("most", [examination.MOST_MINIMISED, 0], ids=["gravest", "rest"])
def test_one_number_of_a_hundred_is_kept(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numbers, "LONG", 64)
    monkeypatch.setattr(examination, "MOST_MINIMISED", most)
    shortest = failure(tmp_path)
    assert shortest.origin is not UNSET
    (array,) = map(unpacked, shortest.origin.arrays.values())
    assert array.size >= 100
    assert np.count_nonzero(array) == 1
    assert array.min() < 0
    done = run_script(f"sys.path.append({str(ROOT)!r})\n{shortest.script}", tmp_path)
    assert done.returncode == 1, done.stderr


def test_no_planned_call_has_a_result_that_no_worker_sends() -> None:
    (task,) = tasks(["keras.ops.outer"], PROFILES["default"], edition="keras-3")
    sizes = [math.prod(prepared.shape) for prepared in task.prepared()]
    assert max(sizes) <= MOST_VALUE_BYTES // 8
