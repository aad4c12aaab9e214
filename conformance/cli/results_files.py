"""Results files that are named on the command line: files, or folders of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from conformance.adapters import registry
from conformance.cli.errors import UsageProblem
from conformance.mutation import records
from conformance.reporting import scores
from conformance.reporting.containers import content_of, json_files
from conformance.reporting.json_results import ResultsError, SchemaHeader, read_results
from conformance.reporting.merging import MergeError, merge
from conformance.reporting.safe_text import clean
from conformance.results import SCHEMA, Results
from conformance.specs import load

DEFAULT_FOLDER = Path("reports")


def stored(places: Sequence[Path], only: str | None = None) -> dict[Path, Results]:
    """The results in files and folders, each file once; in `reports` if no place is named. With
    `only` those of one function, which is faster.

    UsageProblem that names the file if one holds something else, or if a place holds none. The
    scores that `conformance report --format json` leaves in a folder are passed over.
    """
    if not places and not DEFAULT_FOLDER.is_dir():
        raise UsageProblem(
            f"there is no folder {DEFAULT_FOLDER}", "name results files, or folders of them"
        )
    files = [file for place in places or [DEFAULT_FOLDER] for file in _files(place)]
    return {file.resolve(): read_file(file, only) for file in files}


def in_folders() -> dict[Path, list[Path]]:
    """The results files in each folder in `reports`, such as those of a package's own functions."""
    folders = {folder: json_files(folder) for folder in sorted(DEFAULT_FOLDER.glob("*/"))}
    found = {folder: [f for f in files if _holds(f, SCHEMA)] for folder, files in folders.items()}
    return {folder: files for folder, files in found.items() if files}


def read_file(file: Path, only: str | None = None) -> Results:
    """The results in a file, or those of one function. UsageProblem if it holds something else."""
    try:
        return read_results(file, only)
    except ResultsError as error:
        place = "" if error.place == "$" else f"at {error.place}: "
        message = f"{error.file}: {place}{error.problem}"
        raise UsageProblem(clean(message), clean(error.hint)) from None
    except OSError as error:
        message = f"{file}: {error.strerror or error}"
        raise UsageProblem(clean(message), "name a file that can be read") from None


def gathered(places: Sequence[Path]) -> list[Results]:
    """The runs in the places: parts of one run are put together, the suite's own targets first.

    There are several of a target that was run several times. UsageProblem as of `stored`, and for
    shards that do not belong together.
    """
    targets: dict[tuple[str, str], dict[Path, Results]] = {}
    for file, results in stored(places).items():
        key = (results.target.name, results.target.edition)
        targets.setdefault(key, {})[file] = results
    return ordered(one for files in targets.values() for one in _runs(files))


def ordered(results: Iterable[Results]) -> list[Results]:
    """The shipped targets first, before all what needs no environment; then others by name."""
    shipped = sorted(registry.shipped().values(), key=lambda target: target.venv is not None)
    known = [target.name for target in shipped]

    def place(one: Results) -> tuple[int, str]:
        name = one.target.name
        return (known.index(name) if name in known else len(known), name)

    return sorted(results, key=place)


def _files(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    # scores, and what came of mutants, are passed over
    files = [f for f in json_files(place) if not _holds(f, scores.SCHEMA, records.SCHEMA)]
    if not files:
        hint = f"`conformance run --output {clean(str(place))}` writes them"
        raise UsageProblem(f"{clean(str(place))} holds no results files", hint)
    return files


def _holds(file: Path, *schemas: str) -> bool:
    try:
        schema = msgspec.json.decode(content_of(file), type=SchemaHeader).schema
    except (msgspec.MsgspecError, ValueError, OSError, RecursionError):
        return False
    return schema in schemas


def _runs(files: Mapping[Path, Results]) -> list[Results]:
    """The runs of one target; parts of one run are merged."""
    parts = {file: one for file, one in files.items() if not one.run.whole}
    try:
        merged = [merge(list(parts.values()), list(load()))] if parts else []
    except MergeError as error:
        if not any(isinstance(one.run.shard, str) for one in parts.values()):
            return list(files.values())
        listed = clean(", ".join(map(str, parts)))
        hint = "give parts of one run, or one of them"
        raise UsageProblem(f"{listed}: {clean(str(error))}", hint) from None
    return [*(one for one in files.values() if one.run.whole), *merged]
