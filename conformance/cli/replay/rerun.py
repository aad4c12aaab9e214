"""Stored failures run again, target by target."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

import conformance
from conformance.adapters import environments
from conformance.adapters.session import Session, WorkerStartError
from conformance.adapters.target_records import Target
from conformance.cli.replay.stored_failures import StoredFailure
from conformance.cli.targets.subjects import subject
from conformance.editions import Edition, known_edition
from conformance.engine import PROFILES, Run, Subject, Task, plan, run
from conformance.engine.judging.trials import Trial
from conformance.engine.running.repetition import Repetition, repeat
from conformance.engine.verdicts.origins import trials
from conformance.fuzz.running.recheck import DAMAGED, repeated
from conformance.reporting.writer import EventRecorder
from conformance.results import Aspect, Failure, TargetInfo, Verdict
from conformance.results.composed import is_composed
from conformance.results.events import TargetUnavailable
from conformance.specs import load

FIXED, STILL, CANNOT = "fixed", "still failing", "cannot run"
CHANGED = "still changed"
"""A difference from the documents that is not a failure: the target replaces their API."""


class ReplayOutcome(NamedTuple):
    """The outcome of one stored failure: `failure` is how it fails, if it does."""

    stored: StoredFailure
    status: str
    failure: Failure | None = None
    notes: Sequence[str] = ()


def outcomes(
    chosen: Iterable[StoredFailure], known: Mapping[str, Target]
) -> Iterator[ReplayOutcome]:
    """The outcomes of these failures, as they become known; those of one target together."""
    groups: dict[tuple[str, str], list[StoredFailure]] = {}
    for failure in chosen:
        groups.setdefault((failure.target.name, failure.target.edition), []).append(failure)
    for (name, edition), members in groups.items():
        yield from _of_target(known.get(name), known_edition(edition), members)


def _of_target(
    target: Target | None, edition: Edition | None, members: Sequence[StoredFailure]
) -> Iterator[ReplayOutcome]:
    """The outcomes of the failures of one target, tested against one edition."""
    if target is None:
        hint = "name its file by --config, or describe it by --module"
        yield from _cannot(members, "no target has this name here", hint)
        return
    if edition is None:
        reason = f"no edition {members[0].target.edition!r} here"
        yield from _cannot(members, reason, "run the target again")
        return
    state = environments.status(target)
    if isinstance(state, environments.Missing):
        hint = f"add --target {target.name}" if target.found_in else state.hint
        yield from _cannot(members, state.reason, hint)
    else:
        tested = subject(replace(target, edition=edition))
        yield from _on_target(tested, members, target.described_in)


def _cannot(members: Iterable[StoredFailure], reason: str, hint: str) -> Iterator[ReplayOutcome]:
    for failure in members:
        yield ReplayOutcome(failure, CANNOT, notes=[f"{reason}; {hint}"])


def _on_target(
    tested: Subject, members: Sequence[StoredFailure], described_in: Path | None
) -> Iterator[ReplayOutcome]:
    """First the cases that can be made again, then the functions of the others.

    `described_in` is the user's file that describes the target.
    """
    yield from _composed(tested, [failure for failure in members if is_composed(failure.failure)])
    members = [failure for failure in members if not is_composed(failure.failure)]
    cases = [(failure, _case(failure, tested.edition)) for failure in members]
    remade = [(failure, case) for failure, case in cases if case is not None]
    lacking = [_lacking(tested, case[1]) for _, case in remade]
    for (failure, _), dtype in zip(remade, lacking, strict=True):
        if dtype is not None:
            yield _without(failure, dtype, described_in)
    yield from _repeated(tested, [c for c, d in zip(remade, lacking, strict=True) if d is None])
    others: dict[tuple[str, int], list[StoredFailure]] = {}
    for failure, case in cases:
        if case is None:
            others.setdefault((failure.run.profile, failure.run.seed), []).append(failure)
    for (profile, seed), group in others.items():
        yield from _examined(tested, group, profile, seed)


def _lacking(tested: Subject, cases: Sequence[Trial]) -> str | None:
    """The dtype that each trial needs and that the target's declaration lacks, if there is one."""
    dtypes = [tested.lacking(trial) for trial in cases]
    return None if None in dtypes else dtypes[0]


def _without(failure: StoredFailure, dtype: str, described_in: Path | None) -> ReplayOutcome:
    """The outcome of a case that needs a dtype which the target lacks by its declaration."""
    place = "the target's declaration" if described_in is None else f"lacks in {described_in}"
    note = f"it needs {dtype}, which {place} excludes; remove {dtype} there to run the case"
    return ReplayOutcome(failure, CANNOT, notes=[note])


def _composed(tested: Subject, members: Sequence[StoredFailure]) -> Iterator[ReplayOutcome]:
    """The outcomes of failures of composed programs."""
    if not members:
        return
    try:
        with tested.open((), 0) as worker:
            for failure in members:
                yield _of_program(tested, worker, failure)
    except WorkerStartError as error:
        yield from _cannot(members, str(error), tested.cure)


