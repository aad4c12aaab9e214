"""Which failures of composition have one id."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from conformance.fuzz.judging import Mismatch, Question, in_one_line
from conformance.fuzz.records.failures import function_of, identifier
from conformance.fuzz.records.tally import ProgramTally
from conformance.program import Binding, Input, Program, Ref, Step
from conformance.reporting.detail import case_counts
from conformance.reporting.merge import functions_together
from conformance.results import Aspect, Failure, FunctionResult, Origin, Results, Verdict
from conformance.results.composed import how_often, precedence
from tests.reporting import records

RAISES = "raises ValueError (compile): an output of shape {} is made of nothing that is fed"


def _question(*functions: str) -> Question:
    steps = [Step("a", functions[0], (Ref("x"),))]
    steps += [Step("b", name, (Ref("a"),)) for name in functions[1:]]
    program = Program((Input("x", (2,), "float32", Binding.PLACEHOLDER),), tuple(steps), ("a",))
    return Question(program, [{"x": np.zeros(2, "float32")}], "keras-2.2")


def _id(question: Question, kind: str, says: str, *conventions: str) -> str:
    return identifier(question, Mismatch(kind, "", 0, says), conventions)


def test_errors_in_the_same_words_are_one_failure() -> None:
    identity = _id(_question("exp"), "exception", RAISES.format((2,)))
    assert _id(_question("abs", "exp"), "exception", RAISES.format((1, 3))) == identity
    assert _id(_question("exp"), "exception", RAISES.replace("output", "input")) != identity
    assert (
        _id(_question("exp"), "exception", RAISES.format((2,)), "precise-static-shape") != identity
    )


def test_what_the_same_conventions_leave_open_is_one_failure() -> None:
    identity = _id(_question("exp"), "value", "gives 1", "outputs-before-updates")
    assert _id(_question("abs", "exp"), "value", "gives 2", "outputs-before-updates") == identity
    assert _id(_question("exp"), "shape", "gives 1", "outputs-before-updates") != identity
    assert _id(_question("exp"), "value", "gives 1", "simultaneous-updates") != identity


def test_wrong_numbers_are_told_apart_by_the_calls_and_their_wiring() -> None:
    identity = _id(_question("exp"), "value", "gives 1")
    assert _id(_question("exp"), "value", "gives 2") == identity
    assert _id(_question("abs", "exp"), "value", "gives 1") != identity


def test_what_an_exception_says_has_nothing_of_this_machine() -> None:
    stack = 'Backtrace when that variable is created:\n\n  File "/home/me/w.py", line 7, in f\n'
    message = f'an input of "/home/me/lib/keras/theano_backend.py:1383"\nwas not provided.\n{stack}'
    assert in_one_line(message) == 'an input of "…/theano_backend.py:1383" was not provided.'
    assert in_one_line("\x1b[1m'Variable' has none\x1b[0m") == "'Variable' has none"
    assert len(in_one_line("a word " * 100)) == 300


def test_a_wrong_result_of_a_call_is_filed_under_what_it_is_made_by() -> None:
    steps = (
        Step("x", "placeholder", (), (("shape", (2,)), ("dtype", "float32"))),
        Step("a", "exp", (Ref("x"),)),
        Step("b", "abs", (Ref("a"),)),
        Step("f", "function", ([Ref("x")], [Ref("a"), Ref("b")])),
        Step("call_0", "operator.call", (Ref("f"), [Ref("given")])),
    )
    fed = Input("given", (2,), "float32", Binding.ARRAY)
    asked = Question(Program((fed,), steps, ("call_0",)), [{"given": np.zeros(2)}], "keras-2.2")
    functions = [function_of(asked, Mismatch("value", "call_0", 0, "", place=n)) for n in (0, 1)]
    assert functions == ["exp", "abs"]
    assert function_of(asked, Mismatch("exception", "", 0, "raises")) == "abs"


def _failure(identity: str, kind: str, steps: int, number: int) -> Failure:
    return records.failure(
        id=identity,
        kind=kind,
        message=f"program {number}",
        count=1,
        program={"steps": [{}] * steps, "inputs": []},
        origin=Origin(profile="fuzz", seed=0, trial=f"program {number}"),
    )


FOUND = [
    ("exp", _failure("a", "value", 3, 2)),
    ("dot", _failure("a", "value", 2, 9)),
    ("abs", _failure("a", "value", 2, 17)),
    ("tanh", _failure("b", "exception", 3, 4)),
    ("sum", _failure("b", "exception", 2, 5)),
]
SHOWN = {"a": ("dot", "program 9", 3), "b": ("tanh", "program 4", 2)}
"""Of wrong numbers the smallest program; of errors the first, by which others are explained."""


@pytest.mark.parametrize("order", [FOUND, FOUND[::-1]])
def test_one_of_several_with_one_id_is_shown(order: list[tuple[str, Failure]]) -> None:
    tally = ProgramTally()
    for function, failure in order:
        tally.add(function, failure)
    shown = tally.failures.items()
    assert {i: (f.function, f.failure.message, f.failure.count) for i, f in shown} == SHOWN


@pytest.mark.parametrize("split", range(len(FOUND) + 1))
def test_shards_file_one_failure_in_one_place(split: int) -> None:
    parts = [_results(FOUND[:split]), _results(FOUND[split:])]
    functions = functions_together(parts)
    shown = {
        x.id: (f.function, x.message, x.count) for f in functions for x in f.aspects[0].failures
    }
    assert shown == SHOWN
    verdicts = {f.function: f.aspects[0].verdict for f in functions}
    assert verdicts["dot"] is Verdict.VIOLATES
    assert verdicts["exp"] is Verdict.CONFORMS


def _results(filed: list[tuple[str, Failure]]) -> Results:
    functions = []
    for name in dict.fromkeys(name for name, _ in filed):
        mine = [failure for function, failure in filed if function == name]
        aspect = records.aspect_result(Aspect.VALUE, Verdict.VIOLATES, *mine)
        functions.append(FunctionResult(name, "theme", [aspect]))
    return records.results("one", functions)


def test_programs_are_not_counted_among_the_cases_of_one_function() -> None:
    failure = _failure("a", "value", 2, 9)
    assert how_often(failure, 0) == "1 program"
    single = replace(failure, origin=UNSET)
    assert how_often(single, 30) == "1 of 30 cases"
    of_one = records.aspect_result(Aspect.VALUE, Verdict.VIOLATES, failure, failure)
    assert case_counts(of_one) == "10 run"
    assert case_counts(replace(of_one, failures=[single])) == "9/10"


def test_a_failure_that_another_version_wrote_has_a_place() -> None:
    odd = replace(_failure("a", "value", 2, 9), program={"steps": 7})
    odd = replace(odd, origin=Origin(profile="fuzz", seed=0, trial="the ninth"))
    assert precedence(odd) == (0, 0, 0)
