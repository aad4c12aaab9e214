"""What of a plan is left out because workers hang or die."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from conformance import reference
from conformance.adapters.patience import FIRST_DRAW, HURRIED, ONCE, USUAL, CallLimits, Pace
from conformance.engine.judging.trials import Trial
from conformance.engine.running import endings
from conformance.engine.running.endings import MOST_HUNG, MOST_IN_A_ROW, Losses
from conformance.engine.running.probing import OWN_SETTINGS
from conformance.observations import (
    Crashed,
    DrawObservation,
    Fault,
    NotRun,
    Raised,
    Seconds,
    StructureObservation,
    TimedOut,
)
from conformance.program import Binding, Input, Program, Step
from conformance.results import Aspect, Verdict
from conformance.results.events import PlanShortened, WorkerRestarted
from tests.engine.support import TINY, Outcome, examine, module

DEATH = Crashed(6, None, "")
HANG = TimedOut(14.0, stage="step", step=0)
ANSWER = Raised("ValueError", ("ValueError",), "no", "step")


class Call:
    """As much of a trial as is asked for: one call, on no convention."""

    unsettled = ()

    def __init__(self, function: str, inputs: tuple[Input, ...] = ()) -> None:
        program = Program(inputs, (Step("y", function, ()),), ("y",))
        self.batch = cast("Any", type("Batch", (), {"program": program}))


def call(function: str, *shapes: tuple[int, ...]) -> Trial:
    inputs = tuple(
        Input(f"x{i}", shape, "float32", Binding.CONSTANT) for i, shape in enumerate(shapes)
    )
    return cast("Trial", Call(function, inputs))


def bound(function: str, *bindings: Binding) -> Trial:
    inputs = tuple(Input(f"x{i}", (2,), "float32", b) for i, b in enumerate(bindings))
    return cast("Trial", Call(function, inputs))


def seen(outcome: Fault | Raised) -> StructureObservation:
    incidents = () if isinstance(outcome, Raised) else (outcome, outcome)
    return StructureObservation((), (), (DrawObservation(outcome),), incidents=incidents)


def paced(answers: Sequence[float], start: float = 0.0, wasted: float = 0.0) -> Pace:
    pace = Pace(start, wasted)
    for seconds in answers:
        pace.note(seconds)
    return pace


def losses() -> Losses:
    return Losses(frozenset({"exp", "sum", *(f"f{i}" for i in range(20))}))


def test_functions_in_a_row_that_answer_nothing_end_the_patience() -> None:
    known = losses()
    reasons = []
    for i in range(MOST_IN_A_ROW):
        known.note(f"f{i}", call(f"f{i}"), seen(DEATH))
        reasons.append(known.finish(f"f{i}"))
    assert reasons[:-1] == [None] * (MOST_IN_A_ROW - 1)
    assert reasons[-1] is not None
    assert "5 functions in a row answered no case (the last of f4)" in reasons[-1]
    assert known.patience("exp") == HURRIED
    known.note("exp", call("exp"), seen(DEATH))
    assert known.are_enough("exp", call("exp"))


def test_one_that_answers_begins_a_new_row() -> None:
    known = losses()
    for i in range(2 * MOST_IN_A_ROW):
        known.note(f"f{i}", call(f"f{i}"), seen(ANSWER if i % 2 else DEATH))
        assert known.finish(f"f{i}") is None
    assert not known.brief


def test_many_cases_that_hang_end_the_patience_wherever_they_are() -> None:
    known = losses()
    for i in range(MOST_HUNG):
        assert known.patience(f"f{i}") == (USUAL if i < 3 else ONCE)
        known.note(f"f{i}", call(f"f{i}"), seen(ANSWER))
        known.note(f"f{i}", call(f"f{i}"), seen(replace(HANG, stage="compile")))
        assert known.patience(f"f{i}") == (FIRST_DRAW if i + 1 < MOST_HUNG else HURRIED)
    reason = known.finish(f"f{MOST_HUNG - 1}")
    assert reason is not None
    assert f"{MOST_HUNG} cases hung" in reason


def lost_at_all(count: int, answered: int = 0) -> Losses:
    """Losses of functions that each end the worker, after others that answer."""
    known = losses()
    for i in range(answered):
        known.note(f"g{i}", call(f"g{i}"), seen(ANSWER))
        known.finish(f"g{i}")
    for i in range(count):
        known.note(f"f{i}", call(f"f{i}"), seen(ANSWER))
        known.note(f"f{i}", call(f"f{i}"), seen(DEATH))
        known.finish(f"f{i}")
    return known


def test_losses_that_take_minutes_end_the_patience_and_then_the_run() -> None:
    known = lost_at_all(8)
    assert not known.spend(119.0)
    assert known.finish("f8") is None
    assert not known.spend(130.0)
    assert known.patience("f9") == HURRIED
    assert known.finish("f9") == (
        "lost workers took 130 s (the last of f9); later functions are left at their first such "
        "case"
    )
    assert known.spend(361.0)
    assert known.finish("f10") == "lost workers took 361 s; what was left then was not run"


@pytest.mark.parametrize(
    ("lost", "answered", "seconds"), [(8, 10, 10.0), (7, 0, 10.0), (8, 0, 60.0)]
)
def test_losses_of_a_few_functions_or_of_a_slow_target_do_not_count(
    lost: int, answered: int, seconds: float
) -> None:
    known = lost_at_all(lost, answered)
    known.call_seconds = seconds
    assert not known.spend(370.0)
    assert not known.brief


def test_who_hangs_in_the_test_of_another_is_to_blame() -> None:
    known = losses()
    known.note("exp", call("sum"), seen(HANG))
    assert known.hanging("exp", call("sum").batch.program) == "sum"
    assert known.hanging("sum", call("sum").batch.program) is None
    assert not known.are_enough("exp", call("exp"))
    known.note("sum", call("sum"), seen(HANG))
    assert known.are_enough("sum", call("sum"))


@pytest.mark.parametrize(("seconds", "too_large"), [(9.0, True), (1.0, False)])
def test_what_is_half_as_large_as_a_slow_call_is_left_out(seconds: float, too_large: bool) -> None:
    """A quick answer after a hang was a busy machine."""
    known = losses()
    draws = (DrawObservation(ANSWER), DrawObservation(NotRun("the first draw took 9 s")))
    slow = StructureObservation((), (), draws, Seconds(call=seconds), incidents=(HANG,))
    known.note("exp", call("exp", (2, 50)), slow)
    assert known.is_too_large("exp", call("exp", (10, 10))) is too_large
    assert known.is_too_large("exp", call("exp", (7,), (43,))) is too_large
    assert not known.is_too_large("exp", call("exp", (49,)))
    assert not known.is_too_large("sum", call("sum", (10, 10)))
    assert not known.are_enough("exp", call("exp", (10, 10)))


def test_what_makes_no_input_is_to_blame_and_what_made_one_is_not() -> None:
    known, hang = losses(), seen(replace(HANG, stage="bind", step=None))
    known.note("exp", bound("exp", Binding.VARIABLE, Binding.CONSTANT), hang)
    assert known.hanging("sum", bound("sum", Binding.VARIABLE).batch.program) is None
    known.note("exp", bound("exp", Binding.CONSTANT), seen(ANSWER))
    for binding in (Binding.CONSTANT, Binding.VARIABLE):
        known.note("exp", bound("exp", binding), hang)
    assert known.hanging("sum", bound("sum", Binding.CONSTANT).batch.program) is None
    assert known.hanging("sum", bound("sum", Binding.VARIABLE).batch.program) == "variable"
    assert known.hanging("variable", bound("sum", Binding.VARIABLE).batch.program) is None


def test_who_hangs_in_the_test_of_another_is_tried_once_in_its_own() -> None:
    known, twice = losses(), replace(seen(HANG), incidents=(HANG, HANG))
    assert known.patience("sum") == known.patience_elsewhere == USUAL
    known.note("exp", call("sum"), twice)
    assert known.patience("sum") == FIRST_DRAW
    assert known.patience("exp") == USUAL
    assert known.patience_elsewhere == ONCE


def test_what_hangs_in_a_probe_is_a_suspect_until_it_answers() -> None:
    known, program = losses(), call("sum").batch.program
    known.probed(program, seen(HANG))
    assert known.hanging("exp", program) == "sum"
    known.note("sum", call("sum"), seen(ANSWER))
    assert known.hanging("exp", program) is None


@pytest.mark.parametrize(
    ("slowest", "start", "limit"), [(0, 0, 1), (0.01, 3, 1), (0.3, 3, 5), (0.0, 8, 2), (50, 9, 500)]
)
def test_who_is_in_a_hurry_waits_for_ten_times_the_slowest(
    slowest: float, start: float, limit: float
) -> None:
    assert paced([slowest], start).hurried == limit


def test_after_half_a_minute_of_hurried_waits_twice_a_slow_answer_is_enough() -> None:
    limits = [paced([1.4], 3, wasted).hurried for wasted in (0, 29, 30, 600)]
    assert limits == [20, 20, 5, 5]
    assert paced([0.3], 3, 30).hurried == 1


@pytest.mark.parametrize(("slow", "before", "after"), [(1, 50, 1), (3, 50, 10), (300, 50, 10)])
def test_one_slow_answer_of_hundreds_counts_for_half_a_minute(
    slow: int, before: float, after: float
) -> None:
    answers = [0.01] * 199 + [4.0] * slow
    assert (paced(answers).hurried, paced(answers, wasted=30).hurried) == (before, after)


def test_a_slow_target_gets_twice_the_time_and_at_most_two_minutes() -> None:
    assert [CallLimits(structure=s).patient.structure for s in (10, 60, 100, 300)] == [
        20,
        120,
        120,
        300,
    ]


WRONG = """
import os, time
from conformance.reference import *
from conformance import reference

