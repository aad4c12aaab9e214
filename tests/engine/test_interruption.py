"""A run that is stopped early keeps its results, and a target that cannot start is reported."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future

import pytest

from conformance.adapters.process import Launch
from conformance.engine import PROFILES, Run, Subject, run
from conformance.engine.running import stop
from conformance.engine.running.examination import Examination
from conformance.engine.running.progress import Progress
from conformance.engine.running.stop import Stop
from conformance.results import Results, Verdict
from conformance.results.events import (
    CasesDone,
    Event,
    RunFinished,
    RunStarted,
    TargetFinished,
    TargetStarted,
    TargetUnavailable,
)
from conformance.scripts import Prelude
from tests.engine.support import EDITION, QUICK, TINY, fake, subject, tasks

COMMON = Run("1.0", TINY, 0, "2000-01-01T00:00:00+00:00")
FUNCTIONS = ("exp", "softmax", "reshape", "identity")


def stopped_at(condition: Callable[[Event], bool]) -> tuple[list[Event], Results]:
    """The events and the results of an examination that is stopped at an event."""
    request, events = Stop(), []

    def emit(event: Event) -> None:
        events.append(event)
        if condition(event):
            request.set()

    tested = fake("always_wrong")
    target = Progress(tested, tasks(FUNCTIONS, TINY), COMMON, emit, stop=request)
    with tested.open(FUNCTIONS, 0) as session:
        examination = Examination(tested, session, target.tasks, COMMON, emit, request)
        for examined in examination.all(target.introduce):
            target.record(examined)
        target.done()
    (results,) = (e.results for e in events if isinstance(e, TargetFinished))
    return events, results


def test_what_was_done_is_kept_and_marked_as_incomplete() -> None:
    events, results = stopped_at(lambda e: isinstance(e, CasesDone))
    done = [e for e in events if isinstance(e, CasesDone)]
    assert not results.run.complete
    assert results.run.cases == sum(e.cases for e in done)
    everything = sum(len(p.draws) for t in tasks(FUNCTIONS, TINY) for p in t.prepared())
    assert 0 < results.run.cases < everything
    first = done[0].function
    (judged,) = (f for f in results.functions if f.function == first)
    value = next(a for a in judged.aspects if a.aspect == "value")
    assert value.failures, "what was found before the stop is told"


def test_cells_that_were_not_reached_are_not_run() -> None:
    """A function without a single case has no verdict: `unsupported` would be a lie."""
    events, results = stopped_at(lambda e: isinstance(e, CasesDone))
    reached = {e.function for e in events if isinstance(e, CasesDone)}
    assert {f.function for f in results.functions} == set(FUNCTIONS)
    for function in results.functions:
        judged = {str(a.aspect) for a in function.aspects if a.verdict is not Verdict.NOT_RUN}
        assert judged == {str(a.aspect) for a in function.aspects if a.cases}, function.function
        assert function.function in reached or judged <= {"presence", "signature"}
    assert results.run.unfinished
    assert set(FUNCTIONS) - reached <= set(results.run.unfinished)
    assert results.summary.verdicts[Verdict.NOT_RUN] > 0


def test_a_stop_before_anything_leaves_results_without_cases() -> None:
    _, results = stopped_at(lambda e: isinstance(e, TargetStarted))
    assert results.run.cases == 0
    assert not results.run.complete


def test_ctrl_c_ends_the_run_and_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[Event] = []
    begun = threading.Event()
    first = iter((True,))

    def emit(event: Event) -> None:
        events.append(event)
        if isinstance(event, CasesDone):
            begun.set()

    def wait(futures: Collection[Future[None]], **_: object) -> tuple[object, set[Future[None]]]:
        if next(first, False):
            begun.wait(60)
            raise KeyboardInterrupt
        for future in futures:
            future.result()
        return futures, set()

    monkeypatch.setattr(sys.modules["conformance.engine.running.run"], "wait", wait)
    planned = tasks(FUNCTIONS, PROFILES["default"])
    run([fake("correct")], {EDITION: planned}, COMMON, emit, 1)
    last = events[-1]
    assert isinstance(last, RunFinished)
    assert last.interrupted
    (finished,) = (e for e in events if isinstance(e, TargetFinished))
    assert not finished.results.run.complete
    assert finished.results.run.ended_by == "Ctrl-C"
    assert 0 < finished.results.run.cases < sum(t.planned for t in planned)


@pytest.mark.parametrize("again", [True, False])
def test_what_does_not_end_is_killed_after_a_while_or_at_another_ctrl_c(
    again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop, "GRACE", 600.0 if again else 0.05)
    hanging: Future[None] = Future()
    hanging.set_running_or_notify_cancel()
    asked: list[str] = []

    def ask() -> None:
        asked.append("ask")
        if again:
            raise KeyboardInterrupt

    def kill() -> None:
        asked.append("kill")
        hanging.set_result(None)

    waiting: Future[None] = Future()
    stop.end([hanging, waiting], ask, kill)
    assert asked == ["ask", "kill"]
    assert waiting.cancelled()


def absent() -> Subject:
    started = Launch("/nowhere/python", "fakes.correct", "graph", {})
    return subject("absent", started, Prelude(), QUICK)


@pytest.mark.parametrize("broken", [fake("does_not_import"), absent()], ids=lambda s: str(s.name))
def test_a_target_that_does_not_start_is_unavailable_and_others_are_run(broken: Subject) -> None:
    events: list[Event] = []
    planned = {EDITION: tasks(("exp",), TINY)}
    assert not run([broken, fake("correct")], planned, COMMON, events.append, 2)
    (unavailable,) = (e for e in events if isinstance(e, TargetUnavailable))
    assert unavailable.name == broken.name
    assert unavailable.reason
    mend = {"does_not_import": "mend it until `"}
    assert unavailable.hint.startswith(mend.get(broken.name, f"make {broken.name}"))
    (finished,) = (e for e in events if isinstance(e, TargetFinished))
    assert finished.results.target.name == "correct"


def test_the_reason_is_what_the_implementation_said() -> None:
    events: list[Event] = []
    planned = {EDITION: tasks(("exp",), TINY)}
    run([fake("does_not_import")], planned, COMMON, events.append, 1)
    (unavailable,) = (e for e in events if isinstance(e, TargetUnavailable))
    assert "the library that this needs is not there" in unavailable.reason


def test_a_run_begins_with_what_is_planned() -> None:
    events: list[Event] = []
    planned = tasks(("argmax",), PROFILES["smoke"])  # no gradients, which the fake cannot take
    run([fake("correct")], {EDITION: planned}, COMMON, events.append, 1)
    assert isinstance(events[0], RunStarted)
    (finished,) = (e for e in events if isinstance(e, TargetFinished))
    assert events[0].planned["correct"] == pytest.approx(finished.results.run.cases, rel=0.2)
