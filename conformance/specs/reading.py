"""Spec files, read from their text and checked. An error names the file and the line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml

from conformance.specs import check, expansion, rule_check, source
from conformance.specs.library import Library
from conformance.specs.model import SharedError, SharedFile, SpecFile
from conformance.specs.source import SpecError

SHARED_FILE = "rules.yaml"


def read_files(texts: Mapping[str, str]) -> list[SpecFile]:
    """The spec files in texts by name, which together use all that `rules.yaml` shares; SpecError
    that names the file if one is wrong."""
    files = [_read(text, name) for name, text in texts.items()]
    _refuse_unused_shared([written for written, _ in files])
    return [file for _, file in files]


def load_text(text: str, name: str) -> SpecFile:
    """The spec file in `text`, its rules written out; SpecError with `name` and a line if it is
    none."""
    return _read(text, name)[1]


def _read(text: str, name: str) -> tuple[SpecFile, SpecFile]:
    """A spec file as it is written, and with its rules written out."""
    with _naming(name):
        node, data = source.read(text)
        written = source.typed(node, data, SpecFile)
        library = Library(written.rules, load_shared().library)
        _refuse(node, rule_check.definitions(library))
        _refuse(node, expansion.problems(written, library))
        _refuse(node, rule_check.unused(library, expansion.used_rules([written])))
        file = expansion.expanded(written, library, load_shared().errors)
        _refuse(node, check.problems(file))
    return written, file


def places(texts: Mapping[str, str], parts: Iterable[tuple[str, str]]) -> list[str]:
    """`FILE:LINE` of each part of a spec: the name of its function, and the path below the spec,
    such as `dtype.accept[0]`. The texts, by name, are those of spec files without mistakes."""
    nodes = {name: source.read(text) for name, text in texts.items()}
    found = {
        spec["name"]: (name, index)
        for name, (_, data) in nodes.items()
        for index, spec in enumerate(data["functions"])
    }
    listed = []
    for function, path in parts:
        name, index = found[function]
        line = source.line(nodes[name][0], f"$.functions[{index}].{path}")
        listed.append(f"{name}:{line}")
    return listed


@dataclass(frozen=True, slots=True)
class Shared:
    """What functions of several themes use."""

    file: SharedFile
    library: Library
    errors: Mapping[str, SharedError]
    node: yaml.Node | None
    """Where each of them stands in the file."""


@cache
def load_shared() -> Shared:
    """The rules and errors that functions of several themes use, from `rules.yaml`."""
    return shared_in(resources.files(__package__).joinpath(SHARED_FILE).read_text("utf-8"))


def shared_in(text: str) -> Shared:
    """The shared rules and errors in `text`; SpecError with a line if it is wrong."""
    with _naming(SHARED_FILE):
        node, data = source.read(text)
        file = source.typed(node, data, SharedFile)
        library = Library(file.rules)
        _refuse(node, rule_check.definitions(library))
        _refuse(node, check.shared_problems(file))
    return Shared(file, library, {error.name: error for error in file.errors}, node)


def _refuse_unused_shared(written: list[SpecFile]) -> None:
    shared = load_shared()
    with _naming(SHARED_FILE):
        used = expansion.used_rules([*written, shared.file])
        _refuse(shared.node, rule_check.unused(shared.library, used))
        _refuse(shared.node, check.unused_errors(shared.file, written))


def _refuse(node: yaml.Node | None, problems: Iterator[rule_check.Problem]) -> None:
    """SourceError for the first problem."""
    for path, problem in problems:
        raise source.SourceError(source.line(node, path), problem)


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Turn what is wrong with a text into a SpecError with the name of its file."""
    try:
        yield
    except source.SourceError as error:
        raise SpecError(f"{name}:{error.line}: {error}") from error
    except RecursionError as error:
        raise SpecError(f"{name}:1: nested too deep") from error
