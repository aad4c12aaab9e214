"""The files of a history: `FOLDER/TARGET/VERSION.json.gz`."""

from __future__ import annotations

from pathlib import Path

import msgspec

from conformance.adapters.releases import is_version
from conformance.cli.errors import UsageProblem
from conformance.cli.files.results import DEFAULT_FOLDER
from conformance.files import TooLargeError, write_atomically
from conformance.history import SCHEMA, PastRun, encode
from conformance.history.spans import by_version
from conformance.reporting.containers import DamagedContainerError, compressed, content_of
from conformance.reporting.json_results import SchemaHeader, file_name
from conformance.reporting.safe_text import clean

DEFAULT = DEFAULT_FOLDER / "history"
ENDING = ".json.gz"


def past_file(folder: Path, target: str, version: str) -> Path:
    """The file of one release of a target."""
    name = file_name(target).removesuffix(".json")
    return folder / name / f"{version}{ENDING}"


def write_past(folder: Path, run: PastRun) -> None:
    """Write the file of one release.

    Raises:
        OSError: the folder cannot be written.
    """
    write_atomically(past_file(folder, run.target.name, run.version), compressed(encode(run)))


def read_past(file: Path) -> PastRun:
    """The release in a file.

    Raises:
        UsageProblem: the file holds something else.
    """
    hint = f"remove {file}, and run `conformance history` again"
    try:
        content = content_of(file)
        schema = msgspec.json.decode(content, type=SchemaHeader).schema
        if schema != SCHEMA:
            raise UsageProblem(clean(f"{file}: schema {schema!r} is not {SCHEMA!r}"), clean(hint))
        run = msgspec.json.decode(content, type=PastRun)
        if not is_version(run.version):
            raise UsageProblem(clean(f"{file}: {run.version!r} is not a version"), clean(hint))
    except (TooLargeError, OSError) as error:
        raise UsageProblem(clean(f"{file}: {error.strerror or error}"), clean(hint)) from None
    except (msgspec.MsgspecError, DamagedContainerError, RecursionError, ValueError) as error:
        raise UsageProblem(clean(f"{file}: {error}"), clean(hint)) from None
    return run


def read_history(place: Path) -> dict[str, list[PastRun]]:
    """The releases of each target in a folder, the oldest first, or the one in a file `VERSION`;
    empty if the place is neither.

    Raises:
        UsageProblem: a file holds something else.
    """
    runs: dict[str, list[PastRun]] = {}
    alone = place.is_file() and is_version(place.name.removesuffix(ENDING))
    for file in [place] if alone else sorted(place.glob(f"*/*{ENDING}")):
        run = read_past(file)
        runs.setdefault(run.target.name, []).append(run)
    return {name: by_version(members) for name, members in runs.items()}
