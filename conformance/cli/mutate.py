"""`conformance mutate`: how many errors in a correct backend the suite finds."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import conformance
from conformance.adapters import environments
from conformance.adapters.registry import Target
from conformance.adapters.session import WorkerStartError
from conformance.cli.errors import CANNOT_RUN, INTERRUPTED, UsageProblem
from conformance.cli.known_targets import chosen, config_option, known_targets
from conformance.cli.mutate_code import CodeOptions, mutate_code
from conformance.cli.options import output_option, profile_option, seed_option
from conformance.cli.select import expression, selection_option
from conformance.engine import PROFILES, Run
from conformance.mutation import equivalents
from conformance.mutation.model import Mutant
from conformance.mutation.operators import OPERATORS
from conformance.mutation.population import population
from conformance.mutation.records import JudgedMutant, MutationReport, count, counts
from conformance.mutation.sample import sampled
from conformance.mutation.score import Scoring, unminimised
from conformance.mutation.writing import write
from conformance.specs import load


@dataclass(frozen=True, kw_only=True)
class MutateOptions(CodeOptions):
    """The values of the command's options and arguments."""

    target: str
    alone: bool
    code: bool
    config: Path | None


@click.command("mutate")
@click.argument("target", default="reference")
@selection_option
@click.option(
    "--operator", help="Only operators whose names match, such as 'gradient or wrong_default'."
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    help="Only so many mutants of each operator, spread over its functions; with --code so many in"
    " all, drawn at random by --seed.",
)
@click.option(
    "--alone", is_flag=True, help="Do not look for what survives with other functions that call it."
)
@click.option(
    "--code",
    is_flag=True,
    help="Change the source of TARGET's own module, and see what a gate with known failures says.",
)
@click.option(
    "--minimise",
    is_flag=True,
    help="With --code: make failures smaller, as `conformance run` does; slower.",
)
@click.option(
    "--resume", is_flag=True, help="With --code: go on with what an earlier start left in --output."
)
@profile_option()
@seed_option
@click.option(
    "--jobs", "-j", type=click.IntRange(min=1), default=1, show_default=True, help="Workers."
)
@output_option("Write TARGET.mutation.json and .md (TARGET.code-mutation.*) into this folder.")
@click.option("--list", "listing", is_flag=True, help="List the mutants, and run nothing.")
@config_option
def command(**values: Any) -> None:
    """Give TARGET one error after another, and see which the suite finds.

    TARGET is a name from `conformance targets` (by default the reference) that is reached as a
    module. A mutant is an operator, such as "argument ignored", and a function. It is killed if
    a verdict on the function is worse than without the error; what survives is looked for with
    every other function that calls it. Mutants that are no errors are listed with the reason.

    With --code a mutant is one small change in the source of TARGET, in a documented function or
    in what it reaches: an operator, a constant, an argument, a statement, a branch, a call, axes.
    The functions that reach the change are run. It is killed if the gate fails that passes
    without it: `conformance run` with each failure of the unchanged TARGET among the known ones.

    Exit status: 0 no mutant survives but equivalent ones; 1 one does, or the list of equivalent
    mutants is stale; 3 TARGET cannot be run; 130 after Ctrl-C, with what was judged written.

    \b
    conformance mutate                                the reference, all mutants
    conformance mutate -k softmax                     the mutants of one function
    conformance mutate tf_keras --sample 5 -o DIR     five mutants of each operator

    \b
    conformance mutate tf_keras --code --sample 150 -o DIR            a random sample of 150
    conformance mutate tf_keras --code --sample 300 -o DIR --resume   150 more
    conformance mutate tf_keras --code -k softmax --list              what would be changed
    """
    options = MutateOptions(**values)
    _check_code(options)
    target = _target(options)
    raise SystemExit(_code(target, options) if options.code else _wrapped(target, options))


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
    if options.output is not None:
        write(report, options.output)
    _tell(report)
    if report.interrupted:
        return INTERRUPTED
    return 1 if report.summary.survived or report.stale else 0


