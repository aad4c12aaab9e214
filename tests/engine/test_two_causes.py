"""Two faults in the value of one function: each has a failure of its own, and a case."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.results import Aspect, Failure
from tests.engine.support import violations_of

WRONG = """
from conformance.reference import *
from conformance import reference as _right

def softmax(x, axis=-1):
    factor = {}
    return _right.softmax(x, axis) * factor
"""
OF_RANK = "1.01 if _right.ndim(x) == 4 else 1"
OF_AXIS = "1.5 if axis == 0 else 1"
BOTH = "1.5 if axis == 0 else 1.01 if _right.ndim(x) == 4 else 1"


def wrong_values(factor: str, folder: Path) -> list[Failure]:
    return violations_of(WRONG.format(factor), "softmax", Aspect.VALUE, folder)


@pytest.mark.thorough
def test_what_is_wrong_for_one_rank_does_not_hide_what_is_wrong_for_one_axis(
    tmp_path: Path,
) -> None:
    first, second = wrong_values(BOTH, tmp_path)
    assert first.id != second.id
    assert {"gives 1.5 at [0]" in first.message, "gives 1.5 at [0]" in second.message} == {
        True,
        False,
    }
    assert "[[[[0]]]] gives 1.00999999" in first.message + second.message


@pytest.mark.thorough
@pytest.mark.parametrize("factor", [OF_RANK, OF_AXIS])
def test_one_fault_is_one_failure(factor: str, tmp_path: Path) -> None:
    (failure,) = wrong_values(factor, tmp_path)
    assert failure.count > 20
