"""The targets that a command knows: the shipped ones, and those of the project it is used in.

What a file in a folder above describes is run only if it is named; then a line says where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click
from msgspec import structs

from conformance.adapters import project
from conformance.adapters.registry import RegistryError, Target, UnknownTargetError, resolve
from conformance.cli.errors import UsageProblem
from conformance.editions import Edition
from conformance.near_names import near
from conformance.reporting.safe_text import clean


def known_targets(config: Path | None) -> dict[str, Target]:
    """All targets by name; UsageProblem if the project's file is wrong."""
    try:
        return project.known(config)
    except RegistryError as error:
        raise UsageProblem(str(error), "docs/environments.md explains every field") from error


def chosen(names: Sequence[str], known: Mapping[str, Target]) -> list[Target]:
    """The targets that these names stand for; UsageProblem for an unknown one."""
    try:
        return [named(target) for target in resolve(names, known)]
    except UnknownTargetError as error:
        raise UsageProblem(str(error), _where_to_look(error.name)) from error


def _where_to_look(name: str) -> str:
    """The files here that the name may mean, and the command that lists targets."""
    files = near(name, [file.name for file in sorted(Path().glob("*.py"))])
    if not files:
        return "`conformance targets` lists them"
    return f"for a file in this folder: {' or '.join(files)}; `conformance targets` lists the rest"


def named(target: Target) -> Target:
    """The target, now that its user has named it; says where its file was found."""
    if target.found_above is None:
        return target
    file = clean(str(target.found_above))
    click.echo(f"{target.name}: as {file} describes it, in a folder above", err=True)
    return structs.replace(target, found_above=None)


def in_edition(
    targets: Iterable[Target], edition: Edition | None, *, all_asked_for: bool = True
) -> list[Target]:
    """The targets, to be tested against the edition that an option names, if one does.

    UsageProblem for one that does not offer it; those that nobody `asked_for` are left out.
    """
    listed = list(targets)
    if edition is None:
        return listed
    lacking = [t for t in listed if t.editions and edition not in t.editions]
    if lacking and all_asked_for:
        offered = ", ".join(lacking[0].editions)
        hint = "write one of these, or name a target that offers it"
        raise UsageProblem(f"{lacking[0].name} offers {offered}, and not {edition}", hint)
    return [structs.replace(t, edition=edition) for t in listed if t not in lacking]


def unnamed(known: Iterable[Target]) -> list[Target]:
    """The targets of a command that names none; says of which file there are more."""
    known = list(known)
    for file in dict.fromkeys(t.found_above for t in known if t.found_above is not None):
        names = ", ".join(t.name for t in known if t.found_above == file)
        click.echo(
            f"not run unless named: {names}, of {clean(str(file))} in a folder above", err=True
        )
    return [target for target in known if target.found_above is None]
