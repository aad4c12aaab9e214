"""The drift of a target whose release is newer than the docstrings of its edition."""

from __future__ import annotations

from msgspec import UNSET, UnsetType
from packaging.version import InvalidVersion, Version

from conformance.adapters.docstrings import DocstringsError, session_facts
from conformance.adapters.session import Session
from conformance.editions import Edition
from conformance.results import ReleaseDrift
from conformance.specs.docstrings import described_release, installed_docstrings
from conformance.specs.drift import drift


def newer_release(session: Session, edition: Edition) -> ReleaseDrift | UnsetType:
    """The drift of a newer release from the document of the edition; unset for any other release.

    The worker lists its docstrings in a tenth of a second, and only if its release is newer.
    """
    described = described_release(edition)
    if described is None:
        return UNSET
    document, docstrings = described
    package, _, release = document.rpartition("-")
    installed = session.identity.versions.get(package, "")
    if not _is_newer(installed, release):
        return UNSET
    try:
        facts = installed_docstrings(session_facts(session))
    except (DocstringsError, ValueError):
        return ReleaseDrift(document=document, installed=installed)
    changes = drift(docstrings, facts.by_name())
    functions = len({change.function for change in changes})
    return ReleaseDrift(document=document, installed=installed, functions=functions)


def _is_newer(installed: str, release: str) -> bool:
    try:
        return Version(installed) > Version(release)
    except InvalidVersion:
        return False
