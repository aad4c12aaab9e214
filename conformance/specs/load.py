"""Every spec by function name, and what the documents say of a function."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache

from conformance.editions import Edition, edition_files
from conformance.specs.data import read_data, shipped_texts
from conformance.specs.model import Claim, Spec, SpecFile
from conformance.specs.remembered import remembered
from conformance.specs.signature import Signature, parse
from conformance.specs.source import SpecError

_OTHER = (
    "accuracy.yaml",
    "conventions.yaml",
    "errata.yaml",
    "examples.yaml",
    "general.yaml",
    "releases.yaml",
    "rules.yaml",
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

    def printed_in(self, documents: Collection[str]) -> Specs:
        """The specs of the functions that one of these documents prints."""
        printed = Specs([])
        for name, spec in self._specs.items():
            if {*map(str, spec.signatures)} & {*documents}:
                printed._add(spec, self._themes[name])
        return printed

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
    return tuple(read_data("general.yaml", list[Claim]))


def claims(spec: Spec, aspect: str) -> Iterator[Claim]:
    """What the documents say of one aspect of a function, the most specific first."""
    for claim in (*spec.claims, *general_claims()):
        if claim.aspect == aspect:
            yield claim


def is_claimed(spec: Spec, aspect: str, edition: Edition) -> bool:
    """Whether the document of an edition says anything of an aspect of a function."""
    document = spec.editions[edition]
    return any(document in c.at or document in c.sections for c in claims(spec, aspect))


def ruled_out(spec: Spec, edition: Edition) -> frozenset[str]:
    """The readings that the document of an edition does not leave open for a function."""
    document = spec.editions[edition]
    cites = (c for c in spec.claims if document in c.at or document in c.sections)
    return frozenset(r for c in cites for r in c.rules_out)


def signature(spec: Spec, edition: Edition) -> Signature:
    """The signature that binds `edition`; KeyError if the edition does not have the function."""
    entry = spec.signatures[spec.editions[edition]]
    return parse(entry.corrected or entry.text)


def documented_name(spec: Spec, edition: Edition) -> str:
    """What the function is called in `edition`."""
    return signature(spec, edition).name


@cache
def load() -> Specs:
    """The specs that ship with the suite; checked once, and then taken from the user's cache."""
    texts = spec_texts()
    read = {**shipped_texts(), **texts}
    for edition in edition_files():
        read.update(edition.document_texts())
        read[f"{edition.name}/settings"] = edition.settings
    return Specs(remembered(read, list[SpecFile], lambda: _checked(texts)))


def _checked(texts: Mapping[str, str]) -> list[SpecFile]:
    from conformance.specs.reading import read_files  # noqa: PLC0415 (seldom needed, and slow)

    return read_files(texts)


def spec_texts() -> dict[str, str]:
    """The texts of the spec files by name: those of K, then those of editions with files of their
    own."""
    texts = {name: text for name, text in shipped_texts().items() if name not in _OTHER}
    for edition in edition_files():
        texts.update(edition.spec_texts())
    return texts
