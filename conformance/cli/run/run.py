"""`conformance run`: plan, run and judge targets."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import click
from msgspec import UNSET

import conformance
from conformance.adapters import environments
from conformance.adapters.target_records import Target
from conformance.cli import known_failures
from conformance.cli.errors import CANNOT_RUN, INTERNAL, UsageProblem
from conformance.cli.files.outputs import check_writable
from conformance.cli.known_failures import KnownFailure
from conformance.cli.known_failures.baseline import Baseline, baseline
from conformance.cli.known_failures.gate import Gate, gate, judgement
from conformance.cli.options.selection import expression, no_such_aspect, nothing_selected
from conformance.cli.options.values import RunOptions
from conformance.cli.run.announcements import Announcements, Options
from conformance.cli.run.cluster import cluster, remote
from conformance.cli.run.database import database, holds_earlier
from conformance.cli.run.output_folder import check_replaced, locked
from conformance.cli.run.reuse import earlier
from conformance.cli.run.vectors import recorded_options, recorded_plan
from conformance.cli.targets.known import chosen, in_edition, known_targets, timed, unnamed
from conformance.cli.targets.subjects import module_targets, subject, with_file
from conformance.editions import Edition
from conformance.engine import PROFILES, Previous, Run, Shard, Subject, Task, bundles, plan, run
from conformance.engine.planning.demands import demanded_aspects
from conformance.fingerprints import Fingerprints
from conformance.reporting.safe_text import clean
from conformance.results import ASPECTS, Aspect, Results, Verdict
from conformance.results.events import TargetUnavailable
from conformance.specs import load


def shard(text: str | None) -> Shard | None:
    """The shard that `--shard I/N` names.

    Raises:
        UsageProblem: the text is not `I/N`.
    """
    if text is None:
        return None
    part, sign, parts = text.partition("/")
    if not (sign and part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise UsageProblem(f"--shard {text!r}", "write --shard I/N with I from 1 to N, such as 1/3")
    return Shard(int(part), int(parts))


def check_shards(chosen: Shard | None, plans: Mapping[Edition, Sequence[Task]]) -> None:
    """Check that each shard has a function to run.

    Raises:
        UsageProblem: there are more shards than groups of functions.
    """
    for edition, tasks in plans.items():
        most = len(bundles(tasks))
        if chosen is not None and most < chosen.parts:
            raise UsageProblem(
                f"--shard {chosen}: {edition} has only {most} functions to share",
                f"write --shard I/N with N up to {most}",
            )


_OFFERED = (Aspect.PRESENCE, Aspect.SIGNATURE)
"""The aspects that conform before any call."""
_SETTINGS = ("configuration", "session")
"""The themes of functions that compute nothing: no module starts without some of them."""
_CONFORMS = Verdict.CONFORMS
_ANSWERED = (_CONFORMS, Verdict.DIVERGES)
"""The verdicts on an answer that contradicts no document."""


def something_conforms(results: Iterable[Results], known: Sequence[KnownFailure] = ()) -> bool:
    """Whether something conforms on each target; prints the targets on which nothing does.

    A shard on which nothing conforms passes: it may have no function of a small implementation.
    """
    bare = [target for target in results if is_empty(target, known)]
    for target in bare:
        click.echo(clean(_description(target)), err=True)
        hint = "is it the right module, and are its names those of the edition? `names` maps them"
        click.echo(f"hint: {hint}", err=True)
    return all(target.run.shard is not UNSET for target in bare)


def is_empty(results: Results, known: Sequence[KnownFailure] = ()) -> bool:
    """Whether no answer of a function that computes conforms, diverges or is a known failure.

    Presence, signature and settings count if the user selected nothing else. If the suite itself
    failed in all functions, nothing is known.
    """
    settings = {f.function for f in results.functions if f.theme in _SETTINGS}
    cells = [c for c in known_failures.cells([results]) if c.verdict is not Verdict.ERROR]
    called = [c for c in cells if c.aspect not in _OFFERED and c.function not in settings]
    return bool(cells) and not any(
        cell.verdict in _ANSWERED or any(entry.covers(cell) for entry in known)
        for cell in called or cells
    )


def _description(results: Results) -> str:
    verdicts = [aspect.verdict for function in results.functions for aspect in function.aspects]
    counts = Counter(verdicts)
    besides = (
        f" but names, signatures or settings ({counts[_CONFORMS]})" if counts[_CONFORMS] else ""
    )
    rest = ", ".join(f"{counts[v]} {v}" for v in reversed(Verdict) if counts[v] and v != _CONFORMS)
    level, part = "error: ", ""
    if isinstance(results.run.shard, str):
        level, part = "", f" in shard {results.run.shard}"
    return (
        f"{level}{results.target.name}: nothing conforms{besides}{part}; "
        f"of {len(verdicts)} aspects {rest or 'none was run'}"
    )


Plans = dict[Edition, list[Task]]
"""The tasks of each edition."""


def run_targets(options: RunOptions) -> None:
    """Run, write and judge; SystemExit with the status."""
    options = recorded_options(with_file(options))
    check_files(options)
    with locked(options.output):
        _run_targets(options)


def _run_targets(options: RunOptions) -> None:
    checked = gate_of(options)
    subjects, missing = subjects_of(options)
    tasks, kept_cases = _plans(subjects, options), database(options)
    held_against = baseline(options.baseline, subjects, tasks)
    common = replace(
        _common(options),
        remembered=kept_cases.remembered(),
        fingerprints=_fingerprints(options, subjects, tasks),
    )
    begun = _begun(options, subjects, tasks, common)
    check_replaced(options.output, subjects, tasks, common)
    announced = Announcements(options, partial(judgement, checked, held_against))
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
    status = _status(announced.results, checked, held_against, done=done)
    mended = holds_earlier(announced.results, checked, counted=options.fail_on_kept)
    raise SystemExit(INTERNAL if announced.suite_failures else status if mended else 1)


def _status(
    results: Sequence[Results], checked: Gate, held_against: Baseline | None, *, done: bool
) -> int:
    """The exit status of a run, `done` if every target could be run; says what makes it so.

    Something unexpected weighs more than a target that could not be run.
    """
    passes = checked.passes(results)
    holds = held_against is None or held_against.holds(results, checked.known)
    full = something_conforms(results, checked.known) and done and _whole(results)
    return 1 if not (passes and holds) else 0 if full else CANNOT_RUN


def _whole(results: Sequence[Results]) -> bool:
    """Whether every cell was run."""
    return not any(Verdict.NOT_RUN in run.summary.verdicts for run in results)


def check_files(options: Options) -> None:
    """Check options before any run.

    Raises:
        UsageProblem: an option is wrong.
    """
    shard(options.shard)
    if options.selection is not None:
        expression(options.selection)
    for name, value in (("format", options.formats), ("resume", options.resume)):
        if value and options.output is None:
            raise UsageProblem(f"--{name} writes files", "add --output DIR")
    if options.output is not None:
        check_writable(options.output)


def _begun(
    options: RunOptions, subjects: Sequence[Subject], plans: Plans, common: Run
) -> dict[str, Previous]:
    """The results for --resume and --reuse, by target."""
    resume = options.output if options.resume else None
    if resume is None and not options.reuse:
        return {}
    return earlier(resume, options.reuse, subjects, plans, common)


def _fingerprints(
    options: RunOptions, subjects: Sequence[Subject], plans: Plans
) -> dict[str, Fingerprints]:
    """The fingerprints of each target's results; empty if no file has or needs them."""
    if options.vectors is not None or (options.output is None and not options.reuse):
        return {}
    return {subject.name: subject.fingerprints(plans[subject.edition]) for subject in subjects}


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
        locate=options.locates,
    )


