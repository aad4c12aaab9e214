"""What the document of an edition says otherwise than the one before, and a release may follow."""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from conformance.editions import Document, Edition
from conformance.specs.data import read_data
from conformance.specs.records import Line


class Change(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that the document of `edition` says of a function, and earlier ones did not.

    Signatures are not listed: they are compared with those that the document prints.
    """

    function: str
    edition: Edition
    at: dict[Document, Line]
    aspects: list[str]
    """The aspects of findings that show it."""
    gives: str
    """The detail of such a finding: the exception's type, or the value."""


@cache
def load_changes() -> list[Change]:
    """All changes, from `releases.yaml`."""
    return read_data("releases.yaml", list[Change])
