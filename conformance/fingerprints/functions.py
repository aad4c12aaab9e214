"""The parts of a fingerprint that do not depend on the target: the spec and the suite's code.

The code consists of the definitions that the engine reaches (`Reach`). It includes the scenario
families of this function alone. Each registry counts with the entries of this function and of the
functions that its scenarios call.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module, resources
from importlib.resources.abc import Traversable
from typing import Any

import msgspec

import conformance
from conformance.editions import Edition, edition_files
from conformance.engine import Task
from conformance.fingerprints import definitions
from conformance.fingerprints.definitions import STATEMENTS, Definition, Module, parsed
from conformance.scenarios import families_of
from conformance.specs import Spec, load, load_conventions
from conformance.specs.accuracy import load_losses
from conformance.specs.convention_names import ConventionName
from conformance.specs.errata import load_conflicts
from conformance.specs.examples import load_examples
from conformance.specs.extraction import load_explanations, load_extraction
from conformance.specs.load import documented_name, general_claims
from conformance.specs.releases import load_changes
from conformance.specs.remembered import remembered

PACKAGES = (
    "adapters",
    "dtypes",
    "editions",
    "engine",
    "generators",
    "observations",
    "oracle",
    "program",
    "results",
    "scenarios",
    "specs",
)
"""The packages and modules that plan, run and judge a case."""


def sources(*packages: str) -> dict[str, str]:
    """The texts of all modules of some packages, by the name of the module."""
    package = resources.files(conformance)
    texts: dict[str, str] = {}
    for name in packages:
        file, folder = package / f"{name}.py", package / name
        if file.is_file():
            texts[f"conformance.{name}"] = file.read_text("utf-8")
        elif folder.is_dir():
            texts.update(_sources_in(folder, f"conformance.{name}"))
    return texts


def _sources_in(folder: Traversable, name: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".py"):
            own = entry.name.removesuffix(".py")
            yield name if own == "__init__" else f"{name}.{own}", entry.read_text("utf-8")
        elif entry.is_dir() and entry.name.isidentifier():
            yield from _sources_in(entry, f"{name}.{entry.name}")


def modules_of(texts: Mapping[str, str]) -> dict[str, Module]:
    """The definitions in these sources: parsed once, and then taken from the user's cache."""
    own = resources.files(conformance) / "fingerprints" / "definitions.py"
    key = {**texts, definitions.__name__: own.read_text("utf-8"), "python": sys.version}
    return remembered(key, dict[str, Module], lambda: parsed(texts))


@cache
def suite_modules() -> dict[str, Module]:
    """The definitions of `PACKAGES`."""
    return modules_of(sources(*PACKAGES))


KeysOf = Callable[[str, Definition], Iterable[str]]
"""The keys by which a definition at a place looks registries up, besides its literal keys."""


def _none(place: str, definition: Definition) -> Iterable[str]:  # noqa: ARG001
    return ()


@dataclass
class Reach:
    """The definitions reached so far, by `MODULE:NAME`, from which more can be reached.

    It does not look into the places in `cut`: for these, the caller adds the part that counts.
    """

    modules: Mapping[str, Module]
    cut: frozenset[str]
    keys_of: KeysOf = _none
    before: Reach | None = None
    """The definitions reached earlier, which this object does not repeat."""
    reached: dict[str, Definition] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    """The keys by which registries are looked up."""
    registries: set[str] = field(default_factory=set)
    _seen: set[str] = field(default_factory=set)
    """The places that were looked at, those that lead elsewhere included."""

    def fork(self) -> Reach:
        """A copy that continues from here and leaves this object as it is."""
        known = (set(self.keys), set(self.registries))
        return Reach(self.modules, self.cut, self.keys_of, self, {}, *known)

    def has(self, place: str) -> bool:
        """Whether a definition, or an entry of a registry, is reached."""
        return place in self.reached or (self.before is not None and self.before.has(place))

    def add(self, roots: Iterable[str], keys: Iterable[str] = ()) -> None:
        """Reach everything from these roots: definitions, and `MODULE:` for all of a module."""
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
        """The places that this one leads to; a definition is noted."""
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
            # all of a module, or a part of it that no name shows
            yield from (f"{module}:{own}" for own in (*known.definitions, *known.registries))

    def _note(self, place: str, definition: Definition) -> Iterable[str]:
        self.reached[place] = definition
        self.keys |= {*definition.keys, *self.keys_of(place, definition)}
        return definition.references

    def _entries(self) -> Iterator[str]:
        """The places that new entries of registries lead to."""
        for registry in sorted(self.registries):
            module, _, name = registry.partition(":")
            for key, definition in self.modules[module].registries[name].items():
                place = f"{registry}[{key}]"
                if self._is_looked_up(key) and not self.has(place):
                    yield from self._note(place, definition)

    def _is_looked_up(self, key: str) -> bool:
        """A key stands for a function, or for a part of its result: `moments.mean`."""
        return key in self.keys or key.partition(".")[0] in self.keys


