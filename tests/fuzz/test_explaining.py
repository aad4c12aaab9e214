"""What explains one program, and those that differ alike."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from msgspec import UNSET

from conformance.adapters.session import Session
from conformance.engine import Stop, Subject
from conformance.fuzz.blame.calls import blamed
from conformance.fuzz.blame.explaining import Experience, calling_again, last_alone, shapeless
from conformance.fuzz.judging import Question, judged
from conformance.fuzz.records.failures import words_of
from conformance.fuzz.records.tally import FiledFailure
from conformance.fuzz.running.target import Campaign, TargetRun
from conformance.fuzz.shrinking.reduction import planned
from conformance.program import Binding, Input, Program, Ref, Step
from conformance.results import Failure, FunctionResult, Results, Verdict
from conformance.results.events import Event, TargetFinished
from conformance.scripts import Prelude
from tests.engine.support import ROOT
from tests.fuzz.fakes import launch

SINGLE = """
from conformance.reference import *
from conformance.reference import function as right


def function(inputs, outputs, updates=(), **kwargs):
    if len(outputs) > 1:
        raise ValueError("one output, not {}".format(len(outputs)))
    return right(inputs, outputs, updates=updates, **kwargs)
"""


def _results(
    folder: Path, chunk: int, programs: int = 8, workers: int = 1, source: str = SINGLE
) -> Results:
    """What a backend that compiles no two outputs, or another one, is told to do wrong."""
    launched = launch(folder, "single_output", source)
    subject = Subject("single", "keras-2.2", "", lambda *_: Session(launched), Prelude((), {}))
    campaign = Campaign(0, "1.0", "2000-01-01T00:00:00+00:00", programs=programs, chunk=chunk)
    events: list[Event] = []
    run = TargetRun(subject, campaign, events.append, Stop())
    threads = [threading.Thread(target=run.work, args=(w,)) for w in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run.finish()
    (results,) = (e.results for e in events if isinstance(e, TargetFinished))
    return results


def _failures(functions: list[FunctionResult]) -> list[Failure]:
    return [x for f in functions for a in f.aspects for x in a.failures]


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [1, 8])
def test_an_error_is_explained_once(tmp_path: Path, chunk: int) -> None:
    results = _results(tmp_path, chunk)
    record, failures = results.composed, _failures(results.functions)
    assert record is not UNSET
    blamed, composed = sum(record.blamed.values()), sum(x.count for x in failures)
    # a program without the call that is to blame may still fail, and counts twice then
    assert max(blamed, composed) <= record.failed <= blamed + composed
    assert record.failed > 1
    assert record.unrepeated == 0
    assert all("one output, not 2" in x.message for x in failures), "made small"
    assert len(failures) == 1
    assert record.alike == failures[0].count - 1


@pytest.mark.slow
def test_some_chunks_explain_everything_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.fuzz.running.target.AFRESH", 1)
    results = _results(tmp_path, chunk=1)
    assert results.composed is not UNSET
    assert results.composed.alike == 0
    failures = _failures(results.functions)
    assert all(x.count > 1 for x in failures), "other programs with the same words have the same id"
    verdicts = [x.verdict for x in failures]
    assert len({*verdicts}) == len(verdicts), "but those that rest on a convention"


@pytest.mark.slow
def test_what_the_first_chunk_found_is_known_to_others_with_any_number_of_workers(
    tmp_path: Path,
) -> None:
    first = _results(tmp_path, chunk=4, programs=12)
    two = _results(tmp_path, chunk=4, programs=12, workers=2)
    assert len(_failures(first.functions)) == 1
    assert (first.functions, first.composed) == (two.functions, two.composed)


def test_errors_of_one_cause_have_the_same_words() -> None:
    message = "raises ValueError (compile): Output tensors must be of a Layer. Found: {}"
    many = [
        words_of(message.format(s)) for s in ("[0.5]", "[[[1. 2.]]]", "<tf.Variable 'x:0' [1.]>")
    ]
    assert len({*many}) == 1
    assert words_of(message.replace("ValueError", "TypeError")) not in many
    assert words_of(message.replace("Layer", "Model")) not in many


def test_the_first_of_two_failures_with_the_same_words_is_known() -> None:
    says = "raises ValueError (compile): one output, not 2"
    first, second = (
        Failure(id=i, verdict=Verdict.VIOLATES, kind="exception", message="", count=1, got=says)
        for i in ("a", "b")
    )
    known = Experience.of([FiledFailure("abs", first), FiledFailure("exp", second)])
    assert [f.failure.id for f in known.by_words.values()] == ["a"]


MIXED = """
from conformance.reference import *
from conformance.reference import is_placeholder, maximum as right


def maximum(x, y):
    if is_placeholder(x) != is_placeholder(y):
        raise ValueError("one of them is fed")
    return right(x, y)
