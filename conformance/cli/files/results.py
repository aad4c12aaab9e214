"""Results files that are named on the command line: files, or folders of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from conformance.adapters import registry
from conformance.cli.errors import UsageProblem
from conformance.mutation import records
from conformance.reporting import scores
from conformance.reporting.containers import content_of, existing, json_files
from conformance.reporting.json_results import (
    ResultsError,
    SchemaHeader,
    file_name,
    read_results,
)
from conformance.reporting.merge import (
    MergeError,
    difference,
    finished_cells,
    merge,
    taken,
)
from conformance.reporting.safe_text import clean, counted
from conformance.results import SCHEMA, Aspect, Results
from conformance.specs import load
from conformance.specs.load import documented_name

DEFAULT_FOLDER = Path("reports")
LAST_FOLDER = Path(".conformance") / "last"
"""The results of the last run of each target in this folder that had no --output."""

MOST_FILES = 8
"""How many files of a folder an error names."""


def default_places() -> list[Path]:
    """The folders of results here that commands read when no place is named."""
    return [folder for folder in (DEFAULT_FOLDER, LAST_FOLDER) if holds_results(folder)]


def stored(places: Sequence[Path], only: str | None = None) -> dict[Path, Results]:
    """The results in files and folders, each file once; in `default_places` if no place is named.

    With `only` those of one function, which is faster. The scores that `conformance report --format
    json` leaves in a folder are skipped.

    Raises:
        UsageProblem: a file holds something else, or a place holds no results; it names the file.
    """
    chosen = places or default_places()
    if not chosen and not DEFAULT_FOLDER.is_dir():
        raise UsageProblem(
            f"there is no folder {DEFAULT_FOLDER}", "name results files, or folders of them"
        )
    files = [file for place in chosen or [DEFAULT_FOLDER] for file in _files(place)]
    return {file.resolve(): read_file(file, only) for file in files}


def holds_results(folder: Path) -> bool:
    """Whether this is a folder with a results file."""
    return folder.is_dir() and any(_holds(file, SCHEMA) for file in json_files(folder))


def in_folders() -> dict[Path, list[Path]]:
    """The results files in each folder in `reports`, such as those of a package's own functions."""
    folders = {folder: json_files(folder) for folder in sorted(DEFAULT_FOLDER.glob("*/"))}
    holding = {folder: [f for f in files if _holds(f, SCHEMA)] for folder, files in folders.items()}
    return {folder: files for folder, files in holding.items() if files}


def stored_file(target: str, folder: Path | None = None) -> Path | None:
    """A target's results file in a folder; without a folder, in `reports` or a folder in it."""
    name = file_name(target)
    if (file := existing((folder or DEFAULT_FOLDER) / name)) is not None or folder is not None:
        return file
    inner = (existing(place / name) for place in sorted(DEFAULT_FOLDER.glob("*/")))
    return next((file for file in inner if file is not None and _holds(file, SCHEMA)), None)


def file_in_folder(folder: Path, targets: Sequence[str]) -> Path:
    """The results file of a folder: its only one, or that of one of the targets.

    Raises:
        UsageProblem: the folder has no results, or several files and none of these targets.
    """
    files = _files(folder)
    named = [file for target in targets if (file := existing(folder / file_name(target)))]
    if len(files) == 1 or named:
        return (files if len(files) == 1 else named)[0]
    names = ", ".join(str(file) for file in files[:MOST_FILES])
    more = f" and {len(files) - MOST_FILES} more" if len(files) > MOST_FILES else ""
    raise UsageProblem(
        clean(f"{folder} has {len(files)} results files: {names}{more}"),
        clean(f"name one of them, such as {files[0]}"),
    )


def read_file(file: Path, only: str | None = None) -> Results:
    """The results in a file, or those of one function.

    Raises:
        UsageProblem: it holds something else.
    """
    try:
        return read_results(file, only)
    except ResultsError as error:
        place = "" if error.place == "$" else f"at {error.place}: "
        message = f"{error.file}: {place}{error.problem}"
        raise UsageProblem(clean(message), clean(error.hint)) from None
    except OSError as error:
        message = f"{file}: {error.strerror or error}"
        raise UsageProblem(clean(message), "name a file that can be read") from None


def gathered(places: Sequence[Path], only: str | None = None) -> list[Results]:
    """The runs in the places, the suite's own targets first; with `only` of one function.

    Runs of parts are put together with the newest run of everything, if they are of the same cases
    and versions (`reporting.merging`); stderr says which. There are several of a target that was
    run several times.

    Raises:
        UsageProblem: as in `stored`; shards do not belong together; the newest run is partial
            and others have results that it lacks.
    """
    targets: dict[tuple[str, str, bool], dict[Path, Results]] = {}
    for file, results in stored(places, only).items():
        composed = results.composed is not UNSET
        key = (results.target.name, results.target.edition, composed)
        targets.setdefault(key, {})[file] = results
    if only is not None:
        targets = {key: _with_functions(files) for key, files in targets.items()}
    return ordered(run for files in targets.values() for run in _runs(files))


def newest(places: Sequence[Path], only: str | None = None) -> list[Results]:
    """The newest run of each target in each edition, from `gathered`."""
    by_age = sorted(gathered(places, only), key=lambda run: run.run.started)
    return ordered({(r.target.name, r.target.edition): r for r in by_age}.values())


def _with_functions(files: Mapping[Path, Results]) -> dict[Path, Results]:
    """Those files that have results of some function; all of them if none has."""
    return {file: results for file, results in files.items() if results.functions} or dict(files)


