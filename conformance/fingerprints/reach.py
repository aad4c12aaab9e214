"""Which definitions a piece of code reaches, by the names that lead from one to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from conformance.fingerprints.definitions import STATEMENTS, Definition, Module

KeysOf = Callable[[str, Definition], Iterable[str]]
"""By which keys a definition at a place looks registries up, besides those that it writes there."""


def _none(place: str, definition: Definition) -> Iterable[str]:  # noqa: ARG001
    return ()


@dataclass
class Reach:
    """The definitions reached so far, by `MODULE:NAME`, from which more can be reached.

    What is `cut` is not looked into: who reaches it has to say by other means what of it counts.
    """

    modules: Mapping[str, Module]
    cut: frozenset[str]
    keys_of: KeysOf = _none
    before: Reach | None = None
    """What was reached before, and is not again."""
    reached: dict[str, Definition] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    """The keys by which registries are looked up."""
    registries: set[str] = field(default_factory=set)
    _seen: set[str] = field(default_factory=set)
    """The places that were looked at, those that lead elsewhere included."""

    def fork(self) -> Reach:
        """One that goes on from here, and changes nothing here."""
        known = (set(self.keys), set(self.registries))
        return Reach(self.modules, self.cut, self.keys_of, self, {}, *known)

    def has(self, place: str) -> bool:
        """Whether a definition, or an entry of a registry, is reached."""
        return place in self.reached or (self.before is not None and self.before.has(place))

    def add(self, roots: Iterable[str], keys: Iterable[str] = ()) -> None:
        """Reach what these lead to: definitions, and `MODULE:` for all of a module."""
        self.keys |= {*keys}
        waiting = [*roots]
        while waiting or (waiting := [*self._entries()]):
            place = waiting.pop()
            if place not in self.cut and not self._saw(place):
                self._seen.add(place)
                waiting += self._next(place)

    def _saw(self, place: str) -> bool:
        return place in self._seen or (self.before is not None and self.before._saw(place))

    def _next(self, place: str) -> Iterator[str]:
        """What a place leads to; it is noted if it is a definition."""
        module, _, name = place.partition(":")
        known = self.modules.get(module)
        if known is None:
            return
        yield f"{module}:{STATEMENTS}"
        if name in known.registries:
            self.registries.add(place)
        if name in known.definitions:
            yield from self._note(place, known.definitions[name])
        elif name in known.imports:
            yield known.imports[name]
        elif name != STATEMENTS and name not in known.registries:
            # all of a module, or something of it that nobody sees from outside
            yield from (f"{module}:{own}" for own in (*known.definitions, *known.registries))

    def _note(self, place: str, definition: Definition) -> Iterable[str]:
        self.reached[place] = definition
        self.keys |= {*definition.keys, *self.keys_of(place, definition)}
        return definition.references

    def _entries(self) -> Iterator[str]:
        """What the entries of registries lead to that are looked up and not noted yet."""
        for registry in sorted(self.registries):
            module, _, name = registry.partition(":")
            for key, definition in self.modules[module].registries[name].items():
                place = f"{registry}[{key}]"
                if self._is_looked_up(key) and not self.has(place):
                    yield from self._note(place, definition)

    def _is_looked_up(self, key: str) -> bool:
        """A key stands for a function, or for a part of its result: `moments.mean`."""
        return key in self.keys or key.partition(".")[0] in self.keys
