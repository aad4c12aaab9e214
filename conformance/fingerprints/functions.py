"""What the verdicts on one function depend on, whatever the target: its spec and the suite's code.

The code is that of the definitions that the engine reaches (`conformance.fingerprints.reach`), with
the families of scenarios of this function, and of each registry the entries of this function and of
those that its scenarios call.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib import import_module
from typing import Any

import msgspec

from conformance.editions import Edition, edition_files
from conformance.engine import Task
from conformance.fingerprints.definitions import Definition
from conformance.fingerprints.reach import Reach
from conformance.fingerprints.sources import suite_modules
from conformance.scenarios import families_of
from conformance.specs import Spec, load, load_conventions
from conformance.specs.convention_names import ConventionName
from conformance.specs.errata import load_conflicts
from conformance.specs.examples import load_examples
from conformance.specs.extraction import load_explanations, load_extraction
from conformance.specs.load import documented_name, general_claims
from conformance.specs.releases import load_changes

FAMILIES = "conformance.scenarios.families:FAMILIES"
"""Every family: of a function only its own count."""
CONVENTIONS = "conformance.specs.convention_names:ConventionName"
"""Every convention: of a function only those count that its spec or the code names."""
SPECS = "conformance.specs.load:load"
"""Every spec: the engine asks for the function's own alone; a scenario that reads them is taken to
read all."""


def edition_texts() -> list[Mapping[str, str]]:
    """The data of the documents that editions have in files of their own."""
    return [edition.document_texts() for edition in edition_files()]


DATA: Mapping[str, Callable[[], Any]] = {
    "conformance.specs.docstrings:load_docstrings": edition_texts,
    "conformance.specs.errata:load_conflicts": load_conflicts,
    "conformance.specs.examples:load_examples": load_examples,
    "conformance.specs.extraction:load_explanations": load_explanations,
    "conformance.specs.extraction:load_extraction": load_extraction,
    "conformance.specs.load:general_claims": general_claims,
    "conformance.specs.releases:load_changes": load_changes,
}
"""What reads files of data, and what there is in them."""
CHECKED = "conformance.specs.load:_checked"
"""How specs are read and checked: what they are is seen in the specs."""
CUT = frozenset({FAMILIES, CONVENTIONS, CHECKED})
ENTRIES = ("adapters", "engine")
"""The packages from which a run starts: all of them counts."""
SCENARIOS = "conformance.scenarios"
ANSWERING = ("conformance.oracle.", "conformance.specs.")
"""What names functions without calling one of a target."""
APART = ("adapters", "generators", "oracle", "scenarios")
"""The packages whose code is a part of its own; all other code is that of the engine."""


def digest(*values: Any) -> str:
    """A short digest of values: records, and what JSON can hold."""
    content = msgspec.json.encode(values, order="deterministic")
    return hashlib.sha256(content).hexdigest()[:12]


def function_parts(task: Task) -> dict[str, str]:
    """A digest of each part of what the verdicts of a task depend on."""
    options = digest(repr(task.profile), task.seed, sorted(task.aspects), task.edition)
    return {"options": options, **_parts(task.spec.name, task.edition)}


@cache
def _parts(function: str, edition: Edition) -> dict[str, str]:
    reach = _reach(function, edition)
    shared, own = _code_of_all(), _code(reach)
    return {
        "spec": digest(*_said(load()[function], edition, reach)),
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
    """What the engine reaches of its own accord."""
    modules = suite_modules()
    reach = Reach(modules, CUT, _called)
    reach.add(f"{name}:" for name in modules if name.split(".")[1] in ENTRIES)
    return reach


@cache
def _reach(function: str, edition: Edition) -> Reach:
    """What the engine reaches when it tests a function."""
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
    listed = suite_modules()[module].definitions[name].references
    places = (reference.partition(":") for reference in listed)
    modules = (place for place, _, asked in places if asked == "FAMILIES" and place != module)
    return {id(family): m for m in modules for family in import_module(m).FAMILIES}


def _called(place: str, definition: Definition) -> Iterable[str]:
    """The functions that a scenario calls, as far as its code names them."""
    return _functions_in(definition.words) if place.startswith(f"{SCENARIOS}.") else ()


def _functions_in(words: Iterable[str]) -> Iterator[str]:
    """The functions that words name, by every name of each; those of an f-string may be any that it
    fits. What an f-string puts behind a prefix (`keras.ops.`) is a word somewhere itself."""
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
    return {part: digest(sorted(listed)) for part, listed in parts.items()}


@cache
def _code_of_all() -> dict[str, str]:
    return _code(_shared())


def _said(spec: Spec, edition: Edition, reach: Reach) -> Iterator[Any]:
    """The data: what the documents say, and which conventions are made of what they do not say."""
    yield from (_edition(edition), spec, load().theme(spec.name))
    yield [(name, _name_in(load()[name], edition)) for name in sorted(reach.keys & {*load()})]
    yield _modules(spec.name, edition)
    yield [load_conventions()[name] for name in sorted(_conventions(spec, reach))]
    if any(SPECS in definition.references for definition in reach.reached.values()):
        yield _data(SPECS)
    yield from (_data(place) for place in DATA if reach.has(place))


def _edition(name: Edition) -> dict[str, Any]:
    """What is settled for all functions of an edition."""
    (found,) = (one for one in edition_files() if one.name == name)
    return {field: getattr(found, field) for field in found.__struct_fields__ if field != "folder"}


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