FAMILIES = "conformance.scenarios.families:FAMILIES"
"""Every family; a function counts only its own."""
CONVENTIONS = "conformance.specs.convention_names:ConventionName"
"""Every convention; a function counts those that its spec or the code names."""
SPECS = "conformance.specs.load:load"
"""Every spec: the engine reads only the function's; a scenario that reads specs counts all."""


def edition_texts() -> list[Mapping[str, str]]:
    """The data of the documents that editions have in files of their own."""
    return [edition.document_texts() for edition in edition_files()]


DATA: Mapping[str, Callable[[], Any]] = {
    "conformance.specs.accuracy:load_losses": load_losses,
    "conformance.specs.docstrings:load_docstrings": edition_texts,
    "conformance.specs.docstrings:load_example_errata": edition_texts,
    "conformance.specs.errata:load_conflicts": load_conflicts,
    "conformance.specs.examples:load_examples": load_examples,
    "conformance.specs.extraction:load_explanations": load_explanations,
    "conformance.specs.extraction:load_extraction": load_extraction,
    "conformance.specs.load:general_claims": general_claims,
    "conformance.specs.releases:load_changes": load_changes,
}
"""The functions that read data files, with the content of these files."""
CHECKED = "conformance.specs.load:_checked"
"""The reading and checking of specs, whose result the specs themselves show."""
CUT = frozenset({FAMILIES, CONVENTIONS, CHECKED})
ENTRIES = ("adapters", "engine")
"""The packages from which a run starts: all of them counts."""
SCENARIOS = "conformance.scenarios"
ANSWERING = ("conformance.oracle.", "conformance.specs.")
"""Modules that name functions without calling one of a target."""
APART = ("adapters", "generators", "oracle", "scenarios")
"""The packages whose code is a part of its own; all other code is that of the engine."""


def digest(*values: Any) -> str:
    """A short digest of values: records, and what JSON can hold."""
    content = msgspec.json.encode(values, order="deterministic")
    return hashlib.sha256(content).hexdigest()[:12]


def function_parts(task: Task) -> dict[str, str]:
    """A digest for each part on which the verdicts of a task depend."""
    options = digest(repr(task.profile), task.seed, sorted(task.aspects), task.edition)
    return {"options": options, **_parts(task.spec.name, task.edition)}


@cache
def _parts(function: str, edition: Edition) -> dict[str, str]:
    reach = _reach(function, edition)
    shared, own = _code_of_all(), _code(reach)
    return {
        "spec": digest(*_data_of(load()[function], edition, reach)),
        **{part: digest(shared[part], own[part]) for part in shared},
    }


def names_called(function: str, edition: Edition) -> list[str]:
    """The names of the functions that its cases call, and that the engine calls for all."""
    return sorted(_reach(function, edition).keys | _called_by_all())


@cache
def _called_by_all() -> set[str]:
    calling = (d for p, d in _shared().reached.items() if not p.startswith(ANSWERING))
    words = {word for definition in calling for word in definition.words}
    return {*_functions_in(words), *(word for word in words if word.isidentifier())}


@cache
def _shared() -> Reach:
    """The definitions that every run reaches, whatever it tests."""
    modules = suite_modules()
    reach = Reach(modules, CUT, _called)
    reach.add(f"{name}:" for name in modules if name.split(".")[1] in ENTRIES)
    return reach


@cache
def _reach(function: str, edition: Edition) -> Reach:
    """The definitions that the engine reaches when it tests a function."""
    reach = _shared().fork()
    keys = {*_functions_in({function, *_texts(load()[function])})}
    reach.add((f"{module}:FAMILIES" for module in _modules(function, edition)), keys)
    return reach


def _modules(function: str, edition: Edition) -> list[str]:
    """The modules of the function's families, in the order in which these are run."""
    having = _modules_of_families()
    return list(dict.fromkeys(having[id(family)] for family in families_of(function, edition)))


