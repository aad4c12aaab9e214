"""`conformance mutate`: how many errors in a correct backend the suite finds."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Sequence

import click

import conformance
from conformance.adapters import environments
from conformance.adapters.session import WorkerStartError
from conformance.adapters.target_records import Target
from conformance.cli.errors import CANNOT_RUN, INTERRUPTED, UsageProblem
from conformance.cli.files.outputs import check_writable, writing
from conformance.cli.mutate.code import mutate_code
from conformance.cli.options.selection import expression
from conformance.cli.options.values import MutateOptions
from conformance.cli.targets.known import chosen, known_targets
from conformance.engine import PROFILES, Run
from conformance.mutation.model import Mutant
from conformance.mutation.operators import OPERATORS
from conformance.mutation.population import load_equivalents, population, reasons, sampled, stale
from conformance.mutation.records import JudgedMutant, MutationReport, count, counts, write
from conformance.mutation.score import Scoring, unminimised
from conformance.specs import load


def mutate(options: MutateOptions) -> int:
    """Make mutants of a target and judge the suite by them; the exit status."""
    _check_code(options)
    target = _target(options)
    if options.output is not None and not options.listing:
        check_writable(options.output)
    return _code(target, options) if options.code else _wrapped(target, options)


def _wrapped(target: Target, options: MutateOptions) -> int:
    """Mutants that wrappers around the functions make; the exit status."""
    mutants = _mutants(target, options)
    if options.listing:
        click.echo("\n".join(m.name for m in mutants))
        return 0
    try:
        report = _run(target, mutants, options)
    except WorkerStartError as error:
        click.echo(f"error: {target.name} cannot be run: {error}", err=True)
        return CANNOT_RUN
    _tell(report)
    if options.output is not None:
        with writing(options.output):
            write(report, options.output)
    if report.interrupted:
        return INTERRUPTED
    return 1 if report.summary.survived or report.stale else 0


def _check_code(options: MutateOptions) -> None:
    """Refuse options that go with --code only, or without it only; UsageProblem."""
    if options.code and options.alone:
        raise UsageProblem("--alone does not go with --code", "leave one of them out")
    for name in ("minimise", "resume", "again"):
        if getattr(options, name) and not options.code:
            raise UsageProblem(f"--{name} goes with --code", "add --code, or leave it out")
    if options.again and not options.resume:
        raise UsageProblem("--again goes with --resume", "add --resume, or leave it out")


def _code(target: Target, options: MutateOptions) -> int:
    functions, operators = _matching(options.selection), _matching(options.operator)
    try:
        return mutate_code(target, options, functions, operators)
    except WorkerStartError as error:
        click.echo(f"error: {target.name} cannot be run: {error}", err=True)
        return CANNOT_RUN


def _target(options: MutateOptions) -> Target:
    (target, *others) = chosen([options.target], known_targets(options.config))
    if others:
        raise UsageProblem(f"{options.target} stands for several targets", "write one of them")
    reached = "a mapping" if target.mapping is not None else "an adapter"
    if target.adapter is not None or (target.mapping is not None and not options.code):
        raise UsageProblem(
            f"{target.name} is reached through {reached}", "name a target that is a module"
        )
    state = environments.status(target)
    if not isinstance(state, environments.Ready):
        click.echo(f"error: {target.name}: {state.reason}\nhint: {state.hint}", err=True)
        raise SystemExit(CANNOT_RUN)
    return target


def _mutants(target: Target, options: MutateOptions) -> list[Mutant]:
    functions, operators = _matching(options.selection), _matching(options.operator)
    mutants = population(load(), target.edition, functions, operators)
    sample = sampled(mutants, options.sample)
    if not sample:
        raise UsageProblem("no mutant is selected", "`conformance mutate --list` lists them")
    return sample


def _matching(text: str | None) -> Callable[[str], bool]:
    """As `-k`; words of a name are joined by underscores."""
    if text is None:
        return lambda _: True
    matches = expression(text)
    return lambda name: matches(name.replace(" ", "_"))


def _run(target: Target, mutants: Sequence[Mutant], options: MutateOptions) -> MutationReport:
    begun, started = time.monotonic(), datetime.datetime.now(datetime.UTC)
    common = Run(
        conformance.__version__,
        unminimised(PROFILES[options.profile]),
        options.seed,
        started.isoformat(timespec="seconds"),
    )
    harmless = reasons(load_equivalents(), target.name)
    judged: list[JudgedMutant] = []
    scoring = Scoring(
        target, load(), common, harmless, judged.append, callers_too=not options.alone
    )
    interrupted = _interrupted(scoring, mutants, options.jobs)
    place = {m.name: n for n, m in enumerate(mutants)}
    judged.sort(key=lambda mutant: place[mutant.name])
    every = {m.name for m in population(load(), target.edition)}
    return MutationReport(
        target=target.name,
        edition=target.edition,
        implementation=target.implementation,
        suite_version=conformance.__version__,
        profile=options.profile,
        seed=options.seed,
        started=common.started,
        seconds=round(time.monotonic() - begun, 1),
        sample=options.sample,
        selection=options.selection,
        interrupted=interrupted,
        summary=count("all", judged),
        themes=counts(dict.fromkeys(m.theme for m in mutants), judged, "theme"),
        operators=counts((o.name for o in OPERATORS), judged, "operator"),
        mutants=judged,
        stale=list(stale(harmless, judged, every)),
    )


def _interrupted(scoring: Scoring, mutants: Sequence[Mutant], jobs: int) -> bool:
    """Judge the mutants, with a bar on a terminal; whether Ctrl-C ended it early."""
    with click.progressbar(length=len(mutants), label=scoring.target.name, show_pos=True) as bar:
        keep = scoring.report

        def tell(mutant: JudgedMutant) -> None:
            keep(mutant)
            bar.update(1)

        scoring.report = tell
        try:
            scoring.run(mutants, jobs)
        except KeyboardInterrupt:
            return True
    return False


def _tell(report: MutationReport) -> None:
    summary = report.summary
    score = "no score" if summary.score is None else f"score {100 * summary.score:.1f} %"
    click.echo(
        f"{report.target}: {summary.killed} of {summary.killed + summary.survived} mutants killed, "
        f"{score}; "
        f"{summary.masked} masked, {summary.equivalent} equivalent, {summary.not_made} not made, "
        f"in {report.seconds:.0f} s"
    )
    for mutant in report.mutants:
        if mutant.outcome == "survived":
            click.echo(f"  survived  {mutant.name}")
    for text in report.stale:
        click.echo(f"equivalents.toml: {text}", err=True)
