"""The pins of a lock that count for one interpreter on this machine.

A lock serves every platform: a requirement with a marker is installed where the marker holds. An
environment stays current when the lock changes for other platforms alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.markers import Marker
from packaging.requirements import InvalidRequirement, Requirement

_COMMENT = re.compile(r"(^|\s)#.*")
_HASH = re.compile(r"\s--hash=(\S+)")


def applicable(lock: str, python: str) -> frozenset[tuple[str, frozenset[str]]]:
    """The requirements of a lock that a Python of this version gets here, each with its hashes."""
    version = {"python_full_version": python, "python_version": ".".join(python.split(".")[:2])}
    return frozenset(
        (requirement, hashes)
        for requirement, marker, hashes in map(_parts, _lines(lock))
        if marker is None or marker.evaluate(version)
    )


def _lines(lock: str) -> Iterator[str]:
    """The logical lines of a requirements file, without comments."""
    for line in lock.replace("\\\n", " ").splitlines():
        if content := _COMMENT.sub("", line).strip():
            yield content


def _parts(line: str) -> tuple[str, Marker | None, frozenset[str]]:
    hashes = frozenset(_HASH.findall(line))
    text = _HASH.sub("", line).strip()
    try:
        requirement = Requirement(text)
    except InvalidRequirement:  # an option of pip's, such as --index-url
        return text, None, hashes
    marker, requirement.marker = requirement.marker, None
    return str(requirement), marker, hashes
