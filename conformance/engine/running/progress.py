"""The progress of one target, whose portions several threads or machines examine; its results."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    PlanShortened,
    TargetFinished,
    TargetProgressed,
    TargetStarted,
    TargetUnavailable,
)

CHECKPOINT = 10.0
"""Seconds after which partial results are announced again, so that writers can save them."""


RUN_ANEW = "leave --resume and --reuse out, or name another --output"
"""What to do about results of another implementation."""


class Abortable(Protocol):
    """What examines a portion: a session, or a process that has one."""

    def abort(self) -> None:
        """End it at once, from another thread."""


@dataclass(frozen=True, slots=True)
class Previous:
    """Functions of earlier runs that are not run again."""

    results: Results
    certain: bool = False
    """Whether they are of the implementation that is tested: then no worker has to say so."""
    begun: Mapping[str, Examined] = field(default_factory=dict)
    """What an interrupted run has of functions that it did not finish."""


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
    previous: Previous | None = None
    """What this run completes."""
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
    _left_out: set[str] = field(default_factory=set)
    """What is left out because workers were lost."""
    _losses_besides: int = 0
    """How many workers were lost outside of functions."""
    _portions_left: int = field(init=False)
    _announced_at: float = 0.0
    _unannounced: bool = False
    """Whether there are results that no partial results have."""
    _pause: float = field(default_factory=lambda: CHECKPOINT)
    """Seconds until partial results are announced again."""
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        shard = self.common.shard
        self.tasks = list(self.plan) if shard is None else shard.of(self.plan, self.subject.library)
        self.workers = self.spread or worker_count(self.plan, self.subject.workers)
        if self.previous is not None:
            self._kept = kept(self.previous.results)
            self._begun_results = dict(self.previous.begun)
        left = [task for task in self.tasks if task.spec.name not in self._kept]
        self.portions = [*self._survey_portions(left), *self._main_portions(left)]
        if not left and self.previous is not None and self.previous.certain:
            self.portions = []
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
        """Kill the workers that ignored the request to end."""
        with self._lock:
            for worker in self._busy:
                worker.abort()

    def introduce(self, info: TargetInfo) -> None:
        """Note the target's identity as a worker reports it, and announce it once.

        If the results to go on from are of another version of the target, it is lost.
        """
        with self._lock:
            first, self._info = self._info is None, info
        if first and self.previous is not None and self.previous.results.target != info:
            self.lose(_changed(self.previous.results.target, info), RUN_ANEW)
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

    def note(self, left_out: str, losses: int) -> None:
        """See `Sink`."""
        with self._lock:
            self._losses_besides += losses
            new = bool(left_out) and left_out not in self._left_out
            self._left_out |= {left_out} if new else set()
        if new:
            self.emit(PlanShortened(self.subject.name, left_out))

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
        self._unannounced = True
        self.announce_partial()

    def announce_partial(self) -> None:
        """Announce partial results if there are new ones, and some time after the last ones: to
        write them takes a twentieth of the time at most."""
        with self._lock:
            begun = time.monotonic()
            due = begun - self._announced_at > self._pause and not self.stop.is_set()
            if due and self._unannounced and self._info is not None:
                self._unannounced = False
                self.emit(TargetProgressed(self._results()))
                self._announced_at = time.monotonic()
                self._pause = max(CHECKPOINT, 20 * (self._announced_at - begun))

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

    def repeat(self) -> None:
        """Announce the results of a target of which nothing has to be run."""
        if self.previous is not None and not self.portions:
            self.introduce(self.previous.results.target)
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
        before = self.previous.results.run if self.previous is not None else None
        return RunInfo(
            suite_version=self.common.suite_version,
            profile=self.common.profile.name,
            seed=self.common.seed,
            started=before.started if before else self.common.started,
            seconds=round(self._wall + (before.seconds if before else 0.0), 3),
            cases=sum(one.cases for one in spent.values()),
            seconds_in_target=round(sum(one.seconds_in_target for one in spent.values()), 3),
            selection=self.common.selection,
            shard=UNSET if self.common.shard is None else str(self.common.shard),
            aspects=list(self.common.aspects) or UNSET,
            complete=not unfinished,
            restarts=sum(one.restarts for one in spent.values()) + self._losses_besides,
            workers=self._workers(before),
            machine=self._machine(before),
            milliseconds=_milliseconds(every),
            spent=spent,
            unfinished=unfinished or UNSET,
            shortened=sorted({*(before.shortened or () if before else ()), *self._left_out})
            or UNSET,
            ended_by=UNSET if reached else self._reason or UNSET,
            fingerprints=self._fingerprints(every) or UNSET,
        )

    @property
    def _wall(self) -> float:
        """The seconds since the first worker began; none if none did."""
        return time.monotonic() - self._begun if self._begun else 0.0

    def _workers(self, before: RunInfo | None) -> int:
        if before is not None and not self.portions:
            return before.workers
        return min(self.workers, self.common.jobs or self.workers)

    def _machine(self, before: RunInfo | None) -> str:
        """Where the functions were run."""
        earlier = before.machine.split("; ") if before and isinstance(before.machine, str) else []
        here = [machine()] if self.portions or not earlier else []
        return "; ".join(sorted({*earlier, *here}))

    def _fingerprints(self, every: Iterable[Examined]) -> dict[str, dict[str, str]]:
        known = self.common.fingerprints.get(self.subject.name, {})
        names = (one.result.function for one in every if one.finished)
        return {name: dict(known[name]) for name in names if name in known}

    @property
    def _reason(self) -> str | None:
        limit = self.common.max_time
        if not self.reason and self.stop.is_over():
            return f"the limit of {self.common.target_time:g} s for a target"
        if self.reason or limit is not None:
            return self.reason or f"the limit of {limit:g} s"
        return "lost workers" if self._left_out else None


def kept(results: Results) -> dict[str, Examined]:
    """The functions that were run to their end."""
    return {name: one for name, one in _examined(results).items() if one.finished}


def begun(results: Results) -> dict[str, Examined]:
    """The functions that were not run to their end."""
    return {name: one for name, one in _examined(results).items() if not one.finished}


def _examined(results: Results) -> dict[str, Examined]:
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
    """How the target differs from that of the earlier results."""
    sides = [{"python": i.python, "edition": i.edition, **i.versions} for i in (before, now)]
    for part in sorted({*sides[0], *sides[1]}):
        was, has = (side.get(part, "none") for side in sides)
        if was != has:
            return f"the results to go on from are of {part} {was}, and this is {has}"
    was, has = repr(before.implementation), repr(now.implementation)
    return f"the results to go on from are of {was}, this is {has}"
