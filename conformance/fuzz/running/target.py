"""The programs of one target, run by its workers in threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from msgspec import UNSET

from conformance.adapters.session import Session, SessionAbortedError, WorkerStartError
from conformance.editions import Edition, compiles
from conformance.engine import Shard, Stop, Subject
from conformance.engine.running.machine import machine
from conformance.fuzz.blame.explaining import Experience, Explainer
from conformance.fuzz.judging import Question, judged
from conformance.fuzz.making.composing import composed
from conformance.fuzz.making.growth import SIZE, ComposedProgram, Plan
from conformance.fuzz.making.pairs import blocks
from conformance.fuzz.programs import Way, way_of_number
from conformance.fuzz.records.tally import REASON, ProgramTally, tally_of
from conformance.fuzz.running.recheck import OnceMore, program_of
from conformance.observations import Batch
from conformance.program import Binding, Input, Program
from conformance.results import (
    Aspect,
    AspectResult,
    FunctionResult,
    Results,
    RunInfo,
    TargetInfo,
    summarise,
)
from conformance.results.composed import PROFILE, verdict_of
from conformance.results.events import (
    CasesDone,
    Event,
    TargetFinished,
    TargetProgressed,
    TargetStarted,
    TargetUnavailable,
)
from conformance.specs import load

CHUNK, LONG_CHUNK = 10, 20
"""Programs that a worker runs at a time, in a short and a long run; results grow by whole chunks.
Within a chunk, whose programs do not depend on the workers, the same error is explained once."""
AFRESH = 10
"""One chunk in this number does not take the explanations of the first chunk."""
PATIENCE = 0.1
"""Seconds after which a worker that waits for the first chunk looks whether the run is to end."""
LONG = 2000
"""Programs of a run whose chunks are long."""
CHECKPOINT = 10.0
"""Seconds after which partial results are announced again."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """The settings that all targets of a run of composed programs share."""

    seed: int
    suite_version: str
    started: str
    programs: int | None = None
    size: tuple[int, int] = SIZE
    functions: frozenset[str] = frozenset()
    """Each program calls one of these functions; any function, if it is empty."""
    selection: str | None = None
    shard: Shard | None = None
    max_time: float | None = None
    chunk: int | None = None
    """Programs that a worker runs at a time; None for what suits their number."""
    again: bool = False
    """Whether the suite repeats failures that an earlier start filed."""

    @property
    def chunks_of(self) -> int:
        """How many programs a worker runs at a time."""
        long = self.count is None or self.count >= LONG
        return self.chunk or (LONG_CHUNK if long else CHUNK)

    @property
    def count(self) -> int | None:
        """How many programs this shard has; None if there is no end."""
        if self.programs is None:
            return None
        return len(self.numbers_below(self.programs))

    def end(self, edition: Edition) -> int:
        """How many programs of this shard are run at most: without a number, as many as the plan of
        pairs has."""
        if self.count is not None:
            return self.count
        return len(self.numbers_below(len(blocks(self.plan(edition)))))

    def numbers_below(self, stop: int) -> range:
        """The numbers of the programs of the shard below `stop`."""
        part, parts = (1, 1) if self.shard is None else (self.shard.part, self.shard.parts)
        return range(part - 1, stop, parts)

    def plan(self, edition: Edition) -> Plan:
        """The plan of the programs for targets of an edition."""
        return Plan(edition, self.seed, self.size, self.functions)

    def numbers(self, start: int, stop: int) -> range:
        """The numbers of the programs of the shard from its `start`-th up to its `stop`-th."""
        part, parts = (1, 1) if self.shard is None else (self.shard.part, self.shard.parts)
        return range(part - 1 + start * parts, part - 1 + stop * parts, parts)


@dataclass(slots=True)
class TargetRun:
    """The programs of one target: handed out in chunks, judged, and counted in their order."""

    subject: Subject
    campaign: Campaign
    emit: Callable[[Event], None]
    stop: Stop
    previous: Results | None = None
    reason: str = ""
    lost: bool = False
    _next: int = 0
    _done: dict[int, ProgramTally] = field(default_factory=dict)
    """Chunks that were run before an earlier one was, by where they begin."""
    _tally: ProgramTally = field(default_factory=ProgramTally)
    _counted: int = 0
    _restarts: int = 0
    _info: TargetInfo | None = None
    _begun: float = 0.0
    _announced: float = field(default_factory=time.monotonic)
    _first: threading.Event = field(default_factory=threading.Event)
    """Set once the first chunk is counted."""
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _sessions: set[Session] = field(default_factory=set)
    _again: OnceMore = field(default_factory=OnceMore)
    _compiles: bool = True
    """Whether the backend compiles programs."""

    def __post_init__(self) -> None:
        if self.previous is not None:
            self._tally = tally_of(self.previous)
            if self.campaign.again:
                self._again.waiting = [*self._tally.failures.values()]
            self._next = self._counted = self._tally.counts["programs"]
        if self._counted:
            self._first.set()

    @property
    def left(self) -> int | None:
        """How many programs are to be run."""
        count = self.campaign.count
        return None if count is None else max(0, count - self._counted)

    @property
    def planned(self) -> int:
        """The number of programs to run, and of failures to repeat, if time allows."""
        end = self.campaign.end(self.subject.edition)
        return max(0, end - self._counted) + self.waiting

    @property
    def waiting(self) -> int:
        """The number of failures of an earlier start to repeat."""
        return len(self._again.waiting)

    @property
    def failure_count(self) -> int:
        """How many different failures of composition were found so far."""
        return len(self._tally.failures)

    def work(self, worker: int) -> None:
        """Run chunks until there are none, or the run is to end."""
        with self._lock:  # until then it waited for the workers of other targets
            self._begun = self._begun or time.monotonic()
        try:
            with self.subject.open((), worker) as session:
                with self._lock:
                    self._sessions.add(session)
                self._introduce(session)
                self._look_again(session)
                for start, stop in self._chunks():
                    self._record(start, self._run(session, start, stop))
                self._restarts += session.losses
        except WorkerStartError as error:
            self._lose(str(error))
        except SessionAbortedError:
            self.stop.set()

    def abort(self) -> None:
        """Kill the workers."""
        with self._lock:
            for session in self._sessions:
                session.abort()

    def _chunks(self) -> Iterator[tuple[int, int]]:
        begun = False  # a worker that took all the time to start runs one chunk nevertheless
        while not self.lost and not (begun and self.stop.is_set()):
            begun = True
            with self._lock:
                end = self.campaign.end(self.subject.edition)
                stop = min(end, self._next + self.campaign.chunks_of)
                start, self._next = self._next, stop
            if start >= stop:
                return
            yield start, stop

    def _look_again(self, session: Session) -> None:
        """Make and explain the programs of earlier failures again."""
        while not self.stop.is_set():
            with self._lock:
                if not self._again.waiting:
                    return
                old = self._again.waiting.pop()
            shown = self._explained(session, [program_of(old)], Experience)
            with self._lock:
                self._again.seen.append((old, shown))
            self.emit(CasesDone(self.subject.name, old.function, 1, len(shown.failures)))

    def _introduce(self, session: Session) -> None:
        identity = session.identity
        with self._lock:
            first = self._info is None
            self._info = TargetInfo(
                name=self.subject.name,
                edition=self.subject.edition,
                implementation=self.subject.implementation,
                versions=dict(identity.versions),
                python=identity.python,
            )
            self._compiles = compiles_programs(session, self.subject.edition)
        if first:
            self.emit(TargetStarted(self._info))

    def _lose(self, reason: str) -> None:
        with self._lock:
            first, self.lost = not self.lost, True
        if first:
            self.emit(TargetUnavailable(self.subject.name, reason, self.subject.cure))

    def _run(self, session: Session, start: int, stop: int) -> ProgramTally:
        """The tally of the programs of one chunk; of the first ones if the run is to end."""
        numbers = self.campaign.numbers(start, stop)
        return self._explained(session, numbers, lambda: self._experience(start))

    def _explained(
        self, session: Session, numbers: Sequence[int], experience: Callable[[], Experience]
    ) -> ProgramTally:
        tally = ProgramTally()
        plan = self.campaign.plan(self.subject.edition)
        programs = [composed(plan, n) for n in numbers]
        questions = [question_of(program, compiled=self._compiles) for program in programs]
        answers = [observed for _, observed in session.run_batches(self._batches(questions))]
        known = experience()
        subject, seed = self.subject, self.campaign.seed
        explainer = Explainer(session, tally, known, subject.prelude, seed, subject.replacements)
        for program, question, observed in zip(programs, questions, answers, strict=False):
            result = judged(question, observed)
            if result.differences and self.stop.is_set() and tally.counts["programs"]:
                break  # there is no time to explain it
            tally.count(program, result)
            if result.differences:
                explainer.explain(program, question, result.differences)
        return tally

    def _batches(self, questions: Sequence[Question]) -> Iterator[Batch]:
        """The batches to send, until the run is to end."""
        for number, question in enumerate(questions):
            if number and self.stop.is_set():
                return
            yield question.batch

    def _experience(self, start: int) -> Experience:
        """The experience by which a chunk may explain its programs: the findings of the first
        chunk, which it waits for.

        Some chunks explain everything for themselves, as one error may have several causes."""
        if start // self.campaign.chunks_of % AFRESH == 0:
            return Experience()
        while not self._first.wait(PATIENCE):
            if self.lost or self.stop.is_set():
                return Experience()
        first = self.campaign.numbers(0, self.campaign.chunks_of)
        with self._lock:
            filed = {program_of(f): f for f in self._tally.failures.values()}
        return Experience.of(filed[n] for n in sorted(filed) if n in first)

    def _record(self, start: int, tally: ProgramTally) -> None:
        """Count a chunk once all before it are counted: the report shows the first ones."""
        with self._lock:
            self._done[start] = tally
            while self._counted in self._done:
                ready = self._done.pop(self._counted)
                self._tally.merge(ready)
                self._counted += ready.counts["programs"]
                self._first.set()
            due = time.monotonic() - self._announced > CHECKPOINT
            if due:
                self._announced = time.monotonic()
                self.emit(TargetProgressed(self._results()))
        done = tally.counts["programs"]
        failed = sum(filed.failure.count for filed in tally.failures.values())
        self.emit(CasesDone(self.subject.name, "composed programs", done, failed))

    def finish(self) -> None:
        """Announce the results of all programs up to the first that was not run."""
        if self._info is not None and not self.lost:
            self._again.settle(self._tally)
            self.emit(TargetFinished(self._results()))

    def _results(self) -> Results:
        assert self._info is not None
        functions = [self._function(name) for name in self._functions()]
        return Results(
            target=self._info,
            run=self._run_info(),
            summary=summarise(functions),
            functions=functions,
            composed=self._tally.composed(
                self.campaign.plan(self.subject.edition),
                self.campaign.numbers(0, self._tally.counts["programs"]),
            ),
        )

    def _functions(self) -> Sequence[str]:
        filed = {item.function for item in self._tally.failures.values()}
        return sorted({*self._tally.cases, *self._tally.blamed, *filed})

    def _function(self, name: str) -> FunctionResult:
        filed = [f.failure for f in self._tally.failures.values() if f.function == name]
        blame = self._tally.blamed[name]
        note = f"{blame}{REASON}{self._tally.reasons.get(name, 'the results told no reason')}"
        aspect = AspectResult(
            aspect=Aspect.VALUE,
            verdict=verdict_of(filed, self._tally.cases[name]),
            cases=self._tally.cases[name],
            failures=sorted(filed, key=lambda failure: failure.id),
            note=note if blame else UNSET,
        )
        return FunctionResult(name, load().theme(name), [aspect])

    def _run_info(self) -> RunInfo:
        before = None if self.previous is None else self.previous.run
        wall = (
            time.monotonic()
            - (self._begun or time.monotonic())
            + (before.seconds if before else 0.0)
        )
        complete = not self.left
        common = self.campaign
        return RunInfo(
            suite_version=common.suite_version,
            profile=PROFILE,
            seed=common.seed,
            started=before.started if before else common.started,
            seconds=round(wall, 3),
            cases=self._tally.counts["programs"],
            seconds_in_target=0.0,
            selection=common.selection,
            complete=complete,
            restarts=self._restarts,
            workers=self.subject.workers,
            shard=UNSET if common.shard is None else str(common.shard),
            machine=machine(),
            ended_by=(self.reason or "the time limit") if not complete else UNSET,
        )


def question_of(program: ComposedProgram, *, compiled: bool = True) -> Question:
    """The question that a program is for a target, which may compile programs or not."""
    way = way_of_number(program.number, program.edition)
    return Question(
        program.program,
        program.arrays,
        program.edition,
        frozenset(program.cuts),
        program.courses,
        Way.EAGER if way is Way.COMPILED and not compiled else way,
    )


def compiles_programs(session: Session, edition: Edition) -> bool:
    """Whether the backend compiles a program that gives its input."""
    item = Input("x", (2,), "float32", Binding.CONSTANT)
    numbers = {"x": np.ones(2, "float32")}
    program = Program((item,), (), ("x",))
    if not compiles(edition):
        return False
    question = Question(program, [numbers], edition, way=Way.COMPILED)
    return not judged(question, session.run_batch(question.batch)).differences
