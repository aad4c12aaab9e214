"""What is put down to a call, what is made smaller, and what is cut."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conformance.adapters.process import Launch
from conformance.adapters.session import CallLimits, Session
from conformance.fuzz.blame.calls import blamed
from conformance.fuzz.bounds.course import course
from conformance.fuzz.bounds.sessions import open_order
from conformance.fuzz.bounds.tensors import Known, exactly
from conformance.fuzz.judging import Question, judged
from conformance.fuzz.programs import pruned, references
from conformance.fuzz.shrinking.candidates import plainer, simpler_numbers
from conformance.fuzz.shrinking.reduction import planned, rest
from conformance.program import Argument, Binding, Function, Input, Program, Ref, Step
from tests.engine.support import ROOT

pytestmark = pytest.mark.slow

BROKEN = """
from conformance.reference import *
from conformance.reference import BACKEND, exp as right

def exp(x):
    return right(x) * 1.001
"""


def step(result: str, function: str, *args: Argument, **kwargs: Argument) -> Step:
    return Step(result, function, args, tuple(kwargs.items()))


def program(*steps: Step, outputs: Sequence[str] = (), shape: tuple[int, ...] = (3,)) -> Program:
    x = Input("x", shape, "float32", Binding.PLACEHOLDER)
    return Program((x,), steps, tuple(outputs) or (steps[-1].result,))


def question(asked: Program, *numbers: float) -> Question:
    x = np.asarray(numbers or (0.5, -1.25, 2.0), "float32").reshape(asked.inputs[0].shape)
    return Question(asked, [{"x": x}], "keras-2.2")


CHAIN = program(
    step("a", "tanh", Ref("x")),
    step("b", "exp", Ref("a")),
    step("c", "square", Ref("b")),
)


def test_a_call_that_fails_alone_is_blamed(tmp_path: Path) -> None:
    (tmp_path / "broken_exp.py").write_text(BROKEN)
    environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    launch = Launch(sys.executable, "broken_exp", "graph", environment)
    with Session(launch, limits=CallLimits(structure=20.0)) as worker:
        asked = planned(question(CHAIN))
        differences = judged(asked, worker.run_batch(asked.batch)).differences
        assert [d.output for d in differences] == ["c"]
        suspect = blamed(worker, asked)
    assert suspect is not None
    assert suspect.function == "exp"


SCALARS = """
from conformance.reference import *
from conformance.reference import function as right


def function(*args, **kwargs):
    compiled = right(*args, **kwargs)
    return lambda inputs: [x if x.ndim else x.item() for x in compiled(inputs)]
