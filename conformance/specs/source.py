"""The text of a spec file: read as YAML, converted to records, and the line of what is wrong."""

from __future__ import annotations

import re
from typing import Any, ClassVar, TypeVar

import msgspec
import yaml
from yaml.reader import Reader

from conformance.files import MOST_YAML
from conformance.specs.records import SpecRecord

File = TypeVar("File", bound=SpecRecord)

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MOST_BRACKETS = 8000
_MOST_COLUMNS = 500
_PREFIX = re.compile(rf"^[ ?:-]{{{_MOST_COLUMNS}}}", re.MULTILINE)
_STEP = re.compile(r"\.([^.\[\]]+)|\['([^']*)'\]|\[(\d+)\]")
"""One step of a path: `.field`, `['key']` or `[index]`."""


class SpecError(ValueError):
    """A spec file is wrong: `FILE:LINE: what is wrong and what to write instead`."""

    for_users: ClassVar[bool] = True
    exit_status: ClassVar[int] = 2


class SourceError(ValueError):
    """What is wrong with the text, and on which 1-based `line`."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


def read(text: str) -> tuple[yaml.Node | None, Any]:
    """The nodes of the one document in `text`, and its data.

    Raises:
        SourceError: the text is not YAML, is too long, or is nested too deep.
    """
    if len(text) > MOST_YAML:
        raise SourceError(1, f"more than {MOST_YAML >> 20} MiB; split it into several files")
    _check_depth(text)
    try:
        loader = _LOADER(text)
        node = loader.get_single_node()
        _check_nodes(node)
        return node, None if node is None else _construct(loader, node)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise SourceError(line, f"not YAML: {error.problem}") from error
    except UnicodeEncodeError as error:
        raise SourceError(text.count("\n", 0, error.start) + 1, f"not YAML: {error}") from error
    except yaml.YAMLError as error:
        raise SourceError(_unprintable(text), f"not YAML: {error}".splitlines()[0]) from error


def _check_depth(text: str) -> None:
    """SourceError for text nested so deep that libyaml's recursion could crash the process.

    A level takes a bracket, or a column in front of a line.
    """
    if sum(map(text.count, "[{")) > _MOST_BRACKETS:
        raise SourceError(1, f"more than {_MOST_BRACKETS:,} brackets; write lists in lines")
    if deep := _PREFIX.search(text):
        number = text.count("\n", 0, deep.start()) + 1
        raise SourceError(number, f"begins in a column beyond {_MOST_COLUMNS}; nest it less")


def _construct(loader: Any, node: yaml.Node) -> Any:
    try:
        return loader.construct_document(node)
    except (ValueError, LookupError, AttributeError) as error:  # a tag that its text does not fit
        raise SourceError(
            _start(node), f"not YAML: a value that cannot be read: {error}"
        ) from error


def _check_nodes(root: yaml.Node | None) -> None:
    """SourceError for a key that its mapping has already, and for an alias: aliases of aliases can
    stand for more data than memory holds."""
    pending, seen = [] if root is None else [root], set[int]()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            raise SourceError(_start(node), "an alias stands for this; write it where it is meant")
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            pending += node.value
        elif isinstance(node, yaml.MappingNode):
            _check_keys(node)
            pending += [part for pair in node.value for part in pair]


def _check_keys(mapping: yaml.MappingNode) -> None:
    keys: set[tuple[str, str]] = set()
    for key, _ in mapping.value:
        if isinstance(key, yaml.ScalarNode):
            if (key.tag, key.value) in keys:
                raise SourceError(_start(key), f"{key.value!r} is there twice; write it once")
            keys.add((key.tag, key.value))


def typed(node: yaml.Node | None, data: Any, kind: type[File]) -> File:
    """The records of `data`.

    The suite reduces data with a mistake to the entries that lead to it.

    Raises:
        SourceError: a value has a wrong type; the error has its line.
    """
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        problem, at, place = str(error).rpartition(" - at ")  # a key may hold these words, too
        problem, place = (problem, place) if at else (place, "")
        path, of_key = place.removeprefix("`key` in ").strip("`"), place.startswith("`key`")
        try:
            path = _complete(data, path + "[...]" * of_key, str(error), kind)
        except (LookupError, TypeError, AttributeError):  # a key that reads like a path
            path = "$"
        if unknown := re.search("unknown field `(.*)`", problem, re.DOTALL):
            path, of_key = f"{path}['{unknown[1]}']", True
        raise SourceError(line(node, path, of_key=of_key), problem) from error


def _complete(data: Any, path: str, message: str, kind: type[SpecRecord]) -> str:
    """`path` with a key for each `[...]`: the first whose entry alone gives the same message."""
    while "[...]" in path:
        before, _, after = path.partition("[...]")
        mapping = _at(data, before)
        for key, value in dict(mapping).items():
            mapping.clear()
            mapping[key] = value
            if _message(data, kind) == message:
                break
        path = f"{before}['{key}']{after}"
    return path


def _message(data: Any, kind: type[SpecRecord]) -> str:
    try:
        msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        return str(error)
    return ""


def _at(data: Any, path: str) -> Any:
    """The data at a path."""
    for field, key, index in _STEP.findall(path):
        data = data[int(index) if index else key or field]
    return data


def line(node: yaml.Node | None, path: str, *, of_key: bool = False) -> int:
    """The line of the innermost node of a path such as `$.functions[3].shape`; 1 for the root.

    A value may begin below its key; `of_key` gives the key's line.
    """
    number = 1
    for field, key, index in _STEP.findall(path):
        pair = _child(node, field or key or index)
        if pair is None:
            break
        node, number = pair[1], _start(pair[not of_key])
    return number


def _child(node: yaml.Node | None, key: str) -> tuple[yaml.Node, yaml.Node] | None:
    """The key and the value of an entry; an item of a list is both."""
    if isinstance(node, yaml.SequenceNode) and key.isdigit() and int(key) < len(node.value):
        return node.value[int(key)], node.value[int(key)]
    if isinstance(node, yaml.MappingNode):
        return next(((k, v) for k, v in node.value if k.value == key), None)
    return None


def _start(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _unprintable(text: str) -> int:
    match = Reader.NON_PRINTABLE.search(text)
    return 1 if match is None else text.count("\n", 0, match.start()) + 1
