"""Run a plan on one release of a target, and reduce the results to a file of the history."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

import conformance
from conformance.adapters.docstrings import DocstringsError, docstring_facts
from conformance.adapters.installation import InstallationError
from conformance.adapters.releases import (
    PackageRelease,
    install_release,
    remove_release,
    with_release,
)
from conformance.adapters.target_records import Target
from conformance.cli.targets.subjects import subject
from conformance.engine import PROFILES, Run, Task, plan, run
from conformance.history import PastRun, Promises, past_failures
from conformance.history.records import cells_of
from conformance.reporting.writer import EventRecorder
from conformance.results import Aspect, Results, TargetInfo
from conformance.results.events import RunFinished, TargetUnavailable
from conformance.specs import load
from conformance.specs.docstrings import described_release, installed_docstrings


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryScope:
    """The part of the plan that is run on every release."""

    profile: str
    seed: int
    selection: str | None
    select: Callable[[str], bool]
    aspects: Sequence[Aspect]
    jobs: int

    def covers(self, past: PastRun) -> bool:
        """Whether the file of a release has this part already, from this version of the suite.

        A release that could not be tested is tried again: the index may have been unreachable.
        """
        if past.problem:
            return False
        own = (self.profile, self.seed, self.selection, [*self.aspects], conformance.__version__)
        return own == (past.profile, past.seed, past.selection, past.aspects, past.suite_version)


def tasks_of(target: Target, scope: HistoryScope) -> list[Task]:
    """The tasks of the scope for a target's edition, without steps that make cases smaller.

    A failure's id does not depend on these steps, and they take most of the time.
    """
    profile = replace(PROFILES[scope.profile], shrink=0, shrink_other=0)
    return plan(
        load(),
        target.edition,
        profile,
        scope.seed,
        select=scope.select,
        aspects=list(scope.aspects),
    )


def run_release(
    target: Target, release: PackageRelease, scope: HistoryScope, *, remove: bool
) -> PastRun:
    """Install a release, run the scope on it, and return the file's record.

    A release that does not install or start has a record with a `problem`.

    Raises:
        KeyboardInterrupt: the user ended the run; nothing of this release counts.
    """
    started, begun = _now(), time.monotonic()
    blank = PastRun(
        package=release.package,
        version=release.version,
        target=_unknown(target),
        suite_version=conformance.__version__,
        profile=scope.profile,
        seed=scope.seed,
        selection=scope.selection,
        aspects=[*scope.aspects],
        started=started,
        seconds=0.0,
    )
    try:
        folder = install_release(target, release)
        past = _examined(with_release(target, folder, release), scope, blank)
    except InstallationError as error:
        past = msgspec.structs.replace(blank, problem=_line(error.reason))
    finally:
        if remove:
            remove_release(target, release)
    return msgspec.structs.replace(past, seconds=round(time.monotonic() - begun, 1))


def _examined(target: Target, scope: HistoryScope, blank: PastRun) -> PastRun:
    recorder = EventRecorder()
    common = Run(conformance.__version__, PROFILES[scope.profile], scope.seed, blank.started)
    run(
        [subject(target)],
        {target.edition: tasks_of(target, scope)},
        common,
        recorder.handle,
        scope.jobs,
    )
    if any(event.interrupted for event in recorder.of(RunFinished)):
        raise KeyboardInterrupt
    for lost in recorder.of(TargetUnavailable):
        return msgspec.structs.replace(blank, problem=_line(lost.reason))
    (results,) = recorder.results
    return _reduced(results, promises_of(target), blank)


def promises_of(target: Target) -> Promises | None:
    """The docstrings of the edition and of the release; None if either is not known."""
    described = described_release(target.edition)
    if described is None:
        return None
    try:
        installed = installed_docstrings(docstring_facts(target))
    except (DocstringsError, ValueError):
        return None
    return Promises(described[0], described[1], installed.release, installed.by_name())


def _reduced(results: Results, promises: Promises | None, blank: PastRun) -> PastRun:
    functions: Mapping[str, object] = cells_of(results)
    absent = [] if promises is None else [f for f in promises.absent() if f in functions]
    return msgspec.structs.replace(
        blank,
        target=results.target,
        document="" if promises is None else promises.document,
        differing=0 if promises is None else promises.differing(),
        absent=absent,
        cells=dict(cells_of(results)),
        failures=list(past_failures(results, promises)),
    )


def _unknown(target: Target) -> TargetInfo:
    return TargetInfo(
        name=target.name,
        edition=target.edition,
        implementation=target.implementation,
        versions={},
        python="",
    )


def _line(text: str) -> str:
    """The last line of an error, which has the exception."""
    return text.strip().splitlines()[-1][:300] if text.strip() else "it does not start"


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
