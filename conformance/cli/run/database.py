"""Failing cases of earlier runs: a database of Hypothesis stores them, a run tries them first."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click
import msgspec
from hypothesis.database import (
    DirectoryBasedExampleDatabase,
    ExampleDatabase,
    InMemoryExampleDatabase,
)
from msgspec import UNSET

from conformance.cli import known_failures
from conformance.cli.errors import UsageProblem
from conformance.cli.files.outputs import why
from conformance.cli.files.results import LAST_FOLDER
from conformance.cli.known_failures import JudgedCell
from conformance.cli.known_failures.gate import MOST, Gate
from conformance.cli.options.gate import DATABASE_VARIABLE, DEFAULT_DATABASE, DatabaseOptions
from conformance.cli.replay.stored_failures import StoredFailure
from conformance.reporting.containers import MOST_VALUES, values_in
from conformance.reporting.json_results import representable
from conformance.reporting.safe_text import clean
from conformance.reporting.safe_text import counted as in_words
from conformance.results import Failure, FunctionResult, Results, TargetInfo, Verdict
from conformance.results.encoding import plain_data

NONE = "none"
_INDEX = b"conformance: functions with cases"
MOST_BYTES = 1 << 28
"""Bytes of all files of a database: a hundred times those of a run with 500 failures."""
MOST_FILES = 1 << 17
_REMEDY = "delete the folder, or write --no-database"


class Database:
    """The failing cases of each function on each target, one for each failure."""

    def __init__(self, examples: ExampleDatabase) -> None:
        self._examples = examples

    def remembered(self) -> dict[tuple[str, str], dict[str, list[Failure]]]:
        """The failures by target and edition, then by function; the order does not depend on
        the disk's."""
        failures: dict[tuple[str, str], dict[str, list[Failure]]] = {}
        for entry in self.stored():
            of_target = failures.setdefault((entry.target.name, entry.target.edition), {})
            of_target.setdefault(entry.function, []).append(entry.failure)
        return failures

    def stored(self) -> list[StoredFailure]:
        """All that is kept, by target, function and id.

        Raises:
            UsageProblem: the database holds more values than the limit.
        """
        cases, values = [], 0
        for key in sorted(self._examples.fetch(_INDEX)):
            for value, case in self._of(key):
                values += values_in(value)
                if values > MOST_VALUES:
                    raise UsageProblem(
                        f"the kept cases hold more than {MOST_VALUES:,} values", _REMEDY
                    )
                cases.append(case)
        cases.sort(key=lambda m: (m.target.name, m.function, m.failure.id, m.run.started))
        return cases

    def update(self, results: Iterable[Results]) -> None:
        """Keep the failing cases of a run, and delete those that no longer fail."""
        for run in results:
            for function in run.functions:
                self._update(run, function)

    def _update(self, results: Results, function: FunctionResult) -> None:
        key = _key(results.target, function.function)
        finished = function.function not in (results.run.unfinished or ())
        judged = {a.aspect for a in function.aspects if finished and a.verdict is not Verdict.ERROR}
        failing = {_encoded(case) for case in _cases(results, function)}
        for value, case in list(self._of(key)):
            if case.aspect.aspect in judged and value not in failing:
                self._examples.delete(key, value)
        for value in sorted(failing):
            self._examples.save(key, value)
        if failing:
            self._examples.save(_INDEX, key)

    def _of(self, key: bytes) -> Iterator[tuple[bytes, StoredFailure]]:
        """The cases under a key; those that cannot be read are deleted."""
        for value in sorted(self._examples.fetch(key)):
            try:
                if values_in(value) > MOST_VALUES:
                    raise msgspec.DecodeError
                yield value, msgspec.json.decode(value, type=StoredFailure)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                self._examples.delete(key, value)


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
    """The database that options and environment name, or else an empty one in memory.

    CI deletes its files, and therefore has a database only on request.

    Raises:
        UsageProblem: a requested database cannot be made, or options contradict each other.
    """
    for name in ("database", "fail_on_kept") if options.no_database else ():
        if getattr(options, name):
            option = name.replace("_", "-")
            raise UsageProblem(f"--{option} and --no-database", "write one of them")
    place = None if options.no_database else _folder(options)
    if place is not None:
        return _opened(place)
    if options.fail_on_kept:
        raise UsageProblem("--fail-on-kept: no cases are kept here", "add --database DIR")
    return Database(InMemoryExampleDatabase())