def _of_program(tested: Subject, worker: Session, failure: StoredFailure) -> ReplayOutcome:
    versions = dict(worker.identity.versions)
    who = replace(failure.target, versions=versions, python=worker.identity.python)
    try:
        prelude, rows = tested.prelude, tested.replacements
        shown = repeated(worker, failure.failure, tested.edition, prelude, rows)
    except DAMAGED as problem:
        return ReplayOutcome(failure, CANNOT, notes=[f"its program cannot be made: {problem}"])
    return _replayed(failure, shown, who)


def _case(failure: StoredFailure, edition: Edition) -> tuple[Task, Sequence[Trial]] | None:
    """The case itself; None if it cannot be made from the results."""
    source = failure.failure.origin
    if source is UNSET or source.profile not in PROFILES:
        return None
    task = _task(failure.function, edition, source.profile, source.seed)
    remade = [] if task is None else trials(task, failure.failure)
    return (task, remade) if task is not None and remade else None


@cache
def _task(function: str, edition: Edition, profile: str, seed: int) -> Task | None:
    tasks = plan(load(), edition, PROFILES[profile], seed, select=lambda name: name == function)
    return next(iter(tasks), None)


def _repeated(
    tested: Subject, cases: Sequence[tuple[StoredFailure, tuple[Task, Sequence[Trial]]]]
) -> Iterator[ReplayOutcome]:
    if not cases:
        return
    left = [failure for failure, _ in cases]
    who: list[TargetInfo] = []
    try:
        for repetition in repeat(tested, [c for _, c in cases], _common("smoke", 0), who.append):
            yield _outcome(left.pop(0), repetition, who[0])
    except WorkerStartError as error:
        yield from _cannot(left, str(error).partition("\n")[0], error.hint or tested.cure)


def _outcome(failure: StoredFailure, repetition: Repetition, who: TargetInfo) -> ReplayOutcome:
    if repetition.lacking is not None:
        return ReplayOutcome(
            failure, CANNOT, notes=[f"it needs {repetition.lacking}, which the target lacks"]
        )
    shown = repetition.failing(failure.failure.id, failure.aspect.aspect)
    if shown is None and failure.aspect.aspect not in repetition.seen:
        return ReplayOutcome(
            failure, CANNOT, notes=["the target answers nothing that can be judged"]
        )
    return _replayed(failure, shown, who)


def _replayed(
    failure: StoredFailure, shown: Failure | None, who: TargetInfo, *notes: str
) -> ReplayOutcome:
    lines = [*_versions(failure.target, who), *notes]
    if shown is None:
        return ReplayOutcome(failure, FIXED, notes=lines)
    if shown.id != failure.failure.id:
        lines.append(f"it fails in another way: {shown.id}")
    status = CHANGED if shown.verdict is Verdict.CHANGED else STILL
    return ReplayOutcome(failure, status, shown, lines)


def _versions(then: TargetInfo, now: TargetInfo) -> Iterator[str]:
    """How the target differs from the one in the results."""
    names = sorted({*then.versions, *now.versions})
    pairs = [(n, then.versions.get(n, "none"), now.versions.get(n, "none")) for n in names]
    if changed := [f"{name} {a} then, {b} here" for name, a, b in pairs if a != b]:
        yield "; ".join(changed)


def _examined(
    tested: Subject, group: Sequence[StoredFailure], profile: str, seed: int
) -> Iterator[ReplayOutcome]:
    """The results of all cases of their functions, as in the run of that profile and seed."""
    recorder = EventRecorder()
    for failure in group:
        if profile not in PROFILES:
            yield from _cannot([failure], f"no profile {profile!r} here", "run the target again")
    known = [failure for failure in group if profile in PROFILES]
    functions = {failure.function for failure in known}
    aspects = {failure.aspect.aspect for failure in known}
    tasks = _tasks(tested.edition, profile, seed, functions, sorted(aspects))
    if tasks:
        run([tested], {tested.edition: tasks}, _common(profile, seed), recorder.handle, 1)
    for lost in recorder.of(TargetUnavailable):
        yield from _cannot(known, lost.reason, lost.hint)
        return
    by_aspect = {
        (f.function, a.aspect): a.failures
        for results in recorder.results
        for f in results.functions
        for a in f.aspects
    }
    for failure in known:
        place = (failure.function, failure.aspect.aspect)
        if place not in by_aspect:
            hint = "the edition does not demand it"
            yield from _cannot([failure], f"{' '.join(place)} is not tested", hint)
            continue
        same = next((f for f in by_aspect[place] if f.id == failure.failure.id), None)
        note = f"all cases of {profile}, seed {seed}, were run: the results do not hold this one"
        notes = [] if failure.failure.program is None else [note]
        shown = same or next(iter(by_aspect[place]), None)
        yield _replayed(failure, shown, recorder.results[0].target, *notes)


def _tasks(
    edition: Edition, profile: str, seed: int, functions: set[str], aspects: Sequence[Aspect]
) -> list[Task]:
    chosen = PROFILES[profile]
    return plan(load(), edition, chosen, seed, select=functions.__contains__, aspects=aspects)


def _common(profile: str, seed: int) -> Run:
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return Run(conformance.__version__, PROFILES[profile], seed, now)
