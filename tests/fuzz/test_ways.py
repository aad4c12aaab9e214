"""Programs of keras.ops in each way, and on a package that has the functions of NumPy."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from conformance.adapters.process import Launch
from conformance.adapters.session import CallLimits, Session
from conformance.fuzz.judging import Question, judged
from conformance.fuzz.making.composing import composed
from conformance.fuzz.making.growth import Plan
from conformance.fuzz.programs import WAYS, Way, in_a_way, plain, way_of_number
from conformance.program import Binding, Function, Input, Program, Ref, Step, from_json, to_json
from tests.engine.support import ROOT

EDITION = "keras-3"
X = Input("x", (2, 3), "float32", Binding.CONSTANT)
STEPS = (
    Step("a", "keras.ops.transpose", (Ref("x"),)),
    Step("b", "keras.ops.transpose", (Ref("a"),)),
    Step("c", "keras.ops.sum", (Ref("b"),), (("axis", 0),)),
)
PROGRAM = Program((X,), STEPS, ("b", "c"))

OPS = """
import numpy as np
from numpy import sum
convert_to_tensor, convert_to_numpy, moved = np.asarray, np.asarray, {}

def transpose(x, axes=None):
    result = np.transpose(x, axes)
    FAULT
    moved[id(result)] = x, result
    return result
"""
FAULTS = {"none": "", "two transposes are one": "if id(x) in moved: return x.reshape(result.shape)"}


def worker(folder: Path, fault: str) -> Session:
    """A session with a package `keras` of three functions."""
    package = folder / "keras" / "ops"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("from keras import ops")
    (package / "__init__.py").write_text(OPS.replace("FAULT", FAULTS[fault]))
    environment = {"PYTHONPATH": f"{folder}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    return Session(
        Launch(sys.executable, "keras.ops", "eager", environment),
        limits=CallLimits(structure=20.0, draw=2.0),
    )


@pytest.mark.parametrize(("fault", "wrong"), [("none", False), ("two transposes are one", True)])
def test_a_fault_of_two_calls_shows(tmp_path: Path, fault: str, wrong: bool) -> None:
    numbers = {"x": np.arange(6, dtype="float32").reshape(2, 3)}
    question = Question(PROGRAM, [numbers], EDITION, way=Way.EAGER)
    with worker(tmp_path, fault) as session:
        differences = judged(question, session.run_batch(question.batch)).differences
    assert bool(differences) == wrong, differences


@pytest.mark.parametrize("way", Way)
def test_the_program_of_a_way_is_the_same_program(way: Way) -> None:
    asked = in_a_way(PROGRAM, way)
    read = from_json(to_json(asked))
    again, its = plain(read, EDITION)
    assert its is way
    assert again.steps == PROGRAM.steps
    assert again.outputs == PROGRAM.outputs


def test_a_compiled_program_is_one_call() -> None:
    first, *members = in_a_way(PROGRAM, Way.COMPILED).steps
    assert first.function == "compiled"
    assert isinstance(first.args[0], Function)
    assert [step.result for step in members] == ["b", "c"]


def test_an_output_without_inputs_is_not_asked_of_symbols() -> None:
    ones = Step("d", "keras.ops.ones", ((2,),))
    program = Program((X,), (*STEPS, ones), ("c", "d"))
    assert plain(in_a_way(program, Way.SYMBOLIC), EDITION)[1] is Way.EAGER


def test_programs_have_each_way_and_those_of_k_have_none() -> None:
    assert {way_of_number(n, EDITION) for n in range(len(WAYS))} == {*Way}
    assert way_of_number(0, "keras-2.2") is None


def test_programs_of_keras_ops_have_answers() -> None:
    for number in (0, 700):
        composed_program = composed(Plan(EDITION, 0), number)
        assert len(composed_program.calls) >= 2
        known = composed_program.courses[0].known
        assert all(
            np.isfinite(known[name].reach).all() for name in composed_program.program.outputs
        )
