"""Names that are safe as file names, as parts of addresses and as identifiers in a page."""

from __future__ import annotations

import hashlib
import re

_PLAIN = re.compile(r"[a-z0-9_](?:[a-z0-9_-]|\.(?=[a-z0-9])){0,79}")


def slug(name: str) -> str:
    """The name itself if it is plain; else what is plain of it, and a digest that tells it apart.

    A slug has lower-case ASCII letters, digits and `_ - .` only, no dot in front or twice in a
    row, and at most 80 characters, so it stays in its folder on every file system.
    """
    if _PLAIN.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:8]
    kept = re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")[:60]
    return f"{kept}-{digest}" if kept else digest
