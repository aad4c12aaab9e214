"""Run single cases again on a subject, outside of its plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
from conformance.engine.running.examined import RememberedFinding
from conformance.engine.running.preludes import asked_for
from conformance.engine.running.stop import Stop
from conformance.engine.running.subject import Run, Subject
from conformance.engine.verdicts.failures import failure, identifier
from conformance.engine.verdicts.forms import is_wrong, rare_forms
from conformance.engine.verdicts.origins import trials
from conformance.engine.verdicts.tally import GRAVITY, Group, Tally
from conformance.engine.verdicts.traits import traits
from conformance.results import Aspect, Failure, Origin, TargetInfo, Verdict

_FATAL = (Verdict.CRASHED, Verdict.TIMED_OUT)
MOST_FATAL_REMEMBERED = 3
"""How many remembered cases that killed the worker are run again: each costs a start of it."""


class Shown(NamedTuple):
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
    shown: Sequence[Shown]
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
    with subject.open(asked_for(subject.edition), number) as session:
        tasks = list({id(task): task for task, _ in cases}.values())
        examination = Examination(subject, session, tasks, common, lambda _: None, Stop())
        examination.begin(introduce)
        for task, trials in cases:
            yield _repeated(examination, task, trials)


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
            shown.append(Shown(trial, finding, failing, ids))
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
    return failure(tally, Group(finding, trial), examination.prelude)


def run_remembered(
    subject: Subject, tasks: Sequence[Task], common: Run, number: int, stop: Stop
) -> list[RememberedFinding]:
    """Run the remembered cases of these functions; the findings, by function in their order.

    They are run in a session of their own, so that they do not change the results of the plan.
    """
    remembered = common.remembered.get((subject.name, subject.edition), {})
    failures = [(task, f) for task in tasks for f in remembered.get(task.spec.name, ())]
    fatal = [f for _, f in failures if f.verdict in _FATAL][MOST_FATAL_REMEMBERED:]
    cases = [
        (task, f, trials) for task, f in failures if f not in fatal and (trials := _case(task, f))
    ]
    found: list[RememberedFinding] = []
    if cases:
        repeated = repeat(subject, [(t, made) for t, _, made in cases], common, number=number)
        for repetition, (task, one, _) in zip(repeated, cases, strict=False):
            found += _findings(task, one, repetition)
            if stop.is_set():
                break
    return found


def _case(task: Task, one: Failure) -> list[Trial]:
    source = one.origin
    if source is UNSET or source.profile not in PROFILES:
        return []
    if (source.profile, source.seed) != (task.profile.name, task.seed):
        profile = PROFILES[source.profile]
        task = Task(task.spec, task.theme, task.edition, profile, source.seed, task.aspects)
    return trials(task, one)


def _findings(task: Task, one: Failure, repetition: Repetition) -> Iterator[RememberedFinding]:
    for shown in repetition.shown:
        if isinstance(one.origin, Origin):
            yield RememberedFinding(task.spec.name, shown.finding, shown.trial, one.origin)
