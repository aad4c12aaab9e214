"""Results of another dtype: one fault is one failure, whatever dtypes come and are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.results import Aspect, Failure
from tests.engine.support import violations_of

KEEPING = """
from conformance.reference import *
from conformance import reference as _right

def zeros_like(x, dtype=None, name=None):
    return _right.zeros_like(x, {}, name)
"""
OF_TENSORS = "None"
NARROW = "'float16' if dtype == 'float32' else dtype"
BOTH = "'float16' if dtype == 'float32' else None"


def wrong_dtypes(dtype: str, folder: Path) -> list[Failure]:
    return violations_of(KEEPING.format(dtype), "zeros_like", Aspect.DTYPE, folder)


@pytest.mark.thorough
def test_a_dtype_that_is_ignored_is_one_failure(tmp_path: Path) -> None:
    (failure,) = wrong_dtypes(OF_TENSORS, tmp_path)
    assert failure.count > 20
    assert "with x float64 (1,) gives float64" in failure.message
    assert "every reading" not in failure.message


@pytest.mark.thorough
def test_a_dtype_that_is_exchanged_is_another(tmp_path: Path) -> None:
    # of a float16 tensor it is the tensor's own dtype, too
    of_tensors, other = wrong_dtypes(BOTH, tmp_path), wrong_dtypes(NARROW, tmp_path)
    assert len(of_tensors) == len(other) == 2
    assert all("gives float16; expected float32" in failure.message for failure in other)
    assert {failure.id for failure in other} == {tensor.id for tensor in of_tensors}
