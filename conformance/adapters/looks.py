"""A first look at a module: a worker of its target imports it, and says which names it has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import msgspec

from conformance.adapters.access import launch
from conformance.adapters.interpreters import InterpreterNotFoundError
from conformance.adapters.launching import PlaceholderError
from conformance.adapters.session import Session, WorkerStartError
from conformance.adapters.target_records import Target

GRAPH_FUNCTIONS = ("placeholder", "function")
"""A module with neither of these has no graph: it is eager."""


class LookError(RuntimeError):
    """The module cannot be imported; the text says why in a line."""


def look(target: Target, names: tuple[str, ...]) -> frozenset[str]:
    """Those of the names that the module of a target has, as it calls them itself. LookError.

    A worker imports it, with all limits that a worker has.
    """
    bare = msgspec.structs.replace(target, names={}, family="graph", adapter=None)
    return _look(_Looked(bare), tuple(dict.fromkeys(names)))


class _Looked:
    """A target as a key: by all that it says of itself."""

    def __init__(self, target: Target) -> None:
        self.target, self._key = target, repr(target)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Looked) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@cache
def _look(looked: _Looked, names: tuple[str, ...]) -> frozenset[str]:
    try:
        with Session(launch(looked.target), configuration=None, functions=names) as session:
            identities = session.identity.functions
    except (WorkerStartError, PlaceholderError, InterpreterNotFoundError) as error:
        raise LookError(str(error).partition("\n")[0]) from error
    return frozenset(name for name, identity in identities.items() if identity.present)


def computes_at_once(available: frozenset[str], names: Mapping[str, str]) -> bool:
    """Whether a module that was looked at has no graph."""
    return not any(names.get(name, name) in available for name in GRAPH_FUNCTIONS)
