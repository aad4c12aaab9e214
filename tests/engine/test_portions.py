"""A plan in portions: nothing is lost, and results do not depend on how it is cut."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from conformance.adapters.registry import shipped
from conformance.engine import PROFILES, Run, Shard, plan, run
from conformance.engine.planning import portions
from conformance.engine.planning.estimates import estimates
from conformance.engine.planning.portions import bundles, cost, riskiest_first, worker_count
from conformance.engine.planning.portions import portions as parted
from conformance.engine.running.examined import Examined
from conformance.engine.running.progress import Progress
from conformance.reporting.json_results import encode
from conformance.reporting.merge import merge
from conformance.results import Results, Spent, timeless
from conformance.results.events import (
    Event,
    FunctionJudged,
    RunFinished,
    TargetFinished,
    TargetStarted,
    TargetUnavailable,
)
from conformance.specs import load
from tests.engine.support import EDITION, TINY, examine, fake, tasks

FUNCTIONS = ("exp", "sum", "softmax", "reshape", "dot")
COMMON = Run("1.0", TINY, 0, "2000-01-01T00:00:00+00:00")
EVERYTHING = plan(load(), EDITION, PROFILES["default"], 0)
LIBRARIES = sorted(estimates().seconds)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("count", [1, 2, 3, 8, 40])
def test_every_task_is_in_one_portion_of_about_the_same_cost(count: int, library: str) -> None:
    parts = parted(EVERYTHING, count, library)
    assert len(parts) == count
    assert sorted(t.spec.name for part in parts for t in part) == sorted(
        t.spec.name for t in EVERYTHING
    )
    dearest = max(cost(bundle, library) for bundle in bundles(EVERYTHING))
    mean = cost(EVERYTHING, library) / count
    assert max(cost(part, library) for part in parts) <= max(dearest, 1.1 * mean)
    order = [t.spec.name for t in EVERYTHING]
    for part in parts:
        names = [t.spec.name for t in part]
        assert names == sorted(names, key=order.index)


@pytest.mark.parametrize("library", ["tensorflow", "cntk", "one that was never measured"])
def test_eight_shards_take_the_same_time(library: str) -> None:
    costs = [cost(Shard(i, 8).of(EVERYTHING, library), library) for i in range(1, 9)]
    assert max(costs) < 1.05 * min(costs)


@pytest.mark.parametrize("library", LIBRARIES)
def test_only_what_cannot_be_parted_takes_longer_than_another_shard(library: str) -> None:
    shards = [Shard(i, 8).of(EVERYTHING, library) for i in range(1, 9)]
    shared = [cost(tasks, library) for tasks in shards if len(bundles(tasks)) > 1]
    assert len(shared) > 1
    assert max(shared) < 1.05 * min(shared)
    assert min(shared) == min(cost(tasks, library) for tasks in shards)


def test_shards_of_a_library_are_made_of_what_was_measured_on_it() -> None:
    theano, other = (Shard(1, 8).of(EVERYTHING, name) for name in ("theano", "tensorflow"))
    assert theano != other
    assert Shard(1, 8).of(EVERYTHING, "one that was never measured") == other


def test_functions_that_share_processes_stay_together() -> None:
    (together,) = (bundle for bundle in bundles(EVERYTHING) if len(bundle) > 1)
    assert {t.theme for t in together} == {"configuration"}
    for count in (2, 8, 100):
        assert any(set(together) <= set(part) for part in parted(EVERYTHING, count))


def test_there_are_no_more_portions_than_bundles() -> None:
    assert len(parted(EVERYTHING, 10_000)) == len(bundles(EVERYTHING))
    assert parted([], 3) == [[]]


def test_a_short_plan_has_one_worker_and_a_long_one_two() -> None:
    assert worker_count(tasks(FUNCTIONS, TINY), 2) == 1
    assert worker_count(EVERYTHING, 2) == 2
    assert worker_count(EVERYTHING, 1) == 1
    assert worker_count([t for t in EVERYTHING if t.spec.name == "dot"], 2) == 1


def test_the_riskiest_for_their_time_come_first() -> None:
    ordered = riskiest_first(EVERYTHING, "theano")
    assert sorted(b[0].spec.name for b in ordered) == sorted(
        b[0].spec.name for b in bundles(EVERYTHING)
    )
    gains = [
        sum(estimates().risk(t.theme) * len(t.aspects) for t in bundle) / cost(bundle, "theano")
        for bundle in ordered
    ]
    assert gains == sorted(gains, reverse=True)


NIGHTLY = {name for name in shipped() if name.startswith("keras-nightly-")}
UNMEASURED = {
    "keras3": {"keras3-openvino"},
    "keras3-ops": {"keras3-ops-jax-x64"},
    "keras-nightly": NIGHTLY,
}
"""No run of these has been published; by their library."""


def test_the_table_of_estimates_has_known_functions_and_every_theme() -> None:
    table = estimates()
    keys = {name: table.key(name, t.library) for name, t in shipped().items()}
    assert set(table.seconds) == set(table.measured)
    assert set(keys.values()) - set(UNMEASURED) == set(table.seconds)
    for library, targets in UNMEASURED.items():
        assert {name for name, key in keys.items() if key == library} == targets
    for library, seconds in table.seconds.items():
        editions = {shipped()[name].edition for name in table.measured[library]}
        plans = [plan(load(), edition, PROFILES["default"], 0) for edition in editions]
        planned = {t.spec.name for tasks in plans for t in tasks}
        assert set(seconds) <= planned, "measure again: the table has functions without a spec"
        assert all(table.cost(name, library) > 0 for name in planned)
    assert set(table.failing) == {t.theme for t in EVERYTHING}
    assert all(0 <= share < 1 for share in table.failing.values())


@pytest.fixture
def _two_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portions, "CASES_WORTH_A_WORKER", 1)


def results(name: str, jobs: int, shard: Shard | None = None) -> tuple[list[Event], Results]:
    events: list[Event] = []
    common = replace(COMMON, shard=shard)
    assert run([fake(name)], {EDITION: tasks(FUNCTIONS, TINY)}, common, events.append, jobs)
    (finished,) = (e for e in events if isinstance(e, TargetFinished))
    return events, finished.results


@pytest.mark.thorough
@pytest.mark.usefixtures("_two_workers")
@pytest.mark.parametrize("name", ["correct", "always_wrong"])
def test_one_worker_at_a_time_finds_what_two_find(name: str) -> None:
    events, together = results(name, 2)
    assert together.run.workers == 2
    in_turn = results(name, 1)[1]
    assert in_turn.run.workers == 1
    assert timeless(together) == timeless(in_turn)
    assert len([e for e in events if isinstance(e, TargetStarted)]) == 1
    judged = [e.result for e in events if isinstance(e, FunctionJudged)]
    assert sorted(f.function for f in judged) == sorted(FUNCTIONS)
    plan_order = [t.spec.name for t in tasks(FUNCTIONS, TINY)]
    assert [f.function for f in together.functions] == plan_order
    assert together.summary.functions == len(FUNCTIONS)


@pytest.mark.sampled(3)
@pytest.mark.usefixtures("_two_workers")
@pytest.mark.parametrize("name", ["always_wrong", "crashes"])
def test_merged_shards_are_the_bytes_of_one_run(name: str) -> None:
    _, whole = results(name, 2)
    parts = [results(name, 1, Shard(i, 3))[1] for i in (2, 3, 1)]
    assert encode(timeless(merge(parts, list(load())))) == encode(timeless(whole))


@pytest.mark.usefixtures("_two_workers")
def test_a_target_that_does_not_start_is_told_of_once() -> None:
    events: list[Event] = []
    planned = {EDITION: tasks(FUNCTIONS, TINY)}
    assert not run([fake("does_not_import")], planned, COMMON, events.append, 2)
    assert len([e for e in events if isinstance(e, TargetUnavailable)]) == 1
    assert not any(isinstance(e, TargetFinished) for e in events)
    assert isinstance(events[-1], RunFinished)


@pytest.mark.usefixtures("_two_workers")
def test_what_one_portion_found_is_kept_if_the_other_never_began() -> None:
    events: list[Event] = []
    first, other = (
        Progress(replace(fake("correct"), workers=2), tasks(FUNCTIONS, TINY), COMMON, emit)
        for emit in (events.append, lambda _: None)
    )
    (_, whole) = results("correct", 1)
    first.start()
    first.introduce(whole.target)
    half = {t.spec.name for t in first.portions[0].tasks}
    for function in whole.functions:
        if function.function in half:
            first.record(Examined(function, Spent(cases=3), finished=True))
    first.done()
    assert not any(isinstance(e, TargetFinished) for e in events)
    first.end()
    other.end()
    (finished,) = (e for e in events if isinstance(e, TargetFinished))
    assert not finished.results.run.complete
    assert finished.results.run.cases == 3 * len(half)
    assert set(finished.results.run.unfinished or ()) == set(FUNCTIONS) - half
    reached = [f for f in finished.results.functions if f.function in half]
    assert reached == [f for f in whole.functions if f.function in half]


def test_results_are_the_same_after_a_trip_through_a_file() -> None:
    content = results("correct", 1)[1]
    assert msgspec.json.decode(encode(content), type=Results) == content


def test_what_makes_failures_smaller_is_inside_the_target_and_no_case() -> None:
    run_of = examine(fake("always_wrong"), ["exp"], TINY).results.run
    assert run_of.spent
    spent = run_of.spent["exp"]
    cases = run_of.milliseconds["exp"] * spent.cases / 1000
    assert spent.seconds_in_target > 1.1 * cases
