"""`conformance fuzz`: run composed programs on targets and report."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from functools import partial

import click
from msgspec import UNSET, UnsetType

import conformance
from conformance.cli.errors import CANNOT_RUN, UsageProblem
from conformance.cli.files.results import read_file
from conformance.cli.known_failures.gate import judgement
from conformance.cli.options.fuzz import DEFAULT
from conformance.cli.options.selection import expression
from conformance.cli.options.values import FuzzOptions
from conformance.cli.run.announcements import Announcements
from conformance.cli.run.output_folder import locked
from conformance.cli.run.run import check_files, gate_of, shard, subjects_of
from conformance.cli.targets.subjects import with_file
from conformance.editions import Edition
from conformance.engine import Subject
from conformance.fuzz.making.composing import is_composable
from conformance.fuzz.making.growth import joins
from conformance.fuzz.programs import EDITIONS_WITH_PROGRAMS, documented
from conformance.fuzz.records.tally import summary_lines
from conformance.fuzz.running.campaign import fuzz
from conformance.fuzz.running.target import Campaign
from conformance.reporting.json_results import file_name
from conformance.reporting.safe_text import clean
from conformance.results import Composed, Results
from conformance.results.composed import PROFILE

ATTEMPTS = 200
"""To make the first program: the hardest function (`conv2d_transpose` of keras-1) takes some 80."""


def fuzz_targets(options: FuzzOptions) -> None:
    """Run, write and judge.

    Raises:
        SystemExit: always, with the exit status.
        UsageProblem: an option is wrong.
    """
    options = with_file(options)
    if options.again and not options.resume:
        raise UsageProblem("--again goes with --resume", "add --resume, or leave it out")
    check_files(options)
    with locked(options.output):
        _fuzz_targets(options)


def _fuzz_targets(options: FuzzOptions) -> None:
    checked = gate_of(options)
    subjects, missing = subjects_of(options)
    subjects = composable(subjects, named=bool(options.targets or options.module))
    editions = {s.edition for s in subjects}
    campaign = _campaign(options, editions)
    _check_composable(campaign, editions)
    begun = _previous(options, subjects, campaign)
    announced = Announcements(options, partial(judgement, checked, None))
    with announced.opened(missing):
        reached = fuzz(subjects, campaign, announced.emit, announced.jobs, begun)
    _say(announced.results, quiet=options.quiet)
    announced.check()
    passes, agrees = checked.passes(announced.results), _something_agrees(announced.results)
    full = agrees and reached and not missing
    raise SystemExit(1 if not passes else 0 if full else CANNOT_RUN)


def composable(subjects: Sequence[Subject], *, named: bool) -> list[Subject]:
    """Those of an edition that programs are made of.

    Raises:
        UsageProblem: another edition is named.
    """
    others = [s for s in subjects if s.edition not in EDITIONS_WITH_PROGRAMS]
    if not others:
        return list(subjects)
    why = f"no programs are made of the functions of {others[0].edition}"
    names = ", ".join(s.name for s in others)
    if named:
        editions = ", ".join(EDITIONS_WITH_PROGRAMS)
        raise UsageProblem(
            f"{names}: {why}",
            f"name targets of {editions} (`conformance targets` lists them), "
            "or use `conformance run`",
        )
    click.echo(f"not run: {names}, because {why}", err=True)
    return [s for s in subjects if s.edition in EDITIONS_WITH_PROGRAMS]


def _something_agrees(results: Sequence[Results]) -> bool:
    """Whether a program agrees on each target; says of which targets none does."""
    bare = [x.target.name for x in results if _none_agrees(x.composed)]
    for name in bare:
        click.echo(clean(f"{name}: none of its programs agrees"), err=True)
        click.echo("hint: `conformance run` on the same target says what fails", err=True)
    return not bare


def _none_agrees(composed: Composed | UnsetType) -> bool:
    return composed is not UNSET and 0 < composed.programs == composed.failed


def _say(runs: Sequence[Results], *, quiet: bool) -> None:
    for results in runs if not quiet else ():
        for line in summary_lines(results):
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
    functions: set[str] = set()
    for edition in sorted(editions):
        mine = {s.name for s in documented(edition).values() if joins(s) and select(s.name)}
        if not mine:
            raise UsageProblem(
                f"no function of {edition} that joins programs is selected by -k "
                f"{options.selection!r}",
                "`conformance list` lists the functions; those with single calls of tensors join",
            )
        functions |= mine
    return frozenset(functions)


def _check_composable(campaign: Campaign, editions: set[Edition]) -> None:
    """UsageProblem if hardly a program calls one of the functions that -k selects."""
    for edition in sorted(editions) if campaign.functions else ():
        if not is_composable(campaign.plan(edition), ATTEMPTS):
            raise UsageProblem(
                f"none of {ATTEMPTS} attempts makes a program of {edition} with the functions of "
                f"-k {campaign.selection!r}: the documents leave most of its calls open, or --size "
                "is too small",
                "select other functions, too, or allow more calls, such as --size 2-20",
            )


def _previous(
    options: FuzzOptions, subjects: Sequence[Subject], campaign: Campaign
) -> dict[str, Results]:
    """The results that --resume goes on from, by target. UsageProblem for those of another run."""
    previous: dict[str, Results] = {}
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
        previous[subject.name] = results
    return previous


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
