"""The editions of the API: the versions of it that an implementation can claim to offer.

No other list of them stands in the suite; only `conformance.reference`, which imports nothing of
it, has one of its own.
"""

from __future__ import annotations

from typing import Literal, get_args

Edition = Literal["keras-1", "keras-2.0", "keras-2.2"]
EDITIONS: tuple[Edition, ...] = get_args(Edition)
"""The oldest first."""


def known_edition(name: str) -> Edition | None:
    """The edition of this name; None for one that a file of another version of the suite names."""
    return next((edition for edition in EDITIONS if edition == name), None)
