"""Spec files, read from their text and checked. An error names the file and the line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import NamedTuple

import yaml

from conformance.specs import check, completion, expansion, rule_check, source
from conformance.specs.library import Library
from conformance.specs.model import SharedError, SpecFile
from conformance.specs.source import SpecError
from conformance.specs.written import Pattern, SharedFile, WrittenFile

SHARED_FILE = "rules.yaml"


def read_files(texts: Mapping[str, str]) -> list[SpecFile]:
    """The spec files in texts by name, which together use all that `rules.yaml` shares; SpecError
    that names the file if one is wrong."""
    read = [_read(text, name) for name, text in texts.items()]
    _refuse_unused_shared(read)
    return [each.expanded for each in read]


def load_text(text: str, name: str) -> SpecFile:
    """The spec file in `text`, its rules written out; SpecError with `name` and a line if it is
    none."""
    return _read(text, name).expanded


class _Read(NamedTuple):
    """A spec file as it is written, whole, and with its rules written out."""

    written: WrittenFile
    whole: SpecFile
    expanded: SpecFile


def _read(text: str, name: str) -> _Read:
    shared = load_shared()
    with _naming(name):
        node, data = source.read(text)
        written = source.typed(node, data, WrittenFile)
        library = Library(written.rules, shared.library)
        _refuse(node, rule_check.definitions(library))
        _refuse(node, completion.problems(written, shared.patterns))
        whole = completion.completed(written, shared.patterns)

        def refuse(problems: Iterable[rule_check.Problem]) -> None:
            places = (
                (completion.written_path(p, written, shared.patterns), s) for p, s in problems
            )
            _refuse(node, places)

        refuse(expansion.problems(whole, library))
        _refuse(node, rule_check.unused(library, expansion.used_rules([whole])))
        expanded = expansion.expanded(whole, library, shared.errors)
        refuse(check.problems(expanded))
    return _Read(written, whole, expanded)


def places(texts: Mapping[str, str], parts: Iterable[tuple[str, str]]) -> list[str]:
    """`FILE:LINE` of each part of a spec: the name of its function, and the path below the spec,
    such as `dtype.accept[0]`. The texts, by name, are those of spec files without mistakes."""
    nodes = {name: source.read(text) for name, text in texts.items()}
    entries = {
        spec["name"]: (name, index)
        for name, (_, data) in nodes.items()
        for index, spec in enumerate(data["functions"])
    }
    lines = []
    for function, path in parts:
        name, index = entries[function]
        node, data = nodes[name]
        written = source.typed(node, data, WrittenFile)
        whole = f"$.functions[{index}].{path}"
        line = source.line(node, completion.written_path(whole, written, load_shared().patterns))
        lines.append(f"{name}:{line}")
    return lines


@dataclass(frozen=True, slots=True)
class Shared:
    """What functions of several themes use."""

    file: SharedFile
    library: Library
    errors: Mapping[str, SharedError]
    patterns: Mapping[str, Pattern]
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
        _refuse(node, completion.pattern_problems(file.patterns))
    errors = {error.name: error for error in file.errors}
    patterns = {pattern.name: pattern for pattern in file.patterns}
    return Shared(file, library, errors, patterns, node)


def _refuse_unused_shared(read: list[_Read]) -> None:
    shared = load_shared()
    written = [each.written for each in read]
    with _naming(SHARED_FILE):
        used = expansion.used_rules([*(each.whole for each in read), shared.file])
        _refuse(shared.node, rule_check.unused(shared.library, used))
        _refuse(shared.node, check.unused_errors(shared.file, written))
        _refuse(shared.node, completion.unused_patterns(shared.file.patterns, written))


def _refuse(node: yaml.Node | None, problems: Iterable[rule_check.Problem]) -> None:
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
