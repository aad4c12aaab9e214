"""The progress of one target, whose portions several threads or machines examine; its results."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from msgspec import UNSET
from msgspec.structs import replace

from conformance.engine.planning.plan import Task
from conformance.engine.planning.portions import duration, portions, worker_count
from conformance.engine.running.examined import Examined
from conformance.engine.running.machine import machine
from conformance.engine.running.stop import Stop
from conformance.engine.running.subject import Run, Subject
from conformance.engine.verdicts.failures import not_run
from conformance.engine.verdicts.tally import GRAVITY
from conformance.results import (
    ASPECTS,
    AspectResult,
    FunctionResult,
    Results,
    RunInfo,
    Spent,
    TargetInfo,
    Verdict,
    summarise,
)
from conformance.results.events import (
    Event,
    FunctionJudged,
    TargetFinished,
    TargetProgressed,
    TargetStarted,
    TargetUnavailable,
)

CHECKPOINT = 10.0
"""Seconds after which partial results are announced again, so that writers can save them."""


class Abortable(Protocol):
    """What examines a portion: a session, or a process that has one."""

    def abort(self) -> None:
        """End it at once, from another thread."""


@dataclass(frozen=True, slots=True)
class Portion:
    """A part of a target's plan, which one worker examines."""

    number: int
    tasks: Sequence[Task]
    survey: bool = False
    """Whether it belongs to the survey of a run with a time limit."""