def _bad(*args, **kwargs):
    {how}

for _name in {names!r}:
    globals()[_name] = _bad
"""
QUICK = CallLimits(structure=0.7, draw=0.0)
FUNCTIONS = ("exp", "softmax", "argmax", "reshape", "square")
MANY = ("abs", "cos", "exp", "log", "sin", "sqrt", "square", "softmax", "relu", "tanh")


def run(folder: Path, how: str, names: tuple[str, ...], tested: tuple[str, ...]) -> Outcome:
    (folder / "losing.py").write_text(WRONG.format(how=how, names=names), "utf-8")
    return examine(module("losing", folder, QUICK), tested, TINY)


def test_a_probe_that_hangs_is_counted_announced_and_ends_the_probes(tmp_path: Path) -> None:
    outcome = run(tmp_path, "time.sleep(600)", ("square",), ("softmax", "exp"))
    assert outcome.results.run.restarts == 1
    assert outcome.results.run.shortened == [
        "a probe of the square of a variable ended the worker (no answer within 0.7 s); "
        "the probes after it were not run"
    ]
    assert [e.reason for e in outcome.events if isinstance(e, WorkerRestarted)] == [
        "no answer within 0.7 s"
    ]
    assert {f.function for f in outcome.results.functions} == {"softmax", "exp"}
    assert not outcome.failures(Verdict.TIMED_OUT)


def test_a_setting_that_dies_is_counted_and_costs_no_other_function_its_verdicts(
    tmp_path: Path,
) -> None:
    outcome = run(tmp_path, "os._exit(3)", ("set_floatx",), ("exp", "set_floatx"))
    assert {function for function, *_ in outcome.failures(Verdict.CRASHED)} == {"set_floatx"}
    assert outcome.verdicts("exp")["exp", Aspect.VALUE] is Verdict.CONFORMS
    reason = f"a setting ended the worker (exit status 3); {OWN_SETTINGS}"
    assert reason in (outcome.results.run.shortened or ())
    restarts = [e.function for e in outcome.events if isinstance(e, WorkerRestarted)]
    assert restarts.count("a setting") == 1


@pytest.mark.thorough
def test_a_target_that_dies_at_every_call_has_complete_results(tmp_path: Path) -> None:
    """The worker itself calls `learning_phase`, `backend` and the settings before any case."""
    names = tuple(n for n in reference.__all__ if callable(getattr(reference, n)))
    outcome = run(tmp_path, "os._exit(3)", names, MANY)
    assert outcome.reached
    assert {f.function for f in outcome.results.functions} == {*MANY}
    for name in MANY:
        assert outcome.verdicts(name)[name, Aspect.VALUE] is Verdict.UNSUPPORTED  # nor is any input


@pytest.mark.parametrize("how", ["time.sleep(600)", "os._exit(3)"])
@pytest.mark.thorough
def test_a_target_of_which_nothing_answers_ends_soon(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endings, "MOST_IN_A_ROW", 2)
    outcome = run(tmp_path, how, MANY, MANY)
    assert [f.function for f in outcome.results.functions] == sorted(
        MANY, key=[f.function for f in outcome.results.functions].index
    )
    bad = Verdict.TIMED_OUT if "sleep" in how else Verdict.CRASHED
    blamed = {function for function, *_ in outcome.failures(bad)}
    assert blamed == {*MANY}
    (event,) = (e for e in outcome.events if isinstance(e, PlanShortened) and "row" in e.reason)
    assert event.reason in (outcome.results.run.shortened or ())
    spent = outcome.results.run.spent or {}
    later = [spent[f.function].restarts for f in outcome.results.functions[3:]]
    assert set(later) == {1}


def test_what_lost_workers_leave_no_time_for_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endings, "MOST_WAITS", 0.001)
    monkeypatch.setattr(endings, "_MANY_FUNCTIONS", 1)
    outcome = run(tmp_path, "os._exit(3)", ("softmax",), ("exp", "softmax", "square"))
    assert [f.function for f in outcome.results.functions] == ["softmax", "square", "exp"]
    assert {function for function, *_ in outcome.failures(Verdict.CRASHED)} == {"softmax"}
    later = {*outcome.verdicts("square", "exp").values()}
    assert later == {Verdict.CONFORMS, Verdict.NOT_RUN}  # presence and signature, and the rest
    info = outcome.results.run
    assert (info.complete, info.ended_by) == (False, "lost workers")
    assert info.unfinished == ["softmax", "square", "exp"]
    reasons = [r.partition("; ")[2] for r in info.shortened or ()]
    assert reasons == ["what was left then was not run"]
