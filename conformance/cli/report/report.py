"""`conformance report` and `conformance export`: sites, files for CI, and a test module."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

import conformance
from conformance.cli.errors import UsageProblem
from conformance.cli.files.documents import documented
from conformance.cli.files.outputs import write_file, writing
from conformance.cli.files.results import DEFAULT_FOLDER, gathered, stored
from conformance.cli.history.files import DEFAULT, read_history
from conformance.cli.options.values import ExportOptions
from conformance.cli.replay.stored_failures import StoredFailure, chosen_failures, failures
from conformance.cli.run.output_folder import locked
from conformance.history import PastRun
from conformance.near_names import proposal
from conformance.reporting.documented import Documented
from conformance.reporting.formats import FORMATS, File, format_files, site_files, write
from conformance.reporting.pytest_module import ExportedTest, judges, module
from conformance.reporting.safe_text import clean, counted
from conformance.results import Results
from conformance.results.scores import FAULTS


def report(
    results: Sequence[Path], formats: Sequence[str], output: Path | None, *, quiet: bool
) -> None:
    """Write or print the formats.

    Raises:
        UsageProblem: the folder cannot be written, or the options contradict each other.
    """
    chosen = tuple(dict.fromkeys(formats)) or (("html",) if output else ("markdown",))
    if output is None:
        _check_printable(chosen)
    runs, documents = gathered(results), documented()
    for name in chosen:
        files = _files(name, runs, documents, results)
        if output is None:
            sys.stdout.buffer.write(b"".join(content for _, content in files))
        else:
            _announce(_written(output, files), quiet=quiet)


def _files(
    name: str, runs: Sequence[Results], documents: Documented, places: Sequence[Path]
) -> Iterable[File]:
    """The files of a format; a site also shows the folder `history` of each place."""
    if name != "html":
        return format_files(name, runs, documents)
    past: dict[str, list[PastRun]] = {}
    for place in places or (DEFAULT_FOLDER,):
        past |= read_history(place / DEFAULT.name)
    return site_files(runs, documents, past)


def _check_printable(formats: Sequence[str]) -> None:
    several = [name for name in formats if not FORMATS[name].single]
    if several:
        raise UsageProblem(f"--format {several[0]} has several files", "add --output DIR")
    if len(formats) > 1:
        raise UsageProblem("only one format can be printed", "add --output DIR")


def _written(output: Path, files: Iterable[File]) -> list[Path]:
    with writing(output):
        output.mkdir(parents=True, exist_ok=True)
        with locked(output):
            return write(output, files)


def _announce(written: Sequence[Path], *, quiet: bool) -> None:
    if not quiet and written:
        shown = next((p for p in written if p.name == "index.html"), written[0])
        more = f" and {counted(len(written) - 1, 'more file')}" if len(written) > 1 else ""
        click.echo(f"{clean(str(shown))}{more}")


def export(options: ExportOptions) -> int:
    """Write the module and print the number of its tests; the exit status.

    Raises:
        UsageProblem: the results have no failure with a script.
    """
    selected = _chosen(options)
    tests = [_test(failure) for failure in selected if judges(failure.failure.script)]
    if not tests:
        hint = "make results with `conformance run --output DIR`; -k, --target and --all choose"
        raise UsageProblem("no failure with a script that judges itself is chosen", hint)
    write_file(options.file, module(tests, conformance.__version__).encode())
    click.echo(clean(f"{options.file}: {len(tests)} tests{_left_out(len(selected) - len(tests))}"))
    return 0


def _left_out(count: int) -> str:
    if not count:
        return ""
    return f"; {count} failures have no script that judges itself: run their targets again"


def _chosen(options: ExportOptions) -> Sequence[StoredFailure]:
    there = failures(stored(options.places).values())
    names = list(dict.fromkeys(failure.target.name for failure in there))
    for name in options.targets:
        if name not in names:
            raise UsageProblem(f"no failures of target {name!r}", proposal(name, names))
    selected = chosen_failures(there, options.targets, options.select)
    return [
        failure for failure in selected if options.everything or failure.failure.verdict in FAULTS
    ]


def _test(failure: StoredFailure) -> ExportedTest:
    return ExportedTest(
        target=failure.target.name,
        function=failure.function,
        aspect=failure.aspect.aspect,
        identity=failure.failure.id,
        script=str(failure.failure.script),
    )
