"""To what a failing program is put down: the function that is at fault, and no innocent one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from msgspec import UNSET

from conformance.adapters.session import Session
from conformance.fuzz.blame.calls import all_tried
from conformance.fuzz.blame.explaining import Experience, Explainer
from conformance.fuzz.judging import Mismatch, Question, judged
from conformance.fuzz.making.growth import ComposedProgram
from conformance.fuzz.records.failures import cite, failure, function_of, words_of
from conformance.fuzz.records.tally import ProgramTally
from conformance.fuzz.shrinking.reduction import planned
from conformance.program import Argument, Binding, Function, Input, Program, Ref, Step
from conformance.results import Aspect, Replacement, Verdict
from conformance.scripts import Prelude
from conformance.specs import load
from tests.fuzz.fakes import launch

Arrays = Mapping[str, npt.NDArray[np.float32]]
X = np.array([-1.0, 0.5, 2.0], "float32")
FED = Input("x", (3,), "float32", Binding.PLACEHOLDER)
HELD = Input("v", (3,), "float32", Binding.VARIABLE)


def _explained(folder: Path, source: str, asked: Question) -> ProgramTally:
    """What a backend with this source is said to have done wrong in a program."""
    asked, tally = planned(asked), ProgramTally()
    composed = ComposedProgram(7, asked.edition, asked.program, asked.arrays, ())
    with Session(launch(folder, "fake", source)) as worker:
        differences = judged(asked, worker.run_batch(asked.batch)).differences
        assert differences
        Explainer(worker, tally, Experience(), Prelude((), {}), 0).explain(
            composed, asked, differences
        )
    return tally


def _asked(inputs: tuple[Input, ...], *steps: Step, outputs: tuple[str, ...]) -> Question:
    arrays = {i.name: np.resize(X, i.shape) for i in inputs}
    return Question(Program(inputs, steps, outputs), [arrays], "keras-2.2")


def _framed(steps: tuple[Step, ...], result: str, phases: tuple[int, ...] = ()) -> Question:
    """A program that compiles one result of a placeholder `x` and a variable `v`, and calls it
    once, or with each of these phases."""
    makers = (
        Step("x", "placeholder", (), (("shape", (3,)), ("dtype", "float32"))),
        Step("v", "variable", (Ref("v_start"),), (("dtype", "float32"),)),
    )
    own = (Step("phase", "learning_phase", ()),) if phases else ()
    inputs: list[Argument] = [Ref("x"), *(Ref(s.result) for s in own)]
    framing = Step("f", "function", (inputs, [Ref(result)]))
    fed: list[list[Argument]] = [[Ref("x_0"), p] for p in phases] or [[Ref("x_0")]]
    calls = tuple(
        Step(f"call_{n}", "operator.call", (Ref("f"), operands)) for n, operands in enumerate(fed)
    )
    arrays = tuple(Input(n, (3,), "float32", Binding.ARRAY) for n in ("v_start", "x_0"))
    names = tuple(c.result for c in calls)
    return _asked(arrays, *makers, *own, *steps, framing, *calls, outputs=names)


LAYERS = """
from conformance.reference import *
from conformance.reference import function as right


def leaves(x):
    return [x] if not x.inputs else [y for z in x.inputs for y in leaves(z)]


def function(inputs, outputs, updates=(), **kwargs):
    for output in outputs:
        if not [x for x in leaves(output) for y in inputs if x is y]:
            raise ValueError("an output is made of no input")
    return right(inputs, outputs, updates=updates, **kwargs)
"""
TOGETHER = """
from conformance.reference import *
from conformance.reference import function as right


def function(inputs, outputs, updates=(), **kwargs):
    if len(outputs) > 1:
        raise ValueError("one output alone")
    return right(inputs, outputs, updates=updates, **kwargs)
