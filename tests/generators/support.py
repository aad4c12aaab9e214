"""Structures of the default profile, made once for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from conformance.editions import Edition
from conformance.engine import PROFILES, Task, plan
from conformance.engine.planning.profiles import SURVEY
from conformance.generators import Structure
from conformance.generators.classes import Classes
from conformance.generators.collect import steered
from conformance.generators.coverage.rows import kept_rows
from conformance.program import Binding
from conformance.specs import EDITIONS, kinds, load

PAIRS = [
    (edition, name)
    for edition in EDITIONS
    for name, spec in load().items()
    if edition in spec.editions and spec.dtype is not None
]
"""Editions and functions that are tested by single calls."""
NEWEST: Edition = "keras-2.2"
CALLED = [name for edition, name in PAIRS if edition == NEWEST]


@cache
def _tasks(edition: Edition) -> dict[str, Task]:
    return {t.spec.name: t for t in plan(load(), edition, PROFILES["default"], 0)}


def task(edition: Edition, function: str) -> Task:
    """The default profile's task, with seed 0."""
    return _tasks(edition)[function]


@cache
def collected(edition: Edition, function: str) -> list[Structure]:
    """Valid structures, as a run makes them: all for the newest edition, a few for the others."""
    mine = task(edition, function)
    extents = mine.profile.extents if edition == NEWEST else SURVEY.extents
    rows = kept_rows(mine.spec, edition, extents, mine.own_seed)
    return [row.draw.value for row in rows]


def demanded(
    function: str, classes: Classes, count: int, edition: Edition = NEWEST
) -> list[Structure]:
    """Valid structures with these classes."""
    return [draw.value for draw in steered(load()[function], edition, classes, count, 0)]


def everything(function: str) -> list[Structure]:
    """All valid structures of the default profile for the newest edition."""
    return collected(NEWEST, function)


def tensors(function: str) -> dict[str, Any]:
    """The rules of the parameters that take tensors."""
    taking = (kinds.TensorKind, kinds.Tensors, kinds.Companion, kinds.Indices)
    return {n: r for n, r in load()[function].parameters.items() if isinstance(r, taking)}


def shapes(function: str, parameter: str) -> Iterator[tuple[int, ...]]:
    """Every shape that the parameter is given."""
    for structure in everything(function):
        runtime = structure.runtime.shapes[parameter]
        yield from runtime if isinstance(runtime, list) else [runtime]


def allowed_bindings(function: str, edition: Edition) -> set[Binding]:
    """What a tensor may be bound as: keras-1 has no constant, keras-2.0 no repeat of None."""
    allowed = set(Binding) - {Binding.ARRAY}
    if edition != "keras-3":
        allowed -= {Binding.PYTHON}
    if edition == "keras-1":
        allowed -= {Binding.CONSTANT}
    if (function, edition) == ("repeat_elements", "keras-2.0"):
        allowed -= {Binding.PLACEHOLDER_NONE}
    return allowed
