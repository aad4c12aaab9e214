"""The processes that judge: the same results as in one process, and what happens if one is lost."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from conformance.adapters.session import Session
from conformance.engine import Run, Subject, run
from conformance.engine.running.hosts import _Relay, forked
from conformance.engine.running.progress import Progress
from conformance.results import FunctionResult, Verdict
from conformance.results.events import (
    CasesDone,
    Event,
    FunctionJudged,
    FunctionStarted,
    TargetFinished,
)
from tests.engine.support import EDITION, TINY, fake, tasks

FUNCTIONS = ("exp", "softmax", "reshape", "identity")


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What other tests have left: threads that wait, beside which a command would not be run."""
    monkeypatch.setattr(threading, "enumerate", lambda: [threading.main_thread()])


COMMON = Run("1.0", TINY, 0, "2000-01-01T00:00:00+00:00")


def ran(subjects: Sequence[Subject], jobs: int) -> tuple[bool, list[Event]]:
    """Whether all could be run, and the events."""
    events: list[Event] = []
    reached = run(subjects, {EDITION: tasks(FUNCTIONS, TINY)}, COMMON, events.append, jobs)
    return reached, events


def judged(events: Sequence[Event]) -> dict[str, list[FunctionResult]]:
    """The results of each target that was run."""
    done = [e.results for e in events if isinstance(e, TargetFinished)]
    return {results.target.name: results.functions for results in done}


def counted(events: Sequence[Event]) -> Counter[tuple[str, str, bool]]:
    """How many cases of each function were announced before it was judged, and afterwards."""
    counts: Counter[tuple[str, str, bool]] = Counter()
    over = set()
    for event in events:
        if isinstance(event, FunctionJudged):
            over.add((event.target, event.result.function))
        elif isinstance(event, CasesDone):
            place = (event.target, event.function)
            counts[(*place, place in over)] += event.cases
    return counts


def ends(how: Callable[[], None]) -> Subject:
    """A right fake; the process that wants to open it does something else first."""
    right, first = fake("correct"), os.getpid()

    def opened(names: Sequence[str], number: int) -> Session:
        if os.getpid() != first:
            how()
        return right.open(names, number)

    return replace(right, name="ends", open=opened)


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def raises() -> None:
    message = "a fault of the suite"
    raise LookupError(message)


def test_a_run_is_the_same_in_one_process_and_in_several() -> None:
    subjects = [fake("correct"), fake("always_wrong")]
    _, alone = ran(subjects, 1)
    _, shared = ran(subjects, 2)
    assert judged(shared) == judged(alone)
    assert judged(shared).keys() == {"correct", "always_wrong"}
    assert counted(shared) == counted(alone)
    for events in (alone, shared):
        begun = {(e.target, e.function) for e in events if isinstance(e, FunctionStarted)}
        assert sorted(begun) == sorted((t, f) for t in judged(alone) for f in FUNCTIONS)
    count = sum(isinstance(e, FunctionJudged) for e in shared)
    assert count == 2 * len(FUNCTIONS), "each function is announced as soon as it is judged"


def test_a_process_judges_elsewhere() -> None:
    """Without this the test above would compare one process with itself."""
    common = replace(COMMON)
    plan = tasks(FUNCTIONS, TINY)
    targets = [Progress(fake(name), plan, common, print) for name in ("correct", "always_wrong")]
    with forked(targets, 2, lambda *_: None) as hosts:
        assert hosts is not None
        assert os.getpid() not in {host.process.pid for host in hosts.all}


def test_a_process_that_is_lost_takes_its_portion_and_nothing_else() -> None:
    reached, events = ran([ends(killed), fake("correct"), fake("always_wrong")], 2)
    assert not reached
    assert {"correct", "always_wrong"} <= judged(events).keys()
    functions = judged(events).get("ends", [])
    assert all(a.verdict is Verdict.NOT_RUN for f in functions for a in f.aspects)


def test_an_error_of_the_suite_itself_is_raised_with_its_place() -> None:
    with pytest.raises(RuntimeError, match="LookupError: a fault of the suite") as raised:
        ran([ends(raises), fake("correct")], 2)
    assert "in raises" in "".join(raised.value.__notes__)


def test_the_start_of_a_function_is_announced_at_once() -> None:
    """Its first call may hang, and then no other event follows."""
    progress = Progress(fake("correct"), tasks(FUNCTIONS, TINY), COMMON, print)
    here, there = multiprocessing.Pipe()
    relay = _Relay(progress.subject, COMMON, there)
    relay.emit(CasesDone("correct", "exp", 1, 0))
    assert not here.poll()
    relay.emit(FunctionStarted("correct", "softmax"))
    assert [call.arguments[0] for call in here.recv()] == [
        CasesDone("correct", "exp", 1, 0),
        FunctionStarted("correct", "softmax"),
    ]


def test_the_function_whose_cases_run_is_known_before_they_are_done() -> None:
    """So a user sees which function hangs, although the worker is sent trials ahead."""
    _, events = ran([fake("correct")], 1)
    done: list[str] = []
    running = ""
    for event in events:
        if isinstance(event, FunctionStarted):
            assert event.before == running
            running = event.function
        elif isinstance(event, CasesDone) and event.function not in done:
            assert event.function in {running, done[-1] if done else running}
            done.append(event.function)
    assert {*done} == {*FUNCTIONS}
