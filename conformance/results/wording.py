"""What messages of one cause have in common."""

from __future__ import annotations

import re

_QUOTED = r"(?P<quote>['\"`])(?![A-Za-z_. ]+(?P=quote)).*?(?P=quote)"
_OWN = re.compile(rf"{_QUOTED}|\[[^\]]*\]|\([^)]+\)|\w*\d[\w.]*")
"""What belongs to one case: quoted names that are not plain words, lists, shapes and numbers."""
_RUN = re.compile(r"…(?:[\s,]*…)+")


def without_own(message: str) -> str:
    """The message with `…` in the place of the names, lists, shapes and numbers of its case."""
    return _RUN.sub("…", _OWN.sub("…", message))
