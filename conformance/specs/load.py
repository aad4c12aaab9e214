"""Spec files, loaded and validated. An error names the file and the line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources

import msgspec
import yaml

from conformance.editions import Edition
from conformance.specs import check, expansion, rule_check, source
from conformance.specs.library import Library
from conformance.specs.model import Claim, SharedError, SharedFile, Spec, SpecFile
from conformance.specs.signature import Signature, parse
from conformance.specs.source import SpecError

SHARED_FILE = "rules.yaml"
_OTHER = (
    "conventions.yaml",
    "errata.yaml",
    "examples.yaml",
    "general.yaml",
    "releases.yaml",
    SHARED_FILE,
)
"""YAML files of this package that hold no specs."""


class Specs(Mapping[str, Spec]):
    """Every spec by function name; older names of functions find the newest."""

    def __init__(self, files: list[SpecFile]) -> None:
        self._specs: dict[str, Spec] = {}
        self._themes: dict[str, str] = {}
        for file in files:
            for spec in file.functions:
                self._add(spec, file.theme)

    def _add(self, spec: Spec, theme: str) -> None:
        if spec.name in self._specs:
            raise SpecError(
                f"{spec.name} is in the themes {self._themes[spec.name]} and {theme}; "
                "write one spec for each function"
            )
        self._specs[spec.name] = spec
        self._themes[spec.name] = theme

    def __getitem__(self, name: str) -> Spec:
        return self._specs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def theme(self, name: str) -> str:
        """The theme that a function belongs to."""
        return self._themes[name]

    def aliases(self) -> dict[str, str]:
        """Older names of functions to the newest."""
        return {
            documented_name(spec, edition): name
            for name, spec in self._specs.items()
            for edition in spec.editions
            if documented_name(spec, edition) != name
        }


@cache
def general_claims() -> tuple[Claim, ...]:
    """Claims about every function, because they are about what observes the result."""
    text = resources.files(__package__).joinpath("general.yaml").read_text("utf-8")
    return tuple(msgspec.convert(yaml.safe_load(text), list[Claim]))


def claims(spec: Spec, aspect: str) -> Iterator[Claim]:
    """What the documents say of one aspect of a function, the most specific first."""
    for claim in (*spec.claims, *general_claims()):
        if claim.aspect == aspect:
            yield claim


def ruled_out(spec: Spec, edition: Edition) -> frozenset[str]:
    """The readings that the document of an edition does not leave open for a function."""
    document = spec.editions[edition]
    return frozenset(r for c in spec.claims if document in c.at for r in c.rules_out)


def signature(spec: Spec, edition: Edition) -> Signature:
    """The signature that binds `edition`; KeyError if the edition does not have the function."""
    entry = spec.signatures[spec.editions[edition]]
    return parse(entry.corrected or entry.text)


def documented_name(spec: Spec, edition: Edition) -> str:
    """What the function is called in `edition`."""
    return signature(spec, edition).name


@cache
def load() -> Specs:
    """The specs that ship with the suite."""
    folder = resources.files(__package__)
    names = sorted(e.name for e in folder.iterdir() if e.name.endswith(".yaml"))
    files = [_read((folder / n).read_text("utf-8"), n) for n in names if n not in _OTHER]
    _refuse_unused_shared([written for written, _ in files])
    return Specs([file for _, file in files])


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
