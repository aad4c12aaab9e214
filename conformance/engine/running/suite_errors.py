"""An error of the suite itself, which costs the function that it occurred in and nothing else.

The examination of a function goes through the stages of `Stage`. What raises in one of them is
caught by `FunctionErrors.guard`: the function has the verdict `error`, and the run goes on with the
next one. `during` names the inner stage: if a case raises while a failure is minimised, the message
says `running a case`.

Some exceptions concern more than a function, and pass: those that end the session or the run, a
lack of memory or threads, and whatever an event raises that is announced meanwhile.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

from msgspec import UNSET

from conformance.adapters.session import SessionAbortedError, WorkerStartError
from conformance.engine.judging.messages import named_error
from conformance.engine.planning.plan import Task
from conformance.results import ASPECTS, AspectResult, FunctionResult, Verdict
from conformance.results.events import SuiteFailed

_PASSING = (SessionAbortedError, WorkerStartError, BrokenPipeError, MemoryError)
_STAGE = "conformance_stage"
"""The attribute of an exception that names the stage."""


class SuiteFailureError(RuntimeError):
    """An error of the suite in a function, for callers to whom it means that nothing is known."""

    def __init__(self, failed: SuiteFailed) -> None:
        self.failed = failed
        super().__init__(
            f"{failed.function} on {failed.target}, while {failed.stage}: {failed.error}"
        )
        self.add_note(failed.traceback)


class Stage(StrEnum):
    """What the suite does with a function, in words that follow `while`."""

    SIGNATURE = "judging its presence and signature"
    REMEMBERED = "trying cases of earlier runs"
    PLANNING = "planning its cases"
    RUNNING = "running a case"
    JUDGING = "judging an answer"
    TWINS = "trying again what was refused"
    MINIMISING = "making its failures smaller"
    LOCATING = "ranking the lines that may be the cause"
    RECORDING = "recording its result"
    ANNOUNCING = "announcing an event"
    """This one is not of the function: what is raised there passes."""


@contextmanager
def during(stage: Stage) -> Iterator[None]:
    """Name the stage in which an exception is raised; the innermost name stays."""
    try:
        yield
    except Exception as error:
        if getattr(error, _STAGE, None) is None:
            setattr(error, _STAGE, stage)
        raise


def passes(error: Exception) -> bool:
    """Whether an exception concerns more than one function."""
    no_thread = isinstance(error, RuntimeError) and str(error) == "can't start new thread"
    of_users = bool(getattr(error, "for_users", False))
    announced = getattr(error, _STAGE, None) is Stage.ANNOUNCING
    return isinstance(error, _PASSING) or no_thread or of_users or announced


@dataclass(slots=True)
class FunctionErrors:
    """The errors of the suite in the functions of one target, the first one of each function."""

    target: str
    by_function: dict[str, SuiteFailed] = field(default_factory=dict)

    def __contains__(self, function: str) -> bool:
        return function in self.by_function

    @contextmanager
    def guard(self, function: str, stage: Stage) -> Iterator[None]:
        """A block of which an error costs the function: it is noted, and the block is left."""
        try:
            with during(stage):
                yield
        except Exception as error:
            if passes(error):
                raise
            self.note(function, error)

    def note(self, function: str, error: Exception) -> None:
        """Note what cost a function, unless something else has before."""
        stage = str(getattr(error, _STAGE, None) or Stage.RUNNING)
        failed = SuiteFailed(
            target=self.target,
            function=function,
            stage=stage,
            error=named_error(type(error).__name__, str(error)),
            traceback="".join(traceback.format_exception(error)).rstrip(),
        )
        self.by_function.setdefault(function, failed)

    def result(self, task: Task, signature: str | None) -> FunctionResult:
        """The result of a function that had an error: nothing is known of any aspect."""
        failed = self.by_function[task.spec.name]
        note = f"the suite failed while {failed.stage}: {failed.error}"
        aspects = [
            AspectResult(aspect=aspect, verdict=Verdict.ERROR, cases=0, note=note)
            for aspect in ASPECTS
            if aspect in task.aspects
        ]
        return FunctionResult(task.spec.name, task.theme, aspects, signature or UNSET)
