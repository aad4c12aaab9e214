"""`conformance run`: test targets and report."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import msgspec

import conformance
from conformance.adapters import environments
from conformance.adapters.registry import Target
from conformance.cli.baseline import Baseline, baseline, baseline_option
from conformance.cli.cluster import cluster, remote, scheduler_option
from conformance.cli.database import DatabaseOptions, database, database_options
from conformance.cli.documented import documented
from conformance.cli.empty_runs import something_conforms
from conformance.cli.errors import CANNOT_RUN, INTERRUPTED, UsageProblem
from conformance.cli.gate import Gate, GateOptions, gate, gate_options
from conformance.cli.known_targets import chosen, config_option, known_targets
from conformance.cli.options import formats_option, output_option, profile_option, seed_option
from conformance.cli.outputs import FileWriters
from conformance.cli.portioning import check_shards, max_time_option, shard, shard_option
from conformance.cli.resuming import previous, resume_option
from conformance.cli.select import SelectionOptions, aspects_option, selection_option
from conformance.cli.signals import ended_by_sigterm
from conformance.cli.subjects import ModuleOptions, module_options, module_targets, subject
from conformance.editions import Edition
from conformance.engine import PROFILES, Run, Subject, Task, plan, run
from conformance.reporting.documented import Documented
from conformance.reporting.formats import FormatWriter
from conformance.reporting.json_results import JsonWriter
from conformance.reporting.markdown import MarkdownWriter
from conformance.reporting.record import Recorder
from conformance.reporting.terminal import TerminalWriter
from conformance.reporting.writer import Writer
from conformance.results import Results, Verdict
from conformance.results.events import Event, RunFinished, TargetUnavailable
from conformance.specs import EDITIONS, load

Plans = dict[Edition, list[Task]]
"""What is run of each edition."""


@dataclass(frozen=True, kw_only=True)
class RunOptions(SelectionOptions, GateOptions, DatabaseOptions, ModuleOptions):
    """The values of the command's options and arguments."""

    targets: tuple[str, ...]
    profile: str
    seed: int
    jobs: int | None
    max_time: float | None
    shard: str | None
    resume: bool
    scheduler: str | None
    output: Path | None
    formats: tuple[str, ...]
    config: Path | None
    verbose: bool
    quiet: bool
    baseline: Path | None


@click.command("run")
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@selection_option
@aspects_option
@click.option(
    "--edition",
    type=click.Choice(EDITIONS),
    help="Test against this edition instead of the target's own.",
)
@profile_option()
@seed_option
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    default=None,
    help="Workers at a time; most targets have two.  [default: the number of cores]",
)
@max_time_option
@shard_option
@resume_option
@scheduler_option
@output_option("Write TARGET.json and matrix.md into this folder.")
@formats_option(
    "Also write this format into --output, as `conformance report` does; may be repeated."
)
@gate_options
@baseline_option
@database_options
@config_option
@module_options
@click.option("--verbose", "-v", is_flag=True, help="List every failure.")
@click.option("--quiet", "-q", is_flag=True, help="Scores only.")
def command(**values: Any) -> None:
    """Test targets against what the documents say.

    A TARGET is a name from `conformance targets`, or a library (tensorflow, theano, cntk) for all
    of its targets. Without a name: the reference and every target that is ready.

    \b
    conformance run                              everything that is ready here
    conformance run theano -k "softmax or sum"   some functions on one library
    conformance run --module my_package.backend  your own backend, in this interpreter
    conformance run my-backend                   one that conformance.toml describes
    conformance run --max-time 5m -o out         the most in five minutes
    conformance run --resume -o out              the rest of it
    conformance run --shard 3/8 -o out           an eighth, on one of eight machines

    \b
    conformance run mine --write-expectations known.toml   what fails, with a reason to fill in
    conformance run mine --expectations known.toml         passes if that fails and nothing else
    conformance run mine --baseline old/mine.json          passes if nothing of that is lost

    Exit status: 0 nothing unexpected; 1 an unexpected failure, a known failure that does not
    occur, or a regression; 2 wrong usage, a broken file, or results that cannot be written; 3 a
    target could not be run, nothing conforms on it, or a cell was not reached; 70 an error of the
    suite itself; 130 after Ctrl-C.
    """
    _run(RunOptions(**values))