def ordered(results: Iterable[Results]) -> list[Results]:
    """The shipped targets first, before all what needs no environment; then others by name."""
    shipped = sorted(registry.shipped().values(), key=lambda target: target.venv is not None)
    known = [target.name for target in shipped]

    def place(run: Results) -> tuple[int, str]:
        name = run.target.name
        return (known.index(name) if name in known else len(known), name)

    return sorted(results, key=place)


def _files(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    # skip scores and results of mutants
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


@dataclass(frozen=True, slots=True)
class _Run:
    """A run, and the files that it is put together from."""

    files: tuple[Path, ...]
    results: Results

    @property
    def age(self) -> tuple[str, bool]:
        """The order of runs: by their start, and a whole run after a partial run."""
        return self.results.run.started, self.results.run.whole


def _runs(files: Mapping[Path, Results]) -> list[Results]:
    """The runs of one target; runs of parts are merged with what belongs to them."""
    groups: list[dict[Path, Results]] = []
    for file, content in files.items():
        results = _unlimited(content)
        same = (g for g in groups if difference(next(iter(g.values())), results) is None)
        group = next(same, None)
        if group is None:
            groups.append(group := {})
        group[file] = results
    runs = [run for group in groups for run in _merged(group)]
    _check_nothing_is_lost(runs)
    return [run.results for run in runs]


def _merged(files: Mapping[Path, Results]) -> Iterator[_Run]:
    """The runs of one version with one seed: older whole ones, and the newest with all parts."""
    runs = sorted(
        (_Run((file,), results) for file, results in files.items()), key=lambda run: run.age
    )
    whole = [run for run in runs if run.results.run.whole]
    parts = [run for run in runs if not run.results.run.whole]
    together = [*whole[-1:], *parts] if parts else []
    yield from whole[:-1] if parts else whole
    if not together:
        return
    merged = [run.results for run in together]
    names = tuple(file for run in together for file in run.files)
    try:
        results = _unlimited(merge(merged, list(load())))
    except MergeError as error:
        hint = "give parts of one run, or one of them"
        raise UsageProblem(clean(f"{_named(names)}: {error}"), hint) from None
    if len(names) > 1 and not _are_shards(merged):
        _announce(results, names, taken(merged))
    yield _Run(names, results)


_OF_EVERY_RUN = {
    Aspect.PRESENCE,
    Aspect.SIGNATURE,
    Aspect.VALUE,
    Aspect.DTYPE,
    Aspect.STATIC_SHAPE,
}
"""Aspects that results of a function lack only if the run omitted them. Specs of later suites may
demand others."""


def _unlimited(results: Results) -> Results:
    """Results of every function of the edition as those of a run without `-k` and shards; others
    as they are."""
    if results.composed is not UNSET or results.run.whole or not _are_of_everything(results):
        return results
    return replace(results, run=replace(results.run, selection=None, shard=UNSET))


def _are_of_everything(results: Results) -> bool:
    """Whether the results have every function of their edition, in more than some aspects."""
    from conformance.engine.planning.demands import demanded_aspects  # noqa: PLC0415 - slow

    edition = results.target.edition
    specs = [spec for spec in load().values() if edition in spec.editions]
    aspects = {f.function: {a.aspect for a in f.aspects} for f in results.functions}
    if not {documented_name(spec, edition) for spec in specs} <= aspects.keys():
        return False
    return bool(specs) and all(
        _OF_EVERY_RUN.intersection(demanded_aspects(spec, edition))
        <= aspects[documented_name(spec, edition)]
        for spec in specs
    )


def _are_shards(parts: Sequence[Results]) -> bool:
    """Whether these are different shards of a run, which share no function."""
    count = sum(len(part.functions) for part in parts)
    names = {function.function for part in parts for function in part.functions}
    return count == len(names) and all(isinstance(part.run.shard, str) for part in parts)


def _announce(results: Results, files: Sequence[Path], counts: Sequence[int]) -> None:
    """Say on stderr what was put together, and how many functions each file contributes."""
    contributions = ", ".join(
        f"{f}: {counted(n, 'function')}" for f, n in zip(files, counts, strict=True)
    )
    name = results.target.name
    counting = "the newest result of each function counts"
    line = f"{name}: {len(files)} files merged, {counting}: {contributions}"
    click.echo(clean(line), err=True)


def _check_nothing_is_lost(runs: Sequence[_Run]) -> None:
    """UsageProblem if the newest run is of a part, and an older one has more functions."""
    *older, last = sorted(runs, key=lambda run: run.age)
    for run in older if not last.results.run.whole else ():
        lost = _lost(run.results, last.results)
        if lost:
            what = difference(run.results, last.results)
            raise UsageProblem(
                clean(
                    f"{_named(run.files)} and {_named(last.files)}: two runs of "
                    f"{last.results.target.name} that differ in {what}; the newer one is of a part "
                    f"and lacks results of {counted(len(lost), 'function')}"
                ),
                "name one of them, or run the target again as a whole",
            )


def _lost(older: Results, newer: Results) -> set[str]:
    """The functions of which a run has results that a newer one lacks.

    Runs of composed programs with other seeds add up, unless both are shards.
    """
    shards = [isinstance(run.run.shard, str) for run in (older, newer)]
    if newer.composed is not UNSET and not all(shards):
        return set()
    return {function for function, _ in finished_cells(older) - finished_cells(newer)}


def _named(files: Sequence[Path]) -> str:
    return ", ".join(map(str, files))
