"""How scenarios are made of what was written, and families of scenarios."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from conformance.editions import EDITIONS, Edition
from conformance.results import Aspect
from conformance.scenarios.model import Check, Family, Scenario
from conformance.scenarios.writing import ProgramWriter


def written(
    function: str, title: str, writer: ProgramWriter, *checks: Check, **more: Any
) -> Scenario:
    """The scenario of the program that was written, and its arrays."""
    program, arrays = writer.program(), writer.arrays
    return Scenario(function, title, program=program, arrays=arrays, checks=checks, **more)


def listed(
    function: str,
    make: Callable[[Edition], Iterable[Scenario]],
    aspect: Aspect = Aspect.VALUE,
    editions: Sequence[Edition] = EDITIONS,
) -> Family:
    """A family of a few scenarios, all of which are run."""

    def made(edition: Edition) -> list[Scenario]:
        return list(make(edition))

    return Family(function, frozenset({aspect}), make=made, editions=tuple(editions))
