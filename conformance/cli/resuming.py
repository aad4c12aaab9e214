"""`--resume`: what a run that was ended early has left in its output folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import click
from msgspec import UNSET

from conformance.cli.errors import UsageProblem
from conformance.cli.results_files import read_file
from conformance.editions import Edition
from conformance.engine import Run, Subject, Task
from conformance.reporting.containers import existing
from conformance.reporting.json_results import file_name
from conformance.reporting.safe_text import clean
from conformance.results import Aspect, Results

_SAME: dict[str, tuple[Callable[[Results], object], Callable[[Run, Subject], object]]] = {
    "edition": (lambda r: r.target.edition, lambda _, s: s.edition),
    "suite version": (lambda r: r.run.suite_version, lambda c, _: c.suite_version),
    "profile": (lambda r: r.run.profile, lambda c, _: c.profile.name),
    "seed": (lambda r: r.run.seed, lambda c, _: c.seed),
    "-k": (lambda r: r.run.selection, lambda c, _: c.selection),
    "--aspect": (lambda r: _named(r.run.aspects or ()), lambda c, _: _named(c.aspects)),
    "--shard": (
        lambda r: None if r.run.shard is UNSET else r.run.shard,
        lambda c, _: None if c.shard is None else str(c.shard),
    ),
}
"""What must be the same, in the results and in this run."""


def previous(
    output: Path, subjects: Sequence[Subject], plans: Mapping[Edition, Sequence[Task]], common: Run
) -> dict[str, Results]:
    """The results to go on from, by target; a target without results starts from the beginning.

    UsageProblem for results of another run.
    """
    found = {}
    for subject in subjects:
        file = existing(output / file_name(subject.name))
        if file is None:
            click.echo(f"{subject.name}: nothing to resume in {clean(str(output))}", err=True)
            continue
        results = _read(file)
        for problem in _problems(results, subject, plans[subject.edition], common):
            raise UsageProblem(
                f"{clean(str(file))} cannot be resumed: {problem}",
                "give the options of that run, or another --output, or leave --resume out",
            )
        found[subject.name] = results
    return found


def _read(file: Path) -> Results:
    """What the file holds; UsageProblem with what to do where nothing can go on from it."""
    try:
        return read_file(file)
    except UsageProblem as problem:
        hint = f"delete {clean(str(file))}, or name another --output, or leave --resume out"
        raise UsageProblem(problem.message, hint) from None


def _problems(
    results: Results, subject: Subject, tasks: Sequence[Task], common: Run
) -> Iterator[str]:
    for what, (there, here) in _SAME.items():
        was, wanted = there(results), here(common, subject)
        if was != wanted:
            yield f"{what} was {_shown(was)}, and is {_shown(wanted)}"
    aspects = {task.spec.name: task.aspects for task in tasks}
    for function in results.functions:
        judged = {aspect.aspect for aspect in function.aspects}
        if judged != aspects.get(function.function, judged):
            yield f"{function.function} was judged on {len(judged)} other aspects"


def _named(aspects: Iterable[Aspect]) -> str | None:
    return ", ".join(aspects) or None


def _shown(value: object) -> str:
    return "not given" if value is None else clean(str(value))
