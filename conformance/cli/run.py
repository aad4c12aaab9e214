"""`conformance run`: test targets and report."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import conformance
from conformance.adapters import environments
from conformance.adapters.registry import Target
from conformance.cli.announced import Announced, Options
from conformance.cli.baseline import Baseline, baseline
from conformance.cli.cluster import cluster, remote
from conformance.cli.database import database
from conformance.cli.earlier_failures import holds_earlier
from conformance.cli.empty_runs import something_conforms
from conformance.cli.errors import CANNOT_RUN, INTERNAL, UsageProblem
from conformance.cli.first_look.files import with_file
from conformance.cli.gate import Gate, gate
from conformance.cli.judgement import judgement
from conformance.cli.known_targets import chosen, in_edition, known_targets, unnamed
from conformance.cli.options.given import RunOptions
from conformance.cli.outputs import check_writable
from conformance.cli.portioning import check_shards, shard
from conformance.cli.resuming import previous
from conformance.cli.select import expression, no_such_aspect, nothing_selected
from conformance.cli.subjects import module_targets, subject
from conformance.editions import Edition
from conformance.engine import PROFILES, Run, Subject, Task, plan, run
from conformance.engine.planning.demands import demanded_aspects
from conformance.results import ASPECTS, Results, Verdict
from conformance.results.events import TargetUnavailable
from conformance.specs import load

Plans = dict[Edition, list[Task]]
"""What is run of each edition."""


def run_targets(options: RunOptions) -> None:
    """Run, write and judge; SystemExit with the status."""
    options = with_file(options)
    check_files(options)
    checked = gate_of(options)
    subjects, missing = subjects_of(options)
    tasks, kept_cases = _plans(subjects, options), database(options)
    earlier = baseline(options.baseline, subjects, tasks)
    common = replace(_common(options), remembered=kept_cases.remembered())
    begun = _begun(options, subjects, tasks, common)
    announced = Announced(options, partial(judgement, checked, earlier))
    with announced.opened(missing), cluster(options.scheduler) as elsewhere:
        reached = run(
            subjects,
            tasks,
            common,
            announced.emit,
            announced.jobs,
            previous=begun,
            elsewhere=elsewhere,
        )
    kept_cases.update(announced.results)
    announced.check()
    done = reached and not missing
    status = _status(announced.results, checked, earlier, done=done)
    mended = holds_earlier(announced.results, checked, counted=options.fail_on_kept)
    raise SystemExit(INTERNAL if announced.suite_failures else status if mended else 1)


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


def check_files(options: Options) -> None:
    """Refuse what is wrong with options before anything is run or looked at; UsageProblem."""
    shard(options.shard)
    if options.selection is not None:
        expression(options.selection)
    for name, given in (("format", options.formats), ("resume", options.resume)):
        if given and options.output is None:
            raise UsageProblem(f"--{name} writes files", "add --output DIR")
    if options.output is not None:
        check_writable(options.output)


def _begun(
    options: RunOptions, subjects: Sequence[Subject], plans: Plans, common: Run
) -> dict[str, Results]:
    """The results that --resume goes on from, by target."""
    if not options.resume or options.output is None:
        return {}
    return previous(options.output, subjects, plans, common)


def _common(options: RunOptions) -> Run:
    return Run(
        suite_version=conformance.__version__,
        profile=PROFILES[options.profile],
        seed=options.seed,
        started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        selection=options.selection,
        aspects=options.chosen_aspects,
        shard=shard(options.shard),
        max_time=options.max_time,
        target_time=options.target_time,
    )


def subjects_of(options: Options) -> tuple[list[Subject], list[TargetUnavailable]]:
    """The targets that can be run, and those that were named and cannot."""
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


def _targets(options: Options) -> list[Target]:
    known = known_targets(options.config)
    found = chosen(options.targets, known)
    named = [*found, *module_targets(options)]
    if named:
        return in_edition(named, options.edition)
    return in_edition(unnamed(known.values()), options.edition, all_asked_for=False)


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
            raise nothing_selected(options.selection, list(load()), edition)
        if not any(task.aspects for task in tasks):
            every = {a for task in tasks for a in demanded_aspects(task.spec, edition)}
            raise no_such_aspect(options.aspects, [a for a in ASPECTS if a in every], edition)
    check_shards(shard(options.shard), plans)
    return plans


def gate_of(options: Options) -> Gate:
    """The gate that decides the exit status; UsageProblem for a wrong file of known failures."""
    return gate(options, known_targets(options.config), module_targets(options))
