"""Run single cases again on a subject, outside of its plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from conformance.engine.judging.findings import Finding
from conformance.engine.judging.trials import Trial
from conformance.engine.planning.plan import Task
from conformance.engine.planning.profiles import PROFILES
from conformance.engine.running.examination import Examination
from conformance.engine.running.examined import Remembered, RememberedFinding
from conformance.engine.running.preludes import asked_for
from conformance.engine.running.stop import Stop
from conformance.engine.running.subject import Run, Subject
from conformance.engine.running.suite_errors import FunctionErrors, Stage
from conformance.engine.verdicts.failures import failure, identifier
from conformance.engine.verdicts.forms import is_wrong, rare_forms
from conformance.engine.verdicts.origins import trials
from conformance.engine.verdicts.tally import GRAVITY, Group, Tally
from conformance.engine.verdicts.traits import traits
from conformance.results import Aspect, Failure, TargetInfo, Verdict
from conformance.results.encoding import plain

_FATAL = (Verdict.CRASHED, Verdict.TIMED_OUT)
MOST_FATAL_REMEMBERED = 3
"""How many remembered cases that killed the worker are run again: each costs a start of it."""


class ShownCase(NamedTuple):
    """One finding on a trial, and the failure that a results file holds of it."""

    trial: Trial
    finding: Finding
    failure: Failure
    ids: frozenset[str]
    """The ids that the finding has, whichever of the call's arguments it may be due to."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """The result of some trials of one function."""

    task: Task
    shown: Sequence[ShownCase]
    """The gravest first."""
    seen: frozenset[Aspect] = frozenset()
    """The aspects that could be judged."""
    lacking: str | None = None
    """A function that the trials need and the target does not have."""

    def failing(self, identity: str, aspect: Aspect) -> Failure | None:
        """The failure with this id, or else the gravest other failure of the aspect."""
        same = [
            msgspec.structs.replace(s.failure, id=identity) for s in self.shown if identity in s.ids
        ]
        other = [s.failure for s in self.shown if s.finding.aspect is aspect]
        return next(iter([*same, *other]), None)


def repeat(
    subject: Subject,
    cases: Sequence[tuple[Task, Sequence[Trial]]],
    common: Run,
    introduce: Callable[[TargetInfo], None] = lambda _: None,
    number: int = 0,
) -> Iterator[Repetition]:
    """Run these trials in a worker of their own, and yield the result of each of `cases`.

    `introduce` is called with the target's identity first. WorkerStartError if the worker does not
    start.
    """
    with _opened(subject, [task for task, _ in cases], common, introduce, number) as examination:
        for task, trials in cases:
            yield _repeated(examination, task, trials)


@contextmanager
def _opened(
    subject: Subject,
    tasks: Sequence[Task],
    common: Run,
    introduce: Callable[[TargetInfo], None],
    number: int,
) -> Iterator[Examination]:
    """An examination of these tasks that has begun, in a worker of its own."""
    with subject.open(asked_for(subject.edition), number) as session:
        own = list({id(task): task for task in tasks}.values())
        examination = Examination(subject, session, own, common, lambda _: None, Stop())
        examination.begin(introduce)
        yield examination


def _repeated(examination: Examination, task: Task, trials: Sequence[Trial]) -> Repetition:
    shown, seen = [], set()
    for trial in trials:
        if (lacking := next(examination.lacking(trial), None)) is not None:
            return Repetition(task, (), lacking=lacking)
        judgement = examination.judged(task, trial)
        seen |= {aspect for aspect, cases in judgement.cases.items() if cases}
        for finding in judgement.findings:
            failing = _failure(examination, task, trial, finding)
            ids = frozenset(_ids(examination.tallies[task.spec.name], trial, finding))
            shown.append(ShownCase(trial, finding, failing, ids))
    shown.sort(key=lambda one: (-GRAVITY[one.finding.verdict], one.finding.identity))
    return Repetition(task, shown, frozenset(seen))


def _ids(tally: Tally, trial: Trial, finding: Finding) -> Iterator[str]:
    passed = sorted(rare_forms(finding, trial))
    told = sorted({name for name, _ in traits(trial)}) if is_wrong(finding) else []
    for count in range(len(passed) + 1):
        for forms in combinations(passed, count):
            yield identifier(tally, finding, forms)
            yield from (identifier(tally, finding, (*forms, name)) for name in told)


def _failure(examination: Examination, task: Task, trial: Trial, finding: Finding) -> Failure:
    tally = examination.tallies[task.spec.name]
    return plain(failure(tally, Group(finding, trial), examination.prelude))


def run_remembered(
    subject: Subject, tasks: Sequence[Task], common: Run, number: int, stop: Stop
) -> Remembered:
    """Run the remembered cases of these functions; the findings, by function in their order.

    They are run in a session of their own, so that they do not change the results of the plan.
    """
    errors = FunctionErrors(subject.name)
    cases = list(_remade(subject, tasks, common, errors))
    if not cases:
        return Remembered((), errors.by_function)
    own = [case.task for case in cases]
    with _opened(subject, own, common, lambda _: None, number) as examination:
        findings = list(_findings_on(examination, cases, errors, stop))
    return Remembered(findings, errors.by_function, examination.session.losses)


class _RememberedCase(NamedTuple):
    """A failure of an earlier run, and its case made again."""

    task: Task
    failure: Failure
    trials: Sequence[Trial]


def _remade(
    subject: Subject, tasks: Sequence[Task], common: Run, errors: FunctionErrors
) -> Iterator[_RememberedCase]:
    """The cases that can be made again, without most of those that ended the worker."""
    remembered = common.remembered.get((subject.name, subject.edition), {})
    failures = [(task, f) for task in tasks for f in remembered.get(task.spec.name, ())]
    fatal = [f for _, f in failures if f.verdict in _FATAL][MOST_FATAL_REMEMBERED:]
    for task, one in failures:
        with errors.guard(task.spec.name, Stage.REMEMBERED):
            made = [] if one in fatal else _case(task, one)
            if made:
                yield _RememberedCase(task, one, made)


def _findings_on(
    examination: Examination,
    cases: Sequence[_RememberedCase],
    errors: FunctionErrors,
    stop: Stop,
) -> Iterator[RememberedFinding]:
    for task, one, made in cases:
        with errors.guard(task.spec.name, Stage.REMEMBERED):
            yield from _findings(task, one, _repeated(examination, task, made))
        if stop.is_set() or examination.losses.brief:
            return


def _case(task: Task, one: Failure) -> list[Trial]:
    source = one.origin
    if source is UNSET or source.profile not in PROFILES:
        return []
    if (source.profile, source.seed) != (task.profile.name, task.seed):
        profile = PROFILES[source.profile]
        task = Task(task.spec, task.theme, task.edition, profile, source.seed, task.aspects)
    return trials(task, one)


def _findings(task: Task, one: Failure, repetition: Repetition) -> Iterator[RememberedFinding]:
    """What a kept case shows now; a failure that it was kept for has the id that it had."""
    for shown in repetition.shown:
        identity = one.id if one.id in shown.ids else shown.failure.id
        failing = msgspec.structs.replace(shown.failure, id=identity, origin=one.origin)
        yield RememberedFinding(task.spec.name, shown.finding, shown.trial, failing)
