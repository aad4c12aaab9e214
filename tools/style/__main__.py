"""The command `python -m tools.style`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

import tools.style
from tools.style import allowance, names, numerics, prose, raising
from tools.style.allowance import StyleFinding

ROOT = Path(__file__).parents[2]
ALLOWED = Path(__file__).with_name("allowed.toml")
GENERATED = {"docs/findings.md", "docs/migration.md", "CHANGELOG.md"}
"""Pages that commands write, and history."""
CODE, TESTS = ("conformance", "tools"), "tests"
"""The folders with modules. In tests, only `names` examines them."""


def files() -> dict[str, Path]:
    """The files that are examined, by their paths from the root of the project."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*.py")]
    modules = [path for folder in (*CODE, TESTS) for path in (ROOT / folder).rglob("*.py")]
    paths = {path.relative_to(ROOT).as_posix(): path for path in (*pages, *modules)}
    return {name: paths[name] for name in sorted(paths) if name not in GENERATED}


def findings(chosen: dict[str, Path]) -> list[StyleFinding]:
    """All findings in some files."""
    modules = {name: path for name, path in chosen.items() if name.startswith("conformance/")}
    every: list[StyleFinding] = []
    for name, path in chosen.items():
        if path.suffix == ".py":
            every += names.examine(path, name)
        if name.startswith(f"{TESTS}/"):
            continue
        every += prose.examine(path, name)
        if path.suffix == ".py":
            every += [*raising.examine(path, name), *numerics.examine(path, name)]
    return sorted([*every, *names.classes(modules)])


def fail(lines: Iterable[object], cure: str) -> None:
    """Print what is wrong with its cure, and end with status 1 if there is anything."""
    text = [str(line) for line in lines]
    if text:
        click.echo("\n".join([*text, cure]))
        raise SystemExit(1)


@click.command(help=tools.style.__doc__)
@click.option("--shrink", is_flag=True, help="Lower the numbers of the allow-list.")
@click.option("--list", "listing", multiple=True, help="List every finding in this file.")
def main(shrink: bool, listing: tuple[str, ...]) -> None:
    """Check prose, names and docstrings."""
    every = findings(files())
    if listing:
        click.echo("\n".join(str(f) for f in every if f.file.startswith(listing)))
        return
    allowed = allowance.read(ALLOWED)
    if shrink:
        allowance.write(ALLOWED, allowance.shrunk(every, allowed))
        return
    fail(
        allowance.excess(every, allowed),
        "Write these another way: see `Writing and naming` in CONTRIBUTING.md.",
    )
    fail(allowance.slack(every, allowed), "Lower the numbers: python -m tools.style --shrink")


if __name__ == "__main__":
    main()
