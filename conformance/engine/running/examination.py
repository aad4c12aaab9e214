"""One worker's share of a target's plan: run and judge all trials, then make failures smaller."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from hypothesis.strategies import SearchStrategy

from conformance.adapters.patience import Patience
from conformance.adapters.session import Session, SessionAbortedError
from conformance.editions import differentiates
from conformance.engine.judging import signatures
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.findings import Finding, Judgement
from conformance.engine.judging.probes import (
    NO_GRADIENT,
    NO_OWN_GRADIENT,
    NO_SHAPE,
    promises_shapes,
    without_promise,
)
from conformance.engine.judging.releases import Release
from conformance.engine.judging.shortfalls import with_shortfalls
from conformance.engine.judging.successors import changes
from conformance.engine.judging.trials import Trial
from conformance.engine.planning.plan import Task, documented_names
from conformance.engine.planning.portions import bundles, by_setup, riskiest_first
from conformance.engine.running.collecting import forget_young
from conformance.engine.running.consistency import Consistency, waits
from conformance.engine.running.controls import Controls
from conformance.engine.running.endings import Losses, why_restarted
from conformance.engine.running.examined import Examined, Remembered
from conformance.engine.running.locating import Locating
from conformance.engine.running.newer_release import newer_release
from conformance.engine.running.preludes import reaching
from conformance.engine.running.probing import Probes, Probing
from conformance.engine.running.sending import Answered, Sending, configured_answers
from conformance.engine.running.stop import Stop
from conformance.engine.running.subject import Run, Subject
from conformance.engine.running.suite_errors import FunctionErrors, Stage, during
from conformance.engine.running.twins import Twins, unmade
from conformance.engine.verdicts.failures import function_result
from conformance.engine.verdicts.minimise import Minimiser
from conformance.engine.verdicts.origins import origin
from conformance.engine.verdicts.symptoms import Symptom, symptom
from conformance.engine.verdicts.tally import Group, Tally, folded
from conformance.observations import FunctionIdentity, NotRun, StructureObservation
from conformance.results import Aspect, FindingKind, Spent, TargetInfo
from conformance.results.events import CasesDone, Event, FunctionStarted, WorkerRestarted
from conformance.scripts import Prelude
from conformance.specs import load_conventions
from conformance.specs.convention_names import ConventionName

MOST_MINIMISED = 24
"""How many failures of one function the suite minimises, the gravest first."""
MOST_KEPT = 2**14
"""The elements of the largest expectation that is kept for the next target: of 1,700 calls 60 have
more, and two thirds of the memory."""
_MAKERS = ("variable", "constant", "placeholder")


@dataclass(slots=True)
class Examination:
    """One subject, its session, and the findings so far.

    What is found in one bundle of functions does not depend on the bundles before it.
    """

    subject: Subject
    session: Session
    tasks: Sequence[Task]
    common: Run
    emit: Callable[[Event], None]
    stop: Stop
    survey: bool = False
    """Whether this is the survey: it leaves aspects `not run`, and finishes no function."""
    note: Callable[[str, int], None] = lambda *_: None
    """Called with a text on the functions left out, and the workers lost outside of functions."""
    tallies: dict[str, Tally] = field(default_factory=dict)
    known: dict[str, dict[str, frozenset[Symptom]]] = field(default_factory=dict)
    twins: Twins = field(default_factory=Twins)
    """What was refused, or could not be made, and is to be tried again."""
    consistency: Consistency = field(init=False)
    """Whether the target takes the readings that calls do not fit."""
    probes: Probes = field(default_factory=Probes)
    """What makes all functions fail, and is the fault of one."""
    losses: Losses = field(init=False)
    absent: frozenset[str] = frozenset()
    """The documented functions that the target does not have."""
    remembered: Remembered = field(default_factory=Remembered)
    """What cases of earlier runs show, which were run before, in a worker of their own."""
    errors: FunctionErrors = field(init=False)
    """The functions in which the suite itself had an error."""
    _sending: Sending = field(init=False)
    _locating: Locating = field(init=False)
    _mark: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.consistency = Consistency(self._run)
        self.errors = FunctionErrors(self.subject.name, dict(self.remembered.errors))
        self.stop = Stop(parent=self.stop)  # losses may end this portion alone
        self.losses = Losses(documented_names(self.subject.edition), self.session.pace.call)
        self._sending = Sending(
            self.session, self.errors, self.stop, self._skip, self.losses.patience, self._begin
        )
        controls = Controls(self.subject, self.common.seed)
        self._locating = Locating(controls, self._sending, self.emit, self.stop)

    def all(self, introduce: Callable[[TargetInfo], None]) -> Iterator[Examined]:
        """Examine the functions one by one; once `stop` is set, yield what is known of the rest.

        `introduce` is called with the target's identity before anything is run. With a time limit
        the functions that are most likely to fail are first.
        """
        try:
            self.begin(introduce)
        except SessionAbortedError:
            self.stop.set()
        for bundle in self._in_order():
            yield from self._bundle(bundle)

    def _in_order(self) -> Sequence[Sequence[Task]]:
        if self.common.max_time is None:
            return bundles(self.tasks)
        return riskiest_first(self.tasks, self.subject.library)

    def _bundle(self, bundle: Sequence[Task]) -> Iterator[Examined]:
        self._mark, losses = time.monotonic(), self._lost
        try:
            self._run_all(bundle)
            for task in (task for task in bundle if task.spec.name not in self.errors):
                with self.errors.guard(task.spec.name, Stage.TWINS):
                    self.twins.try_again(task, partial(self._run_twin, task))
        except SessionAbortedError:
            self.stop.set()
        for task in bundle:
            with self.errors.guard(task.spec.name, Stage.JUDGING):
                self._add_what_is_left(task)
            yield self._finish(task, losses)
            losses = self._lost
            self._release(task)
            if left_out := self.losses.finish(task.spec.name):
                self.note(left_out, 0)

    def _release(self, task: Task) -> None:
        """Keep nothing of a function that is done, unless other targets ask for its trials: else
        the memory would grow with the number of functions."""
        if self.common.alone:
            name = task.spec.name
            task.release()
            for kept in (self.tallies, self.known, self.twins.stages):
                kept.pop(name, None)
            forget_young()

    def _add_what_is_left(self, task: Task) -> None:
        tally = self.tallies[task.spec.name]
        for trial, judgement in self.twins.left(task):
            tally.add(judgement, trial, task.stage(trial))
        for one in self.remembered.findings:
            if one.function == task.spec.name:
                tally.add_remembered(one.finding, one.trial, one.failure)

    def begin(self, introduce: Callable[[TargetInfo], None]) -> None:
        """Identify the target, and probe what would make all its functions fail."""
        for task in self.tasks:  # what is not reached has a result, too
            self.tallies[task.spec.name] = Tally(task.spec, task.edition, task.aspects)
        introduce(self._identify())
        self.probes = self._probing().run({a for task in self.tasks for a in task.aspects})
        for task in self.tasks:
            if findings := self.probes.failures_of(task.spec.name):
                self.tallies[task.spec.name].count(Aspect.VALUE)
                self.tallies[task.spec.name].note(findings)
        if lost := self.session.losses + self.remembered.losses:
            self.note("", lost)

    def _probing(self) -> Probing:
        settled = load_conventions()[ConventionName.PRECISE_STATIC_SHAPE].settled
        promised = any(t.spec.editions[t.edition] in settled for t in self.tasks)
        return Probing(
            self.session,
            self.subject.edition,
            self.losses,
            self.absent,
            promised,
            self._tell_of_loss,
        )

    def _tell_of_loss(self, where: str, reason: str, left_out: str | None) -> None:
        self.emit(WorkerRestarted(self.subject.name, where, reason))
        if left_out is not None:
            self.note(left_out, 0)

    def judged(self, task: Task, trial: Trial) -> Judgement:
        """Run one trial and judge it, independent of what else was found."""
        observed = self._run(task, trial)
        self.losses.note(task.spec.name, trial, observed)
        judgement = self._judged(task, trial, observed)
        judgement.findings = [f for f in judgement.findings if f.aspect in task.aspects]
        self._drop_shape_failures(judgement, task.spec.name)
        return judgement

    @property
    def _lost(self) -> int:
        """How many workers were lost so far."""
        return self.session.losses + self.losses.elsewhere

    @property
    def prelude(self) -> Prelude:
        """How a script reaches the target, without the functions that the target lacks."""
        absent = self.absent | ({"int_shape"} if self.probes.shapeless else set())
        return reaching(self.subject.prelude, self.session.identity, absent)

    def _identify(self) -> TargetInfo:
        identity = self.session.identity
        for task in self.tasks:
            with self.errors.guard(task.spec.name, Stage.SIGNATURE):
                self._judge_signature(task, identity.functions[task.documented.name])
        documented = {*documented_names(self.subject.edition)} & identity.functions.keys()
        self.absent = frozenset(n for n in documented if not identity.functions[n].present)
        return TargetInfo(
            name=self.subject.name,
            edition=self.subject.edition,
            implementation=self.subject.implementation,
            versions=dict(sorted(identity.versions.items())),
            python=identity.python,
            drift=newer_release(self.session, self.subject.edition),
        )

    def _judge_signature(self, task: Task, identity: FunctionIdentity) -> None:
        """Judge the presence and the signature of one function."""
        tally = self.tallies[task.spec.name]
        tally.count(Aspect.PRESENCE)
        tally.note(signatures.presence(identity))
        tally.offered = signatures.shown(identity)
        if identity.present:
            tally.count(Aspect.SIGNATURE)
            document = task.spec.editions[task.edition]
            printed = task.spec.signatures[document].text
            found = signatures.signature(identity, task.documented, printed)
            tally.note(self._held(task, found))

    def _run_all(self, tasks: Sequence[Task]) -> None:
        """Run and judge all trials of the functions; the worker is sent a few trials ahead, which
        one that ended it may be a reason to skip."""
        waiting: list[Answered] = []
        present = [task for task in tasks if self._present(task)]
        for task, trial, seen in self._sending.answers(present):
            with self.errors.guard(task.spec.name, Stage.JUDGING):
                observed = self._plain(trial, seen)
                if waits(trial, observed):
                    waiting.append((task, trial, observed))
                else:
                    self._judge(task, trial, observed)
        for task, trial, observed in waiting:
            with self.errors.guard(task.spec.name, Stage.JUDGING):
                self._judge(task, trial, observed)
        self._run_configured(present)

    def _run_configured(self, tasks: Sequence[Task]) -> None:
        """Run and judge the trials that need a configured process; one process serves all trials of
        one configuration."""
        possible = (t for t in tasks if not self.stop.is_set() and t.spec.name not in self.errors)
        shared = by_setup((task, trial) for task in possible for trial in self._configured(task))
        for group in shared[: self.common.profile.setups]:
            if self.stop.is_set():
                return
            left = [(task, t) for task, t in group if not self._is_lost(task.spec.name, t)]
            for task, trial, observed in configured_answers(
                self.subject, left, self.errors, self.losses.patience_elsewhere
            ):
                self.losses.elsewhere += len(observed.incidents)
                with self.errors.guard(task.spec.name, Stage.JUDGING):
                    self._judge(task, trial, with_shortfalls(observed, self.subject.shortfalls))

    def _configured(self, task: Task) -> list[Trial]:
        """The trials of a function that need a configured process."""
        with self.errors.guard(task.spec.name, Stage.PLANNING):
            configured = [t for t in task.trials() if t.setup and not self.subject.lacking(t)]
            return [t for t in configured if not any(self.lacking(t))]
        return []

    def _skip(self, name: str, trial: Trial) -> bool:
        """Skip a trial that cannot be judged, and record why; whether it is skipped."""
        tally = self.tallies[name]
        if (lacking := next(self.lacking(trial), None)) is not None:
            tally.count_unmet(lacking)
        elif dtype := self.subject.lacking(trial):
            tally.lacking[dtype] += 1
            return True  # such a case takes no share of the settled ones
        elif trial.differentiates & self.probes.undifferentiable:
            own = differentiates(self.subject.edition)
            tally.note([NO_OWN_GRADIENT if own else NO_GRADIENT])
        elif self._holds_what_ends_the_worker(name, trial):
            tally.empty += 1
        elif self.probes.misreads(trial.batch.program):
            tally.misread += 1
        elif not self._is_lost(name, trial):
            return False
        tally.shares.leave_out(trial)
        return True

    def _is_lost(self, name: str, trial: Trial) -> bool:
        """Whether a trial is skipped because its call ends the worker or is slow; records it."""
        tally, losses = self.tallies[name], self.losses
        if losses.are_enough(name, trial):
            tally.skipped += 1
        elif losses.is_too_large(name, trial):
            tally.slow += 1
        elif (hanging := losses.hanging(name, trial.batch.program)) is not None:
            tally.hanging[hanging] += 1
        else:
            return False
        return True

    def lacking(self, trial: Trial) -> Iterator[str]:
        """The functions that a trial needs and the target lacks; a worker does without `eval`."""
        if self.absent:
            needed = trial.batch.program.functions()
            yield from (n for n in sorted(needed) if n in self.absent and n != "eval")

    def _run(
        self, task: Task, trial: Trial, patience: Patience | None = None
    ) -> StructureObservation:
        patience = patience or self.losses.patience(task.spec.name)
        self._sending.note(task.spec.name)
        if trial.setup is None:
            return self._plain(trial, self._sending.run(trial.batch, patience))
        with during(Stage.RUNNING):
            (observed,) = self.subject.run_configured([trial], patience)
        self.losses.elsewhere += len(observed.incidents)
        return with_shortfalls(observed, self.subject.shortfalls)

    def _plain(self, trial: Trial, observed: StructureObservation) -> StructureObservation:
        """The observation without what is no failure of the function under test."""
        observed = self.probes.unmarked(trial.batch.program, observed)
        observed = with_shortfalls(observed, self.subject.shortfalls)
        backend = self.session.identity.backend
        promised = promises_shapes(self.subject.edition, backend)
        return observed if promised else without_promise(observed)

    def _present(self, task: Task) -> bool:
        groups = self.tallies[task.spec.name].groups.values()
        return not any(g.finding.aspect is Aspect.PRESENCE for g in groups)

    def _holds_what_ends_the_worker(self, name: str, trial: Trial) -> bool:
        """Whether the trial has an array without elements that this target cannot hold.

        The functions that make tensors are tried all the same: the failure is theirs.
        """
        if name in _MAKERS or ConventionName.EMPTY not in trial.unsettled:
            return False
        return self.probes.holds_deadly(trial.batch.program)

    def _judge(
        self, task: Task, trial: Trial, observed: StructureObservation, *, twin: bool = False
    ) -> Judgement:
        """Judge what was observed, and keep what it shows."""
        name = task.spec.name
        try:
            with during(Stage.JUDGING):
                judgement = self._judged(task, trial, observed)
        except Exception as error:
            error.add_note(f"while judging {trial.described} on {self.subject.name}")
            raise
        judgement.findings = [f for f in judgement.findings if f.aspect in task.aspects]
        self._drop_shape_failures(judgement, name)
        if self.twins.keeps(task, trial, judgement, twin=twin):
            self.tallies[name].add(judgement, trial, task.stage(trial))
        self.losses.note(name, trial, observed)
        if self.losses.spend(self.session.pace.lost):
            self.stop.set()
        known = self.known.setdefault(name, {})
        shown = frozenset(map(symptom, judgement.findings))
        known[trial.key] = known.get(trial.key, frozenset()) | shown
        self._count(name, observed, judgement.failed)
        if isinstance(trial, CallTrial):
            trial.prepared.forget(0 if self.common.alone else MOST_KEPT)
        return judgement

    def _judged(self, task: Task, trial: Trial, observed: StructureObservation) -> Judgement:
        """What counts for this target; a smaller trial may need a dtype that the target lacks."""
        if self.subject.lacking(trial):
            return Judgement()
        judgement = self.consistency.judged(task, trial, observed)
        judgement.findings = self._held(task, judgement.findings, trial)
        return judgement

    def _held(
        self, task: Task, findings: Iterable[Finding], trial: Trial | None = None
    ) -> list[Finding]:
        """The findings, as they count for a release after the document, and for a successor."""
        subject, name = self.subject, task.documented.name
        offered = self.session.identity.functions[name]
        held = Release(task.spec, task.edition, subject.follows, offered).held(findings, trial)
        return changes(held, name, subject.replacements)

    def _run_twin(self, task: Task, twin: Trial) -> bool:
        """Run and judge a twin, unless it was or must not be; whether its inputs could be made."""
        name = task.spec.name
        if self.twins.was_run(task, twin):
            known = self.known[name][twin.key]
            return all(one.identity[1] != FindingKind.UNMADE_INPUT for one in known)
        if self.stop.is_set() or self._skip(name, twin):
            return False
        return not unmade(self._judge(task, twin, self._run(task, twin), twin=True))

    def _drop_shape_failures(self, judgement: Judgement, name: str) -> None:
        """Remove findings that say what `int_shape` does wrong for every function."""
        kept = [f for f in judgement.findings if (f.kind, f.detail) != self.probes.shapeless]
        if len(kept) < len(judgement.findings):
            self.tallies[name].note([NO_SHAPE])
            judgement.findings = kept

    def _begin(self, name: str, before: str) -> None:
        if not self.survey:
            self.emit(FunctionStarted(self.subject.name, name, before))

    def _count(self, name: str, observed: StructureObservation, failed: int) -> None:
        done = sum(not isinstance(d.outcome, NotRun) for d in observed.draws)
        tally = self.tallies[name]
        tally.executed += done
        tally.inside += observed.seconds.total
        self._charge(tally)
        with during(Stage.ANNOUNCING):
            self.emit(CasesDone(self.subject.name, name, done, failed))
            for reason in why_restarted(observed):
                self.emit(WorkerRestarted(self.subject.name, name, reason))

    def _charge(self, tally: Tally) -> None:
        """Add the time since the last call of this method to the function's."""
        now = time.monotonic()
        tally.seconds += now - self._mark
        self._mark = now

    def _finish(self, task: Task, losses: int) -> Examined:
        name, tally = task.spec.name, self.tallies[task.spec.name]
        groups: list[Group] = []
        with self.errors.guard(name, Stage.MINIMISING):
            groups = self._smaller(task, [] if name in self.errors else tally.failures())
        if self.common.locate and not self.survey:
            with self.errors.guard(name, Stage.LOCATING):
                groups = self._locating.located(task, groups, self.known.get(name, {}), tally)
        self._charge(tally)
        unfinished = (self.stop.is_set() or self.survey) and self._present(task)
        result = None
        with self.errors.guard(name, Stage.RECORDING):
            result = function_result(
                tally, groups, task.theme, self.prelude, partial(origin, task), partial=unfinished
            )
        error = self.errors.by_function.get(name)
        if error is not None or result is None:
            result, unfinished = self.errors.result(task, tally.offered), True
        spent = Spent(
            cases=tally.executed,
            seconds=round(tally.seconds, 3),
            seconds_in_target=round(tally.inside + tally.inside_besides, 6),
            restarts=self._lost - losses,
        )
        return Examined(result, spent, not unfinished, tally.inside, error)

    def _smaller(self, task: Task, groups: list[Group]) -> list[Group]:
        """The failures, the gravest of them with smaller cases, and none with long arrays."""
        minimiser = self._minimiser(task)
        for place, group in enumerate(groups):
            smaller = minimiser.minimise if place < MOST_MINIMISED else minimiser.shorten
            try:
                groups[place] = smaller(group)
            except SessionAbortedError:
                self.stop.set()
        return folded(groups)

    def _minimiser(self, task: Task) -> Minimiser:
        def strategy(trial: Trial) -> SearchStrategy[Trial] | None:
            source = task.source(trial)
            return None if source is None else source.strategy

        def choices(trial: Trial) -> bytes:
            source = task.source(trial)
            return b"" if source is None else source.choices

        tally, profile = self.tallies[task.spec.name], task.profile

        def run(trial: Trial) -> StructureObservation:
            observed = self._run(task, trial, self.losses.haste(task.spec.name))
            tally.inside_besides += observed.seconds.total
            return observed

        return Minimiser(
            run=run,
            strategy=strategy,
            choices=choices,
            seed=task.own_seed,
            budget=lambda g: profile.shrink if g.finding.contradicts else profile.shrink_other,
            known=self.known.get(task.spec.name, {}),
            ended=self.stop.is_set,
            judge=partial(self._judged, task),
        )