"""


def test_numbers_of_python_have_no_dtype(tmp_path: Path) -> None:
    (tmp_path / "plain_numbers.py").write_text(SCALARS)
    environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    with Session(Launch(sys.executable, "plain_numbers", "graph", environment)) as worker:
        for function in ("sum", "argmax"):
            asked = question(program(step("a", "square", Ref("x")), step("b", function, Ref("a"))))
            judgement = judged(asked, worker.run_batch(asked.batch))
            assert judgement.compared
            assert not judgement.differences


def test_what_is_left_of_a_program_without_a_function() -> None:
    chain = program(
        step("a", "tanh", Ref("x")),
        step("b", "exp", Ref("a")),
        step("c", "square", Ref("a")),
        step("d", "maximum", Ref("c"), Ref("b")),
        outputs=("d", "c"),
    )
    left = rest(question(chain), "exp")
    assert left is not None
    assert [s.result for s in left.program.steps] == ["a", "c"]
    assert left.program.outputs == ("c",)
    assert rest(question(chain), "tanh") is None, "all is made of it"
    assert rest(question(CHAIN), "exp") is None, "one call is no composition"
    assert rest(question(chain), "sin") is None, "it has no such call"


def test_what_is_left_of_a_function_that_is_compiled() -> None:
    session = _session("a", "b")
    left = rest(replace(question(CHAIN), program=session, arrays=[_START]), "exp")
    assert left is None, "one call is left"
    twice = replace(
        session, steps=(*session.steps[:2], step("z", "sin", Ref("v")), *session.steps[2:])
    )
    left = rest(replace(question(CHAIN), program=twice, arrays=[_START]), "exp")
    assert left is not None
    (compiled,) = (s for s in left.program.steps if s.function == "function")
    assert compiled.args[1] == [Ref("b")]
    assert dict(compiled.kwargs)["updates"] == [Ref("u")]
    left = rest(replace(question(CHAIN), program=twice, arrays=[_START]), "update")
    assert left is not None
    (compiled,) = (s for s in left.program.steps if s.function == "function")
    assert not compiled.kwargs


def test_numbers_that_are_as_simple_as_they_can_be_are_left() -> None:
    asked, tries = question(CHAIN, 0.123456, -1.75, 3.0), 0
    while (simpler := next(simpler_numbers(asked), None)) is not None:
        asked, tries = simpler, tries + 1
    assert tries < 5
    assert asked.arrays[0]["x"].tolist() == [1, 1, 1]


def test_plain_calls_take_the_place_of_others() -> None:
    chains = [candidate.program.steps for candidate in plainer(question(CHAIN))]
    assert [[s.function for s in steps] for steps in chains] == [
        ["abs", "exp", "square"],
        ["tanh", "abs", "square"],
        ["tanh", "exp", "abs"],
    ]
    two = program(step("a", "tanh", Ref("x")), step("b", "maximum", Ref("a"), Ref("x")))
    last = [candidate.program.steps[-1].args for candidate in plainer(question(two))]
    assert last[1:] == [(Ref("a"),), (Ref("x"),)]


def test_the_bound_runs_along() -> None:
    exact = course(CHAIN, question(CHAIN).arrays[0], "keras-2.2")
    reaches = [float(exact.known[name].reach.max()) for name in "xabc"]
    assert reaches[0] == 0
    assert 0 < reaches[1] < reaches[2] < reaches[3] < 1e-4
    x = question(CHAIN).arrays[0]["x"].astype(np.float64)
    right = np.exp(np.tanh(x)) ** 2
    assert bool((np.abs(exact.known["c"].value - right) <= exact.known["c"].reach).all())


def test_a_program_is_cut_where_a_tie_hides_the_answer() -> None:
    """The sum of thirds is 1 but for its roundings: what `round` makes of half of it is open."""
    chain = program(
        step("s", "mean", Ref("x")), step("r", "round", Ref("s")), step("e", "exp", Ref("r"))
    )
    tied = question(chain, 0.1, 0.7, 0.7)
    assert float(np.mean(tied.arrays[0]["x"].astype(np.float64))) == pytest.approx(0.5, abs=1e-7)
    exact = course(chain, tied.arrays[0], "keras-2.2")
    assert exact.cuts.keys() >= {"s"}
    plain = question(chain, 0.1, 0.7, 0.2)
    assert not course(chain, plain.arrays[0], "keras-2.2").cuts


def test_what_is_useless_is_told() -> None:
    ones = np.ones(2, "float32")
    assert not exactly(ones).useless
    assert not Known(ones, np.full(2, 1e-6)).useless
    assert Known(ones, np.array([0, 1e-3])).useless
    assert Known(np.array([1, 2]), np.array([0, np.inf])).useless


def test_a_callable_refers_to_what_is_outside_it_alone() -> None:
    body = Function("f", ("e",), (step("i", "maximum", Ref("e"), Ref("y")),), Ref("i"))
    assert list(references(step("m", "map_fn", body, Ref("x")))) == ["y", "x"]


def test_what_outputs_do_not_need_is_left_out() -> None:
    chain = program(step("a", "exp", Ref("x")), step("b", "abs", Ref("x")), outputs=("b",))
    assert [s.result for s in pruned(chain).steps] == ["b"]


_START = {"v_start": np.array([0.5, 2], "float32")}


def _session(*outputs: str, calls: int = 1) -> Program:
    array = Input("v_start", (2,), "float32", Binding.ARRAY)
    ends = [step(f"c{n}", "operator.call", Ref("f"), [1]) for n in range(calls)]
    return Program(
        (array,),
        (
            step("v", "variable", Ref("v_start"), dtype="float32"),
            step("p", "learning_phase"),
            step("a", "exp", Ref("v")),
            step("b", "ones_like", Ref("v")),
            step("u", "update", Ref("v"), Ref("b")),
            step("f", "function", [Ref("p")], [Ref(o) for o in outputs], updates=[Ref("u")]),
            *ends,
        ),
        tuple(s.result for s in ends),
    )


def test_the_order_of_reads_and_updates_is_open_where_it_matters() -> None:
    assert open_order(_session("a")) == ["outputs-before-updates"]
    assert open_order(_session("a", calls=2)) == ["outputs-before-updates", "read-at-call"]
    other = _session("a")
    plain = replace(other, steps=tuple(s for s in other.steps if s.function != "update"))
    steps = tuple(replace(s, kwargs=()) if s.function == "function" else s for s in plain.steps)
    assert open_order(replace(plain, steps=steps)) == []


LIMITED = """
from conformance.reference import *
from conformance.reference import placeholder as right