@dataclass(slots=True)
class Progress:
    """One target of a run. `plan` is the whole plan, of which a shard runs a part."""

    subject: Subject
    plan: Sequence[Task]
    common: Run
    emit: Callable[[Event], None]
    previous: Results | None = None
    """The results of an earlier run that this one completes."""
    spread: int | None = None
    """How many portions to cut; by default one for each worker that shares the plan."""
    surveyed: Sequence[Task] = ()
    """The same functions with the profile of the survey, if there is one."""
    stop: Stop = field(default_factory=Stop)
    """Set to end the run of this target."""
    lost: bool = False
    """Whether a worker did not start: then there are no results."""
    failed: bool = False
    """Whether a portion failed, so that its functions were not run."""
    reason: str = ""
    """Why the run ended before its plan was done; empty if it did not."""
    tasks: list[Task] = field(init=False)
    portions: list[Portion] = field(init=False)
    workers: int = field(init=False)
    _busy: set[Abortable] = field(default_factory=set)
    _info: TargetInfo | None = None
    _begun: float = 0.0
    _kept: dict[str, Examined] = field(default_factory=dict)
    _found: dict[str, Examined] = field(default_factory=dict)
    _begun_results: dict[str, Examined] = field(default_factory=dict)
    """What an earlier run or the survey has of functions that they did not finish."""
    _portions_left: int = field(init=False)
    _announced_at: float = 0.0
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        shard = self.common.shard
        self.tasks = list(self.plan) if shard is None else shard.of(self.plan, self.subject.library)
        self.workers = self.spread or worker_count(self.plan, self.subject.workers)
        before = {} if self.previous is None else examined(self.previous)
        self._kept = {name: one for name, one in before.items() if one.finished}
        self._begun_results = {name: one for name, one in before.items() if not one.finished}
        left = [task for task in self.tasks if task.spec.name not in self._kept]
        self.portions = [*self._survey_portions(left), *self._main_portions(left)]
        self._portions_left = len(self.portions)

    def _main_portions(self, tasks: Sequence[Task]) -> list[Portion]:
        """The portions of these tasks; one empty portion without tasks, to identify the target."""
        return [Portion(n, part) for n, part in enumerate(self._shared(tasks))]

    def _shared(self, tasks: Sequence[Task]) -> list[list[Task]]:
        return portions(tasks, self.workers, self.subject.library)

    def _survey_portions(self, left: Sequence[Task]) -> list[Portion]:
        names = {task.spec.name for task in left}
        tasks = [task for task in self.surveyed if task.spec.name in names]
        parts = self._shared(tasks) if tasks else []
        return [Portion(n, part, survey=True) for n, part in enumerate(parts)]

    @property
    def planned(self) -> int:
        """About how many cases there are."""
        return sum(task.planned for portion in self.portions for task in portion.tasks)

    @property
    def functions(self) -> int:
        """How many functions are to be examined."""
        return len({task.spec.name for portion in self.portions for task in portion.tasks})

    @property
    def seconds(self) -> float:
        """About how long one worker takes."""
        library = self.subject.library
        return sum(duration(p.tasks, library) for p in self.portions if not p.survey)

    def start(self, worker: Abortable | None = None) -> None:
        """Note that a portion starts; the first one starts the clock."""
        with self._lock:
            self._begun = self._begun or time.monotonic()
            self._announced_at = self._announced_at or self._begun
            if worker is not None:
                self._busy.add(worker)
                # with other machines the wait for one of them would count, too
                self.stop.until = self._begun + self.common.target_time

    def abort(self) -> None:
        """Kill the workers that did not end when they were asked to."""
        with self._lock:
            for worker in self._busy:
                worker.abort()

    def introduce(self, info: TargetInfo) -> None:
        """Note the target's identity as a worker reports it, and announce it once.

        If the results to resume are of another version of the target, it is lost.
        """
        with self._lock:
            first, self._info = self._info is None, info
        if first and self.previous is not None and self.previous.target != info:
            self.lose(_changed(self.previous.target, info))
        elif first:
            self.emit(TargetStarted(info))

    def lose(self, reason: str, cure: str | None = None) -> None:
        """Note that a worker does not start: end the other portions, and give no results."""
        with self._lock:
            first, self.lost = not self.lost, True
        self.stop.set()
        if first:
            cure = self.subject.cure if cure is None else cure
            self.emit(TargetUnavailable(self.subject.name, reason, cure))

    def fail(self, reason: str) -> None:
        """Note that a portion failed; the others go on."""
        self.failed, self.reason = True, self.reason or reason

    def record(self, examined: Examined, *, survey: bool = False) -> None:
        """Note the result of one function."""
        name = examined.result.function
        with self._lock:
            if survey:
                before = self._begun_results.get(name)
                self._begun_results[name] = _merged(examined, before) if before else examined
            else:
                self._found[name] = examined
        if examined.error is not None:
            self.emit(examined.error)
        if self.lost:
            return
        if not survey:
            self.emit(FunctionJudged(self.subject.name, examined.result))
        self._announce_partial()

    def _announce_partial(self) -> None:
        """Announce partial results, if `CHECKPOINT` seconds have passed since the last time."""
        with self._lock:
            now = time.monotonic()
            due = now - self._announced_at > CHECKPOINT and not self.stop.is_set()
            if due and self._info is not None:
                self._announced_at = now
                self.emit(TargetProgressed(self._results()))

    def done(self, worker: Abortable | None = None) -> None:
        """Note that a portion is done; announce the results after the last one."""
        with self._lock:
            self._portions_left -= 1
            if worker is not None:
                self._busy.discard(worker)
            last = self._portions_left == 0
        if last:
            self.finish()

    def end(self) -> None:
        """Announce what is known of a target whose portions were not all run."""
        if self._portions_left > 0:
            self.stop.set()
            self.finish()

    def finish(self) -> None:
        """Announce the results, functions in the order of the plan."""
        if not self.lost and self._info is not None:
            self.emit(TargetFinished(self._results()))

    def _results(self) -> Results:
        assert self._info is not None
        every = [self._function(task) for task in self.tasks]
        functions = [one.result for one in every]
        return Results(
            target=self._info,
            run=self._run(every),
            summary=summarise(functions),
            functions=functions,
        )

    def _function(self, task: Task) -> Examined:
        name = task.spec.name
        found, seen = self._found.get(name), self._begun_results.get(name)
        if name in self._kept:
            return self._kept[name]
        if found is not None and seen is not None and not (found.finished or found.error):
            return _merged(found, seen)
        return found or seen or _unreached(task)

    def _run(self, every: Sequence[Examined]) -> RunInfo:
        spent = {one.result.function: one.spent for one in every}
        unfinished = [one.result.function for one in every if not one.finished]
        reached = all(one.finished or one.error for one in every)
        before = self.previous.run if self.previous is not None else None
        wall = time.monotonic() - self._begun + (before.seconds if before else 0.0)
        return RunInfo(
            suite_version=self.common.suite_version,
            profile=self.common.profile.name,
            seed=self.common.seed,
            started=before.started if before else self.common.started,
            seconds=round(wall, 3),
            cases=sum(one.cases for one in spent.values()),
            seconds_in_target=round(sum(one.seconds_in_target for one in spent.values()), 3),
            selection=self.common.selection,
            shard=UNSET if self.common.shard is None else str(self.common.shard),
            aspects=list(self.common.aspects) or UNSET,
            complete=not unfinished,
            restarts=sum(one.restarts for one in spent.values()),
            workers=min(self.workers, self.common.jobs or self.workers),
            machine=machine(),
            milliseconds=_milliseconds(every),
            spent=spent,
            unfinished=unfinished or UNSET,
            ended_by=UNSET if reached else self._reason or UNSET,
        )

    @property
    def _reason(self) -> str | None:
        limit = self.common.max_time
        if not self.reason and self.stop.is_over():
            return f"the limit of {self.common.target_time:g} s for a target"
        return self.reason or (None if limit is None else f"the limit of {limit:g} s")


