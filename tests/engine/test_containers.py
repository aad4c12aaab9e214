"""What came back in place of a tensor is called by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.results import Aspect, Verdict
from tests.engine.support import TINY, examine, module

LISTS = """
from conformance import reference
from conformance.reference import *

def shape(x):
    return {container}(reference.int_shape(x))
"""


@pytest.mark.parametrize("container", ["list", "tuple"])
def test_a_python_list_is_called_one_whatever_its_length(container: str, tmp_path: Path) -> None:
    (tmp_path / "lists.py").write_text(LISTS.format(container=container), encoding="utf-8")
    result = examine(module("lists", tmp_path), ("shape",), TINY).aspect("shape", Aspect.VALUE)
    wrong = [f for f in result.failures if f.verdict is Verdict.VIOLATES]
    assert wrong
    assert all(f"gives a Python {container}" in f.message for f in wrong)