"""
TWO = (Step("a", "exp", (Ref("x"),)), Step("b", "abs", (Ref("v"),)))


def test_an_output_without_inputs_that_is_refused_alone_is_put_down_to_function(
    tmp_path: Path,
) -> None:
    tally = _explained(tmp_path, LAYERS, _asked((FED, HELD), *TWO, outputs=("a", "b")))
    assert (dict(tally.blamed), tally.failures) == ({"function": 1}, {}), tally.reasons
    assert tally.reasons["function"].endswith("which rests on the convention independent-output")


def test_an_error_of_function_is_filed_there_with_its_line(tmp_path: Path) -> None:
    second = Step("b", "abs", (Ref("x"),))
    tally = _explained(tmp_path, TOGETHER, _asked((FED,), TWO[0], second, outputs=("a", "b")))
    (filed,) = tally.failures.values()
    assert (filed.function, filed.failure.convention) == ("function", None)
    assert filed.failure.citation is not None
    assert filed.failure.citation.line in range(2527, 2547)


def test_an_error_with_an_output_without_inputs_rests_on_a_convention() -> None:
    asked = _asked((FED, HELD), *TWO, outputs=("a", "b"))
    raised = Mismatch("exception", "", 0, "raises E (compile): no", stage="compile")
    result = failure(asked, raised, Prelude((), {}), seed=0, number=0)
    assert (result.convention, result.citation) == ("independent-output", None)


def test_an_error_of_a_step_is_filed_under_what_it_calls() -> None:
    asked = _asked((FED,), Step("a", "exp", (Ref("x"),)), Step("b", "abs", (Ref("a"),)), outputs=())
    raised = Mismatch("exception", "", 0, "raises E (step): no", step=0, stage="step")
    assert function_of(asked, raised) == "exp"


def test_what_a_successor_composes_otherwise_is_changed() -> None:
    asked = _asked((FED,), Step("a", "exp", (Ref("x"),)), outputs=("a",))
    raised = Mismatch("exception", "", 0, "raises E (step): no", step=0, stage="step")
    row = Replacement("calls.toml", "exp", "new.exp(x)")
    result = failure(asked, raised, Prelude((), {}), seed=0, number=0, replacements={"exp": row})
    assert (result.verdict, result.replacement) == (Verdict.CHANGED, row)
    assert f"({result.cited})" in result.message
    died = Mismatch("crash", "", 0, "ends the process")
    result = failure(asked, died, Prelude((), {}), seed=0, number=0, replacements={"exp": row})
    assert (result.verdict, result.replacement) == (Verdict.CRASHED, UNSET)


SYMBOLIC = """
from conformance.reference import *
from conformance.reference import is_placeholder, maximum as right


def maximum(x, y):
    if is_placeholder(x) and not is_placeholder(y):
        raise ValueError("what is fed beside what is not")
    return right(x, y)
"""


def test_a_call_is_tried_compiled_with_the_sorts_of_tensors_of_the_program(tmp_path: Path) -> None:
    steps = (Step("o", "ones_like", (Ref("v"),)), Step("b", "maximum", (Ref("x"), Ref("o"))))
    tally = _explained(tmp_path, SYMBOLIC, _framed(steps, "b"))
    assert dict(tally.blamed) == {"maximum": 1}


PHASED = """
from conformance.reference import *
from conformance.reference import in_train_phase as right


def in_train_phase(x, alt, training=None):
    return right(x, alt, training=training) + (1.0 if training is None else 0.0)
"""
AGAIN = """
from conformance.reference import *
from conformance.reference import function as right


def function(inputs, outputs, updates=(), **kwargs):
    made, kept = right(inputs, outputs, updates=updates, **kwargs), []

    def call(values):
        kept.append(made(values))
        return kept[0]

    return call
"""
BRANCH = (Step("a", "exp", (Ref("x"),)), Step("b", "in_train_phase", (Ref("x"), Ref("a"))))


def test_a_call_with_a_fed_phase_is_tried_alone(tmp_path: Path) -> None:
    asked = _framed(BRANCH, "b", phases=(1,))
    assert all_tried(asked)
    assert dict(_explained(tmp_path, PHASED, asked).blamed) == {"in_train_phase": 1}


def test_what_two_phases_one_after_the_other_show_is_of_composition(tmp_path: Path) -> None:
    tally = _explained(tmp_path, AGAIN, _framed(BRANCH, "b", phases=(1, 0)))
    assert not tally.blamed
    (filed,) = tally.failures.values()
    assert "b in call_1 is beyond" in filed.failure.message
    assert filed.failure.message.endswith("each call alone conforms")


def test_no_call_is_said_to_conform_that_was_not_tried() -> None:
    asked = _asked((FED,), Step("a", "exp", (Ref("x"),)), outputs=("a",))
    raised = Mismatch("exception", "", 0, "raises E (step): no")
    result = failure(asked, raised, Prelude((), {}), seed=0, number=0, tried=False)
    assert "each call alone" not in result.message


SHAPELESS = """
from conformance.reference import *
from conformance.reference import constant as right, int_shape as shape, squeeze as plain, exp as e

vague = []


def constant(value, dtype=None, shape=None, name=None):
    vague.append(right(value, dtype=dtype, shape=shape, name=name))
    return vague[-1]


def exp(x):
    made = e(x)
    if [y for y in vague if x is y]:
        vague.append(made)
    return made


def int_shape(x):
    return () if [y for y in vague if x is y] else shape(x)


def squeeze(x, axis):
    if not int_shape(x):
        raise IndexError("pop from empty list")
    return plain(x, axis)
