"""What each survivor is: a gap of the suite, or no error. The list is `survivors.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable
from importlib import resources
from typing import Literal

from msgspec import Struct, ValidationError, convert

from conformance.mutation.code.records import JudgedCodeMutant

Kind = Literal["missing case", "missing reading", "shared identity", "equivalent", "not looked at"]
KINDS: dict[Kind, str] = {
    "missing case": "No case has the inputs, or makes the check, that would show it.",
    "missing reading": "A case shows it, and a convention excuses what it shows.",
    "shared identity": "A case shows it, by a failure that has the id of a known one.",
    "equivalent": "Nothing that the documents promise is different.",
    "not looked at": "Nobody has looked at it yet.",
}
"""What a survivor can be."""


class ClassificationError(Exception):
    """The list cannot be read; the message says what to write."""


class Classified(Struct, frozen=True, forbid_unknown_fields=True):
    """Survivors on one target that survive for one reason."""

    target: str
    mutants: list[str]
    """Their ids."""
    kind: Kind
    reason: str


class _List(Struct, frozen=True, forbid_unknown_fields=True):
    survivor: list[Classified] = []


def load_classified(text: str | None = None) -> list[Classified]:
    """The entries of the list that ships with the suite, or of `text`; ClassificationError."""
    if text is None:
        text = resources.files(__package__).joinpath("survivors.toml").read_text("utf-8")
    try:
        return convert(tomllib.loads(text), _List).survivor
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        hint = (
            f"write [[survivor]] with target, mutants = [ids], reason and kind: {', '.join(KINDS)}"
        )
        raise ClassificationError(f"survivors.toml: {error}; {hint}") from error


def classes(entries: Iterable[Classified], target: str) -> dict[str, Classified]:
    """The entry of each mutant of a target, by the mutant's id."""
    return {name: e for e in entries if e.target == target for name in e.mutants}


def unclassified(known: Collection[str], survivors: Iterable[JudgedCodeMutant]) -> list[str]:
    """The ids of survivors that no entry names."""
    return [one.id for one in survivors if one.id not in known]
