"""Where the documented functions of a target are: asked of the target's own interpreter."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, convert

from conformance.adapters import layout
from conformance.adapters.launching import ProgramError, interpreter, said_by
from conformance.adapters.registry import Target
from conformance.mutation.code.units import SourceModule, UnitKey, parsed
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


class Sources(Struct, frozen=True):
    """The modules that hold a target's functions, and where each documented function is."""

    modules: list[SourceModule]
    """Those that are changed."""
    functions: dict[str, UnitKey]
    """The unit of each documented function, by the name of its spec."""
    before: list[SourceModule] = []
    """Those that documented functions are in, and that only lead to what is changed."""

    def module(self, name: str) -> SourceModule:
        """The module of this name."""
        return next(m for m in self.modules if m.name == name)


def sources(target: Target) -> Sources:
    """The modules of the target. Raises `SourcesError`."""
    places = _places(target)
    holding, behind = _modules(places.files), _modules(places.behind)
    units = {m.name: m.units() for m in holding}
    found = {f: (m, n) for f, (m, n) in places.functions.items() if n in units.get(m, {})}
    if not found:
        raise SourcesError(f"{target.module} has no documented function that is written in Python")
    return Sources(behind, found, holding) if behind else Sources(holding, found)


def _modules(files: Mapping[str, str]) -> list[SourceModule]:
    return [_module(name, file) for name, file in sorted(files.items())]


def _module(name: str, file: str) -> SourceModule:
    try:
        return parsed(name, file, Path(file).read_bytes())
    except (OSError, SyntaxError) as error:
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
    except ProgramError as error:
        raise SourcesError(str(error)) from error
