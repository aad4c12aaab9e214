"""List the steps before this tree can be released as VERSION.

    python -m tools.release 0.1.0

It changes and sends nothing. The exit status is 0 without such steps, and 1 with some.
docs/releasing.md has all steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
from packaging.version import InvalidVersion, Version

import conformance

ROOT = Path(__file__).parents[1]
PLACEHOLDER = "OWNER"
_RELEASE = re.compile(r"^## \[(?P<version>[^\]]+)\] - (?P<day>\d{4}-\d{2}-\d{2})$", re.MULTILINE)
_ADDRESS = re.compile(rf"https://[\w.]*/?{PLACEHOLDER}\b[^\s\"')]*")


class _VersionNumber(click.ParamType[Version]):
    name = "version"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Version:
        try:
            return Version(str(value))
        except InvalidVersion:
            text = f"{value!r} is not a version; write one such as 0.1.0 or 1.0.0rc1"
            self.fail(text, param, ctx)


def to_do(
    version: Version, current: str, changelog: str, pyproject: str, fragments: int = 0
) -> Iterator[str]:
    """The steps before a release, each with the file and the text to write there."""
    if fragments:
        cure = f"uvx towncrier build --version {version}"
        yield f"changelog.d: {fragments} changes are not in CHANGELOG.md; run `{cure}`"
    if current != str(version):
        yield f'conformance/__init__.py: __version__ is "{current}"; write "{version}"'
    yield from _changelog(version, changelog)
    for number, line in enumerate(pyproject.splitlines(), 1):
        for address in _ADDRESS.findall(line):
            yield f"pyproject.toml:{number}: {address} leads nowhere; write the repository's owner"


def _changelog(version: Version, text: str) -> Iterator[str]:
    if str(version) not in [match["version"] for match in _RELEASE.finditer(text)]:
        yield f"CHANGELOG.md: there is no heading `## [{version}] - YYYY-MM-DD`; write it"


@click.command(help=__doc__)
@click.argument("version", type=_VersionNumber())
def main(version: Version) -> None:
    """Print what is to be done."""
    changelog, pyproject = (ROOT / "CHANGELOG.md", ROOT / "pyproject.toml")
    fragments = len([*ROOT.glob("changelog.d/*.*.md")])
    texts = (changelog.read_text("utf-8"), pyproject.read_text("utf-8"))
    tasks = list(to_do(version, conformance.__version__, *texts, fragments))
    for line in tasks:
        click.echo(line)
    click.echo(f"{len(tasks)} things to do first" if tasks else f"{version} can be released")
    raise SystemExit(1 if tasks else 0)


if __name__ == "__main__":
    main()
