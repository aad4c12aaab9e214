"""The trials of functions on their way to a worker: sent a few ahead of its answers.

An exception of the suite's own code on that way breaks the order of requests and answers. Then the
worker is ended, and what it was sent is run one by one, each in whatever worker is there: the
function whose trial raises again is the one that had the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from conformance.adapters.patience import USUAL, Patience
from conformance.adapters.session import Session
from conformance.engine.judging.trials import Trial
from conformance.engine.planning.plan import Task
from conformance.engine.running.stop import Stop
from conformance.engine.running.subject import Subject
from conformance.engine.running.suite_errors import FunctionErrors, Stage, during, passes
from conformance.observations import Batch, StructureObservation

Answered = tuple[Task, Trial, StructureObservation]
"""A trial of a function, and the answer of the worker."""


class SentTrial(NamedTuple):
    """A trial, and the part of it that the worker gets."""

    task: Task
    trial: Trial
    batch: Batch


@dataclass(slots=True)
class Sending:
    """Sends the trials of functions to the worker of a session."""

    session: Session
    errors: FunctionErrors
    stop: Stop
    skip: Callable[[str, Trial], bool]
    """Whether a trial of a function is not to be run; notes why."""
    patience: Callable[[str], Patience] = lambda _: USUAL
    """How the host treats the next trial of a function if it ends the worker."""
    begin: Callable[[str, str], None] = lambda *_: None
    """Called with a function when the worker has its trial, and the function that it had before."""
    _queue: list[SentTrial] = field(default_factory=list)
    """Trials that were sent and not answered."""
    _running: str = ""
    """The function whose trial the worker has."""

    def answers(self, tasks: Sequence[Task]) -> Iterator[Answered]:
        """Every trial that needs no process of its own, with its answer, in order."""
        source = self._batches(tasks)
        while True:
            try:
                with during(Stage.RUNNING):
                    yield from self._answered(source)
            except Exception as error:
                if passes(error) or not self._queue:
                    raise
                self.session.renew()
                yield from self._one_by_one(error)
            else:
                return

    def _answered(self, source: Iterator[Batch]) -> Iterator[Answered]:
        for _, seen in self.session.run_batches(source, self._still, self._patience):
            sent = self._queue.pop(0)
            self._note_oldest()
            yield sent.task, sent.trial, seen

    def _batches(self, tasks: Sequence[Task]) -> Iterator[Batch]:
        for task in tasks:
            if self.stop.is_set() or task.spec.name in self.errors:
                continue
            with self.errors.guard(task.spec.name, Stage.PLANNING):
                yield from self._of(task)

    def _of(self, task: Task) -> Iterator[Batch]:
        name = task.spec.name
        for trial in task.trials():
            if self.stop.is_set() or name in self.errors:
                return
            if trial.setup is None and not self.skip(name, trial):
                self._queue.append(SentTrial(task, trial, trial.batch))
                self._note_oldest()
                yield self._queue[-1].batch

    def note(self, name: str) -> None:
        """Announce the function whose trial the worker has now, if it had another one before."""
        if name != self._running:
            before, self._running = self._running, name
            self.begin(name, before)

    def _note_oldest(self) -> None:
        """The worker has the oldest trial that is not answered."""
        if self._queue:
            self.note(self._queue[0].task.spec.name)

    def _still(self, batch: Batch) -> bool:
        """Whether a batch of the queue is still to be run; if it is not, it leaves the queue."""
        (place,) = (i for i, sent in enumerate(self._queue) if sent.batch is batch)
        skipped = self._is_over(self._queue[place])
        if skipped:
            del self._queue[place]
        return not skipped

    def _patience(self, batch: Batch) -> Patience:
        (name,) = (sent.task.spec.name for sent in self._queue if sent.batch is batch)
        return self.patience(name)

    def _is_over(self, sent: SentTrial) -> bool:
        name = sent.task.spec.name
        with self.errors.guard(name, Stage.PLANNING):
            return name in self.errors or self.skip(name, sent.trial)
        return True

    def _one_by_one(self, error: Exception) -> Iterator[Answered]:
        """Run what was sent, after an error; if none of it raises, the oldest had the error."""
        sent_before, self._queue = self._queue, []
        again = False
        for sent in sent_before:
            if self._is_over(sent):
                continue
            seen = None
            with self.errors.guard(sent.task.spec.name, Stage.RUNNING):
                seen = self.run(sent.batch, self.patience(sent.task.spec.name))
            if seen is None:
                again = True
            else:
                yield sent.task, sent.trial, seen
        if not again:
            self.errors.note(sent_before[0].task.spec.name, error)

    def run(self, batch: Batch, patience: Patience) -> StructureObservation:
        """The answer to one batch; after an error of the suite the worker is ended."""
        try:
            with during(Stage.RUNNING):
                return self.session.run_batch(batch, patience)
        except Exception as error:
            if not passes(error):
                self.session.renew()
            raise


def configured_answers(
    subject: Subject,
    group: Sequence[tuple[Task, Trial]],
    errors: FunctionErrors,
    patience: Patience,
) -> Iterator[Answered]:
    """The answers to trials with one setup, if there are any, in a process that is set up for them.

    After an error of the suite each function's trials are run by themselves, as in `Sending`.
    """
    functions = list(dict.fromkeys(task.spec.name for task, _ in group))
    if not group:
        return
    try:
        with during(Stage.RUNNING):
            seen = subject.run_configured([trial for _, trial in group], patience)
    except Exception as error:
        if passes(error):
            raise
        before = len(errors.by_function)
        for name in functions if len(functions) > 1 else ():
            own = [(task, trial) for task, trial in group if task.spec.name == name]
            yield from configured_answers(subject, own, errors, patience)
        if len(errors.by_function) == before:
            errors.note(functions[0], error)
        return
    yield from ((task, trial, found) for (task, trial), found in zip(group, seen, strict=True))
