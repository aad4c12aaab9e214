"""All code mutants of a target, and a random sample of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import MsgspecError, Struct, convert

from conformance.adapters import layout
from conformance.adapters.launching import LaunchError, interpreter, said_by
from conformance.adapters.target_records import Target
from conformance.files import MOST_SOURCE, read_bounded
from conformance.mutation.code.editing import Edit, in_a_line
from conformance.mutation.code.units import (
    Definition,
    SourceModule,
    UnitKey,
    distances,
    parsed,
    references,
    unit_edits,
)
from conformance.specs import load
from conformance.specs.load import documented_name

_SCRIPT = Path(__file__).parents[1] / "worker" / "conformance_places.py"


class SourcesError(Exception):
    """The source of a target cannot be had; the message says why."""


class _Places(Struct, frozen=True):
    files: dict[str, str]
    """The file of each module that holds a documented function."""
    functions: dict[str, tuple[str, str]]
    """Module and name of each documented function, by the name of its spec."""
    behind: dict[str, str]
    """The file of each module of the target's `sources`."""


class TargetSources(Struct, frozen=True):
    """The modules that hold a target's functions, and where each documented function is."""

    modules: list[SourceModule]
    """Those that are changed."""
    functions: dict[str, UnitKey]
    """The unit of each documented function, by the name of its spec."""
    before: list[SourceModule] = []
    """Modules that hold documented functions and that only lead to changed code."""

    def module(self, name: str) -> SourceModule:
        """The module of this name."""
        return next(m for m in self.modules if m.name == name)


def sources(target: Target) -> TargetSources:
    """The modules of the target.

    Raises:
        SourcesError: no documented function of the module is written in Python.
    """
    places = _places(target)
    holding, behind = _modules(places.files), _modules(places.behind)
    units = {m.name: m.units() for m in holding}
    functions = {f: (m, n) for f, (m, n) in places.functions.items() if n in units.get(m, {})}
    if not functions:
        raise SourcesError(f"{target.module} has no documented function that is written in Python")
    return (
        TargetSources(behind, functions, holding) if behind else TargetSources(holding, functions)
    )


def _modules(files: Mapping[str, str]) -> list[SourceModule]:
    return [_module(name, file) for name, file in sorted(files.items())]


def _module(name: str, file: str) -> SourceModule:
    try:
        source = read_bounded(Path(file), MOST_SOURCE, "split it")
        return parsed(name, file, source)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise SourcesError(f"{file}: {getattr(error, 'strerror', None) or error}") from error


def _places(target: Target) -> _Places:
    names = {
        s.name: documented_name(s, target.edition)
        for s in load().values()
        if target.edition in s.editions
    }
    own = {name: target.names.get(documented, documented) for name, documented in names.items()}
    lists = json.dumps(own), json.dumps(target.sources)
    asked = [str(layout.WORKER), target.module, target.beginning, *lists]
    command = [str(interpreter(target)), "-B", str(_SCRIPT), *asked]
    try:
        return convert(json.loads(said_by(target, command)), _Places)
    except LaunchError as error:
        raise SourcesError(str(error)) from error
    except (ValueError, MsgspecError) as error:
        raise SourcesError(f"{target.module} prints as its interpreter ends: {error}") from error


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
    own: TargetSources,
    select: Callable[[str], bool] = lambda _: True,
    operators: Callable[[str], bool] = lambda _: True,
) -> list[CodeMutant]:
    """The mutants in documented functions and in functions that these reach, in the order of the
    text.

    `select` says of a documented function whether it counts, `operators` of an operator.
    """
    reached = reached_units(own, select)
    return [
        mutant
        for module in own.modules
        for name, node in module.units().items()
        if (module.name, name) in reached
        for mutant in _of_unit(module, name, node, reached[module.name, name])
        if operators(mutant.edit.operator)
    ]


def reached_units(
    own: TargetSources, select: Callable[[str], bool] = lambda _: True
) -> dict[UnitKey, list[str]]:
    """For each unit the selected documented functions that reach it, the nearest first."""
    chosen = {f: unit for f, unit in own.functions.items() if select(f)}
    graph = references([*own.modules, *own.before])
    away: dict[UnitKey, list[tuple[int, str]]] = {}
    for function, unit in chosen.items():
        for other, distance in distances(graph, unit).items():
            away.setdefault(other, []).append((distance, function))
    return {unit: [name for _, name in sorted(functions)] for unit, functions in away.items()}


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
