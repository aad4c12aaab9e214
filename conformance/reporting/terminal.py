"""The report on the terminal: progress while it runs, then matrix, failures and scores."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import UNSET
from rich.console import Console
from rich.text import Text

from conformance.reporting.causes import cause, shared
from conformance.reporting.failures import Quote, nothing
from conformance.reporting.listing import ListedFailure
from conformance.reporting.matrix import LABEL_WIDTH, MatrixColumn, column, labels, matrix
from conformance.reporting.paint import Paint, make_console
from conformance.reporting.progress import (
    Heartbeat,
    LiveProgress,
    running_words,
    time_left,
)
from conformance.reporting.safe_text import counted
from conformance.reporting.summary import (
    RESUME,
    SEE,
    drift_text,
    plan_line,
    reading_lines,
    score_line,
    shared_failure_lines,
    shared_failures,
    target_lines,
    time_line,
    unreached,
)
from conformance.reporting.writer import ResultsCollector
from conformance.results import Aspect, AspectResult, FunctionResult, Verdict
from conformance.results.composed import coverage
from conformance.results.events import (
    CasesDone,
    Event,
    FunctionJudged,
    FunctionStarted,
    PlanShortened,
    RunFinished,
    RunStarted,
    SuiteFailed,
    TargetFinished,
    TargetProgressed,
    TargetStarted,
    TargetUnavailable,
    WorkerRestarted,
)
from conformance.results.scores import is_absent, suite_errors

ABSENT = "the function is absent"
_NAMES = 8
"""So many functions are named for a reason."""


@dataclass(slots=True)
class MissingReason:
    """One reason, and the functions that are missing for it."""

    says: str
    functions: dict[str, None] = field(default_factory=dict)
    aspects: int = 0


def missing_reasons(functions: Iterable[FunctionResult]) -> list[MissingReason]:
    """The reasons of everything that is unsupported, those of most aspects first."""
    results = list(functions)
    absent = {f.function for f in results if is_absent(f)}
    reasons: dict[str, MissingReason] = {}
    for function in results:
        for aspect in function.aspects:
            if aspect.verdict is Verdict.UNSUPPORTED:
                says = _reason(function, aspect, absent)
                reason = reasons.setdefault(says, MissingReason(says))
                reason.functions[function.function] = None
                reason.aspects += 1
    return sorted(reasons.values(), key=lambda reason: -reason.aspects)


def _reason(function: FunctionResult, aspect: AspectResult, absent: set[str]) -> str:
    if function.function in absent:
        return ABSENT
    for failure in aspect.failures:
        if failure.verdict is Verdict.UNSUPPORTED:
            return cause(ListedFailure(function.function, aspect, failure))
    needed = _OBSERVED_BY.get(aspect.aspect)
    if needed is not None:
        return f"{needed} is absent" if needed in absent else f"the target shows no {aspect.aspect}"
    return aspect.note if aspect.note is not UNSET else "no case ran"


_OBSERVED_BY: Mapping[Aspect, str] = {
    Aspect.GRADIENT: "gradients",
    Aspect.STATIC_SHAPE: "int_shape",
}
"""The function without which an aspect of another one cannot be seen."""


def missing_lines(
    columns: Sequence[MatrixColumn], short: Sequence[str], paint: Paint, limit: int | None
) -> Iterator[Text]:
    """For each target the reasons for unsupported functions, with the functions."""
    for entry, label in zip(columns, short, strict=True):
        reasons = missing_reasons(entry.functions.values())
        for reason in reasons[:limit]:
            count = f"{reason.aspects} aspect{'s' * (reason.aspects != 1)}"
            names = shared(list(reason.functions), _NAMES if limit else len(reason.functions))
            text = f"{reason.says}: {count} of {names}  [{label}]"
            yield Text.assemble(paint.mark(Verdict.UNSUPPORTED), " ", paint.text(text))
        if limit is not None and len(reasons) > limit:
            yield paint.text(
                f"  and {counted(len(reasons) - limit, 'rarer reason')}; --verbose lists all"
            )


LISTED = 15
"""How many failures are listed if not all."""
REASONS = 3
"""How many reasons for a target's gaps are listed if not all."""
RESTARTS = 5
"""In how many functions a worker may be lost for a reason before the next is left to the end."""
HEARTBEAT = 10.0
"""Seconds after which a pipe that nothing was written to gets a line on how far the run is."""


