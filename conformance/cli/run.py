"""`conformance run`: test targets and report."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from dataclasses import replace

import msgspec

import conformance
from conformance.adapters import environments
from conformance.adapters.registry import Target
from conformance.cli.baseline import Baseline, baseline
from conformance.cli.cluster import cluster, remote
from conformance.cli.database import database
from conformance.cli.documented import documented
from conformance.cli.empty_runs import something_conforms
from conformance.cli.errors import CANNOT_RUN, INTERRUPTED, UsageProblem
from conformance.cli.gate import Gate, gate
from conformance.cli.known_targets import chosen, known_targets
from conformance.cli.options.given import RunOptions
from conformance.cli.outputs import FileWriters
from conformance.cli.portioning import check_shards, shard
from conformance.cli.resuming import previous
from conformance.cli.signals import ended_by_sigterm
from conformance.cli.subjects import module_targets, subject
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
from conformance.specs import load

Plans = dict[Edition, list[Task]]
"""What is run of each edition."""


def run_targets(options: RunOptions) -> None:
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
