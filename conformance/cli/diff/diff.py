"""`conformance diff A B`: where two targets differ."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

import click

import conformance
from conformance.adapters import environments
from conformance.adapters.target_records import Target
from conformance.cli.errors import CANNOT_RUN, INTERRUPTED, UsageProblem
from conformance.cli.files.results import file_in_folder, read_file, stored_file
from conformance.cli.options.values import DiffOptions
from conformance.cli.targets.known import chosen, known_targets
from conformance.cli.targets.subjects import subject
from conformance.editions import Edition
from conformance.engine import PROFILES, Run, Task, plan, run
from conformance.reporting.containers import COMPRESSED, PLAIN, json_files
from conformance.reporting.difference import Comparison, compare, encode, markdown, terminal_lines
from conformance.reporting.paint import Paint, make_console
from conformance.reporting.safe_text import clean, clean_block, counted
from conformance.reporting.terminal import TerminalWriter
from conformance.reporting.writer import EventRecorder
from conformance.results import ASPECTS, Results
from conformance.results.events import Event, RunFinished
from conformance.results.scores import is_absent
from conformance.specs import load


def diff(options: DiffOptions) -> int:
    """Print where the results of two targets differ; the exit status."""
    select = options.select  # a wrong expression is an error before any run
    a, b, functions = _both(options)
    comparison = compare(
        a, b, lambda name: name in functions and select(name), options.chosen_aspects or ASPECTS
    )
    _check(comparison, options)
    _print(comparison, options)
    return 1 if comparison.differences else 0


def _both(options: DiffOptions) -> tuple[Results, Results, frozenset[str]]:
    """The results of A and of B, and the functions to compare. Results that are not stored are
    made, both in one run."""
    names = (options.a, options.b)
    stored = {
        name: _stored(name, other, options) for name, other in zip(names, names[::-1], strict=True)
    }
    absent = [name for name in dict.fromkeys(names) if stored[name] is None]
    targets = {name: _target(name, options) for name in absent}
    editions = {
        name: results.target.edition for name, results in stored.items() if results is not None
    }
    _check_editions({**editions, **{name: t.edition for name, t in targets.items()}})
    runs = {name: results for name, results in stored.items() if results is not None}
    functions = _judged(runs, targets) if absent else frozenset(load())
    fresh = _run(list(targets.values()), options, functions) if absent else []
    runs |= dict(zip(absent, fresh, strict=True))
    return runs[names[0]], runs[names[1]], functions


def _check_editions(editions: Mapping[str, Edition]) -> None:
    """UsageProblem if no function is in the editions of both, before anything is run."""
    names = [{s.name for s in load().values() if e in s.editions} for e in editions.values()]
    if all(names) and names and not set.intersection(*names):
        descriptions = " and ".join(f"{name} of {edition}" for name, edition in editions.items())
        raise UsageProblem(
            f"nothing to compare: {descriptions}, which have no function in common",
            "`conformance targets` shows the edition of each; give two of one API",
        )


def _judged(runs: Mapping[str, Results], targets: Mapping[str, Target]) -> frozenset[str]:
    """The functions of stored results that their target has; all without stored results.

    Prints how many these are, if the targets that the suite runs have more.
    """
    every = frozenset(load())
    for name, results in runs.items():
        judged = frozenset(f.function for f in results.functions if not is_absent(f))
        editions = {target.edition for target in targets.values()}
        more = [s for s in load().values() if editions & {*s.editions} and s.name not in judged]
        if more:
            functions = counted(len(judged), "function")
            note = f"{', '.join(targets)}: runs the {functions} that the results of {name} test"
            click.echo(clean(f"{note}; --run runs both targets"), err=True)
        every &= judged
    return every


def _stored(name: str, other: str, options: DiffOptions) -> Results | None:
    """The results in the file or folder `name`, or those of the target `name`; None if there are
    none."""
    if _is_folder(name, options):
        return read_file(file_in_folder(Path(name), _targets_of(other, options)))
    if name.endswith((PLAIN, COMPRESSED)) or Path(name).is_file():
        if not Path(name).is_file():
            raise UsageProblem(f"there is no file {name}", "give a results file or a target")
        return read_file(Path(name))
    file = None if options.run_again else stored_file(name, options.folder)
    return None if file is None else read_file(file)


def _is_folder(name: str, options: DiffOptions) -> bool:
    """Whether a name is that of a folder, and not that of a target."""
    return Path(name).is_dir() and name not in known_targets(options.config)


def _targets_of(name: str, options: DiffOptions) -> list[str]:
    """The target of a name, of a file, or of a folder with one file."""
    files = json_files(Path(name)) if _is_folder(name, options) else [Path(name)]
    return [unquote(file.name.partition(PLAIN)[0]) for file in files] if len(files) == 1 else []


def _target(name: str, options: DiffOptions) -> Target:
    matches = chosen([name], known_targets(options.config))
    if len(matches) > 1:
        names = ", ".join(target.name for target in matches)
        raise UsageProblem(f"{name} stands for several targets", f"write one of {names}")
    return matches[0]


def _run(
    targets: Sequence[Target], options: DiffOptions, functions: frozenset[str]
) -> list[Results]:
    """The targets' results for these functions, made now; progress and problems go to stderr.

    Exits if one fails.
    """
    for target in targets:
        state = environments.status(target)
        if isinstance(state, environments.Missing):
            problem = f"error: {target.name}: {state.reason}\nhint: {state.hint}"
            click.echo(clean_block(problem), err=True)
            raise SystemExit(CANNOT_RUN)
    recorder, progress = EventRecorder(), TerminalWriter(make_console(stderr=True), quiet=False)

    def emit(event: Event) -> None:
        recorder.handle(event)
        if not isinstance(event, RunFinished):
            progress.handle(event)

    try:
        run(
            [subject(t) for t in targets],
            _plans(targets, options, functions),
            _common(options),
            emit,
            _jobs(),
        )
    finally:
        progress.close()
    if any(e.interrupted for e in recorder.of(RunFinished)):
        raise SystemExit(INTERRUPTED)
    finished = {results.target.name: results for results in recorder.results}
    if any(target.name not in finished for target in targets):
        raise SystemExit(CANNOT_RUN)
    return [finished[target.name] for target in targets]


def _plans(
    targets: Sequence[Target], options: DiffOptions, functions: frozenset[str]
) -> dict[Edition, list[Task]]:
    return {
        edition: plan(
            load(),
            edition,
            PROFILES[options.profile],
            0,
            select=lambda name: name in functions and options.select(name),
            aspects=options.chosen_aspects,
        )
        for edition in {target.edition for target in targets}
    }


def _common(options: DiffOptions) -> Run:
    return Run(
        suite_version=conformance.__version__,
        profile=PROFILES[options.profile],
        seed=0,
        started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        selection=options.selection,
        aspects=options.chosen_aspects,
    )


def _jobs() -> int:
    return os.cpu_count() or 1


def _check(comparison: Comparison, options: DiffOptions) -> None:
    """UsageProblem if no aspect was judged on both: this must not look like agreement."""
    if not comparison.compared:
        asked = f" of -k {options.selection!r}" if options.selection else ""
        raise UsageProblem(
            f"no aspect{asked} was judged on both {options.a} and {options.b}",
            "`--run` runs both; without -k and --aspect, everything is compared",
        )


def _print(comparison: Comparison, options: DiffOptions) -> None:
    if options.shape == "json":
        click.echo(encode(comparison), nl=False)
    elif options.shape == "markdown":
        click.echo(markdown(comparison).encode("utf-8", "backslashreplace"), nl=False)
    else:
        console = make_console()
        paint = Paint(console)
        for line in terminal_lines(comparison, paint, verbose=options.verbose):
            console.print(line, soft_wrap=not console.is_terminal)
