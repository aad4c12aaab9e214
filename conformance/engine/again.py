"""One case run again on a subject, outside of any sweep."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from conformance.engine.examination import Examination
from conformance.engine.failures import failure
from conformance.engine.findings import Finding
from conformance.engine.plan import Task, documented_names
from conformance.engine.subject import Run, Subject
from conformance.engine.tally import GRAVITY, Group
from conformance.engine.trials import Trial
from conformance.results import Aspect, Failure, TargetInfo


class Shown(NamedTuple):
    """One finding on a trial, and how the results tell it."""

    trial: Trial
    finding: Finding
    failure: Failure


@dataclass(frozen=True, slots=True)
class Repetition:
    """What came of some trials of one function."""

    task: Task
    shown: Sequence[Shown]
    """The gravest first."""
    lacking: str | None = None
    """A function that the trials need and the target does not have."""

    def failing(self, identity: str, aspect: Aspect) -> Failure | None:
        """The failure with this id; without it the gravest other one of its aspect."""
        same = [s.failure for s in self.shown if s.failure.id == identity]
        other = [s.failure for s in self.shown if s.finding.aspect is aspect]
        return next(iter([*same, *other]), None)


def repeat(
    subject: Subject,
    cases: Sequence[tuple[Task, Sequence[Trial]]],
    common: Run,
    introduce: Callable[[TargetInfo], None] = lambda _: None,
) -> Iterator[Repetition]:
    """Run these trials in a worker of their own, and say of each of `cases` what came of it.

    `introduce` hears who the target is, first. WorkerStartError if the worker does not start.
    """
    with subject.open(documented_names(subject.edition), 0) as session:
        tasks = list({id(task): task for task, _ in cases}.values())
        lane = Examination(subject, session, tasks, common, lambda _: None, threading.Event())
        lane.begin(introduce)
        for task, trials in cases:
            yield _repeated(lane, task, trials)


def _repeated(lane: Examination, task: Task, trials: Sequence[Trial]) -> Repetition:
    shown = []
    for trial in trials:
        if (lacking := next(lane.lacking(trial), None)) is not None:
            return Repetition(task, (), lacking)
        findings = lane.judged(task, trial).findings
        shown += [Shown(trial, f, _failure(lane, task, trial, f)) for f in findings]
    shown.sort(key=lambda one: (-GRAVITY[one.finding.verdict], one.finding.identity))
    return Repetition(task, shown)


def _failure(lane: Examination, task: Task, trial: Trial, finding: Finding) -> Failure:
    tally = lane.tallies[task.spec.name]
    return failure(tally, Group(finding, trial), lane.prelude)
