"""The targets that a command knows: the shipped ones, and those of the project it is used in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from conformance.adapters import project
from conformance.adapters.registry import RegistryError, Target, UnknownTargetError, resolve
from conformance.cli.errors import UsageProblem


def known_targets(config: Path | None) -> dict[str, Target]:
    """All targets by name; UsageProblem if the project's file is wrong."""
    try:
        return project.known(config)
    except RegistryError as error:
        raise UsageProblem(str(error), "docs/environments.md explains every field") from error


def chosen(names: Sequence[str], known: Mapping[str, Target]) -> list[Target]:
    """The targets that these names stand for; UsageProblem for an unknown one."""
    try:
        return resolve(names, known)
    except UnknownTargetError as error:
        raise UsageProblem(str(error), "`conformance targets` lists them") from error