@cache
def _modules_of_families() -> dict[int, str]:
    module, _, name = FAMILIES.partition(":")
    references = suite_modules()[module].definitions[name].references
    places = (reference.partition(":") for reference in references)
    modules = (place for place, _, asked in places if asked == "FAMILIES" and place != module)
    return {id(family): m for m in modules for family in import_module(m).FAMILIES}


def _called(place: str, definition: Definition) -> Iterable[str]:
    """The functions that a scenario calls, as far as its code names them."""
    return _functions_in(definition.words) if place.startswith(f"{SCENARIOS}.") else ()


def _functions_in(words: Iterable[str]) -> Iterator[str]:
    """The functions that words name, by every name of each.

    An f-string names every function that fits it. If it has only a prefix (`keras.ops.`), the rest
    is a word elsewhere in the code.
    """
    names = _names()
    for word in words:
        if "*" in word and not word.endswith(".*"):
            yield from (key for name in names if fnmatchcase(name, word) for key in names[name])
        else:
            yield from names.get(word, ())


@cache
def _names() -> Mapping[str, frozenset[str]]:
    """The keys under which registries and specs have each function, by all its names."""
    keys: dict[str, set[str]] = {}
    aliases = load().aliases()
    for name in (*load(), *aliases):
        newest = aliases.get(name, name)
        of_oracle = load()[newest].oracle or newest
        for known in (name, newest, name.rpartition(".")[2], of_oracle):
            keys.setdefault(known, set()).update((name, newest, of_oracle))
    return {name: frozenset(known) for name, known in keys.items()}


def _texts(value: Any) -> set[str]:
    """Every text in a record."""
    plain = msgspec.to_builtins(value)
    if isinstance(plain, str):
        return {plain}
    inner = (*plain.keys(), *plain.values()) if isinstance(plain, dict) else plain
    return set().union(*map(_texts, inner)) if isinstance(inner, list | tuple) else set()


def _code(reach: Reach) -> dict[str, str]:
    """A digest of the definitions reached, by the part that they belong to."""
    parts: dict[str, list[tuple[str, str]]] = {part: [] for part in ("engine", *APART)}
    for place, definition in reach.reached.items():
        package = place.split(".")[1].partition(":")[0]
        parts[package if package in APART else "engine"].append((place, definition.digest))
    return {part: digest(sorted(digests)) for part, digests in parts.items()}


@cache
def _code_of_all() -> dict[str, str]:
    return _code(_shared())


def _data_of(spec: Spec, edition: Edition, reach: Reach) -> Iterator[Any]:
    """The data: the documents' statements, and the conventions where they are silent."""
    yield from (_edition(edition), spec, load().theme(spec.name))
    yield [(name, _name_in(load()[name], edition)) for name in sorted(reach.keys & {*load()})]
    yield _modules(spec.name, edition)
    yield [load_conventions()[name] for name in sorted(_conventions(spec, reach))]
    if any(SPECS in definition.references for definition in reach.reached.values()):
        yield _data(SPECS)
    yield from (_data(place) for place in DATA if reach.has(place))


def _edition(name: Edition) -> dict[str, Any]:
    """The settings of an edition that hold for all its functions."""
    (file,) = (f for f in edition_files() if f.name == name)
    return {field: getattr(file, field) for field in file.__struct_fields__ if field != "folder"}


@cache
def _data(place: str) -> str:
    return digest(list(load().values()) if place == SPECS else DATA[place]())


def _name_in(spec: Spec, edition: Edition) -> str | None:
    return documented_name(spec, edition) if edition in spec.editions else None


def _conventions(spec: Spec, reach: Reach) -> set[str]:
    """The conventions that the function's spec or the code names."""
    return _conventions_of_all() | _conventions_in(reach, _texts(spec))


@cache
def _conventions_of_all() -> set[str]:
    return _conventions_in(_shared(), _texts(general_claims()))


def _conventions_in(reach: Reach, texts: Iterable[str]) -> set[str]:
    words = {word for d in reach.reached.values() for word in d.words}
    members = {member for d in reach.reached.values() for member in d.members}
    named = {str(ConventionName[m]) for m in members & ConventionName.__members__.keys()}
    return load_conventions().keys() & (named | {t.partition(": ")[0] for t in {*words, *texts}})
