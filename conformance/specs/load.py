"""Spec files, loaded and validated. An error names the file and the line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

import msgspec
import yaml

from conformance.specs import check, source
from conformance.specs.model import Claim, Spec, SpecFile
from conformance.specs.signature import Signature, parse

_OTHER = ("conventions.yaml", "errata.yaml", "examples.yaml", "general.yaml")
"""YAML files of this package that hold no specs."""


class SpecError(ValueError):
    """A spec file is wrong: `FILE:LINE: what is wrong and what to write instead`."""


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


def signature(spec: Spec, edition: str) -> Signature:
    """The signature that binds `edition`; KeyError if the edition does not have the function."""
    entry = spec.signatures[spec.editions[edition]]  # type: ignore[index]
    return parse(entry.corrected or entry.text)


def documented_name(spec: Spec, edition: str) -> str:
    """What the function is called in `edition`."""
    return signature(spec, edition).name


@cache
def load() -> Specs:
    """The specs that ship with the suite."""
    folder = resources.files(__package__)
    names = sorted(e.name for e in folder.iterdir() if e.name.endswith(".yaml"))
    files = [_load_file(folder / n) for n in names if n not in _OTHER]
    return Specs(files)


def _load_file(path: Traversable) -> SpecFile:
    return load_text(path.read_text("utf-8"), path.name)


def load_text(text: str, name: str) -> SpecFile:
    """The spec file in `text`; SpecError with `name` and a line if it is none."""
    try:
        node, data = source.read(text)
        file = source.typed(node, data)
        for path, problem in check.problems(file):
            raise source.SourceError(source.line(node, path), problem)
    except source.SourceError as error:
        raise SpecError(f"{name}:{error.line}: {error}") from error
    except RecursionError as error:
        raise SpecError(f"{name}:1: nested too deep") from error
    return file
