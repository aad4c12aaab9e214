"""Programs with gradients of gradients: how they are made, and what is put down to a call."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from conformance.adapters.process import Launch
from conformance.adapters.session import CallLimits, Session
from conformance.fuzz.blame.calls import blamed
from conformance.fuzz.bounds.sessions import is_session
from conformance.fuzz.judging import Question, judged
from conformance.fuzz.making.composing import TWICE, composed, is_twice
from conformance.fuzz.making.growth import Plan
from conformance.fuzz.making.joining import JoiningGrowth
from conformance.fuzz.shrinking.reduction import planned
from conformance.program import Binding, Input, Program, Ref, Step, to_json
from tests.engine.support import ROOT

pytestmark = pytest.mark.slow
PLAN = Plan("keras-2.2", 0)


def test_one_program_in_seven_to_seventeen_takes_a_gradient_again() -> None:
    programs = [composed(PLAN, number) for number in range(TWICE - 1, 210, TWICE)]
    twice = [program for program in programs if is_twice(program.program)]
    assert len(twice) >= 12, "of 210 programs, 30 of which are asked to"
    assert any(is_session(program.program) for program in twice)
    assert any(
        program.courses[0].types[program.program.outputs[0]].dtype == "float64" for program in twice
    )
    assert not any(course.cuts for program in twice for course in program.courses)


def test_where_there_is_no_second_derivative_the_program_is_the_same() -> None:
    """As it was when none were made: with the first seed that has an answer."""
    seen = 0
    for number in range(TWICE - 1, 200, TWICE):
        program = composed(PLAN, number)
        if is_twice(program.program) or is_session(program.program):
            continue
        plain = JoiningGrowth(PLAN, number, 0).grown()
        if plain is not None:
            assert to_json(program.program) == to_json(plain.program)
            assert program.arrays[0].keys() == plain.arrays[0].keys()
            seen += 1
    assert seen


BENT = """
from conformance.reference import *
from conformance.reference import BACKEND, tanh as right
from conformance.reference.symbolic.gradients.accumulation import GRADIENTS
from conformance.reference.symbolic.graph import apply


def constant(node, upstream):
    (found,) = rule(node, upstream)
    slope = apply("stop_gradient", node)
    return (upstream * (1 - slope * slope),)


rule = GRADIENTS["tanh"]
GRADIENTS["tanh"] = constant
"""
"""A slope that is right, and is taken for a constant."""

NONE = """
from conformance.reference import *
from conformance.reference import gradients as right


def gradients(loss, variables):
    if _is_second(loss):
        raise ValueError("no gradient of a gradient")
    found = right(loss, variables)
    for one in found:
        one.first = True
    return found


def _is_second(node):
    return getattr(node, "first", False) or bool([x for x in node.inputs if _is_second(x)])
"""


def _question() -> Question:
    x = Input("x", (2,), "float32", Binding.PLACEHOLDER)
    steps = (
        Step("a", "square", (Ref("x"),)),
        Step("b", "tanh", (Ref("a"),)),
        Step("l", "sum", (Ref("b"),)),
        Step("g_g", "gradients", (Ref("l"), [Ref("x")])),
        Step("g", "operator.getitem", (Ref("g_g"), 0)),
        Step("s", "sum", (Ref("g"),)),
        Step("z_g", "gradients", (Ref("s"), [Ref("x")])),
        Step("z", "operator.getitem", (Ref("z_g"), 0)),
    )
    arrays = {"x": np.array([0.75, -1.25], "float32")}
    return Question(Program((x,), steps, ("z", "g")), [arrays], "keras-2.2")


@pytest.mark.parametrize(
    ("text", "function", "says"),
    [(BENT, "tanh", "second derivative"), (NONE, "gradients", "no gradient of a gradient")],
)
def test_a_second_derivative_that_fails_alone_is_blamed(
    tmp_path: Path, text: str, function: str, says: str
) -> None:
    (tmp_path / "broken_twice.py").write_text(text)
    environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    launch = Launch(sys.executable, "broken_twice", "graph", environment)
    with Session(launch, limits=CallLimits(structure=20.0)) as worker:
        asked = planned(_question())
        assert [d.output for d in judged(asked, worker.run_batch(asked.batch)).differences] != ["g"]
        assert judged(asked, worker.run_batch(asked.batch)).differences
        suspect = blamed(worker, asked)
    assert suspect is not None
    assert suspect.function == function
    assert says in suspect.difference.says


def test_of_what_is_right_nothing_is_blamed() -> None:
    launch = Launch(sys.executable, "conformance.reference", "graph", {"PYTHONPATH": str(ROOT)})
    with Session(launch, limits=CallLimits(structure=20.0)) as worker:
        for number in range(TWICE - 1, 80, TWICE):
            program = composed(PLAN, number)
            if is_twice(program.program):
                assert (
                    blamed(worker, Question(program.program, program.arrays, program.edition))
                    is None
                )
