"""What each claim of the documents says, in our words, as `tools.documents` has written it down.

`glosses.json` follows from the specs and the scenarios; a test holds it to them. It is written down
because the scenarios take seconds to be asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

FILE = "glosses.json"


class Gloss(msgspec.Struct, frozen=True, array_like=True):
    """A claim in English."""

    line: int
    function: str
    """Empty in an introduction, where no function is meant."""
    says: str


@cache
def load_glosses() -> Mapping[str, tuple[Gloss, ...]]:
    """The glosses of each document, in the order of its lines."""
    text = files("conformance.specs.documents").joinpath(FILE).read_bytes()
    return msgspec.json.decode(text, type=dict[str, tuple[Gloss, ...]])
