"""Time limits and resuming: nothing conforms that was not run, and no result is lost."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from functools import cache

import msgspec
import pytest

from conformance.adapters.registry import shipped
from conformance.adapters.session import CallLimits, SessionAbortedError
from conformance.cli.targets.subjects import subject
from conformance.engine import PROFILES, Previous, Run, plan, run
from conformance.engine.planning.profiles import SURVEY
from conformance.engine.running import stop
from conformance.engine.running.stop import Budget, Stop
from conformance.engine.verdicts.failures import not_run
from conformance.results import Results, Verdict, summarise, timeless
from conformance.results.events import (
    CasesDone,
    Event,
    TargetFinished,
    TargetUnavailable,
)
from conformance.specs import load
from tests.engine.support import EDITION, TINY, fake, tasks

FUNCTIONS = ("exp", "reshape", "argmax")
COMMON = Run("1.0", TINY, 0, "2000-01-01T00:00:00+00:00")


def outcome(
    name: str = "always_wrong",
    max_time: float | None = None,
    previous: Results | None = None,
    names: tuple[str, ...] = FUNCTIONS,
) -> tuple[list[Event], Results]:
    events: list[Event] = []
    run(
        [fake(name)],
        {EDITION: tasks(names, TINY)},
        replace(COMMON, max_time=max_time),
        events.append,
        1,
        previous={name: Previous(previous)} if previous else {},
    )
    (finished,) = (e for e in events if isinstance(e, TargetFinished))
    return events, finished.results


@cache
def undisturbed() -> Results:
    """The results of a run that is not ended early."""
    return outcome()[1]


def cut(results: Results, *finished: str) -> Results:
    """The results of a run that ended after these functions."""
    functions = [
        f
        if f.function in finished
        else msgspec.structs.replace(f, aspects=[not_run(a.aspect) for a in f.aspects])
        for f in results.functions
    ]
    left = [f.function for f in functions if f.function not in finished]
    ended = msgspec.structs.replace(
        results.run, complete=False, unfinished=left, ended_by="Ctrl-C", seconds=5.0
    )
    return msgspec.structs.replace(
        results, run=ended, functions=functions, summary=summarise(functions)
    )


@pytest.mark.thorough
def test_with_time_enough_a_run_finds_what_it_finds_without_a_limit() -> None:
    events, limited = outcome(max_time=600.0)
    assert timeless(limited) == timeless(undisturbed())
    done = [e.function for e in events if isinstance(e, CasesDone)]
    first = [name for i, name in enumerate(done) if name not in done[:i]]
    assert sorted(first) == sorted(FUNCTIONS)
    assert len(done) > done.index(first[-1]) + 1, "after a first look at each, all come again"


def test_without_time_nothing_is_green() -> None:
    _, results = outcome("correct", max_time=1e-6)
    assert not results.run.complete
    assert results.run.ended_by == "the limit of 1e-06 s"
    assert set(results.run.unfinished or ()) == set(FUNCTIONS)
    assert [f.function for f in results.functions] == [t.spec.name for t in tasks(FUNCTIONS, TINY)]
    for function in results.functions:
        for aspect in function.aspects:
            expected = Verdict.CONFORMS if aspect.cases else Verdict.NOT_RUN
            assert aspect.verdict is expected, (function.function, aspect.aspect)
    assert results.summary.verdicts[Verdict.NOT_RUN] > len(FUNCTIONS)


def test_a_first_look_is_kept_where_the_time_ends_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Budget, "share", lambda self, parent: Stop(0.0, parent))
    _, results = outcome("always_wrong", max_time=600.0)
    assert set(results.run.unfinished or ()) == set(FUNCTIONS)
    values = [a for f in results.functions for a in f.aspects if a.aspect == "value"]
    assert all(a.cases and a.failures for a in values)


def test_a_case_that_hangs_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop, "GRACE", 0.2)
    slow = fake("hangs", limits=CallLimits(structure=60.0))
    begun = time.monotonic()
    events: list[Event] = []
    planned = {EDITION: tasks(("exp",), TINY)}
    run([slow], planned, replace(COMMON, max_time=1.0), events.append, 1)
    assert time.monotonic() - begun < 20
    (finished,) = (e for e in events if isinstance(e, TargetFinished))
    assert not finished.results.run.complete


@pytest.mark.parametrize("finished", [("exp",), FUNCTIONS])
def test_what_was_left_is_run_and_the_rest_kept(finished: tuple[str, ...]) -> None:
    whole = undisturbed()
    events, resumed = outcome(previous=cut(whole, *finished))
    assert timeless(resumed) == timeless(whole)
    assert resumed.run.started == whole.run.started
    assert resumed.run.seconds > 5
    again = {e.function for e in events if isinstance(e, CasesDone)}
    assert again == set(FUNCTIONS) - set(finished)


def test_a_run_with_too_little_time_can_be_completed() -> None:
    _, short = outcome(max_time=1e-6)
    _, resumed = outcome(previous=short)
    assert timeless(resumed) == timeless(undisturbed())


def test_another_version_of_the_target_is_not_mixed_with_what_there_is() -> None:
    whole = undisturbed()
    other = msgspec.structs.replace(whole.target, versions={"numpy": "0.1"})
    before = msgspec.structs.replace(cut(whole, "exp"), target=other)
    events: list[Event] = []
    planned = {EDITION: tasks(FUNCTIONS, TINY)}
    previous = {"always_wrong": Previous(before)}
    assert not run([fake("always_wrong")], planned, COMMON, events.append, 1, previous=previous)
    (event,) = (e for e in events if isinstance(e, TargetUnavailable))
    assert "the results to go on from are of numpy 0.1" in event.reason
    assert not any(isinstance(e, TargetFinished) for e in events)


def test_time_is_shared_by_those_who_wait_for_it() -> None:
    budget = Budget(100.0, portions=4, jobs=2)
    now = time.monotonic()
    left = [stop.until - now for stop in (budget.share(Stop()) for _ in range(4)) if stop.until]
    assert left == pytest.approx([50, 200 / 3, 100, 100], abs=1)


def test_a_stop_ends_with_its_parent() -> None:
    parent = Stop()
    child = Stop(time.monotonic() + 100, parent)
    assert not child.is_set()
    parent.set()
    assert child.is_set()
    assert Stop(time.monotonic() - 1).is_set()


def test_an_aborted_session_gives_no_answer() -> None:
    with fake("correct").open(("exp",), 0) as session:
        assert session.identity.functions["exp"].present
        session.abort()
        with pytest.raises(SessionAbortedError):
            session.run_batch(tasks(("exp",), TINY)[0].trials()[0].batch)


@pytest.mark.slow
def test_the_first_look_reaches_every_aspect_of_every_function() -> None:
    """On the reference, which has every documented function."""
    reference = subject(shipped()["reference"])
    events: list[Event] = []
    planned, smoke = (plan(load(), EDITION, p, 0) for p in (SURVEY, PROFILES["smoke"]))
    # before the trials are made, when `planned` is still an estimate
    assert sum(t.planned for t in planned) <= sum(t.planned for t in smoke) / 2
    run([reference], {EDITION: planned}, replace(COMMON, profile=SURVEY), events.append, 2)
    (finished,) = (e for e in events if isinstance(e, TargetFinished))
    assert finished.results.summary.verdicts.keys() == {Verdict.CONFORMS}
    assert {a.cases > 0 for f in finished.results.functions for a in f.aspects} == {True}


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_a_target_that_takes_too_long_is_ended(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    running = sys.modules["conformance.engine.running.run"]
    monkeypatch.setattr(stop, "GRACE", 0.2)
    monkeypatch.setattr(running, "CHECK", 0.1)
    slow = fake("hangs", limits=CallLimits(structure=60.0))
    subjects = [slow, fake("correct"), replace(slow, name="again"), fake("one_ulp_over")]
    events: list[Event] = []
    begun = time.monotonic()
    planned = {EDITION: tasks(("exp",), TINY)}
    run(subjects, planned, replace(COMMON, target_time=5.0), events.append, jobs)
    assert time.monotonic() - begun < 50
    results = {e.results.target.name: e.results for e in events if isinstance(e, TargetFinished)}
    for name in ("hangs", "again"):
        assert not results[name].run.complete
        assert results[name].run.ended_by == "the limit of 5 s for a target"
        assert results[name].summary.verdicts[Verdict.NOT_RUN]
    for name in ("correct", "one_ulp_over"):
        assert results[name].run.complete, "another target has its own time"