def _check_code(options: MutateOptions) -> None:
    """Refuse options that go with --code only, or without it only; UsageProblem."""
    if options.code and options.alone:
        raise UsageProblem("--alone does not go with --code", "leave one of them out")
    for name in ("minimise", "resume"):
        if getattr(options, name) and not options.code:
            raise UsageProblem(f"--{name} goes with --code", "add --code, or leave it out")


def _code(target: Target, options: MutateOptions) -> int:
    functions, operators = _matching(options.selection), _matching(options.operator)
    try:
        return mutate_code(target, options, functions, operators)
    except WorkerStartError as error:
        click.echo(f"error: {target.name} cannot be run: {error}", err=True)
        return CANNOT_RUN


def _target(options: MutateOptions) -> Target:
    (found, *others) = chosen([options.target], known_targets(options.config))
    if others:
        raise UsageProblem(f"{options.target} stands for several targets", "write one of them")
    if found.mapping is not None or found.adapter is not None:
        reached = "a mapping" if found.mapping is not None else "an adapter"
        raise UsageProblem(
            f"{found.name} is reached through {reached}", "name a target that is a module"
        )
    state = environments.status(found)
    if not isinstance(state, environments.Ready):
        click.echo(f"error: {found.name}: {state.reason}\nhint: {state.hint}", err=True)
        raise SystemExit(CANNOT_RUN)
    return found


def _mutants(target: Target, options: MutateOptions) -> list[Mutant]:
    functions, operators = _matching(options.selection), _matching(options.operator)
    made = population(load(), target.edition, functions, operators)
    found = sampled(made, options.sample)
    if not found:
        raise UsageProblem("no mutant is selected", "`conformance mutate --list` lists them")
    return found


def _matching(text: str | None) -> Callable[[str], bool]:
    """As `-k`; words of a name are joined by underscores."""
    if text is None:
        return lambda _: True
    listed = expression(text)
    return lambda name: listed(name.replace(" ", "_"))


def _run(target: Target, mutants: Sequence[Mutant], options: MutateOptions) -> MutationReport:
    begun, started = time.monotonic(), datetime.datetime.now(datetime.UTC)
    common = Run(
        conformance.__version__,
        unminimised(PROFILES[options.profile]),
        options.seed,
        started.isoformat(timespec="seconds"),
    )
    reasons = equivalents.reasons(equivalents.load(), target.name)
    judged: list[JudgedMutant] = []
    scoring = Scoring(target, load(), common, reasons, judged.append, callers_too=not options.alone)
    interrupted = _interrupted(scoring, mutants, options.jobs)
    place = {m.name: n for n, m in enumerate(mutants)}
    judged.sort(key=lambda one: place[one.name])
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
        stale=list(equivalents.stale(reasons, judged, every)),
    )


def _interrupted(scoring: Scoring, mutants: Sequence[Mutant], jobs: int) -> bool:
    """Judge the mutants, with a bar on a terminal; whether Ctrl-C ended it early."""
    with click.progressbar(length=len(mutants), label=scoring.target.name, show_pos=True) as bar:
        keep = scoring.report

        def tell(one: JudgedMutant) -> None:
            keep(one)
            bar.update(1)

        scoring.report = tell
        try:
            scoring.run(mutants, jobs)
        except KeyboardInterrupt:
            return True
    return False


def _tell(report: MutationReport) -> None:
    one = report.summary
    score = "no score" if one.score is None else f"score {100 * one.score:.1f} %"
    click.echo(
        f"{report.target}: {one.killed} of {one.killed + one.survived} mutants killed, {score}; "
        f"{one.masked} masked, {one.equivalent} equivalent, {one.not_made} not made, "
        f"in {report.seconds:.0f} s"
    )
    for mutant in report.mutants:
        if mutant.outcome == "survived":
            click.echo(f"  survived  {mutant.name}")
    for text in report.stale:
        click.echo(f"equivalents.toml: {text}", err=True)
