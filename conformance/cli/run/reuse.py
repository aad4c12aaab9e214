"""`--resume` and `--reuse`: results of earlier runs that need no new run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click
from msgspec import UNSET
from msgspec.structs import replace

from conformance.cli.errors import UsageProblem
from conformance.cli.files.results import read_file
from conformance.editions import Edition
from conformance.engine import Examined, Previous, Run, Subject, Task, begun, bundles, kept
from conformance.fingerprints import PARTS, UNKNOWN, Fingerprints
from conformance.reporting.containers import all_existing, existing
from conformance.reporting.json_results import file_name
from conformance.reporting.safe_text import clean
from conformance.results import Aspect, Results, RunInfo, Spent, TargetInfo, summarise

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
"""The facts that must be equal in the results and in this run."""


def resumed(
    output: Path, subject: Subject, tasks: Sequence[Task], common: Run
) -> tuple[Path, Results] | None:
    """The results to go on from, and their file; None for a target without results.

    Raises:
        UsageProblem: the results belong to another run.
    """
    file = existing(output / file_name(subject.name))
    if file is None:
        click.echo(f"{subject.name}: nothing to resume in {clean(str(output))}", err=True)
        return None
    results = _read(file)
    for problem in _problems(results, subject, tasks, common):
        raise UsageProblem(
            f"{clean(str(file))} cannot be resumed: {problem}",
            "give the options of that run, or another --output, or leave --resume out",
        )
    return file, results


def _read(file: Path) -> Results:
    """The results in the file.

    Raises:
        UsageProblem: no run can continue from it; the hint has the cure.
    """
    try:
        return read_file(file)
    except UsageProblem as problem:
        hint = f"delete {clean(str(file))}, or name another --output, or leave --resume out"
        raise UsageProblem(problem.message, hint) from None


def _problems(
    results: Results, subject: Subject, tasks: Sequence[Task], common: Run
) -> Iterator[str]:
    for what, (there, here) in _SAME.items():
        was, current = there(results), here(common, subject)
        if was != current:
            yield f"{what} was {_shown(was)}, and is {_shown(current)}"
    aspects = {task.spec.name: task.aspects for task in tasks}
    for function in results.functions:
        judged = {aspect.aspect for aspect in function.aspects}
        if judged != aspects.get(function.function, judged):
            yield f"{function.function} was judged on {len(judged)} other aspects"


def _named(aspects: Iterable[Aspect]) -> str | None:
    return ", ".join(aspects) or None


def _shown(value: object) -> str:
    return "not given" if value is None else clean(str(value))


NEW, UNFINISHED, UNMARKED = "new", "unfinished", "without a fingerprint"
UNPINNED = "implementation not pinned"


@dataclass(frozen=True, slots=True)
class ReuseSource:
    """Results of a target from which functions may be taken."""

    file: Path
    results: Results
    resumed: bool = False
    """Whether they are those of this very run, which was interrupted."""

    @property
    def fingerprints(self) -> Fingerprints:
        """Those of its functions."""
        marked = self.results.run.fingerprints
        return {} if marked is UNSET else marked

    def reason(self, name: str, finished: bool, now: Mapping[str, str]) -> str | None:
        """Why a function of these results is run again; None if it is not."""
        before = self.fingerprints.get(name)
        if not finished:
            return UNFINISHED
        if before is None:
            return UNMARKED
        if UNKNOWN in now.values() and not self.resumed:
            return UNPINNED
        changed = (words for part, words in PARTS.items() if before.get(part) != now.get(part))
        return next(changed, None)


@dataclass(slots=True)
class Choice:
    """Which functions of a target are taken from which results, and why the others are not."""

    taken: dict[str, ReuseSource] = field(default_factory=dict)
    again: dict[str, str] = field(default_factory=dict)


def earlier(
    resume: Path | None,
    places: Sequence[Path],
    subjects: Sequence[Subject],
    plans: Mapping[Edition, Sequence[Task]],
    common: Run,
) -> dict[str, Previous]:
    """The results that need no new run, by target; prints a line for each target.

    They are in `resume`, the folder of an interrupted run, and in the `places` of other results.

    Raises:
        UsageProblem: a file does not hold results, or `resume` belongs to another run.
    """
    previous = {}
    for subject in subjects:
        tasks = plans[subject.edition]
        sources = [*_resumed(resume, subject, tasks, common), *_reused(places, subject)]
        if not sources and not places:
            continue
        if common.shard is not None:
            tasks = common.shard.of(tasks, subject.library)
        marks = common.fingerprints[subject.name]
        choice = _choice(sources, tasks, marks)
        for source in sources:
            _check_nothing_is_lost(source, choice)
        click.echo(f"{subject.name}: {_summary(choice, len(tasks))}", err=True)
        if choice.taken:
            certain = all(UNKNOWN not in marks[name].values() for name in choice.taken)
            previous[subject.name] = Previous(
                _together(choice, tasks, common), certain, _begun(sources, choice)
            )
    return previous


def _check_nothing_is_lost(source: ReuseSource, choice: Choice) -> None:
    """UsageProblem if `--resume` would overwrite results without keeping any function."""
    finished = len(source.fingerprints)
    if not source.resumed or not finished or source in choice.taken.values():
        return
    reasons = Counter(reason for reason in choice.again.values() if reason != UNFINISHED)
    (why, _), *_ = reasons.most_common(1) or [(PARTS["shared"], 0)]
    file = clean(str(source.file))
    raise UsageProblem(
        f"{file} cannot be resumed: none of its {finished} functions can be kept ({why})",
        "name another --output, or leave --resume out to write over these results",
    )


def _begun(sources: Sequence[ReuseSource], choice: Choice) -> dict[str, Examined]:
    """The results of functions that the interrupted run did not finish."""
    return {
        name: examined
        for source in sources
        if source.resumed
        for name, examined in begun(source.results).items()
        if name not in choice.taken
    }


def _resumed(
    folder: Path | None, subject: Subject, tasks: Sequence[Task], common: Run
) -> Iterator[ReuseSource]:
    if folder is not None and (known := resumed(folder, subject, tasks, common)) is not None:
        yield ReuseSource(*known, resumed=True)


def _reused(places: Sequence[Path], subject: Subject) -> Iterator[ReuseSource]:
    """The results of a target in files, and in folders of them."""
    for place in places:
        files = all_existing(place / file_name(subject.name)) if place.is_dir() else [place]
        for file in files:
            results = read_file(file)
            if results.target.name == subject.name:
                yield ReuseSource(file, results)


def _choice(sources: Sequence[ReuseSource], tasks: Sequence[Task], marks: Fingerprints) -> Choice:
    """The reused results: all or none of the functions that share processes."""
    choice = Choice()
    info: TargetInfo | None = None
    for source in sources:
        if info is None or source.results.target == info:
            before = len(choice.taken)
            _take(source, tasks, marks, choice)
            info = source.results.target if len(choice.taken) > before else info
    for bundle in bundles(tasks):
        names = [task.spec.name for task in bundle]
        if not all(name in choice.taken for name in names):
            for name in choice.taken.keys() & {*names}:
                del choice.taken[name]
                choice.again[name] = PARTS["shared"]
    return choice


def _take(source: ReuseSource, tasks: Sequence[Task], marks: Fingerprints, choice: Choice) -> None:
    has = {function.function for function in source.results.functions}
    finished = kept(source.results)
    for name in (task.spec.name for task in tasks):
        if name in choice.taken or name not in has:
            continue
        reason = source.reason(name, name in finished, marks[name])
        if reason is None:
            choice.taken[name] = source
            choice.again.pop(name, None)
        else:
            choice.again.setdefault(name, reason)


def _summary(choice: Choice, planned: int) -> str:
    """A line: the number of reused results with their source, and of functions to run."""
    files = list(dict.fromkeys(str(source.file) for source in choice.taken.values()))
    if not choice.again and not choice.taken:
        return f"nothing to reuse; {planned} functions run"
    new = planned - len(choice.taken) - len(choice.again)
    reasons = Counter(choice.again.values()) + Counter({NEW: new})
    why = ", ".join(f"{words} ({number})" for words, number in reasons.most_common() if number)
    from_files = f" from {clean(' and '.join(files))}" if files else ""
    rest = f"; {planned - len(choice.taken)} run: {why}" if why else ""
    return f"kept {len(choice.taken)} of {planned} functions{from_files}{rest}"


def _together(choice: Choice, tasks: Sequence[Task], common: Run) -> Results:
    """The functions that are taken, as results."""
    sources = list({id(source): source for source in choice.taken.values()}.values())
    parts = {id(source): kept(source.results) for source in sources}
    names = [task.spec.name for task in tasks if task.spec.name in choice.taken]
    examined = [parts[id(choice.taken[name])][name] for name in names]
    milliseconds = {
        name: choice.taken[name].results.run.milliseconds[name]
        for name in names
        if name in choice.taken[name].results.run.milliseconds
    }
    functions = [function.result for function in examined]
    whole = len(names) == len(tasks)
    return Results(
        target=sources[0].results.target,
        run=replace(
            sources[0].results.run,
            started=_started(sources, common, whole=whole),
            seconds=sum(_seconds(source, choice) for source in sources),
            machine=_machines(sources) or UNSET,
            milliseconds=milliseconds,
            spent={function.result.function: function.spent for function in examined},
            unfinished=UNSET,
        ),
        summary=summarise(functions),
        functions=functions,
    )


def _started(sources: Sequence[ReuseSource], common: Run, *, whole: bool) -> str:
    """When the run began: that of the results if it goes on, or if it runs nothing."""
    if whole or any(source.resumed for source in sources):
        return sources[0].results.run.started
    return common.started


def _seconds(source: ReuseSource, choice: Choice) -> float:
    """The share of a run's wall time that is due to the functions taken from it."""
    run = source.results.run
    spent = {} if run.spent is UNSET else run.spent
    taken = (name for name, of in choice.taken.items() if of is source)
    every = sum(cost.seconds for cost in spent.values())
    share = sum(spent.get(name, Spent()).seconds for name in taken) / every if every else 1.0
    return run.seconds * share


def _machines(sources: Sequence[ReuseSource]) -> str:
    def machines(run: RunInfo) -> list[str]:
        return run.machine.split("; ") if isinstance(run.machine, str) else []

    return "; ".join(sorted({m for source in sources for m in machines(source.results.run)}))
