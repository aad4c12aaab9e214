"""The folder in --output: its lock, and the results files that a run would replace."""

from __future__ import annotations

import datetime
import errno
import importlib
import os
import re
import shlex
import socket
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
import msgspec

from conformance.cli.errors import UsageProblem
from conformance.cli.known_failures.model import tries_less
from conformance.editions import Edition
from conformance.engine import Run, Subject, Task
from conformance.files import TooLargeError
from conformance.reporting.containers import (
    DamagedContainerError,
    all_existing,
    content_of,
    existing,
)
from conformance.reporting.json_results import ResultsError, SchemaHeader, file_name, read_results
from conformance.reporting.safe_text import clean, counted
from conformance.results import Results

NAME = ".conformance-lock"
_MOST = 4096
"""Bytes of the file that are read, to say who holds the lock."""
_BEYOND = 2**30
"""The place of the byte that Windows locks: what it locks no other process reads."""
_SCHEMAS = "conformance-"
"""The beginning of the names of all schemas."""
_OF_SUITE = re.compile(rb'\s*\{\s*"schema"\s*:\s*"conformance-')
"""The beginning of each JSON file that the suite writes."""
_IN_USE = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)


@contextmanager
def locked(folder: Path | None) -> Iterator[None]:
    """A block that alone writes to a folder, which is there; nothing without a folder.

    Raises:
        UsageProblem: another process has the lock; the message names it.
    """
    descriptor = None if folder is None else _locked(folder)
    try:
        yield
    finally:
        if folder is not None and descriptor is not None:
            with suppress(OSError):  # Windows removes no open file
                (folder / NAME).unlink()
            os.close(descriptor)


def _locked(folder: Path) -> int | None:
    """The descriptor that holds the lock; None where the file system has no locks."""
    while True:
        try:
            descriptor = os.open(folder / NAME, os.O_RDWR | os.O_CREAT, 0o644)
        except (
            OSError
        ):  # another user owns it: the command itself reports a folder that it cannot write
            return None
        try:
            _take(descriptor)
        except OSError as error:
            holder = _read(descriptor)
            os.close(descriptor)
            if error.errno not in _IN_USE:
                return None
            raise UsageProblem(
                clean(f"{folder}: another command writes there: {holder}"),
                "wait until it has ended, or name another --output",
            ) from None
        if _is_there(descriptor, folder / NAME):
            with suppress(OSError):  # on a full disk nobody learns who holds it
                os.truncate(descriptor, 0)
                os.write(descriptor, _own().encode("utf-8", "backslashreplace"))
            return descriptor
        os.close(descriptor)  # its holder has removed it meanwhile


def _take(descriptor: int) -> None:
    """Lock the file; OSError at once if another process has."""
    if sys.platform == "win32":
        windows: Any = importlib.import_module("msvcrt")
        os.lseek(descriptor, _BEYOND, os.SEEK_SET)
        windows.locking(descriptor, windows.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return
    unix: Any = importlib.import_module("fcntl")
    unix.flock(descriptor, unix.LOCK_EX | unix.LOCK_NB)


def _is_there(descriptor: int, path: Path) -> bool:
    """Whether others would still lock the same file."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def _read(descriptor: int) -> str:
    try:
        return os.read(descriptor, _MOST).decode("utf-8", "replace") or "it has just begun"
    except OSError:
        return "it does not say which"


def _own() -> str:
    """This process, as another one names it."""
    now = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    command = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
    return f"`{command}`, process {os.getpid()} on {socket.gethostname()}, since {now}"


def check_replaced(
    folder: Path | None,
    subjects: Iterable[Subject],
    plans: Mapping[Edition, Sequence[Task]],
    common: Run,
) -> None:
    """Print the results of which this run would leave fewer cases.

    Raises:
        UsageProblem: results in the folder have functions or aspects that this run omits, or a file
            of the name of results is not one of the suite.
    """
    for subject in subjects if folder is not None else ():
        assert folder is not None
        for file in all_existing(folder / file_name(subject.name)):
            _check_own(file)
        earlier = _earlier(folder, subject)
        if earlier is not None:
            file, results = earlier
            if lost := _lost(results, subject, plans[subject.edition], common):
                raise UsageProblem(
                    clean(f"{file} holds results that this run would erase: {lost}"),
                    "name another --output (`conformance report A B` puts results together), or"
                    " delete the file",
                )
            if tries_less(common.profile.name, results.run.profile):
                warning = f"replaces results of the profile {results.run.profile}, which tries more"
                click.echo(clean(f"{file}: {common.profile.name} {warning}"), err=True)


def _check_own(file: Path) -> None:
    """UsageProblem if the suite did not write this file, whole or damaged."""
    try:
        content = content_of(file)
    except (DamagedContainerError, TooLargeError):
        content = b"?"
    except OSError:
        return  # the writer names what keeps it from the file
    if content.strip() and not _is_of_suite(content):
        raise UsageProblem(
            clean(f"{file} is not a results file of conformance, and this run would replace it"),
            "name another --output, or move or delete the file",
        )


def _is_of_suite(content: bytes) -> bool:
    """Whether the suite wrote this JSON, which may be cut off."""
    try:
        return msgspec.json.decode(content, type=SchemaHeader).schema.startswith(_SCHEMAS)
    except msgspec.ValidationError:
        return False
    except (ValueError, RecursionError):
        return _OF_SUITE.match(content) is not None


def _earlier(folder: Path, subject: Subject) -> tuple[Path, Results] | None:
    file = existing(folder / file_name(subject.name))
    if file is None:
        return None
    try:
        return file, read_results(file)
    except (ResultsError, OSError):
        return None  # nothing is lost


def _lost(results: Results, subject: Subject, tasks: Sequence[Task], common: Run) -> str:
    """The earlier results that a partial run, or a run against another edition, omits, in words;
    empty if it leaves out nothing."""
    part = common.selection is not None or common.shard is not None or common.aspects
    if not part and results.target.edition == subject.edition:
        return ""
    chosen = tasks if common.shard is None else common.shard.of(tasks, subject.library)
    planned = {task.spec.name: task.aspects for task in chosen}
    unfinished = {*(results.run.unfinished or ())}
    finished = [f for f in results.functions if f.function not in unfinished]
    missing = [f for f in finished if f.function not in planned]
    cut = [
        f
        for f in finished
        if f not in missing and {a.aspect for a in f.aspects} - planned[f.function]
    ]
    losses = [f"{counted(len(missing), 'function')} of {len(finished)}"] if missing else []
    if cut and common.aspects:
        losses.append(f"aspects of {counted(len(cut), 'function')}")
    return " and ".join(losses)
