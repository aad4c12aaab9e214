"""Mutants that are no errors: which, and why. The list is `equivalents.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator
from importlib import resources

from msgspec import Struct, ValidationError, convert

from conformance.mutation.records import JudgedMutant


class EquivalentsError(Exception):
    """The list cannot be read; the message says where and what to write."""


class Equivalent(Struct, frozen=True, forbid_unknown_fields=True):
    """Mutants that no program can tell from the backend, or that do what the documents allow."""

    mutants: list[str]
    """Their names."""
    reason: str
    targets: list[str] = []
    """The targets on which they are; all if empty."""


class _List(Struct, frozen=True, forbid_unknown_fields=True):
    equivalent: list[Equivalent]


def load(text: str | None = None) -> list[Equivalent]:
    """The entries of the list that ships with the suite, or of `text`; EquivalentsError."""
    if text is None:
        text = resources.files(__package__).joinpath("equivalents.toml").read_text("utf-8")
    try:
        return convert(tomllib.loads(text), _List).equivalent
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        hint = "write [[equivalent]] with mutants = [names] and reason"
        raise EquivalentsError(f"equivalents.toml: {error}; {hint}") from error


def reasons(entries: Collection[Equivalent], target: str) -> dict[str, str]:
    """The reason of each mutant that is equivalent on a target."""
    found = [e for e in entries if not e.targets or target in e.targets]
    return {name: entry.reason for entry in found for name in entry.mutants}


def stale(
    reasons: dict[str, str], judged: Collection[JudgedMutant], known: Collection[str]
) -> Iterator[str]:
    """What is wrong with the list: a mutant that is killed after all, or does not exist."""
    killed = {one.name: one for one in judged if one.outcome == "killed"}
    for name in reasons:
        if name not in known:
            yield f"{name}: there is no such mutant"
        elif name in killed and (shown := killed[name].shown) is not None:
            yield f"{name}: is killed ({shown.function}, {shown.aspect}: {shown.verdict})"
