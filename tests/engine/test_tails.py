"""Small shares of 1 have digits of their own: the tails of sigmoid and softmax are judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.results import Aspect, Verdict
from tests.engine.support import examine, module

HEAD = """
from conformance import reference as K
from conformance.reference import *

"""
FAULTS = (
    ("sigmoid", "K.clip(K.sigmoid(x), 1e-5, 1)", Verdict.VIOLATES),
    ("sigmoid", "K.clip(K.sigmoid(x), 1e-9, 1)", Verdict.VIOLATES),
    ("sigmoid", "K.sigmoid(x * 1.001)", Verdict.VIOLATES),
    ("softmax", "K.softmax(x * 1.0002, axis)", Verdict.VIOLATES),
    ("softmax", "K.softmax(K.clip(x, -9, 1e30), axis)", Verdict.VIOLATES),
    ("softmax", "K.softmax(x, axis)", Verdict.CONFORMS),
)


@pytest.mark.parametrize(("name", "formula", "verdict"), FAULTS)
def test_a_fault_in_a_tail_is_no_lack_of_accuracy(
    name: str, formula: str, verdict: Verdict, tmp_path: Path
) -> None:
    parameters = "x, axis=-1" if name == "softmax" else "x"
    source = f"{HEAD}def {name}({parameters}):\n    return {formula}\n"
    (tmp_path / "tails.py").write_text(source, encoding="utf-8")
    run = examine(module("tails", tmp_path), (name,), "smoke")
    assert run.aspect(name, Aspect.VALUE).verdict is verdict
