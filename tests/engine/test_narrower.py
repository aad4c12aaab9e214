"""A result of a narrower dtype is judged by the precision of that dtype, and only then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.results import Aspect, Verdict
from tests.engine.support import TINY, examine, module

ROUNDS = """
from conformance import reference
from conformance.reference import *

def pool2d(x, *args, **kwargs):
    rounded = reference.cast(reference.pool2d(x, *args, **kwargs), "float32")
    return {result}
"""
WITH_FLOAT64 = replace(TINY, structures=40, scenarios=0, gradients=0, shrink=1)
CLAIMS = {"rounded": True, "cast(rounded, dtype(x))": False}


@pytest.mark.parametrize("result", CLAIMS)
def test_what_is_rounded_is_wrong_only_if_it_says_it_is_not(result: str, tmp_path: Path) -> None:
    (tmp_path / "rounds.py").write_text(ROUNDS.format(result=result), encoding="utf-8")
    outcome = examine(module("rounds", tmp_path), ("pool2d",), WITH_FLOAT64)
    verdict = outcome.aspect("pool2d", Aspect.VALUE).verdict
    assert (verdict is Verdict.CONFORMS) is CLAIMS[result]
