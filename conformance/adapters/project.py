"""Find the file in which a project describes its own targets, and list all known targets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec import structs

from conformance.adapters import registry
from conformance.adapters.declarations import declared
from conformance.adapters.registry import PYPROJECT, RegistryError
from conformance.adapters.target_records import Target
from conformance.files import MOST_TOML, read_bounded

OWN = "conformance.toml"


def known(
    file: Path | None = None, tell: Callable[[str], None] = lambda _: None
) -> dict[str, Target]:
    """The shipped targets, those of `file`, and those that installed packages declare.

    Without `file`, `find` looks for one. Its targets replace those of packages. Targets of a file
    that the user did not name are marked (`found_in`), because the user may not know them. `tell`
    gets a line for each wrong declaration of a package.

    Raises:
        RegistryError: the file is wrong, or uses the name of a shipped target.
    """
    shipped = registry.shipped()
    chosen = find(Path.cwd()) if file is None else file
    own = {} if chosen is None else _described(chosen)
    if file is None and chosen is not None:
        own = {name: structs.replace(t, found_in=chosen) for name, t in own.items()}
    taken = {name.lower() for t in shipped.values() for name in (t.name, t.library)}
    for name in own:
        if name.lower() in taken:  # where case does not count they would share their files
            raise RegistryError(
                f"{chosen}: targets.{name}: the suite itself uses this name; give another"
            )
    packages = declared(shipped)
    for problem in packages.problems:
        tell(problem)
    names = {name.lower() for name in own}  # a project's own file may describe its package again
    others = {n: target for n, target in packages.targets.items() if n.lower() not in names}
    return shipped | others | own


def _described(file: Path) -> dict[str, Target]:
    """The targets of a user's file, which say where they are described."""
    loaded, place = registry.load(file), file.resolve()
    return {name: _described_in(place, target) for name, target in loaded.items()}


def _described_in(file: Path, target: Target) -> Target:
    """The target, which says of itself and of its environment that the file describes them."""
    venv = target.venv and structs.replace(target.venv, described_in=file)
    return structs.replace(target, described_in=file, venv=venv)


def find(folder: Path) -> Path | None:
    """The file for a folder: `conformance.toml`, or a `pyproject.toml` with targets.

    It looks in the folder and then upwards, and takes the nearest; None if there is none.
    """
    for place in (folder, *folder.parents):
        if (place / OWN).is_file():
            return place / OWN
        if (place / PYPROJECT).is_file() and _has_table(place / PYPROJECT):
            return place / PYPROJECT
    return None


def _has_table(file: Path) -> bool:
    try:
        return b"[tool.conformance" in read_bounded(file, MOST_TOML, "split it")
    except OSError:
        return False