def subjects_of(options: Options) -> tuple[list[Subject], list[TargetUnavailable]]:
    """The targets that can be run, and those that were named and cannot."""
    named = bool(options.targets or options.module)
    subjects, missing = [], []
    for target in timed(_targets(options), options.call_timeout):
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
    selected = chosen(options.targets, known)
    named = [*selected, *module_targets(options)]
    if named:
        return in_edition(named, options.edition)
    return in_edition(unnamed(known.values()), options.edition, all_asked_for=False)


def _plans(subjects: Sequence[Subject], options: RunOptions) -> Plans:
    plans = {edition: _plan(edition, options) for edition in {s.edition for s in subjects}}
    for edition, tasks in plans.items():
        if not tasks:
            raise nothing_selected(options.selection, list(load()), edition)
        if not any(task.aspects for task in tasks):
            every = {a for task in tasks for a in demanded_aspects(task.spec, edition)}
            raise no_such_aspect(options.aspects, [a for a in ASPECTS if a in every], edition)
    check_shards(shard(options.shard), plans)
    return plans


def _plan(edition: Edition, options: RunOptions) -> list[Task]:
    if options.vectors is not None:
        return [*recorded_plan(options.vectors, edition, options)]
    return plan(
        load(),
        edition,
        PROFILES[options.profile],
        options.seed,
        select=options.select,
        aspects=options.chosen_aspects,
    )


def gate_of(options: Options) -> Gate:
    """The gate that decides the exit status.

    Raises:
        UsageProblem: the file of known failures is wrong.
    """
    return gate(options, known_targets(options.config), module_targets(options))