def _run(options: RunOptions) -> None:
    """Run, write and judge; SystemExit with the status."""
    _check_files(options)
    checked = _gate(options)
    subjects, missing = _subjects(options)
    tasks, kept_cases = _plans(subjects, options), database(options)
    earlier = baseline(options.baseline, subjects, tasks)
    common = replace(_common(options), remembered=kept_cases.remembered())
    begun = _begun(options, subjects, tasks, common)
    recorder, writers = Recorder(), _writers(options)

    def emit(event: Event) -> None:
        for writer in (recorder, *writers):
            writer.handle(event)

    try:
        for absent in missing:
            emit(absent)
        jobs = options.jobs or os.cpu_count() or 1
        with ended_by_sigterm(), cluster(options.scheduler) as elsewhere:
            reached = run(subjects, tasks, common, emit, jobs, previous=begun, elsewhere=elsewhere)
    finally:
        for writer in writers:
            writer.close()
    kept_cases.update(recorder.results)
    _check_written(writers, options)
    if any(isinstance(e, RunFinished) and e.interrupted for e in recorder.events):
        raise SystemExit(INTERRUPTED)
    done = reached and not missing
    raise SystemExit(_status(recorder.results, checked, earlier, done=done))


def _status(
    results: Sequence[Results], checked: Gate, earlier: Baseline | None, *, done: bool
) -> int:
    """The exit status of a run, `done` if every target could be run; says what makes it so.

    Something unexpected weighs more than a target that could not be run.
    """
    passes = checked.passes(results)
    holds = earlier is None or earlier.holds(results, checked.known)
    full = something_conforms(results, checked.known) and done and _whole(results)
    return 1 if not (passes and holds) else 0 if full else CANNOT_RUN


def _whole(results: Sequence[Results]) -> bool:
    """Whether every cell was run."""
    return not any(Verdict.NOT_RUN in one.summary.verdicts for one in results)


def _check_files(options: RunOptions) -> None:
    """Refuse options that need --output before anything is run; UsageProblem."""
    for name, given in (("format", options.formats), ("resume", options.resume)):
        if given and options.output is None:
            raise UsageProblem(f"--{name} writes files", "add --output DIR")


def _begun(
    options: RunOptions, subjects: Sequence[Subject], plans: Plans, common: Run
) -> dict[str, Results]:
    """The results that --resume goes on from, by target."""
    if not options.resume or options.output is None:
        return {}
    return previous(options.output, subjects, plans, common)


def _check_written(writers: Sequence[Writer], options: RunOptions) -> None:
    why = next((w.problem for w in writers if isinstance(w, FileWriters) and w.problem), None)
    if why is not None:
        raise UsageProblem(
            f"{options.output}: not all results could be written: {why}",
            f"make room there; the same command with --resume goes on with what {options.output}"
            " holds",
        )


def _common(options: RunOptions) -> Run:
    return Run(
        suite_version=conformance.__version__,
        profile=PROFILES[options.profile],
        seed=options.seed,
        started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        selection=options.selection,
        shard=shard(options.shard),
        max_time=options.max_time,
    )


def _subjects(options: RunOptions) -> tuple[list[Subject], list[TargetUnavailable]]:
    named = bool(options.targets or options.module)
    subjects, missing = [], []
    for target in _targets(options):
        state = environments.status(target)
        if options.scheduler and (named or isinstance(state, environments.Ready)):
            # whether it is ready there, the cluster knows
            subjects.append(replace(subject(target), perform=remote(target)))
        elif isinstance(state, environments.Ready):
            subjects.append(subject(target))
        elif named:
            missing.append(TargetUnavailable(target.name, state.reason, state.hint))
    return subjects, missing


def _targets(options: RunOptions) -> list[Target]:
    known = known_targets(options.config)
    found = chosen(options.targets, known)
    found = [*found, *module_targets(options)] or list(known.values())
    if options.edition:
        found = [msgspec.structs.replace(t, edition=options.edition) for t in found]
    return found


def _plans(subjects: Sequence[Subject], options: RunOptions) -> Plans:
    plans = {
        edition: plan(
            load(),
            edition,
            PROFILES[options.profile],
            options.seed,
            select=options.select,
            aspects=options.chosen_aspects,
        )
        for edition in {s.edition for s in subjects}
    }
    for edition, tasks in plans.items():
        if not tasks:
            raise UsageProblem(
                f"no function of {edition} is selected by -k {options.selection!r}",
                "`conformance show` lists the functions",
            )
    check_shards(shard(options.shard), plans)
    return plans


def _writers(options: RunOptions) -> list[Writer]:
    writers: list[Writer] = [TerminalWriter(verbose=options.verbose, quiet=options.quiet)]
    if options.output is not None:
        files: list[Writer] = [JsonWriter(options.output), MarkdownWriter(options.output)]
        said = documented() if options.formats else Documented()
        chosen = dict.fromkeys(options.formats)
        files += [FormatWriter(name, options.output, said) for name in chosen]
        writers.append(FileWriters(str(options.output), files))
    return writers


def _gate(options: RunOptions) -> Gate:
    """The gate that decides the exit status; UsageProblem for a wrong file of known failures."""
    return gate(options, known_targets(options.config), module_targets(options))