def placeholder(shape=None, **kwargs):
    if shape == (1,):
        raise ValueError("no placeholder of one element")
    return right(shape, **kwargs)
"""


@pytest.mark.parametrize("compiled", [False, True])
def test_an_input_that_cannot_be_made_is_blamed(tmp_path: Path, *, compiled: bool) -> None:
    (tmp_path / "limited.py").write_text(LIMITED)
    environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    chain = program(step("a", "tanh", Ref("x")), step("b", "exp", Ref("a")), shape=(1,))
    asked = question(chain, 0.5)
    if compiled:
        shape_and_dtype = (("shape", (1,)), ("dtype", "float32"))
        array = Input("x_0", (1,), "float32", Binding.ARRAY)
        steps = (
            Step("x", "placeholder", (), shape_and_dtype),
            *chain.steps,
            step("f", "function", [Ref("x")], [Ref("b")]),
            step("c", "operator.call", Ref("f"), [Ref("x_0")]),
        )
        fed = {"x_0": np.asarray([0.5], "float32")}
        asked = replace(asked, program=Program((array,), steps, ("c",)), arrays=[fed])
    with Session(Launch(sys.executable, "limited", "graph", environment)) as worker:
        suspect = blamed(worker, planned(asked))
    assert suspect is not None
    assert suspect.function == "placeholder"


def test_what_is_left_of_a_program_has_no_input_that_it_does_not_need() -> None:
    chain = program(
        step("a", "tanh", Ref("x")), step("b", "exp", Ref("a")), step("c", "square", Ref("y"))
    )
    y = Input("y", (3,), "float32", Binding.PLACEHOLDER)
    chain = replace(chain, inputs=(*chain.inputs, y), outputs=("b", "c"))
    asked = replace(question(chain), arrays=[{n: np.ones(3, "float32") for n in "xy"}])
    left = rest(asked, "square")
    assert left is not None
    assert [i.name for i in left.program.inputs] == ["x"]
    assert left.arrays[0].keys() == {"x"}


EAGER = """
from conformance.reference import *


def gradients(loss, variables):
    raise RuntimeError("not while computing eagerly")
"""


def test_gradients_that_cannot_be_had_are_blamed_themselves(tmp_path: Path) -> None:
    (tmp_path / "eager_one.py").write_text(EAGER)
    environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    chain = program(
        step("a", "tanh", Ref("x")),
        step("b", "square", Ref("a")),
        step("l", "sum", Ref("b")),
        step("h", "gradients", Ref("l"), [Ref("x")]),
        step("g", "operator.getitem", Ref("h"), 0),
        outputs=("g", "b"),
    )
    with Session(Launch(sys.executable, "eager_one", "graph", environment)) as worker:
        suspect = blamed(worker, planned(question(chain)))
    assert suspect is not None
    assert suspect.function == "gradients"
    left = rest(question(chain), "gradients")
    assert left is not None
    assert left.program.outputs == ("b",)
