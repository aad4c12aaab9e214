"""A plan in lanes: nothing is lost, and how many workers run at once changes nothing."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from conformance.engine import PROFILES, Run, plan, run
from conformance.engine import lanes as lanes_module
from conformance.engine.lanes import Progress, lanes
from conformance.results import Results
from conformance.results.events import (
    Event,
    FunctionJudged,
    RunFinished,
    TargetFinished,
    TargetStarted,
    TargetUnavailable,
)
from conformance.specs import load
from tests.engine.support import EDITION, TINY, fake, tasks

FUNCTIONS = ("exp", "sum", "softmax", "reshape", "dot")
COMMON = Run("1.0", TINY, 0, "2000-01-01T00:00:00+00:00")


def test_every_task_is_in_one_lane_and_themes_stay_whole() -> None:
    everything = plan(load(), EDITION, PROFILES["default"], 0)
    parts = lanes(everything, 2)
    names = [[t.spec.name for t in part] for part in parts]
    assert sorted(names[0] + names[1]) == sorted(t.spec.name for t in everything)
    themes = [{t.theme for t in part} for part in parts]
    assert not themes[0] & themes[1]
    first, second = (sum(t.planned for t in part) for part in parts)
    assert first == pytest.approx(second, rel=0.25)


def test_a_short_plan_has_one_lane() -> None:
    assert len(lanes(tasks(FUNCTIONS, TINY), 2)) == 1


def test_a_lane_has_at_least_one_theme() -> None:
    everything = plan(load(), EDITION, PROFILES["default"], 0)
    assert len(lanes(everything, 99)) <= len({t.theme for t in everything})
    one = [t for t in everything if t.theme == "elementwise"]
    assert one
    assert len(lanes(one, 2)) == 1


@pytest.fixture
def _two_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes_module, "WORTH_A_LANE", 1)


def results(name: str, jobs: int) -> tuple[list[Event], Results]:
    events: list[Event] = []
    assert run([fake(name)], {EDITION: tasks(FUNCTIONS, TINY)}, COMMON, events.append, jobs)
    (finished,) = (e for e in events if isinstance(e, TargetFinished))
    return events, finished.results


def timeless(found: Results) -> bytes:
    started = msgspec.structs.replace(
        found.run, seconds=0.0, seconds_in_target=0.0, milliseconds={}
    )
    return msgspec.json.encode(msgspec.structs.replace(found, run=started))


@pytest.mark.usefixtures("_two_lanes")
@pytest.mark.parametrize("name", ["correct", "always_wrong"])
def test_one_worker_at_a_time_finds_what_two_find(name: str) -> None:
    events, together = results(name, 2)
    assert together.run.workers == 2
    assert timeless(together) == timeless(results(name, 1)[1])
    assert len([e for e in events if isinstance(e, TargetStarted)]) == 1
    judged = [e.result for e in events if isinstance(e, FunctionJudged)]
    assert sorted(f.function for f in judged) == sorted(FUNCTIONS)
    plan_order = [t.spec.name for t in tasks(FUNCTIONS, TINY)]
    assert [f.function for f in together.functions] == plan_order
    assert together.summary.functions == len(FUNCTIONS)


@pytest.mark.usefixtures("_two_lanes")
def test_a_target_that_does_not_start_is_told_of_once() -> None:
    events: list[Event] = []
    planned = {EDITION: tasks(FUNCTIONS, TINY)}
    assert not run([fake("does_not_import")], planned, COMMON, events.append, 2)
    assert len([e for e in events if isinstance(e, TargetUnavailable)]) == 1
    assert not any(isinstance(e, TargetFinished) for e in events)
    assert isinstance(events[-1], RunFinished)


@pytest.mark.usefixtures("_two_lanes")
def test_what_one_lane_found_is_kept_if_the_other_never_began() -> None:
    events: list[Event] = []
    first, other = (
        Progress(replace(fake("correct"), workers=2), tasks(FUNCTIONS, TINY), COMMON, emit)
        for emit in (events.append, lambda _: None)
    )
    (_, whole) = results("correct", 1)
    first.start()
    first.introduce(whole.target)
    half = {t.spec.name for t in first.parts[0]}
    found = [f for f in whole.functions if f.function in half]
    first.add(lanes_module.Examined(found, 3, 0.5, 0))
    assert not any(isinstance(e, TargetFinished) for e in events)
    first.end()
    other.end()
    (finished,) = (e for e in events if isinstance(e, TargetFinished))
    assert not finished.results.run.complete
    assert {f.function for f in finished.results.functions} == half
