"""Failing cases of earlier runs, kept in a database of Hypothesis's and tried first."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import click
import msgspec
from hypothesis.database import (
    DirectoryBasedExampleDatabase,
    ExampleDatabase,
    InMemoryExampleDatabase,
)
from msgspec import UNSET

from conformance.cli.errors import UsageProblem
from conformance.cli.options.database import DEFAULT, VARIABLE, DatabaseOptions
from conformance.cli.outputs import why
from conformance.cli.stored_failures import StoredFailure
from conformance.engine.planning.profiles import SURVEY
from conformance.reporting.json_results import representable
from conformance.reporting.safe_text import clean
from conformance.results import Failure, FunctionResult, Results, TargetInfo, Verdict
from conformance.results.encoding import plain_data

NONE = "none"
_INDEX = b"conformance: functions with cases"


class Database:
    """The failing cases of each function on each target, one for each failure."""

    def __init__(self, kept: ExampleDatabase) -> None:
        self._kept = kept

    def remembered(self) -> dict[tuple[str, str], dict[str, list[Failure]]]:
        """The failures by target and edition, then by function; the order does not depend on
        the disk's."""
        found: dict[tuple[str, str], dict[str, list[Failure]]] = {}
        for one in self.stored():
            of_target = found.setdefault((one.target.name, one.target.edition), {})
            of_target.setdefault(one.function, []).append(one.failure)
        return found

    def stored(self) -> list[StoredFailure]:
        """All that is kept, by target, function and id."""
        cases = [m for key in sorted(self._kept.fetch(_INDEX)) for _, m in self._of(key)]
        cases.sort(key=lambda m: (m.target.name, m.function, m.failure.id, m.run.started))
        return cases

    def update(self, results: Iterable[Results]) -> None:
        """Keep the failing cases of a run, and delete those that no longer fail."""
        for one in results:
            for function in one.functions:
                self._update(one, function)

    def _update(self, results: Results, function: FunctionResult) -> None:
        key = _key(results.target, function.function)
        judged = {a.aspect for a in function.aspects if a.verdict is not Verdict.ERROR}
        failing = {_encoded(case) for case in _cases(results, function)}
        for value, case in list(self._of(key)):
            if case.aspect.aspect in judged and value not in failing:
                self._kept.delete(key, value)
        for value in sorted(failing):
            self._kept.save(key, value)
        if failing:
            self._kept.save(_INDEX, key)

    def _of(self, key: bytes) -> Iterator[tuple[bytes, StoredFailure]]:
        """The cases under a key; those that cannot be read are deleted."""
        for value in sorted(self._kept.fetch(key)):
            try:
                yield value, msgspec.json.decode(value, type=StoredFailure)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                self._kept.delete(key, value)


def _key(target: TargetInfo, function: str) -> bytes:
    return "\0".join((target.name, target.edition, function)).encode("utf-8", "surrogatepass")


def _encoded(case: StoredFailure) -> bytes:
    return msgspec.json.encode(representable(plain_data(case)))


def _cases(results: Results, function: FunctionResult) -> Iterator[StoredFailure]:
    run = msgspec.structs.replace(results.run, seconds=0.0, seconds_in_target=0.0, milliseconds={})
    for aspect in function.aspects:
        bare = msgspec.structs.replace(aspect, failures=[])
        for failure in aspect.failures:
            if failure.origin is not UNSET:
                yield StoredFailure(
                    target=results.target,
                    run=run,
                    function=function.function,
                    aspect=bare,
                    failure=failure,
                )


def database(options: DatabaseOptions) -> Database:
    """The database that options and environment name; an empty one in case for none.

    UsageProblem if one that was asked for cannot be made. In CI, where nothing is left for a next
    time, there is none unless it is asked for.
    """
    if options.no_database:
        if options.database:
            raise UsageProblem("--database and --no-database", "write one of them")
        return Database(InMemoryExampleDatabase())
    named = options.database or os.environ.get(VARIABLE)
    if str(named) == NONE or (not named and os.environ.get("CI")):
        return Database(InMemoryExampleDatabase())
    place = Path(named) if named else DEFAULT
    try:
        _make(place)
    except OSError as error:
        if not named:
            return Database(InMemoryExampleDatabase())
        asked = "--database" if options.database else VARIABLE
        problem = f"{asked} {place}: nothing can be written there: {why(error)}"
        raise UsageProblem(clean(problem), "name another --database") from error
    return Database(DirectoryBasedExampleDatabase(place))


def _make(place: Path) -> None:
    """Make the folder; that of the default is left out of Git. OSError if it cannot be written."""
    place.mkdir(parents=True, exist_ok=True)
    ignored = place.parent / ".gitignore"
    if place == DEFAULT and not ignored.exists():
        ignored.write_text("*\n")
    with tempfile.TemporaryFile(dir=place):
        return


Remembered = Mapping[tuple[str, str], Mapping[str, Sequence[Failure]]]
"""The kept failures by target and edition, then by function."""


def kept_alone(results: Results, remembered: Remembered, *, surveyed: bool) -> list[Failure]:
    """The failures that cases of other runs alone show: where these are not kept, as in CI, nothing
    is known of them.

    What the survey of a run with --max-time has found with this seed is this run's own.
    """
    profiles = (results.run.profile, *([SURVEY.name] if surveyed else []))
    own = {(profile, results.run.seed) for profile in profiles}
    of_target = remembered.get((results.target.name, results.target.edition), {})
    found = (
        (f, of_target.get(one.function, ()))
        for one in results.functions
        for a in one.aspects
        for f in a.failures
    )
    return [f for f, kept in found if _place(f) not in (None, *own) and _is_among(f, kept)]


def _place(failure: Failure) -> tuple[str, int] | None:
    """Profile and seed of the run that found a failure, if it says so."""
    origin = failure.origin
    return None if origin is UNSET else (origin.profile, origin.seed)


def _is_among(failure: Failure, kept: Iterable[Failure]) -> bool:
    return any(k.id == failure.id and _place(k) == _place(failure) for k in kept)


def tell_kept(
    results: Iterable[Results], remembered: Remembered, *, surveyed: bool = False
) -> None:
    """Say which failures come from kept cases alone; on stderr."""
    ids = [
        failure.id for one in results for failure in kept_alone(one, remembered, surveyed=surveyed)
    ]
    if ids:
        listed = ", ".join(ids[:_TOLD]) + (", ..." if len(ids) > _TOLD else "")
        click.echo(
            f"{len(ids)} failure{'s' * (len(ids) != 1)} shown by cases that earlier runs kept, "
            f"and by none of this seed's: {listed}; where they are not kept, as in CI, the exit "
            "status may be another (--no-database tries none of them)",
            err=True,
        )


_TOLD = 4


def kept() -> list[StoredFailure]:
    """What the default database holds, if there is one; for commands that only read."""
    place = Path(os.environ.get(VARIABLE) or DEFAULT)
    if str(place) == NONE or not place.is_dir():
        return []
    return Database(DirectoryBasedExampleDatabase(place)).stored()
