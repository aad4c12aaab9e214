"""Failing cases of earlier runs, kept in a database of Hypothesis's and tried first."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

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
        finished = function.function not in (results.run.unfinished or ())
        judged = {a.aspect for a in function.aspects if finished and a.verdict is not Verdict.ERROR}
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
        bare = msgspec.structs.replace(aspect, failures=[], earlier_failures=[])
        for failure in (*aspect.failures, *aspect.earlier_failures):
            if failure.origin is not UNSET:
                yield StoredFailure(
                    target=results.target,
                    run=run,
                    function=function.function,
                    aspect=bare,
                    failure=failure,
                )


def database(options: DatabaseOptions) -> Database:
    """The database that options and environment name, or an empty one that nothing keeps.

    UsageProblem if one that was asked for cannot be made, and for `--fail-on-kept` without one. In
    CI, where nothing is left for a next time, there is none unless it is asked for.
    """
    for name in ("database", "fail_on_kept") if options.no_database else ():
        if getattr(options, name):
            option = name.replace("_", "-")
            raise UsageProblem(f"--{option} and --no-database", "write one of them")
    place = None if options.no_database else _folder(options)
    if place is not None:
        return Database(DirectoryBasedExampleDatabase(place))
    if options.fail_on_kept:
        raise UsageProblem("--fail-on-kept: no cases are kept here", "add --database DIR")
    return Database(InMemoryExampleDatabase())


def _folder(options: DatabaseOptions) -> Path | None:
    """The folder of the database, which is made; None if there is none."""
    named = options.database or os.environ.get(VARIABLE)
    if str(named) == NONE or (not named and os.environ.get("CI")):
        return None
    place = Path(named) if named else DEFAULT
    try:
        _make(place)
    except OSError as error:
        if not named:
            return None
        asked = "--database" if options.database else VARIABLE
        problem = f"{asked} {place}: nothing can be written there: {why(error)}"
        raise UsageProblem(clean(problem), "name another --database") from error
    return place


def _make(place: Path) -> None:
    """Make the folder; that of the default is left out of Git. OSError if it cannot be written."""
    place.mkdir(parents=True, exist_ok=True)
    ignored = place.parent / ".gitignore"
    if place == DEFAULT and not ignored.exists():
        ignored.write_text("*\n")
    with tempfile.TemporaryFile(dir=place):
        return


def kept() -> list[StoredFailure]:
    """What the default database holds, if there is one; for commands that only read."""
    place = Path(os.environ.get(VARIABLE) or DEFAULT)
    if str(place) == NONE or not place.is_dir():
        return []
    return Database(DirectoryBasedExampleDatabase(place)).stored()
