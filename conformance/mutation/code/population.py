"""All code mutants of a target, and a random sample of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance.mutation.code.sources import Sources
from conformance.mutation.code.text import Edit, in_a_line
from conformance.mutation.code.units import (
    Definition,
    SourceModule,
    UnitKey,
    distances,
    references,
    unit_edits,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeMutant:
    """One small change in the source of a backend."""

    module: SourceModule
    unit: str
    """The function or class at the top of the module that holds the change."""
    edit: Edit
    reached_from: Sequence[str] = field(compare=False)
    """The documented functions that reach it, the nearest first."""

    @property
    def id(self) -> str:
        """The same for the same change of the same source, on every machine."""
        edit = self.edit
        parts = (self.module.name, self.unit, edit.operator, str(edit.start), edit.after)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:10]

    @property
    def line(self) -> int:
        """The line in which the changed part begins."""
        return self.module.text.line(self.edit.start)

    @property
    def before(self) -> str:
        """The lines of the changed part as they are, in one line."""
        return in_a_line("".join(self.module.text.around(self.edit)))

    @property
    def after(self) -> str:
        """The same lines with the change, in one line."""
        head, _, tail = self.module.text.around(self.edit)
        return in_a_line(head + self.edit.after + tail)

    @property
    def name(self) -> str:
        """`tensorflow_backend.py:31 softmax: constant: 0 -> 1`."""
        place = f"{Path(self.module.file).name}:{self.line} {self.unit}"
        return f"{place}: {self.edit.operator}: {self.before} -> {self.after}"

    def source(self) -> bytes:
        """The whole changed source."""
        return self.module.text.edited(self.edit)


def code_population(
    found: Sources,
    select: Callable[[str], bool] = lambda _: True,
    operators: Callable[[str], bool] = lambda _: True,
) -> list[CodeMutant]:
    """The mutants in documented functions and what they reach, in the order of the text.

    `select` says of a documented function whether it counts, `operators` of an operator.
    """
    chosen = {f: unit for f, unit in found.functions.items() if select(f)}
    reached = _reached(found, chosen)
    return [
        mutant
        for module in found.modules
        for name, node in module.units().items()
        if (module.name, name) in reached
        for mutant in _of_unit(module, name, node, reached[module.name, name])
        if operators(mutant.edit.operator)
    ]


def _reached(found: Sources, chosen: dict[str, UnitKey]) -> dict[UnitKey, list[str]]:
    """For each unit the documented functions that reach it, the nearest first."""
    graph = references([*found.modules, *found.before])
    away: dict[UnitKey, list[tuple[int, str]]] = {}
    for function, unit in chosen.items():
        for other, distance in distances(graph, unit).items():
            away.setdefault(other, []).append((distance, function))
    return {unit: [name for _, name in sorted(listed)] for unit, listed in away.items()}


def _of_unit(
    module: SourceModule, unit: str, node: Definition, reached_from: Sequence[str]
) -> Iterator[CodeMutant]:
    for edit in unit_edits(module, node):
        yield CodeMutant(module=module, unit=unit, edit=edit, reached_from=reached_from)


def drawn(mutants: Sequence[CodeMutant], most: int | None, seed: int) -> list[CodeMutant]:
    """A random sample in a random order, which the seed and the mutants' ids settle; all if None.

    A larger sample begins with the smaller one.
    """
    ordered = sorted(mutants, key=lambda m: hashlib.sha256(f"{seed}:{m.id}".encode()).digest())
    return ordered[:most]
