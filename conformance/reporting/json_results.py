"""Results files: `OUT/TARGET.json` or `OUT/TARGET.json.gz`, schema `conformance-results/1`."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from conformance.files import TooLargeError, write_atomically
from conformance.json_schemas import schema_of
from conformance.reporting.containers import DamagedContainerError, content_of
from conformance.results import (
    SCHEMA,
    Array,
    Aspect,
    Failure,
    FunctionResult,
    Results,
    RunInfo,
    Summary,
    TargetInfo,
    Verdict,
)
from conformance.results.encoding import as_json, plain, plain_data
from conformance.results.events import Event, TargetFinished, TargetProgressed
from conformance.results.model import NON_FINITE

SCHEMA_ID = "urn:keras-backend-conformance:schema:results-1"
MOST_DIMENSIONS = 64
"""As many as NumPy takes."""
"""How an array's data writes the floats that JSON lacks."""
OMITTED = ("readings", "earlier_failures")
"""Fields that a file has only where there is something in them: few failures have any."""

T = TypeVar("T")


class ResultsError(Exception):
    """A file is not a results file: which file, where in it, what is wrong, what to write."""

    def __init__(self, file: Path, place: str, problem: str, hint: str) -> None:
        self.file, self.place, self.problem, self.hint = file, place, problem, hint
        super().__init__(f"{file}: at {place}: {problem}; {hint}")


class JsonWriter:
    """Writes a target's results file, each time whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def handle(self, event: Event) -> None:
        """Write the file when a target is done, and from time to time until then.

        Raises:
            OSError: the folder cannot be written.
        """
        if isinstance(event, TargetProgressed | TargetFinished):
            name = file_name(plain(event.results.target).name)
            write_atomically(self.folder / name, encode(event.results))

    def close(self) -> None:
        """Nothing is held open."""


def file_name(target: str) -> str:
    """The file name of a target's results: one name in one folder, whatever the target is called.

    Letters, digits and `_ - . ~ + @` stay; everything else, and a dot in front, is written in
    percent notation; what is longer than a file name may be ends in a digest.
    """
    safe = quote(target, safe="+@", errors="backslashreplace") or "%"
    if safe.startswith("."):
        safe = "%2E" + safe[1:]
    if len(safe) > 200:
        safe = safe[:160] + "~" + hashlib.sha256(safe.encode()).hexdigest()[:32]
    return safe + ".json"


def encode(results: Results) -> bytes:
    """The bytes of the results file: the same for equal results, on every machine."""
    counts = results.summary.verdicts
    ordered = replace(
        results,
        target=replace(results.target, versions=dict(sorted(results.target.versions.items()))),
        summary=replace(results.summary, verdicts={v: counts[v] for v in Verdict if v in counts}),
    )
    return as_json(representable(plain_data(ordered)))


def representable(value: Any, key: str = "") -> Any:
    """The text as JSON can hold it: lone surrogates become escapes, and floats in arrays their
    names.

    A field of `OMITTED` that is empty is left out.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value) if key == "data" else None
    if isinstance(value, list):
        return [representable(item, key) for item in value]
    if isinstance(value, dict):
        held = {k: v for k, v in value.items() if v != [] or k not in OMITTED}
        return {representable(k): representable(v, k) for k, v in held.items()}
    return value


NO_RESULTS = (
    "this is not a results file of conformance, or it is damaged: name a TARGET.json that"
    " `conformance run --output DIR` wrote, or run that again"
)
"""The advice for a file that nobody writes by hand."""
TOML = (
    "name a results file: TARGET.json, which `conformance run --output DIR` writes; a TOML file of"
    " known failures goes with --expectations, one of targets with --config"
)
"""The advice for a file that somebody has written for another option."""


class SchemaHeader(msgspec.Struct):
    """The field that says what a JSON file of the suite holds; other fields are passed over."""

    schema: str


class _Opened(msgspec.Struct):
    """A results file whose functions are not read yet."""

    target: TargetInfo
    run: RunInfo
    summary: Summary
    functions: list[msgspec.Raw]


class _Named(msgspec.Struct):
    """The name of a function's results; other fields are passed over."""

    function: str


def read_results(path: Path, only: str | None = None) -> Results:
    """The results in a file, compressed or not, or those of one function.

    Raises:
        ResultsError: it holds something else.
        OSError: it cannot be read.
    """
    content = _content(path)
    head = _decode(path, content, SchemaHeader)
    if head.schema != SCHEMA:
        raise ResultsError(
            path,
            "$.schema",
            f"schema {head.schema!r} is not known",
            f"this version reads {SCHEMA!r}: make the file again with `conformance run`",
        )
    results = _decode(path, content, Results) if only is None else _part(path, content, only)
    _check_unique(path, results)
    for place, array in _arrays(results):
        _check_array(path, place, array)
    return results