class _Partial:
    """The known facts about a target that has not finished."""

    def __init__(self) -> None:
        self.edition = ""
        self.cases = self.failed = 0
        self.functions: dict[str, FunctionResult] = {}
        self.pairs = ""
        self.started: float | None = None
        self.running: dict[str, float] = {}
        """When each function started that a worker has now."""


class TerminalWriter:
    """Shows a person the progress of a run, and its results.

    On a terminal there are live bars. A pipe gets one line for each finished target, and one on how
    far the run is every `heartbeat` seconds, without control characters. `quiet` leaves the scores
    only, `verbose` lists every failure and restart; `quote` gives the lines that failures cite,
    `see` says how to see their cases, `resume` how to complete a run that ended early.
    """

    def __init__(
        self,
        console: Console | None = None,
        *,
        verbose: bool = False,
        quiet: bool = False,
        limit: int = LISTED,
        heartbeat: float = HEARTBEAT,
        quote: Quote = nothing,
        see: str = SEE,
        resume: str = RESUME,
    ) -> None:
        self.console = console or make_console()
        self.paint = Paint(self.console)
        self.verbose, self.quiet, self.quote = verbose, quiet, quote
        self.see, self.resume = see, resume
        self.limit = None if verbose else limit
        self._collected = ResultsCollector()
        self.planned: dict[str, int] = {}
        self._partial: dict[str, _Partial] = {}
        self._restarts: dict[str, dict[str, list[str]]] = {}
        live = self.console.is_terminal and not self.console.is_dumb_terminal and not quiet
        self._live = LiveProgress(self.console, self.paint, enabled=live)
        self._heartbeat = None if live or quiet else Heartbeat(self._how_far, heartbeat)
        self._lock = threading.RLock()
        self._functions: dict[str, int] = {}
        self._handlers: dict[type, Callable[[Any], None]] = {
            RunStarted: self._run_started,
            TargetStarted: self._target_started,
            TargetUnavailable: self._target_unavailable,
            FunctionStarted: self._function_started,
            CasesDone: self._cases_done,
            FunctionJudged: self._function_judged,
            SuiteFailed: self._suite_failed,
            WorkerRestarted: self._worker_restarted,
            PlanShortened: self._plan_shortened,
            TargetProgressed: self._target_progressed,
            TargetFinished: self._target_finished,
            RunFinished: self._run_finished,
        }

    def handle(self, event: Event) -> None:
        """Show the changes of the event.

        Raises:
            SystemExit, OSError: nobody reads the output any more.
        """
        with self._lock:
            self._tell_of_heartbeat()
            self._collected.handle(event)
            self._handlers[type(event)](event)

    def _tell_of_heartbeat(self) -> None:
        """Raise once the error that ended the heartbeat. Only this thread can report it."""
        if self._heartbeat is not None and self._heartbeat.failed is not None:
            failed, self._heartbeat.failed = self._heartbeat.failed, None
            raise failed

    def close(self) -> None:
        """Give the terminal back, also if the run broke off."""
        self._live.stop()
        if self._heartbeat is not None:
            self._heartbeat.stop()

    def _run_started(self, event: RunStarted) -> None:
        self.planned, self._functions = dict(event.planned), dict(event.functions)
        if len(self.planned) > 1 and not self.quiet:
            self._line(self.paint.text(plan_line(event)))
        self._live.plan(self.planned, self._functions)
        if self._heartbeat is not None:
            self._heartbeat.start()

    def _how_far(self) -> None:
        """Say how far each target is that has begun and is not finished."""
        with self._lock:
            for name, partial in self._partial.items():
                if name in self.planned:
                    self._line(self.paint.text(self._far(name, partial), "dim"))

    def _far(self, name: str, partial: _Partial) -> str:
        if not self._functions.get(name):  # composed programs are of no function
            known = f" of {self.planned[name]}" if self.planned[name] else ""
            pairs = f", {partial.pairs}" if partial.pairs else ""
            return f"{name}: {partial.cases}{known} programs done, {partial.failed} failed{pairs}"
        functions = f"{len(partial.functions)} of {self._functions[name]} functions judged"
        cases = f"{counted(partial.cases, 'case')} done, {partial.failed} failed"
        now = time.monotonic()
        since = None if partial.started is None else now - partial.started
        left = time_left(len(partial.functions), self._functions[name], since)
        words = [running_words({f: now - begun for f, begun in partial.running.items()}), left]
        return "; ".join([f"{name}: {functions}, {cases}", *filter(None, words)])

    def _target_started(self, event: TargetStarted) -> None:
        partial = self._of(event.target.name)
        partial.edition, partial.started = event.target.edition, time.monotonic()
        self._live.begin(event.target.name)
        if (drift := drift_text(event.target)) is not None and not self.quiet:
            self._line(self.paint.text(f"{event.target.name}: {drift}", "bold yellow"))

    def _target_unavailable(self, event: TargetUnavailable) -> None:
        self._live.remove(event.name)
        self.planned.pop(event.name, None)
        reason, _, printed = event.reason.partition("\n")
        text = f"{event.name} cannot be run: {reason}"
        self._line(Text.assemble(self.paint.text(text, "red"), "; ", self.paint.text(event.hint)))
        if self.verbose and printed:
            self._line(Text(self.paint.block(printed), "dim"))

    def _target_progressed(self, event: TargetProgressed) -> None:
        composed = event.results.composed
        if composed is not UNSET:
            name = event.results.target.name
            self._of(name).pairs = coverage(composed)
            self._live.describe(name, coverage(composed))

    def _function_started(self, event: FunctionStarted) -> None:
        running = self._of(event.target).running
        running.pop(event.before, None)
        running[event.function] = time.monotonic()
        self._live.note(event.target, running=running)

    def _cases_done(self, event: CasesDone) -> None:
        partial = self._of(event.target)
        partial.cases += event.cases
        partial.failed += event.failed
        self._live.note(event.target, cases=partial.cases, failed=partial.failed)
        if not self._functions.get(event.target):
            self._live.advance(event.target, event.cases)

    def _function_judged(self, event: FunctionJudged) -> None:
        partial = self._of(event.target)
        partial.functions[event.result.function] = event.result
        partial.running.pop(event.result.function, None)
        if self._functions.get(event.target):
            self._live.advance(event.target, 1)
        judged = [f for f in partial.functions.values() if not suite_errors([f])]
        if judged == [event.result] and self._heartbeat is not None:
            self._line(self.paint.text(self._first(event), "dim"))

    def _first(self, event: FunctionJudged) -> str:
        """The first function of a target: whoever waits sees that the target works."""
        functions = counted(self._functions.get(event.target, 0), "function")
        return f"{event.target}: {event.result.function} judged, the first of {functions}"

    def _suite_failed(self, event: SuiteFailed) -> None:
        if not self.quiet:
            text = f"{event.target}: {event.function}: the suite failed while {event.stage}"
            self._line(self.paint.text(f"{text}: {event.error}", "bold yellow"))

    def _worker_restarted(self, event: WorkerRestarted) -> None:
        functions = self._restarts.setdefault(event.target, {}).setdefault(event.reason, [])
        first = event.function not in functions and len({*functions}) < RESTARTS
        functions.append(event.function)
        if self.verbose or (first and not self.quiet):
            text = f"{event.target}: worker restarted in {event.function}: {event.reason}"
            self._line(self.paint.text(text, "magenta"))

    def _plan_shortened(self, event: PlanShortened) -> None:
        if not self.quiet:
            self._line(self.paint.text(f"{event.target}: {event.reason}", "bold yellow"))

    def _target_finished(self, event: TargetFinished) -> None:
        results = event.results
        name = results.target.name
        self._partial.pop(name, None)
        self._live.remove(name)
        if not self.quiet:
            score = score_line(results.functions, self.paint)
            timing = self.paint.text(time_line(results.run), "dim")
            self._line(Text.assemble(self.paint.text(name, "bold"), ": ", score, "; ", timing))

    def _run_finished(self, event: RunFinished) -> None:
        self.close()
        for line in self._report(event):
            self._line(line)

    def _report(self, event: RunFinished) -> Iterator[Text]:
        columns = self._columns()
        short = labels([c.name for c in columns], LABEL_WIDTH)
        if not self.quiet and columns:
            yield Text()
            yield from matrix(columns, self.paint, self.console.width, whole=self.verbose)
            failures = shared_failures(columns, short, divergences=self.verbose)
            yield from self._section(
                "Failures",
                shared_failure_lines(failures, self.paint, self.limit, self.quote, self.see),
            )
            yield from self._section(
                "Missing, and why",
                missing_lines(columns, short, self.paint, None if self.verbose else REASONS),
            )
            yield from self._section(
                "Allowed readings, with the number of functions",
                reading_lines(columns, short, self.paint, self.limit),
            )
            yield Text("\nScores", "bold")
        for results in self._collected.results:
            yield from target_lines(results.target.name, results, self.paint)
            yield from self._why_restarted(results.target.name)
        yield from self._endings(event)

    def _why_restarted(self, name: str) -> Iterator[Text]:
        """For each reason where the worker was at the time; in full above, if verbose."""
        for reason, functions in self._restarts.get(name, {}).items():
            if not (self.verbose or self.quiet):
                text = f"worker restarted ({reason}) in {shared(list(dict.fromkeys(functions)), 8)}"
                yield self.paint.text(text, "dim", indent=4)

    def _section(self, title: str, lines: Iterator[Text]) -> Iterator[Text]:
        section = list(lines)
        if section:
            yield Text(f"\n{title}", "bold")
            yield from section

    def _columns(self) -> list[MatrixColumn]:
        columns = [column(results) for results in self._collected.results]
        for name, partial in self._partial.items():
            if partial.functions:
                columns.append(MatrixColumn(name, partial.edition, partial.functions))
        return columns

    def _endings(self, event: RunFinished) -> Iterator[Text]:
        """The targets that were not finished, and why."""
        finished = {results.target.name for results in self._collected.results}
        for results in self._collected.results:
            if (gap := unreached(results, self.resume)) is not None:
                yield self.paint.text(gap, "bold yellow")
        begun = [name for name, partial in self._partial.items() if partial.cases]
        for name in dict.fromkeys([*self.planned, *begun]):
            if name in finished:
                continue
            partial = self._of(name)
            yield self.paint.text(
                f"{name}: not finished; {counted(partial.cases, 'case')} done, "
                f"{len(partial.functions)} functions judged, {partial.failed} cases failed",
                "bold yellow",
            )
        if event.interrupted:
            yield Text(f"Interrupted after {event.seconds:.1f} s", "bold yellow")
        elif not finished:
            yield Text("The run tested no target", "bold yellow")

    def _of(self, name: str) -> _Partial:
        return self._partial.setdefault(name, _Partial())

    def _line(self, line: Text) -> None:
        if self._heartbeat is not None:
            self._heartbeat.note_message()
        # into a pipe a line is a line; a terminal wraps between words
        self.console.print(line, soft_wrap=not self.console.is_terminal)