def examined(results: Results) -> dict[str, Examined]:
    """What results hold of each function."""
    run = results.run
    left = set(run.unfinished or ())
    spent = run.spent or {}
    return {
        name: Examined(
            f,
            cost,
            finished=name not in left,
            inside=run.milliseconds.get(name, 0.0) * cost.cases / 1000,
        )
        for f in results.functions
        for name in (f.function,)
        for cost in (spent.get(name, Spent()),)
    }


def _milliseconds(every: Sequence[Examined]) -> dict[str, float]:
    """Mean milliseconds of a case, for each function that has cases."""
    return {
        one.result.function: round(one.inside * 1000 / one.spent.cases, 3)
        for one in every
        if one.spent.cases
    }


def _unreached(task: Task) -> Examined:
    aspects = [not_run(aspect) for aspect in ASPECTS if aspect in task.aspects]
    result = FunctionResult(task.spec.name, task.theme, aspects)
    return Examined(result, Spent(), finished=False)


def _merged(found: Examined, seen: Examined) -> Examined:
    """The results of a survey and of an unfinished examination; the graver verdict counts."""
    pairs = zip(found.result.aspects, seen.result.aspects, strict=True)
    aspects = [_graver(pair) for pair in pairs]
    spent = Spent(
        cases=found.spent.cases + seen.spent.cases,
        seconds=round(found.spent.seconds + seen.spent.seconds, 3),
        seconds_in_target=round(found.spent.seconds_in_target + seen.spent.seconds_in_target, 6),
        restarts=found.spent.restarts + seen.spent.restarts,
    )
    inside = found.inside + seen.inside
    return Examined(replace(found.result, aspects=aspects), spent, finished=False, inside=inside)


def _graver(pair: Sequence[AspectResult]) -> AspectResult:
    """The graver of two results of an aspect, with what kept cases show besides it."""

    def weight(one: AspectResult) -> tuple[bool, int, int]:
        return one.verdict is not Verdict.NOT_RUN, GRAVITY[one.verdict], one.cases

    graver = max(pair, key=weight)
    ids = {failure.id for failure in graver.failures}
    earlier = {f.id: f for one in pair for f in one.earlier_failures if f.id not in ids}
    return replace(graver, earlier_failures=list(earlier.values()))


def _changed(before: TargetInfo, now: TargetInfo) -> str:
    """How the target differs from that of the results to resume."""
    sides = [{"python": i.python, "edition": i.edition, **i.versions} for i in (before, now)]
    for part in sorted({*sides[0], *sides[1]}):
        was, has = (side.get(part, "none") for side in sides)
        if was != has:
            return f"the results to resume are of {part} {was}, and this is {has}"
    return f"the results to resume are of {before.implementation!r}, this is {now.implementation!r}"
