"""Make `docs/platforms.md`, which environments can be installed on which platforms.

    python -m tools.platforms

The data is `docs/platforms.toml`. A test holds the page to it, and another asks the package index
about each of its cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import msgspec
from msgspec import Struct

from conformance.adapters import registry

DOCS = Path(__file__).parents[1] / "docs"
DATA = DOCS / "platforms.toml"
PAGE = DOCS / "platforms.md"
LACKS = "no "
"""How a cell begins that names the package without a wheel."""

_HEAD = """# Platforms

<!-- `python -m tools.platforms` writes this page from platforms.toml. -->
"""


class Platform(Struct, frozen=True, forbid_unknown_fields=True):
    """A platform's names outside of the page."""

    name: str
    """In `platforms` of an environment: `sys.platform` and the machine."""
    uv: str
    """In `--python-platform`, with the release of glibc where `{}` stands."""


class Data(Struct, frozen=True, forbid_unknown_fields=True):
    """What `platforms.toml` says."""

    before: str
    after: str
    """The prose around the table."""
    platforms: dict[str, Platform]
    """The platforms that the page names."""
    suite: dict[str, str | list[str]]
    """The suite's own Pythons under `python`, and its cells by platform."""
    environments: dict[str, dict[str, str]]
    """The cells of each environment by platform."""


def load() -> Data:
    """Read the data."""
    return msgspec.toml.decode(DATA.read_bytes(), type=Data)


def pythons() -> dict[str, tuple[str, ...]]:
    """The versions of CPython of each environment with a lock that ships with the suite."""
    venvs = (target.venv for target in registry.shipped().values())
    return {venv.name: venv.python for venv in venvs if venv is not None and venv.lock}


def page(data: Data) -> str:
    """The text of the page."""
    lacks = "\n".join(_lacks(data, platform) for platform in data.platforms)
    return "\n".join((_HEAD, data.before, *_table(data), "", lacks, "", data.after))


def _table(data: Data) -> Iterator[str]:
    head = ("environment", "CPython", *data.platforms)
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    own = ", ".join(data.suite["python"])
    yield _row("the suite, with `reference`", own, {p: str(data.suite[p]) for p in data.platforms})
    for name, versions in pythons().items():
        yield _row(f"`{name}`", ", ".join(versions), data.environments[name])


def _row(name: str, versions: str, cells: Mapping[str, str]) -> str:
    shown = (re.sub(f"^{LACKS}(.*)", r"no `\1`", cell) for cell in cells.values())
    return f"| {' | '.join((name, versions, *shown))} |"


def _lacks(data: Data, platform: str) -> str:
    """The environments that a platform cannot have."""
    cells = {name: cells[platform] for name, cells in data.environments.items()}
    lacking = [f"`{name}`" for name, cell in cells.items() if cell.startswith(LACKS)]
    return f"* {platform} has all environments{' except ' * bool(lacking)}{', '.join(lacking)}."


@click.command(help=__doc__)
def main() -> None:
    """Write the page if it differs, and name it."""
    text = page(load())
    if not PAGE.is_file() or PAGE.read_text("utf-8") != text:
        PAGE.write_text(text, "utf-8")
        click.echo(f"{PAGE}: written")


if __name__ == "__main__":
    main()