def _folder(options: DatabaseOptions) -> Path | None:
    """The folder of the database, which is made; None if there is none."""
    named = options.database or os.environ.get(DATABASE_VARIABLE)
    if str(named) == NONE or (not named and os.environ.get("CI")):
        return None
    place = Path(named) if named else DEFAULT_DATABASE
    try:
        _make(place)
    except OSError as error:
        if not named:
            return None
        asked = "--database" if options.database else DATABASE_VARIABLE
        problem = f"{asked} {place}: the suite cannot write there: {why(error)}"
        raise UsageProblem(clean(problem), "name another --database") from error
    return place


def _make(place: Path) -> None:
    """Make the folder; that of the default is left out of Git. OSError if it cannot be written."""
    place.mkdir(parents=True, exist_ok=True)
    ignored = place.parent / ".gitignore"
    if place == DEFAULT_DATABASE and not ignored.exists():
        ignored.write_text("*\n")
    with tempfile.TemporaryFile(dir=place):
        return


def last_folder(options: object) -> Path | None:
    """The folder for the results of a run without --output, beside the default database; None if
    the run keeps nothing here."""
    if not isinstance(options, DatabaseOptions) or options.no_database or options.database:
        return None
    if os.environ.get(DATABASE_VARIABLE) or _folder(options) is None:
        return None
    try:
        LAST_FOLDER.mkdir(exist_ok=True)
    except OSError:
        return None
    return LAST_FOLDER


def default_failures() -> list[StoredFailure]:
    """The failures in the default database, if it exists; for commands that only read."""
    place = Path(os.environ.get(DATABASE_VARIABLE) or DEFAULT_DATABASE)
    if str(place) == NONE or not place.is_dir():
        return []
    return _opened(place).stored()


def _opened(place: Path) -> Database:
    """The database in a folder, which may come from a stranger. UsageProblem if it exceeds a limit,
    or has a link, a pipe or a device."""
    count = size = 0
    for file in place.rglob("*"):
        status = file.lstat()
        if stat.S_ISDIR(status.st_mode):
            continue
        if not stat.S_ISREG(status.st_mode):
            raise UsageProblem(clean(f"{file}: a database of kept cases has files alone"), _REMEDY)
        count, size = count + 1, size + status.st_size
        if size > MOST_BYTES or count > MOST_FILES:
            most = f"{MOST_BYTES >> 20} MiB, or {MOST_FILES:,} files"
            raise UsageProblem(clean(f"{place}: the kept cases take more than {most}"), _REMEDY)
    return Database(DirectoryBasedExampleDatabase(place))


def holds_earlier(results: Iterable[Results], checked: Gate, *, counted: bool) -> bool:
    """Whether a run passes as far as these failures go; lists them on stderr.

    They decide nothing unless `counted` is set (`--fail-on-kept`). Then `--fail-on` and the known
    failures judge them as they judge the failures of the run.
    """
    shown = [cell for run in results for cell in _cells(run)]
    bad = known_failures.failing(shown, checked.worse) if counted else []
    unexpected = known_failures.uncovered(bad, checked.known)
    if shown:
        click.echo(_head(len(shown), len(unexpected), counted=counted), err=True)
    _list("unexpected", unexpected)
    _list("kept", [cell for cell in shown if cell not in unexpected])
    return not unexpected


def _cells(results: Results) -> list[JudgedCell]:
    """A cell for each of these failures, with its verdict."""
    aspects = (f for function in results.functions for f in function.aspects)
    pairs = zip(known_failures.cells([results]), aspects, strict=True)
    return [
        replace(cell, failures=[failure], verdict=failure.verdict)
        for cell, aspect in pairs
        for failure in aspect.earlier_failures
    ]


def _head(count: int, failing: int, *, counted: bool) -> str:
    shown = f"only cases kept from earlier runs show {in_words(count, 'failure')}"
    if counted:
        return f"{shown}; {failing} unexpected (--fail-on-kept)"
    return (
        f"{shown}; verdicts, score and exit status are those of this run's own cases "
        "(--fail-on-kept counts these failures, --no-database tries no kept case)"
    )


def _list(word: str, cells: Sequence[JudgedCell]) -> None:
    for cell in cells[:MOST]:
        (failure,) = cell.failures
        which = f"{cell.function} {cell.aspect} {cell.verdict} on {cell.target}"
        click.echo(clean(f"{word}: {which}: {failure.id}: {failure.message}"), err=True)
    if len(cells) > MOST:
        click.echo(f"{word}: and {len(cells) - MOST} more", err=True)
