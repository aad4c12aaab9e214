"""The events of a run: to the terminal, to the files in --output, and to its judge."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from conformance.cli.errors import INTERRUPTED, UsageProblem, write_internal_error
from conformance.cli.files.documents import documented, known_texts
from conformance.cli.files.outputs import FileWriters
from conformance.cli.files.results import DEFAULT_FOLDER
from conformance.cli.options.values import FuzzOptions, RunOptions
from conformance.cli.run.database import last_folder
from conformance.reporting.documented import Documented
from conformance.reporting.formats import FormatWriter, Judge
from conformance.reporting.json_results import JsonWriter
from conformance.reporting.markdown import MarkdownWriter
from conformance.reporting.summary import NOT_KEPT, RESUME, SEE
from conformance.reporting.terminal import TerminalWriter
from conformance.reporting.writer import EventRecorder, Writer
from conformance.results import Results
from conformance.results.events import Event, RunFinished, SuiteFailed, TargetUnavailable

Options = RunOptions | FuzzOptions
"""Both commands have the same targets, files and gate."""


MOST_TRACEBACKS = 3
"""Tracebacks of one run that are printed; of other errors their line alone is."""
_AFTER_SUITE_FAILURES = (
    "the verdict on these functions is `error`, and all other results are complete; run the same"
    " command with --output DIR --resume to try these functions again"
)


class Announcements:
    """The events of one run, for the terminal, the files and the gate."""

    def __init__(self, options: Options, judge: Judge) -> None:
        self.options = options
        self.jobs = options.jobs or os.cpu_count() or 1
        self._recorder, self._writers = EventRecorder(), _writers(options, judge)

    @property
    def results(self) -> list[Results]:
        """The results of each target."""
        return self._recorder.results

    @property
    def suite_failures(self) -> list[SuiteFailed]:
        """The errors of the suite itself, each of which cost a function."""
        return self._recorder.of(SuiteFailed)

    def emit(self, event: Event) -> None:
        """Announce an event."""
        for writer in (self._recorder, *self._writers):
            writer.handle(event)

    @contextmanager
    def opened(self, missing: Sequence[TargetUnavailable]) -> Iterator[None]:
        """Announce the missing targets; files are complete afterwards."""
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
        """Check that the run is complete.

        Raises:
            UsageProblem: a file could not be written.
            SystemExit: after Ctrl-C.
        """
        files = [w for w in self._writers if isinstance(w, FileWriters) and w.required]
        if why := next((w.problem for w in files if w.problem), None):
            raise UsageProblem(
                f"{self.options.output}: not all results could be written: {why}",
                "free space there, then run the same command with --resume",
            )
        if any(isinstance(e, RunFinished) and e.interrupted for e in self._recorder.events):
            raise SystemExit(INTERRUPTED)


def _tell_suite_failures(failures: Sequence[SuiteFailed]) -> None:
    """The tracebacks of errors of the suite, equal ones once, each with the lost functions."""
    alike: dict[tuple[str, str], list[SuiteFailed]] = {}
    for failure in failures:
        alike.setdefault((failure.stage, failure.error), []).append(failure)
    lines: list[str] = []
    for number, ((stage, error), same) in enumerate(alike.items()):
        of = ", ".join(dict.fromkeys(f"{failure.function} on {failure.target}" for failure in same))
        lines += [same[0].traceback] if number < MOST_TRACEBACKS else []
        lines.append(f"error: the suite itself failed while {stage} ({of}): {error}")
    write_internal_error(lines, _AFTER_SUITE_FAILURES)


def _see(output: Path | None, last: Path | None) -> str:
    """How the cases of this run can be seen, which --output or the last run's results keep."""
    if output is None and last is not None:
        return SEE
    if output is None:
        return (
            f"to see the cases and get scripts, add --output {DEFAULT_FOLDER};"
            " then run `conformance show FUNCTION`"
        )
    if output.resolve() == DEFAULT_FOLDER.resolve():
        return SEE
    return SEE.replace("FUNCTION", f"FUNCTION --results {shlex.quote(str(output))}")


def _writers(options: Options, judge: Judge) -> list[Writer]:
    """The report on the terminal, and the files in --output, some of them as `judge` judges."""
    quote = known_texts(options.documents, options.config).line
    last = last_folder(options) if options.output is None else None
    see = _see(options.output, last)
    resume = NOT_KEPT if options.output is None else RESUME
    shown = TerminalWriter(
        verbose=options.verbose, quiet=options.quiet, quote=quote, see=see, resume=resume
    )
    writers: list[Writer] = [shown]
    if last is not None:
        writers.append(FileWriters(str(last), [JsonWriter(last)], required=False))
    if options.output is not None:
        files: list[Writer] = [JsonWriter(options.output), MarkdownWriter(options.output)]
        documents = documented() if options.formats else Documented()
        chosen = dict.fromkeys(options.formats)
        files += [FormatWriter(name, options.output, documents, judge) for name in chosen]
        writers.append(FileWriters(str(options.output), files))
    return writers
