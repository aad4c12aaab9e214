"""A small description of a portion, from which another process makes the same tasks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.adapters.session import WorkerStartError
from conformance.editions import Edition
from conformance.engine.planning.plan import Task, plan
from conformance.engine.planning.profiles import Profile
from conformance.engine.running.examination import Examination
from conformance.engine.running.examined import Examined
from conformance.engine.running.preludes import asked_for
from conformance.engine.running.progress import Portion
from conformance.engine.running.repetition import run_remembered
from conformance.engine.running.stop import Stop
from conformance.engine.running.subject import TARGET_SECONDS, Run, Subject
from conformance.results import ASPECTS, Aspect, Failure, TargetInfo
from conformance.specs import load


@dataclass(frozen=True, slots=True)
class Assignment:
    """What to examine of a target. The same assignment makes the same cases on every machine."""

    suite_version: str
    edition: Edition
    profile: Profile
    seed: int
    functions: tuple[str, ...]
    aspects: tuple[Aspect, ...]
    survey: bool = False
    remembered: Mapping[str, Sequence[Failure]] = field(default_factory=dict)
    """Failures of earlier runs whose cases are tried first, by function."""
    target_time: float = TARGET_SECONDS
    """Seconds after which the examination ends."""
    locate: bool = False
    """Whether wrong answers get the lines of the implementation that may be the cause."""

    def tasks(self) -> list[Task]:
        """The tasks of the portion that it describes."""
        return plan(
            load(),
            self.edition,
            self.profile,
            self.seed,
            select=self.functions.__contains__,
            aspects=self.aspects,
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of an assignment. If there is none, `lost` says why and `cure` what to do."""

    info: TargetInfo | None = None
    examined: tuple[Examined, ...] = ()
    notes: tuple[tuple[str, int], ...] = ()
    """The arguments of each call of `Sink.note`."""
    lost: str = ""
    cure: str = ""


Perform = Callable[[Assignment], Answer]


def assignment(portion: Portion, subject: Subject, common: Run) -> Assignment:
    """The description of a portion."""
    functions = tuple(task.spec.name for task in portion.tasks)
    seen = common.remembered.get((subject.name, subject.edition), {})
    chosen = {aspect for task in portion.tasks for aspect in task.aspects}
    return Assignment(
        suite_version=common.suite_version,
        edition=subject.edition,
        profile=portion.tasks[0].profile if portion.tasks else common.profile,
        seed=common.seed,
        functions=functions,
        aspects=tuple(aspect for aspect in ASPECTS if aspect in chosen),
        survey=portion.survey,
        target_time=common.target_time,
        locate=common.locate,
        remembered={}
        if portion.survey
        else {name: seen[name] for name in functions if name in seen},
    )


def perform(
    subject: Subject, given: Assignment, number: int = 0, stop: Stop | None = None
) -> Answer:
    """Examine an assignment here, with worker `number` of the target, until `stop`."""
    tasks = given.tasks()
    key: tuple[str, str] = (subject.name, subject.edition)
    remembered = {key: given.remembered}
    common = Run(
        given.suite_version,
        given.profile,
        given.seed,
        "",
        remembered=remembered,
        locate=given.locate,
    )
    stop = Stop(time.monotonic() + given.target_time, stop)
    infos, notes = list[TargetInfo](), list[tuple[str, int]]()
    try:
        shown = run_remembered(subject, tasks, common, number, stop)
        with subject.open(asked_for(subject.edition), number) as session:
            examination = Examination(
                subject,
                session,
                tasks,
                common,
                lambda _: None,
                stop,
                given.survey,
                lambda left_out, losses: notes.append((left_out, losses)),
                remembered=shown,
            )
            examined = tuple(examination.all(infos.append))
    except WorkerStartError as error:
        return Answer(lost=str(error), cure=error.hint or subject.cure)
    return Answer(infos[0], examined, tuple(notes))
