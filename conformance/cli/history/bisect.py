"""`conformance bisect ID`: the release that introduced or fixed a failure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from msgspec.structs import replace
from packaging.version import InvalidVersion, Version

from conformance.adapters import environments
from conformance.adapters.environments import Missing
from conformance.adapters.installation import InstallationError
from conformance.adapters.releases import (
    PackageRelease,
    install_release,
    remove_release,
    with_release,
)
from conformance.adapters.target_records import Target
from conformance.cli.errors import CANNOT_RUN, UsageProblem
from conformance.cli.files.results import DEFAULT_FOLDER, holds_results, in_folders, stored
from conformance.cli.history.files import DEFAULT, read_history
from conformance.cli.history.releases import package_of, releases
from conformance.cli.history.running import promises_of
from conformance.cli.options.values import BisectOptions
from conformance.cli.replay.rerun import CANNOT, FIXED, outcomes
from conformance.cli.replay.stored_failures import StoredFailure, failures, with_id
from conformance.cli.targets.known import known_targets, named
from conformance.history import PastFailure, PastRun, Promises, promised
from conformance.history.records import FAILING
from conformance.history.search import Boundary, CaseOutcome, Probe, Search
from conformance.reporting.safe_text import clean, counted
from conformance.results import AspectResult, Failure, RunInfo


def bisect(options: BisectOptions) -> int:
    """Search, and print each run and the outcome; the exit status.

    Raises:
        UsageProblem: no failure or several have the id, or the versions are wrong.
    """
    failure = _chosen(options)
    known = known_targets(options.config)
    target = known.get(failure.target.name)
    if target is None:
        raise UsageProblem(f"no target {failure.target.name} here", "name its file by --config")
    target = named(target)
    if isinstance(state := environments.status(target), Missing):
        click.echo(clean(f"error: {target.name}: {state.reason}; {state.hint}"), err=True)
        return CANNOT_RUN
    package = package_of(target, options.package)
    versions = _versions(options, failure, package)
    click.echo(clean(f"{failure}: {failure.failure.message}"))
    case = _Case(target, failure, versions, remove=options.remove)
    search = Search([release.version for release in versions], case.test)
    borders = search.boundaries(failure.target.versions.get(package))
    for line in _lines(package, search, borders):
        click.echo(clean(line))
    return (
        0
        if any(t.answer is not CaseOutcome.UNTESTABLE for t in search.probes.values())
        else CANNOT_RUN
    )


def _chosen(options: BisectOptions) -> StoredFailure:
    """The failure with this id on one target."""
    there = [f for f in _there(options.places) if options.target in (None, f.target.name)]
    matches = {f.target.name: f for f in with_id(options.identity, there)}
    if len(matches) > 1:
        names = ", ".join(map(clean, matches))
        raise UsageProblem(f"{options.identity} fails on {names}", "name one by --target")
    return next(iter(matches.values()))


def _there(places: Sequence[Path]) -> list[StoredFailure]:
    """The failures in results; of a history those that the results lack."""
    if places:
        histories = [place for place in places if not holds_results(place) and read_history(place)]
        results = [place for place in places if place not in histories]
        own = failures(stored(results).values()) if results else []
        return [*own, *_of_history(histories)]
    files = [*([DEFAULT_FOLDER] if any(DEFAULT_FOLDER.glob("*.json*")) else [])]
    folders = [file for members in in_folders().values() for file in members]
    own = failures(stored([*files, *folders]).values()) if files or folders else []
    ids = {(f.target.name, f.failure.id) for f in own}
    past = _of_history([DEFAULT])
    return [*own, *(p for p in past if (p.target.name, p.failure.id) not in ids)]


def _of_history(folders: Sequence[Path]) -> list[StoredFailure]:
    runs = (run for folder in folders for own in read_history(folder).values() for run in own)
    return [failure for run in runs for failure in _past(run)]


def _past(run: PastRun) -> Iterator[StoredFailure]:
    """The failures of one release. A bisection runs the case of each, or without one all cases of
    the function."""
    info = RunInfo(
        suite_version=run.suite_version,
        profile=run.profile,
        seed=run.seed,
        started=run.started,
        seconds=run.seconds,
        cases=0,
        seconds_in_target=0.0,
    )
    versions = run.target.versions | {run.package: run.version}
    target = replace(run.target, versions=versions)
    for past in run.failures:
        if past.basis != "none":
            yield StoredFailure(
                target=target,
                run=info,
                function=past.function,
                aspect=AspectResult(aspect=past.aspect, verdict=past.verdict, cases=0),
                failure=_failure(past),
            )


def _failure(past: PastFailure) -> Failure:
    return Failure(
        id=past.id,
        verdict=past.verdict,
        kind="",
        message=past.message,
        count=1,
        citation=past.citation,
        program=past.program,
        origin=past.origin,
    )


def _versions(options: BisectOptions, failure: StoredFailure, package: str) -> list[PackageRelease]:
    text = options.versions
    if text is None:
        installed = failure.target.versions.get(package)
        if installed is None:
            raise UsageProblem(f"the results do not name a version of {package}", "add --versions")
        text = _same_major(installed)
    try:
        members = releases(text, package, every=True)
    except InstallationError as error:
        raise UsageProblem(error.reason, error.hint or "write --versions 3.4.1,3.5.0") from error
    if len(members) < 2:
        raise UsageProblem(f"--versions {text}: this is one release", "write a range: 3.4..3.9")
    return members


def _same_major(installed: str) -> str:
    """`3.0..3` for 3.15.1: all final releases of the same major version."""
    try:
        major = Version(installed).major
    except InvalidVersion as error:
        raise UsageProblem(f"{installed!r} is not a version", "add --versions") from error
    return f"{major}.0..{major}"


@dataclass(frozen=True, slots=True)
class _Case:
    """The failing case, to be run on releases of one package."""

    target: Target
    failure: StoredFailure
    releases: Sequence[PackageRelease]
    remove: bool

    def test(self, version: str) -> Probe:
        """Run it on one release, and print the answer."""
        release = next(release for release in self.releases if release.version == version)
        try:
            folder = install_release(self.target, release)
            answer = self._answer(with_release(self.target, folder, release), version)
        except InstallationError as error:
            answer = Probe(version, CaseOutcome.UNTESTABLE, _line(error.reason))
        finally:
            if self.remove:
                remove_release(self.target, release)
        click.echo("  " + clean(f"{release.package} {answer}"))
        return answer

    def _answer(self, target: Target, version: str) -> Probe:
        promises = promises_of(target)
        if why := self._unpromised(promises, self.failure.failure):
            return Probe(version, CaseOutcome.NOT_PROMISED, why)
        (outcome,) = outcomes([self.failure], {target.name: target})
        if outcome.status == CANNOT:
            return Probe(version, CaseOutcome.UNTESTABLE, _line("; ".join(outcome.notes)))
        if outcome.status == FIXED or outcome.failure is None:
            return Probe(version, CaseOutcome.PASSES)
        return self._shown(promises, outcome.failure, version)

    def _shown(self, promises: Promises | None, shown: Failure, version: str) -> Probe:
        """The answer that a failure shows, which may be the first to name the parameters of the
        case: some failures of a history have no program."""
        if shown.verdict not in FAILING:  # a reading that the documents allow
            own = shown.id == self.failure.failure.id
            return Probe(version, CaseOutcome.PASSES, shown.message if own else "")
        if why := self._unpromised(promises, shown):
            return Probe(version, CaseOutcome.NOT_PROMISED, why)
        if shown.id != self.failure.failure.id:
            return Probe(version, CaseOutcome.OTHERWISE, shown.message)
        return Probe(version, CaseOutcome.FAILS)

    def _unpromised(self, promises: Promises | None, failure: Failure) -> str:
        """Why the release does not promise what the failure breaks; empty if it does, or if its
        docstrings are unknown."""
        if promises is None:
            return ""
        basis, why = promised(promises, self.failure.function, failure)
        return why if basis == "none" else ""


def _line(text: str) -> str:
    return text.strip().splitlines()[-1][:200] if text.strip() else ""


def _lines(package: str, search: Search, borders: Sequence[Boundary]) -> Iterator[str]:
    """The outcome in words."""
    for border in borders:
        verb = "fixed" if border.fixed else "introduced"
        yield f"{verb} in {package} {border.after.version}; {package} {border.before}"
        if border.untestable:
            yield f"or in one of {', '.join(border.untestable)}, which cannot be tested"
    if not borders:
        yield _unanimous(package, search.probes)
    yield f"{counted(len(search.probes), 'run')} for {counted(len(search.versions), 'release')}"


def _unanimous(package: str, probes: Mapping[str, Probe]) -> str:
    fails = [t.version for t in probes.values() if t.fails]
    if not any(t.answer is not CaseOutcome.UNTESTABLE for t in probes.values()):
        return f"no release of {package} can be tested"
    if not fails:
        return f"no tested release of {package} shows this failure"
    return f"every tested release of {package} fails: {', '.join(fails)}"
