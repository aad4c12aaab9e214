"""Targets that installed packages declare: an entry point names a TOML file in the package.

    [project.entry-points."conformance.targets"]
    my-backend = "my_package:conformance.toml"

The file has the form of a project's own `conformance.toml`. The suite reads the metadata of the
distributions beside it and the file. It imports no package for this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import metadata, util
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from conformance.adapters import registry
from conformance.adapters.registry import RegistryError
from conformance.adapters.target_records import Target

GROUP = "conformance.targets"
_VALUE = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_][\w-]*\.toml)", re.ASCII)


class Declared(NamedTuple):
    """The targets of installed packages, and the declarations that are wrong."""

    targets: dict[str, Target]
    """By name; `found_in` marks each, since nothing of a package runs until a user names it."""
    problems: list[str]
    """One line for each wrong declaration."""


def declared(taken: Mapping[str, Target]) -> Declared:
    """The targets that packages beside the suite declare under names that are not `taken`.

    A wrong declaration costs its own targets only: the package may be a stranger's.
    """
    result = Declared({}, [])
    names = {name.lower() for t in taken.values() for name in (t.name, t.library)}
    points = metadata.entry_points(group=GROUP)
    for point in sorted(points, key=lambda point: (point.name, point.value)):
        try:
            for name, target in _described(point):
                _check_free(point, name, names)
                result.targets[name] = target
                names.add(name.lower())
        except RegistryError as error:
            result.problems.append(str(error))
    return result


def _described(point: metadata.EntryPoint) -> Iterator[tuple[str, Target]]:
    file = _file(point)
    for name, target in registry.load(file).items():
        venv = target.venv and structs.replace(target.venv, described_in=file)
        yield name, structs.replace(target, found_in=file, described_in=file, venv=venv)


def _check_free(point: metadata.EntryPoint, name: str, names: set[str]) -> None:
    if name.lower() in names:
        raise RegistryError(
            f"{_place(point)}: targets.{name}: another target has this name; rename it"
        )


def _file(point: metadata.EntryPoint) -> Path:
    """The file that an entry point names.

    Raises `RegistryError` if the value has another form, or if there is no such file.
    """
    if (parts := _VALUE.fullmatch(point.value)) is None:
        hint = 'write "PACKAGE:FILE.toml", such as "my_package:conformance.toml"'
        raise RegistryError(f"{_place(point)}: found {point.value[:80]!r}; {hint}")
    package, name = parts.groups()
    file = next((p / name for p in _folders(point, package) if (p / name).is_file()), None)
    if file is None:
        raise RegistryError(
            f"{_place(point)}: the package {package} has no file {name}; add it to the distribution"
        )
    return file.resolve()


def _folders(point: metadata.EntryPoint, package: str) -> Iterator[Path]:
    """The folders that may hold a package: beside the metadata, or elsewhere if it is editable.

    The search for the first part of a name imports nothing, but the search within it would.
    """
    top, *rest = package.split(".")
    if point.dist is not None:
        yield Path(str(point.dist.locate_file(top)), *rest)
    try:
        spec = util.find_spec(top)
    except (ImportError, ValueError):
        return
    for place in (spec and spec.submodule_search_locations) or ():
        yield Path(place, *rest)


def _place(point: metadata.EntryPoint) -> str:
    """The distribution and the entry point, for messages."""
    distribution = point.dist.name if point.dist is not None else "a distribution"
    return f"{distribution}: entry point {GROUP}: {point.name}"