"""


def test_a_call_alone_takes_variables_and_what_is_fed_as_the_program_does(tmp_path: Path) -> None:
    steps = (
        Step("v", "variable", (Ref("v_start"),), (("dtype", "float32"),)),
        Step("p", "placeholder", (), (("shape", (3,)), ("dtype", "float32"))),
        Step("a", "exp", (Ref("v"),)),
        Step("b", "maximum", (Ref("v"), Ref("p"))),
        Step("f", "function", ([Ref("p")], [Ref("b"), Ref("a")])),
        Step("call_0", "operator.call", (Ref("f"), [Ref("p_0")])),
    )
    inputs = tuple(Input(n, (3,), "float32", Binding.ARRAY) for n in ("v_start", "p_0"))
    arrays = {i.name: np.array([-1.0, 0.5, 2.0], "float32") for i in inputs}
    asked = Question(Program(inputs, steps, ("call_0",)), [arrays], "keras-2.2")
    with Session(launch(tmp_path, "mixed", MIXED)) as worker:
        suspect = blamed(worker, planned(asked))
    assert suspect is not None
    assert suspect.function == "maximum"


VAGUE = """
from conformance.reference import *
from conformance.reference import exp as right, int_shape, tanh as plain

seen = []


def tanh(x):
    seen.append(plain(x))
    return seen[-1]


def exp(x):
    if [x for vague in seen if x is vague] or {}:
        raise ValueError("a length is not known")
    return right(x)
"""


@pytest.mark.parametrize("needs_lengths", [True, False])
def test_an_error_for_want_of_a_length_is_told_from_others(
    tmp_path: Path, needs_lengths: bool
) -> None:
    source = VAGUE.replace("{}", "None in int_shape(x)" if needs_lengths else "False")
    chain = Program(
        (Input("x", (3,), "float32", Binding.PLACEHOLDER),),
        (Step("a", "tanh", (Ref("x"),)), Step("b", "exp", (Ref("a"),))),
        ("b",),
    )
    asked = planned(Question(chain, [{"x": np.array([-1.0, 0.5, 2.0], "float32")}], "keras-2.2"))
    with Session(launch(tmp_path, "vague", source)) as worker:
        (difference,) = judged(asked, worker.run_batch(asked.batch)).differences
        assert blamed(worker, asked) is None
        assert shapeless(worker, asked, difference) is needs_lengths


STALE = """
from conformance.reference import *
from conformance.reference import function as right


def function(inputs, outputs, updates=(), **kwargs):
    made, kept = right(inputs, outputs, updates=updates, **kwargs), []

    def call(values):
        if len(outputs) < 2 or not inputs:
            return made(values)
        kept.append(made(values))
        return kept[0]

    return call
"""


def test_numbers_that_fail_after_others_alone_are_called_after_them(tmp_path: Path) -> None:
    chain = Program(
        (
            Input("x", (3,), "float32", Binding.PLACEHOLDER),
            Input("v", (3,), "float32", Binding.VARIABLE),
        ),
        (Step("a", "exp", (Ref("x"),)), Step("b", "maximum", (Ref("x"), Ref("v")))),
        ("a", "b"),
    )
    numbers = [np.array(n, "float32") for n in ([-1, 0.5, 2], [0.25, 1, -3], [1, 1, 1])]
    arrays = [{"x": x, "v": numbers[0]} for x in numbers]
    asked = planned(Question(chain, arrays, "keras-2.2"))
    with Session(launch(tmp_path, "stale", STALE)) as worker:
        difference = judged(asked, worker.run_batch(asked.batch)).differences[0]
        assert difference.draw == 1
        alone = planned(last_alone(asked, 1))
        assert not judged(alone, worker.run_batch(alone.batch)).differences
        again = calling_again(asked, 1)
        assert again is not None
        again = planned(again)
        judgement = judged(again, worker.run_batch(again.batch)).differences
    assert {d.output for d in judgement} == {"call_1"}


@pytest.mark.slow
def test_a_failure_that_takes_two_calls_has_two(tmp_path: Path) -> None:
    results = _results(tmp_path, chunk=8, programs=20, source=STALE)
    failures = _failures(results.functions)
    assert failures
    assert all("call_1 = f(" in x.message and (x.script or "").count("call_") > 1 for x in failures)


AGING = """
from conformance.reference import *
from conformance.reference import function as right

calls = []


def function(inputs, outputs, updates=(), **kwargs):
    made = right(inputs, outputs, updates=updates, **kwargs)

    def call(given):
        calls.append(given)
        results = made(given)
        return results if len(calls) == 1 or len(outputs) == 1 else [r + 1 for r in results]

    return call
"""
"""Right in the first call of a process."""


@pytest.mark.slow
def test_a_failure_that_a_new_process_does_not_show_is_told_with_what_does(tmp_path: Path) -> None:
    results = _results(tmp_path, chunk=8, programs=20, source=AGING)
    failures = _failures(results.functions)
    assert failures
    for failure in failures:
        assert failure.script is not None
        script = tmp_path / f"{failure.id}.py"
        script.write_text(f"import single_output as K\n{failure.script}")
        environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
        ran = subprocess.run([sys.executable, script], env=environment, check=False)
        assert ran.returncode == 1
