"""A target's tasks in lanes: each has a worker of its own, and what they find is put together."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from msgspec import UNSET

from conformance.engine.machine import machine
from conformance.engine.plan import Task
from conformance.engine.subject import Run, Subject
from conformance.results import FunctionResult, Results, RunInfo, TargetInfo, summarise
from conformance.results.events import Event, TargetFinished, TargetStarted, TargetUnavailable

WORTH_A_LANE = 2000
"""Planned cases below which another worker costs more than it saves."""


@dataclass(frozen=True, slots=True)
class Examined:
    """What came of one lane."""

    functions: list[FunctionResult]
    cases: int
    inside: float
    """Seconds spent in the implementation."""
    restarts: int
    milliseconds: dict[str, float] = field(default_factory=dict)
    """The mean time of a case of each function."""


def lanes(tasks: Sequence[Task], most: int) -> list[list[Task]]:
    """Up to `most` parts of a plan with about as many cases each, the largest theme first.

    Themes stay whole. The parts do not depend on how many workers run at once: a worker
    remembers what it was asked before, and a run has to be the same on every machine.
    """
    themes: dict[str, list[Task]] = {}
    for task in tasks:
        themes.setdefault(task.theme, []).append(task)
    weights = {theme: sum(t.planned for t in members) for theme, members in themes.items()}
    count = max(1, min(most, len(themes), sum(weights.values()) // WORTH_A_LANE))
    loads = [0] * count
    lane_of = {}
    for theme in sorted(themes, key=lambda name: (-weights[name], name)):
        lane_of[theme] = loads.index(min(loads))
        loads[lane_of[theme]] += weights[theme]
    parted = [[t for t in tasks if lane_of[t.theme] == number] for number in range(count)]
    return [part for part in parted if part]


@dataclass(slots=True)
class Progress:
    """One target while its lanes are examined, by several threads."""

    subject: Subject
    tasks: Sequence[Task]
    common: Run
    emit: Callable[[Event], None]
    stop: threading.Event = field(default_factory=threading.Event)
    """Set when nobody waits for more."""
    lost: bool = False
    """Whether a worker did not start, so that there are no results."""
    parts: list[list[Task]] = field(init=False)
    _info: TargetInfo | None = None
    _begun: float = 0.0
    _examined: list[Examined] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.parts = lanes(self.tasks, self.subject.workers)

    def start(self) -> None:
        """A lane begins; the first starts the clock."""
        with self._lock:
            self._begun = self._begun or time.monotonic()

    def introduce(self, info: TargetInfo) -> None:
        """A worker has answered who it is; announced once."""
        with self._lock:
            first, self._info = self._info is None, info
        if first:
            self.emit(TargetStarted(info))

    def lose(self, reason: str) -> None:
        """A worker does not start: the other lanes end, and there are no results."""
        with self._lock:
            first, self.lost = not self.lost, True
        self.stop.set()
        if first:
            self.emit(TargetUnavailable(self.subject.name, reason, self.subject.cure))

    def add(self, examined: Examined) -> None:
        """A lane is done; after the last one the results are announced."""
        with self._lock:
            self._examined.append(examined)
        if len(self._examined) == len(self.parts):
            self.finish()

    def end(self) -> None:
        """Announce what there is of a target that was interrupted between its lanes."""
        if self._examined and len(self._examined) < len(self.parts):
            self.stop.set()
            self.finish()

    def finish(self) -> None:
        """Announce the results, functions in the order of the plan."""
        if self.lost or self._info is None:
            return
        order = {task.spec.name: place for place, task in enumerate(self.tasks)}
        found = [function for one in self._examined for function in one.functions]
        functions = sorted(found, key=lambda result: order[result.function])
        results = Results(
            target=self._info,
            run=self._run(),
            summary=summarise(functions),
            functions=functions,
        )
        self.emit(TargetFinished(results))

    def _run(self) -> RunInfo:
        return RunInfo(
            suite_version=self.common.suite_version,
            profile=self.common.profile.name,
            seed=self.common.seed,
            started=self.common.started,
            seconds=round(time.monotonic() - self._begun, 3),
            cases=sum(one.cases for one in self._examined),
            seconds_in_target=round(sum(one.inside for one in self._examined), 3),
            selection=self.common.selection,
            shard=self.common.shard or UNSET,
            complete=not self.stop.is_set(),
            restarts=sum(one.restarts for one in self._examined),
            workers=len(self.parts),
            machine=machine(),
            milliseconds={
                f: mean for one in self._examined for f, mean in one.milliseconds.items()
            },
        )
