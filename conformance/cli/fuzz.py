"""`conformance fuzz`: run composed programs on targets and report."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from functools import partial

import click
from msgspec import UNSET, UnsetType

import conformance
from conformance.cli.announced import Announced
from conformance.cli.errors import CANNOT_RUN, UsageProblem
from conformance.cli.first_look.files import with_file
from conformance.cli.judgement import judgement
from conformance.cli.options.fuzzing import DEFAULT
from conformance.cli.options.given import FuzzOptions
from conformance.cli.portioning import shard
from conformance.cli.results_files import read_file
from conformance.cli.run import check_files, gate_of, subjects_of
from conformance.cli.select import expression
from conformance.editions import Edition
from conformance.engine import Subject
from conformance.fuzz.calls import EDITIONS_WITH_PROGRAMS, documented
from conformance.fuzz.campaign import fuzz
from conformance.fuzz.making.composing import is_composable
from conformance.fuzz.making.growth import joins
from conformance.fuzz.report import told
from conformance.fuzz.target import Campaign
from conformance.reporting.json_results import file_name
from conformance.reporting.safe_text import clean
from conformance.results import Composed, Results
from conformance.results.composed import PROFILE

ATTEMPTS = 200
"""To make the first program: the hardest function (`conv2d_transpose` of keras-1) takes some 80."""


def fuzz_targets(options: FuzzOptions) -> None:
    """Run, write and judge; SystemExit with the status."""
    options = with_file(options)
    if options.again and not options.resume:
        raise UsageProblem("--again goes with --resume", "add --resume, or leave it out")
    check_files(options)
    checked = gate_of(options)
    subjects, missing = subjects_of(options)
    subjects = composable(subjects, named=bool(options.targets or options.module))
    editions = {s.edition for s in subjects}
    campaign = _campaign(options, editions)
    _check_composable(campaign, editions)
    begun = _previous(options, subjects, campaign)
    announced = Announced(options, partial(judgement, checked, None))
    with announced.opened(missing):
        reached = fuzz(subjects, campaign, announced.emit, announced.jobs, begun)
    _say(announced.results, quiet=options.quiet)
    announced.check()
    passes, agrees = checked.passes(announced.results), _something_agrees(announced.results)
    full = agrees and reached and not missing
    raise SystemExit(1 if not passes else 0 if full else CANNOT_RUN)


def composable(subjects: Sequence[Subject], *, named: bool) -> list[Subject]:
    """Those of an edition that programs are made of; UsageProblem if another one is named."""
    others = [s for s in subjects if s.edition not in EDITIONS_WITH_PROGRAMS]
    if not others:
        return list(subjects)
    why = f"no programs are made of the functions of {others[0].edition}"
    names = ", ".join(s.name for s in others)
    if named:
        made = ", ".join(EDITIONS_WITH_PROGRAMS)
        raise UsageProblem(
            f"{names}: {why}",
            f"name targets of {made} (`conformance targets` lists them), or use `conformance run`",
        )
    click.echo(f"not run: {names}, because {why}", err=True)
    return [s for s in subjects if s.edition in EDITIONS_WITH_PROGRAMS]


def _something_agrees(listed: Sequence[Results]) -> bool:
    """Whether a program agrees on each target; says of which targets none does."""
    bare = [x.target.name for x in listed if _none_agrees(x.composed)]
    for name in bare:
        click.echo(clean(f"{name}: none of its programs agrees"), err=True)
        click.echo("hint: `conformance run` on the same target says what fails", err=True)
    return not bare


def _none_agrees(found: Composed | UnsetType) -> bool:
    return found is not UNSET and 0 < found.programs == found.failed


def _say(listed: Sequence[Results], *, quiet: bool) -> None:
    for results in listed if not quiet else ():
        for line in told(results):
            click.echo(clean(line))


def _campaign(options: FuzzOptions, editions: set[Edition]) -> Campaign:
    programs = options.programs
    if programs is None and options.max_time is None:
        programs = DEFAULT
    return Campaign(
        seed=options.seed,
        suite_version=conformance.__version__,
        started=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        programs=programs,
        size=options.size,
        functions=_functions(options, editions),
        selection=options.selection,
        shard=shard(options.shard),
        max_time=options.max_time,
        again=options.again,
    )


def _functions(options: FuzzOptions, editions: set[Edition]) -> frozenset[str]:
    """The functions of which each program must have one; UsageProblem if -k selects none."""
    if options.selection is None:
        return frozenset()
    select = expression(options.selection)
    found: set[str] = set()
    for edition in sorted(editions):
        mine = {s.name for s in documented(edition).values() if joins(s) and select(s.name)}
        if not mine:
            raise UsageProblem(
                f"no function of {edition} that joins programs is selected by -k "
                f"{options.selection!r}",
                "`conformance list` lists the functions; those with single calls of tensors join",
            )
        found |= mine
    return frozenset(found)


def _check_composable(campaign: Campaign, editions: set[Edition]) -> None:
    """UsageProblem if hardly a program calls one of the functions that -k selects."""
    for edition in sorted(editions) if campaign.functions else ():
        if not is_composable(campaign.plan(edition), ATTEMPTS):
            raise UsageProblem(
                f"of {ATTEMPTS} attempts none makes a program of {edition} that calls what -k "
                f"{campaign.selection!r} selects: of most of its calls no document says what "
                "comes, or --size is too small",
                "select other functions, too, or allow more calls, such as --size 2-20",
            )


def _previous(
    options: FuzzOptions, subjects: Sequence[Subject], campaign: Campaign
) -> dict[str, Results]:
    """The results that --resume goes on from, by target. UsageProblem for those of another run."""
    found: dict[str, Results] = {}
    for subject in subjects if options.resume and options.output is not None else ():
        assert options.output is not None
        file = options.output / file_name(subject.name)
        if not file.exists():
            click.echo(
                f"{subject.name}: nothing to resume in {clean(str(options.output))}", err=True
            )
            continue
        results = read_file(file)
        for problem in _problems(results, subject, campaign):
            raise UsageProblem(
                f"{clean(str(file))} cannot be resumed: {problem}",
                "give the options of that run, or another --output, or leave --resume out",
            )
        found[subject.name] = results
    return found


def _problems(results: Results, subject: Subject, campaign: Campaign) -> Iterator[str]:
    run = results.run
    if run.profile != PROFILE or results.composed is UNSET:
        yield "it has the results of `conformance run`"
        return
    pairs = (
        ("edition", results.target.edition, subject.edition),
        ("suite version", run.suite_version, campaign.suite_version),
        ("seed", run.seed, campaign.seed),
        ("size", results.composed.size, list(campaign.size)),
        ("-k", run.selection, campaign.selection),
        ("--shard", run.shard or None, None if campaign.shard is None else str(campaign.shard)),
    )
    for what, there, here in pairs:
        if there != here:
            yield f"its {what} is {there}, not {here}"
