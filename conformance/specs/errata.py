"""The numbered conflicts of the documents: what is wrong where, and which claim is tested."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from conformance.editions import Document, Edition
from conformance.specs.data import read_data
from conformance.specs.records import Line

Bound = Literal["all"] | Edition


class Conflict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place where a document is wrong, contradicts itself or differs from another."""

    number: Annotated[str, Meta(pattern="^C[0-9]{3}$")]
    title: str
    kinds: list[Literal["V", "X", "S", "E"]]
    """V: the API changed; X: documents disagree; S: a document contradicts itself; E: an error."""
    at: dict[Document, list[Line]]
    """The lines that it is about."""
    says: dict[Bound, str]
    """The claim that holds, for all editions or for each."""
    functions: list[str] = field(default_factory=list)
    """The functions concerned, each of which has it among its errata."""
    truncated: dict[Document, list[Line]] = field(default_factory=dict)
    """The lines of a sentence that breaks off, which proves nothing: no claim may cite them."""
    prose: bool = False
    """Whether it concerns sentences or marks alone, and no function."""
    evidence: dict[str, str] = field(default_factory=dict)
    """Functions that it does not concern although it cites a line of their entry, and why."""

    def claim(self, edition: Edition) -> str | None:
        """What holds in an edition; None if nothing is said of it."""
        return self.says.get("all") or self.says.get(edition)


Conflicts = Mapping[str, Conflict]


@cache
def load_conflicts() -> Conflicts:
    """All conflicts by number, from `errata.yaml`."""
    return {c.number: c for c in read_data("errata.yaml", list[Conflict])}


def breaks_off(document: Document, line: int) -> str | None:
    """The number of the conflict by which the sentence on this line breaks off, if one says so."""
    for conflict in load_conflicts().values():
        if line in conflict.truncated.get(document, ()):
            return conflict.number
    return None
