"""YAML files of this package, and those that hold no specs read into records."""

from __future__ import annotations

from importlib import resources
from typing import TypeVar

import msgspec

from conformance.specs import source
from conformance.specs.remembered import remembered
from conformance.specs.source import SpecError

Data = TypeVar("Data")


def shipped_texts() -> dict[str, str]:
    """The texts of the YAML files in the package's own folder, by name."""
    entries = (e for e in resources.files(__package__).iterdir() if e.name.endswith(".yaml"))
    return {e.name: e.read_text("utf-8") for e in sorted(entries, key=lambda e: e.name)}


def read_data(name: str, kind: type[Data]) -> Data:
    """The records in a file such as `documents/ja-1.yaml`; SpecError with a line if it is wrong."""
    text = resources.files(__package__).joinpath(*name.split("/")).read_text("utf-8")
    return remembered({name: text}, kind, lambda: data_of(text, name, kind))


def data_of(text: str, name: str, kind: type[Data]) -> Data:
    """The records in `text`.

    Raises:
        SpecError: the text is wrong; the error has `name` and the line.
    """
    try:
        node, data = source.read(text)
        return msgspec.convert(data, kind)
    except source.SourceError as error:
        raise SpecError(f"{name}:{error.line}: {error}") from error
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at ")
        raise SpecError(f"{name}:{source.line(node, place.strip('`'))}: {problem}") from error
