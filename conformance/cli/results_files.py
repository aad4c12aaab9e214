"""Results files that are named on the command line: files, or folders of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from conformance.cli.errors import UsageProblem
from conformance.reporting import ResultsError, read_results, scores
from conformance.reporting.plain import clean
from conformance.results import Results

DEFAULT_FOLDER = Path("reports")


class _Head(msgspec.Struct):
    schema: str = ""


def read_all(places: Sequence[Path]) -> list[Results]:
    """The results in the places, in their order; in `reports` if none is named.

    UsageProblem that names the file if one holds something else, or if a place holds none. The
    scores that `conformance report --format json` leaves in a folder are passed over.
    """
    if not places and not DEFAULT_FOLDER.is_dir():
        raise UsageProblem(
            f"there is no folder {DEFAULT_FOLDER}", "name results files, or folders of them"
        )
    return [one for place in places or [DEFAULT_FOLDER] for one in _read(place)]


def _read(place: Path) -> list[Results]:
    if not place.is_dir():
        return [_read_file(place)]
    files = [f for f in sorted(place.glob("*.json")) if not _holds_scores(f)]
    if not files:
        hint = f"`conformance run --output {clean(str(place))}` writes them"
        raise UsageProblem(f"{clean(str(place))} holds no results files", hint)
    return [_read_file(file) for file in files]


def _holds_scores(file: Path) -> bool:
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Head).schema == scores.SCHEMA
    except (msgspec.MsgspecError, UnicodeDecodeError, OSError):
        return False


def _read_file(file: Path) -> Results:
    try:
        return read_results(file)
    except ResultsError as error:
        message = f"{error.file}: at {error.place}: {error.problem}"
        raise UsageProblem(clean(message), clean(error.hint)) from None
    except OSError as error:
        raise UsageProblem(clean(str(error)), "name a file that can be read") from None
