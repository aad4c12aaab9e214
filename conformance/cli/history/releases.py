"""From `--versions` to releases: `3.4..3.9`, `3.4.1,3.5.0`, `nightly`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from packaging.version import Version

from conformance.adapters.releases import PackageRelease, is_version, released_versions
from conformance.adapters.target_records import Target
from conformance.cli.errors import UsageProblem

NIGHTLY = "nightly"
"""The word for the newest preview of the package PACKAGE-nightly."""
_HINT = "write versions such as 3.4..3.9, 3.4.1,3.5.0 or 3.10..nightly"
Listing = Callable[[str], list[str]]
"""The versions of a package on the index."""


def package_of(target: Target, package: str | None) -> str:
    """The package whose releases are tested: by default the package of the target's module."""
    return package or target.module.partition(".")[0]


def releases(
    text: str, package: str, *, every: bool, listing: Listing = released_versions
) -> list[PackageRelease]:
    """The releases that a text names, the oldest first.

    A range has the last correction of each minor release, or with `every` all final releases. Its
    ends need not be releases: `3.4..3.9` takes in 3.4.1 and 3.9.2.

    Raises:
        UsageProblem: the text is wrong, or no release is in a range.
    """
    chosen: list[PackageRelease] = []
    for part in text.split(","):
        chosen += _part(part.strip(), package, every=every, listing=listing)
    return sorted(set(chosen), key=lambda r: (r.package.endswith(NIGHTLY), Version(r.version)))


def _part(text: str, package: str, *, every: bool, listing: Listing) -> list[PackageRelease]:
    if text == NIGHTLY:
        return [_nightly(package)]
    first, dots, last = (word.strip() for word in text.partition(".."))
    if not dots:
        return [PackageRelease(package, _checked(first))]
    nightly = [_nightly(package)] if last == NIGHTLY else []
    low = Version(_checked(first)) if first else None
    high = _checked(last) if last and not nightly else None
    if low is not None and high is not None and _is_reversed(low, Version(high)):
        hint = f"write the older release first: {high}..{low}"
        raise UsageProblem(f"--versions {text}: {high} is older than {low}", hint)
    versions = listing(package)
    inside = [version for version in versions if _is_inside(version, low, high)]
    if not inside and not nightly:
        extent = f"the index has {versions[0]} to {versions[-1]}" if versions else _HINT
        raise UsageProblem(f"--versions {text}: {package} has no such release", extent)
    return [
        *(PackageRelease(package, v) for v in (inside if every else _last_of_minors(inside))),
        *nightly,
    ]


def _is_reversed(low: Version, high: Version) -> bool:
    """Whether the end of a range is older than its beginning; `3.9.1..3.9` takes in 3.9.2."""
    return high < low and low.release[: len(high.release)] != high.release


def _nightly(package: str) -> PackageRelease:
    name = f"{package}-{NIGHTLY}"
    return PackageRelease(name, released_versions(name, previews=True)[-1])


def _checked(text: str) -> str:
    if is_version(text):
        return text
    raise UsageProblem(f"--versions: {text!r} is not a version", _HINT)


def _is_inside(text: str, low: Version | None, high: str | None) -> bool:
    """Whether a final release is in the range; `3.9` as its end takes in every 3.9.x."""
    version = Version(text)
    if version.is_prerelease or (low is not None and version < low):
        return False
    if high is None or version <= Version(high):
        return True
    release = Version(high).release
    return version.release[: len(release)] == release


def _last_of_minors(versions: Iterable[str]) -> list[str]:
    ordered: Sequence[str] = sorted(versions, key=Version)
    return [*{Version(version).release[:2]: version for version in ordered}.values()]