def _check_unique(path: Path, results: Results) -> None:
    """Refuse a file that has two verdicts on the same thing."""
    functions = [result.function for result in results.functions]
    _check_once(path, "$.functions", functions)
    for i, function in enumerate(results.functions):
        _check_once(path, f"$.functions[{i}].aspects", [str(a.aspect) for a in function.aspects])


def _check_once(path: Path, place: str, names: Sequence[str]) -> None:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            hint = "leave one of them out, or make the file again with `conformance run`"
            raise ResultsError(path, f"{place}[{index}]", f"{name!r} is there twice", hint)
        seen.add(name)


def _content(path: Path) -> bytes:
    try:
        return content_of(path)
    except DamagedContainerError as error:
        hint = "copy the file again, or make it again with `conformance run`"
        raise ResultsError(path, "$", str(error), hint) from None
    except TooLargeError as error:
        raise ResultsError(path, "$", error.problem, error.remedy) from None


def _part(path: Path, content: bytes, only: str) -> Results:
    """The results of one function; of the others nothing but their names is looked at."""
    opened = _decode(path, content, _Opened)
    functions = [raw for raw in opened.functions if _decode(path, raw, _Named).function == only]
    return Results(
        target=opened.target,
        run=opened.run,
        summary=opened.summary,
        functions=[_decode(path, raw, FunctionResult) for raw in functions],
    )


def _decode(path: Path, content: bytes | msgspec.Raw, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.ValidationError as error:
        if path.suffix == ".toml":  # its first bracket is one of JSON, too
            raise ResultsError(path, "$", "this is TOML and not JSON", TOML) from None
        problem, _, place = str(error).partition(" - at ")
        where = place.strip("`") or "$"
        raise ResultsError(path, where, problem, _hint(where, problem)) from None
    except RecursionError:
        raise ResultsError(path, "$", "nested too deep", "write fewer levels") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = TOML if path.suffix == ".toml" else NO_RESULTS
        raise ResultsError(path, "$", f"this is not JSON ({error})", hint) from None


def _hint(place: str, problem: str) -> str:
    allowed: dict[str, list[str]] = {
        "verdict": [str(v) for v in Verdict],
        "verdicts": [str(v) for v in Verdict],
        "aspect": [str(a) for a in Aspect],
    }
    last = re.findall(r"[a-z_]+", place.replace("key in", ""))[-1:]
    if last and last[0] in allowed:
        return "write one of: " + ", ".join(allowed[last[0]])
    if place == "$":
        return NO_RESULTS
    if expected := re.match(r"Expected (`[^,]+`)", problem):
        return f"write a value of type {expected[1]}"
    return NO_RESULTS


def _arrays(results: Results) -> Iterator[tuple[str, Array]]:
    for i, function in enumerate(results.functions):
        for j, aspect in enumerate(function.aspects):
            place = f"$.functions[{i}].aspects[{j}]"
            yield from _arrays_of(f"{place}.failures", aspect.failures)
            yield from _arrays_of(f"{place}.earlier_failures", aspect.earlier_failures)


def _arrays_of(place: str, failures: Iterable[Failure]) -> Iterator[tuple[str, Array]]:
    for k, failure in enumerate(failures):
        held = {"expected": failure.expected, "got": failure.got}
        held |= {f"inputs[{name!r}]": array for name, array in failure.inputs.items()}
        for name, array in held.items():
            if isinstance(array, Array):
                yield f"{place}[{k}].{name}", array


def _check_array(path: Path, place: str, array: Array) -> None:
    if any(n < 0 for n in array.shape) or len(array.shape) > MOST_DIMENSIONS:
        hint = f"write up to {MOST_DIMENSIONS} dimensions, none negative"
        raise ResultsError(path, f"{place}.shape", "this is not a shape", hint)
    size = math.prod(array.shape)
    if len(array.data) > size or (len(array.data) < size and not array.truncated):
        raise ResultsError(
            path,
            f"{place}.data",
            f"{len(array.data)} elements for the shape {array.shape}",
            f"write {size} elements, or fewer and 'truncated': true",
        )
    start = 0 if array.start is msgspec.UNSET else array.start
    if not 0 <= start <= size - len(array.data):
        hint = "write the number of an element so that all of the data are elements"
        raise ResultsError(path, f"{place}.start", f"{start} of {size} elements", hint)
    for index, item in enumerate(array.data):
        if isinstance(item, str) and item not in NON_FINITE:
            hint = f"write a number, true, false or one of {', '.join(NON_FINITE)}"
            raise ResultsError(path, f"{place}.data[{index}]", f"{item!r} is not an element", hint)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a results file, made from the records themselves."""
    return schema_of(Results, SCHEMA_ID, f"Results of one target ({SCHEMA})")


def encode_schema() -> bytes:
    """The bytes of the published `results-1.schema.json`."""
    return as_json(json_schema())
