"""Say whether this tree can be released as VERSION, and what is to be done first.

    python -m tools.release 0.1.0

Nothing is changed or sent. The exit status is 0 if it can, 1 if something is to be done first.
docs/releasing.md has all steps.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
from packaging.version import InvalidVersion, Version

import conformance

ROOT = Path(__file__).parents[1]
PLACEHOLDER = "OWNER"
_RELEASE = re.compile(r"^## \[(?P<version>[^\]]+)\] - (?P<day>\d{4}-\d{2}-\d{2})$", re.MULTILINE)
_UNRELEASED = re.compile(r"^## \[Unreleased\]\n+(?P<first>.*)", re.MULTILINE)


class _VersionNumber(click.ParamType[Version]):
    name = "version"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Version:
        try:
            return Version(str(value))
        except InvalidVersion:
            self.fail(f"{value!r} is no version; write one such as 0.1.0 or 1.0.0rc1", param, ctx)


def to_do(version: Version, current: str, changelog: str, pyproject: str) -> Iterator[str]:
    """What stands against a release, each with the file and what to write there."""
    if current != str(version):
        yield f'conformance/__init__.py: __version__ is "{current}"; write "{version}"'
    yield from _changelog(version, changelog)
    for name, address in tomllib.loads(pyproject)["project"]["urls"].items():
        if PLACEHOLDER in address:
            yield f"pyproject.toml: {name} leads to {address}; write the owner of the repository"


def _changelog(version: Version, text: str) -> Iterator[str]:
    if str(version) not in [found["version"] for found in _RELEASE.finditer(text)]:
        yield f"CHANGELOG.md: there is no heading `## [{version}] - YYYY-MM-DD`; write it"
    unreleased = _UNRELEASED.search(text)
    if unreleased is None:
        yield "CHANGELOG.md: there is no heading `## [Unreleased]`; write it above the releases"
    elif not unreleased["first"].startswith("## ["):
        yield "CHANGELOG.md: [Unreleased] has entries; move them below the release"


@click.command(help=__doc__)
@click.argument("version", type=_VersionNumber())
def main(version: Version) -> None:
    """Print what is to be done."""
    texts = [(ROOT / name).read_text("utf-8") for name in ("CHANGELOG.md", "pyproject.toml")]
    found = list(to_do(version, conformance.__version__, *texts))
    for line in found:
        click.echo(line)
    click.echo(f"{len(found)} things to do first" if found else f"{version} can be released")
    raise SystemExit(1 if found else 0)


if __name__ == "__main__":
    main()
