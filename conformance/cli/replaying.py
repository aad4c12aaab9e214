"""Stored failures run again, target by target."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

import conformance
from conformance.adapters import environments
from conformance.adapters.registry import Target
from conformance.adapters.session import Session, WorkerStartError
from conformance.cli.known_targets import named
from conformance.cli.stored_failures import StoredFailure
from conformance.cli.subjects import subject
from conformance.editions import Edition, known_edition
from conformance.engine import PROFILES, Run, Subject, Task, plan, run
from conformance.engine.judging.trials import Trial
from conformance.engine.running.repetition import Repetition, repeat
from conformance.engine.verdicts.origins import trials
from conformance.fuzz.replay import DAMAGED, repeated
from conformance.reporting.record import Recorder
from conformance.results import Aspect, Failure, TargetInfo, Verdict
from conformance.results.composed import is_composed
from conformance.results.events import TargetUnavailable
from conformance.specs import load

FIXED, STILL, CANNOT = "fixed", "still failing", "cannot run"
CHANGED = "still changed"
"""A difference from the documents that is no failure: the target replaces their API."""


class ReplayOutcome(NamedTuple):
    """What came of one stored failure: `failure` is how it fails, if it does."""

    stored: StoredFailure
    status: str
    failure: Failure | None = None
    notes: Sequence[str] = ()


def outcomes(
    chosen: Iterable[StoredFailure], known: Mapping[str, Target]
) -> Iterator[ReplayOutcome]:
    """What comes of these failures, as it becomes known; those of one target together."""
    groups: dict[tuple[str, str], list[StoredFailure]] = {}
    for one in chosen:
        groups.setdefault((one.target.name, one.target.edition), []).append(one)
    for (name, edition), members in groups.items():
        found = named(known[name]) if name in known else None
        yield from _of_target(found, known_edition(edition), members)


def _of_target(
    target: Target | None, edition: Edition | None, members: Sequence[StoredFailure]
) -> Iterator[ReplayOutcome]:
    """What comes of the failures of one target, tested against one edition."""
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
        yield from _cannot(members, state.reason, state.hint)
    else:
        yield from _on_target(subject(replace(target, edition=edition)), members)


def _cannot(members: Iterable[StoredFailure], reason: str, hint: str) -> Iterator[ReplayOutcome]:
    for one in members:
        yield ReplayOutcome(one, CANNOT, notes=[f"{reason}; {hint}"])


def _on_target(tested: Subject, members: Sequence[StoredFailure]) -> Iterator[ReplayOutcome]:
    """First the cases that can be made again, then the functions of the others."""
    yield from _composed(tested, [one for one in members if is_composed(one.failure)])
    members = [one for one in members if not is_composed(one.failure)]
    cases = [(one, _case(one, tested.edition)) for one in members]
    yield from _repeated(tested, [(one, case) for one, case in cases if case is not None])
    others: dict[tuple[str, int], list[StoredFailure]] = {}
    for one, case in cases:
        if case is None:
            others.setdefault((one.run.profile, one.run.seed), []).append(one)
    for (profile, seed), group in others.items():
        yield from _examined(tested, group, profile, seed)


def _composed(tested: Subject, members: Sequence[StoredFailure]) -> Iterator[ReplayOutcome]:
    """What comes of failures of composed programs."""
    if not members:
        return
    try:
        with tested.open((), 0) as worker:
            for one in members:
                yield _of_program(tested, worker, one)
    except WorkerStartError as error:
        yield from _cannot(members, str(error), tested.cure)


def _of_program(tested: Subject, worker: Session, one: StoredFailure) -> ReplayOutcome:
    versions = dict(worker.identity.versions)
    who = replace(one.target, versions=versions, python=worker.identity.python)
    try:
        prelude, rows = tested.prelude, tested.replacements
        found = repeated(worker, one.failure, tested.edition, prelude, rows)
    except DAMAGED as problem:
        return ReplayOutcome(one, CANNOT, notes=[f"its program cannot be made: {problem}"])
    return _told(one, found, who)


def _case(one: StoredFailure, edition: Edition) -> tuple[Task, Sequence[Trial]] | None:
    """The case itself; None if it cannot be made from the results."""
    source = one.failure.origin
    if source is UNSET or source.profile not in PROFILES:
        return None
    task = _task(one.function, edition, source.profile, source.seed)
    made = [] if task is None else trials(task, one.failure)
    return (task, made) if task is not None and made else None


@cache
def _task(function: str, edition: Edition, profile: str, seed: int) -> Task | None:
    tasks = plan(load(), edition, PROFILES[profile], seed, select=lambda name: name == function)
    return next(iter(tasks), None)


def _repeated(
    tested: Subject, cases: Sequence[tuple[StoredFailure, tuple[Task, Sequence[Trial]]]]
) -> Iterator[ReplayOutcome]:
    if not cases:
        return
    left = [one for one, _ in cases]
    who: list[TargetInfo] = []
    try:
        for repetition in repeat(tested, [c for _, c in cases], _common("smoke", 0), who.append):
            yield _outcome(left.pop(0), repetition, who[0])
    except WorkerStartError as error:
        yield from _cannot(left, str(error).partition("\n")[0], error.hint or tested.cure)


def _outcome(one: StoredFailure, repetition: Repetition, who: TargetInfo) -> ReplayOutcome:
    if repetition.lacking is not None:
        return ReplayOutcome(
            one, CANNOT, notes=[f"it needs {repetition.lacking}, which the target lacks"]
        )
    found = repetition.failing(one.failure.id, one.aspect.aspect)
    if found is None and one.aspect.aspect not in repetition.seen:
        return ReplayOutcome(one, CANNOT, notes=["the target answers nothing that can be judged"])
    return _told(one, found, who)


def _told(one: StoredFailure, found: Failure | None, who: TargetInfo, *notes: str) -> ReplayOutcome:
    told = [*_versions(one.target, who), *notes]
    if found is None:
        return ReplayOutcome(one, FIXED, notes=told)
    if found.id != one.failure.id:
        told.append(f"it fails in another way: {found.id}")
    status = CHANGED if found.verdict is Verdict.CHANGED else STILL
    return ReplayOutcome(one, status, found, told)


def _versions(then: TargetInfo, now: TargetInfo) -> Iterator[str]:
    """How the target differs from the one in the results."""
    names = sorted({*then.versions, *now.versions})
    pairs = [(n, then.versions.get(n, "none"), now.versions.get(n, "none")) for n in names]
    if changed := [f"{name} {a} then, {b} here" for name, a, b in pairs if a != b]:
        yield "; ".join(changed)


def _examined(
    tested: Subject, group: Sequence[StoredFailure], profile: str, seed: int
) -> Iterator[ReplayOutcome]:
    """What all cases of their functions say, as in the run of that profile and seed."""
    recorder = Recorder()
    for one in group:
        if profile not in PROFILES:
            yield from _cannot([one], f"no profile {profile!r} here", "run the target again")
    known = [one for one in group if profile in PROFILES]
    functions = {one.function for one in known}
    aspects = {one.aspect.aspect for one in known}
    tasks = _tasks(tested.edition, profile, seed, functions, sorted(aspects))
    if tasks:
        run([tested], {tested.edition: tasks}, _common(profile, seed), recorder.handle, 1)
    for lost in recorder.of(TargetUnavailable):
        yield from _cannot(known, lost.reason, lost.hint)
        return
    found = {
        (f.function, a.aspect): a.failures
        for results in recorder.results
        for f in results.functions
        for a in f.aspects
    }
    for one in known:
        place = (one.function, one.aspect.aspect)
        if place not in found:
            hint = "the edition does not demand it"
            yield from _cannot([one], f"{' '.join(place)} is not tested", hint)
            continue
        same = next((f for f in found[place] if f.id == one.failure.id), None)
        note = f"all cases of {profile}, seed {seed}, were run: the results do not hold this one"
        notes = [] if one.failure.program is None else [note]
        shown = same or next(iter(found[place]), None)
        yield _told(one, shown, recorder.results[0].target, *notes)


def _tasks(
    edition: Edition, profile: str, seed: int, functions: set[str], aspects: Sequence[Aspect]
) -> list[Task]:
    chosen = PROFILES[profile]
    return plan(load(), edition, chosen, seed, select=functions.__contains__, aspects=aspects)


def _common(profile: str, seed: int) -> Run:
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return Run(conformance.__version__, PROFILES[profile], seed, now)