"""


def test_a_constant_whose_static_shape_is_wrong_is_to_blame_for_what_refuses_it(
    tmp_path: Path,
) -> None:
    fixed = Input("c", (3, 1), "float32", Binding.CONSTANT)
    steps = (Step("a", "exp", (Ref("c"),)), Step("b", "squeeze", (Ref("a"), 1)))
    tally = _explained(tmp_path, SHAPELESS, _asked((fixed,), *steps, outputs=("b",)))
    assert dict(tally.blamed) == {"constant": 1}
    assert tally.reasons["constant"] == "has the static shape (), not (3, 1)"


def test_a_constant_is_not_to_blame_for_what_fails_without_it(tmp_path: Path) -> None:
    fixed = Input("c", (3,), "float32", Binding.CONSTANT)
    steps = (Step("a", "exp", (Ref("x"),)), Step("b", "maximum", (Ref("x"), Ref("c"))))
    source = SHAPELESS + TOGETHER.replace("right", "whole").replace("import *", "import abs", 1)
    tally = _explained(tmp_path, source, _asked((FED, fixed), *steps, outputs=("a", "b")))
    assert not tally.blamed
    assert [f.function for f in tally.failures.values()] == ["function"]


WRONG_SHAPE = """
from conformance.reference import *
from conformance.reference import exp as right, int_shape as shape, reshape as plain

seen = []


def exp(x):
    seen.append(right(x))
    return seen[-1]


def int_shape(x):
    return (7,) if [y for y in seen if x is y] else shape(x)


def reshape(x, shape):
    if int_shape(x) == (7,):
        raise ValueError("7 elements do not fit")
    return plain(x, shape)
"""


@pytest.mark.parametrize("framed", [False, True])
def test_a_result_whose_static_shape_is_wrong_is_to_blame(tmp_path: Path, framed: bool) -> None:
    steps = (Step("a", "exp", (Ref("x"),)), Step("b", "reshape", (Ref("a"), (3, 1))))
    asked = _framed(steps, "b") if framed else _asked((FED,), *steps, outputs=("b",))
    tally = _explained(tmp_path, WRONG_SHAPE, asked)
    assert dict(tally.blamed) == {"exp": 1}
    assert tally.reasons["exp"] == "has the static shape (7,), not (3,)"


BODY = """
from conformance.reference import *
from conformance.reference import exp as right


def exp(x):
    return right(x) + 1
"""


@pytest.mark.parametrize("loop", ["map_fn", "foldl"])
def test_a_call_in_the_body_of_a_loop_is_tried_before_the_loop(tmp_path: Path, loop: str) -> None:
    names = ("p",) if loop == "map_fn" else ("q", "p")
    inner = (Step("e", "exp", (Ref("p"),)),)
    body = Function("body", names, inner, Ref("e"))
    whole = Input("y", (2, 3), "float32", Binding.PLACEHOLDER)
    steps = (Step("a", "abs", (Ref("y"),)), Step("b", loop, (body, Ref("a"))))
    tally = _explained(tmp_path, BODY, _asked((whole,), *steps, outputs=("b",)))
    assert dict(tally.blamed) == {"exp": 1}


RACE = """
import pathlib

from conformance.reference import *
from conformance.reference import function as right

runs = pathlib.Path(__file__).with_suffix(".runs")
runs.write_text(runs.read_text() + "." if runs.exists() else ".")
wrong = len(runs.read_text()) % 3


def function(inputs, outputs, updates=(), **kwargs):
    made = right(inputs, outputs, updates=updates, **kwargs)
    if len(outputs) == 1:
        return made
    return lambda values: [r + 1 if wrong else r for r in made(values)]
"""
"""Right in every third process."""


def test_what_not_every_new_process_shows_is_no_failure(tmp_path: Path) -> None:
    second = Step("b", "abs", (Ref("x"),))
    asked = _asked((FED,), TWO[0], second, outputs=("a", "b"))
    tally = _explained(tmp_path, RACE, asked)
    assert not tally.failures
    assert tally.counts["unrepeated"] == 1


def test_errors_that_differ_in_the_name_of_a_node_are_one() -> None:
    theano = "raises MissingInputError (step): Input 0 of the graph, used to compute {}, was not"
    named = ("softplus(/x)", "Elemwise{add,no_inplace}(a, b)", "Shape(/placeholder)")
    assert len({words_of(theano.format(n)) for n in named}) == 1
    cntk = "raises RuntimeError (call): Function 'Composite(Combine): Input('Input', [#], []) -> {}"
    ends = ("Output('Abs_Output_0', [#], [6])' Forward: no", "Output('Clip_Output_0')' Forward: no")
    assert len({words_of(cntk.format(e)) for e in ends}) == 1


def test_a_failure_of_keras_ops_cites_a_section() -> None:
    cited = cite(load()["keras.ops.conv"], "keras-3", Aspect.VALUE)
    assert str(cited).startswith("keras.ops.conv: ")
    assert str(cite(load()["exp"], "keras-2.2", Aspect.VALUE)) == "ko-2.2:1527"
