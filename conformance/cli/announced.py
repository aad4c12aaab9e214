"""What a run announces: to the terminal, to the files in --output, and to who judges it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from conformance.cli.documented import documented
from conformance.cli.errors import INTERRUPTED, UsageProblem, tell_internal_error
from conformance.cli.options.given import FuzzOptions, RunOptions
from conformance.cli.outputs import FileWriters
from conformance.cli.results_files import DEFAULT_FOLDER
from conformance.cli.texts import known_texts
from conformance.reporting.documented import Documented
from conformance.reporting.formats import FormatWriter, Judge
from conformance.reporting.json_results import JsonWriter
from conformance.reporting.markdown import MarkdownWriter
from conformance.reporting.record import Recorder
from conformance.reporting.summary import SEE
from conformance.reporting.terminal import TerminalWriter
from conformance.reporting.writer import Writer
from conformance.results import Results
from conformance.results.events import Event, RunFinished, SuiteFailed, TargetUnavailable

Options = RunOptions | FuzzOptions
"""Both commands have the same targets, files and gate."""


MOST_TRACEBACKS = 3
"""Tracebacks of one run that are printed; of other errors their line alone is."""
_AFTER_SUITE_FAILURES = (
    "the verdict on these functions is `error`, and all other results are whole; the same command"
    " with --output DIR --resume tries these functions again"
)


class Announced:
    """The events of one run, told to everybody who wants to know."""

    def __init__(self, options: Options, judge: Judge) -> None:
        self.options = options
        self.jobs = options.jobs or os.cpu_count() or 1
        self._recorder, self._writers = Recorder(), _writers(options, judge)

    @property
    def results(self) -> list[Results]:
        """What was found of each target."""
        return self._recorder.results

    @property
    def suite_failures(self) -> list[SuiteFailed]:
        """The errors of the suite itself, each of which cost a function."""
        return self._recorder.of(SuiteFailed)

    def emit(self, event: Event) -> None:
        """Tell an event."""
        for writer in (self._recorder, *self._writers):
            writer.handle(event)

    @contextmanager
    def opened(self, missing: Sequence[TargetUnavailable]) -> Iterator[None]:
        """Tell which targets are missing; files are whole afterwards."""
        try:
            for absent in missing:
                self.emit(absent)
            yield
        finally:
            for writer in self._writers:
                writer.close()
            if self.suite_failures:
                _tell_suite_failures(self.suite_failures)

    def check(self) -> None:
        """UsageProblem if a file could not be written; SystemExit after Ctrl-C."""
        files = [w for w in self._writers if isinstance(w, FileWriters)]
        if why := next((w.problem for w in files if w.problem), None):
            raise UsageProblem(
                f"{self.options.output}: not all results could be written: {why}",
                "make room there; the same command with --resume goes on with what"
                f" {self.options.output} holds",
            )
        if any(isinstance(e, RunFinished) and e.interrupted for e in self._recorder.events):
            raise SystemExit(INTERRUPTED)


def _tell_suite_failures(failures: Sequence[SuiteFailed]) -> None:
    """The tracebacks of errors of the suite, those that are alike once, and what each has cost."""
    alike: dict[tuple[str, str], list[SuiteFailed]] = {}
    for one in failures:
        alike.setdefault((one.stage, one.error), []).append(one)
    told: list[str] = []
    for number, ((stage, error), listed) in enumerate(alike.items()):
        of = ", ".join(dict.fromkeys(f"{one.function} on {one.target}" for one in listed))
        told += [listed[0].traceback] if number < MOST_TRACEBACKS else []
        told.append(f"error: the suite itself failed while {stage} ({of}): {error}")
    tell_internal_error(told, _AFTER_SUITE_FAILURES)


def _see(output: Path | None) -> str:
    """How the cases of this run can be seen, which only --output keeps."""
    if output is None:
        return (
            f"to see the cases and get scripts, add --output {DEFAULT_FOLDER};"
            " then `conformance show FUNCTION`"
        )
    if output.resolve() == DEFAULT_FOLDER.resolve():
        return SEE
    return SEE.replace("FUNCTION", f"FUNCTION --results {shlex.quote(str(output))}")


def _writers(options: Options, judge: Judge) -> list[Writer]:
    """The report on the terminal, and the files in --output, some of them as `judge` judges."""
    quote = known_texts(options.documents, options.config).line
    shown = TerminalWriter(
        verbose=options.verbose, quiet=options.quiet, quote=quote, see=_see(options.output)
    )
    writers: list[Writer] = [shown]
    if options.output is not None:
        files: list[Writer] = [JsonWriter(options.output), MarkdownWriter(options.output)]
        said = documented() if options.formats else Documented()
        chosen = dict.fromkeys(options.formats)
        files += [FormatWriter(name, options.output, said, judge) for name in chosen]
        writers.append(FileWriters(str(options.output), files))
    return writers
