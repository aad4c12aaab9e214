"""The events that the engine announces while it works. Reports rest on these alone."""

from __future__ import annotations

from msgspec import Struct

from conformance.results.model import FunctionResult, Results, TargetInfo


class RunStarted(Struct, frozen=True):
    """Once, first: which targets, and how many cases of how many functions are planned for each."""

    planned: dict[str, int]
    functions: dict[str, int] = {}
    seconds: float | None = None
    """An estimate of the duration of the run, if there is one."""


class TargetStarted(Struct, frozen=True):
    """A target's worker answered."""

    target: TargetInfo


class TargetUnavailable(Struct, frozen=True):
    """A target cannot be run at all; `hint` is the command or step that cures it."""

    name: str
    reason: str
    hint: str


class FunctionStarted(Struct, frozen=True):
    """A worker has a case of another function now than before, outside of a survey."""

    target: str
    function: str
    before: str = ""
    """The function that the same worker had; it may go on later."""


class CasesDone(Struct, frozen=True):
    """`cases` more cases of `function` were executed and judged (`failed` of them failed)."""

    target: str
    function: str
    cases: int
    failed: int


class FunctionJudged(Struct, frozen=True):
    """All aspects of one function have their verdict."""

    target: str
    result: FunctionResult


class SuiteFailed(Struct, frozen=True):
    """The suite itself failed in one function, whose verdict is `error`; the run goes on."""

    target: str
    function: str
    stage: str
    """The activity of the suite, in words that follow `while`."""
    error: str
    """The exception in one line: `TypeError: its message`."""
    traceback: str


class WorkerRestarted(Struct, frozen=True):
    """A worker died or hung and was started again."""

    target: str
    function: str
    reason: str


class PlanShortened(Struct, frozen=True):
    """A part of a target's plan is left out because its workers hang or die."""

    target: str
    reason: str


class TargetProgressed(Struct, frozen=True):
    """From time to time: `results` is what is known so far of a target that is not done."""

    results: Results


class TargetFinished(Struct, frozen=True):
    """A target is done; `results` is what its file holds."""

    results: Results


class RunFinished(Struct, frozen=True):
    """Once, last. `interrupted` after Ctrl-C."""

    seconds: float
    interrupted: bool


Event = (
    RunStarted
    | TargetStarted
    | TargetUnavailable
    | FunctionStarted
    | CasesDone
    | FunctionJudged
    | SuiteFailed
    | WorkerRestarted
    | PlanShortened
    | TargetProgressed
    | TargetFinished
    | RunFinished
)
