"""The top-level definitions of a module, with a digest and the references of each.

A *definition* is anything that a module binds at its top level: a function, a class with all of
its body, or a value. Its digest is that of its syntax tree without docstrings. Therefore comments,
formatting and the order of definitions do not count.

A definition depends on another one if it names it. An object of a class exists only where code
names the class, or holds a value that does. So the names in a piece of code lead to all definitions
that it can reach.

A *registry* (`REGISTRIES`) is a dictionary from documented functions to code. Code that names a
registry depends only on the entries that it looks up. Therefore each entry is a definition of its
own: `MODULE:NAME[KEY]`.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain

import msgspec

REGISTRIES = frozenset(
    {"ORACLES", "CONTRACTIONS", "SUMMATIONS", "TERMS", "PATHS", "FREEDOMS", "SHAPES", "EVIDENCE"}
)
"""The names of the dictionaries that are looked up by the name of a function."""
OF_REGISTRIES = "conformance.oracle."
"""The prefix of the modules that have registries."""
HARMLESS = frozenset(
    {
        *("abstractmethod", "classmethod", "property", "staticmethod", "overload", "wraps"),
        *("cache", "cached_property", "composite", "contextmanager", "dataclass", "lru_cache"),
        *("singledispatch", "singledispatchmethod"),
    }
)
"""Decorators that change only the definition that they decorate."""
STATEMENTS = "<statements>"
_WORD = re.compile(r"[A-Za-z_][\w.-]*(: [\w.-]+)?")
_PATTERN = re.compile(r"[\w.*]*[a-z]{2}[\w.*]*")

Texts = Mapping[str, str]
"""The names that stand for texts, with these."""
Tables = Mapping[str, ast.Dict]
"""The names that stand for dictionaries, with these."""


class Definition(msgspec.Struct, frozen=True, array_like=True):
    """One definition, with everything of it that matters."""

    digest: str
    references: tuple[str, ...]
    """The definitions that it names, as `MODULE:NAME`; `MODULE:` for a whole module."""
    words: tuple[str, ...] = ()
    """Its strings that may be names, with `*` where an f-string has a value."""
    members: tuple[str, ...] = ()
    """The attributes that it takes of names in capitals: members of enumerations, mostly."""
    keys: tuple[str, ...] = ()
    """The keys by which it looks something up in a registry."""


class Module(msgspec.Struct, frozen=True, array_like=True):
    """The definitions of a module; `STATEMENTS` are those that may do more than bind a name."""

    definitions: dict[str, Definition]
    registries: dict[str, dict[str, Definition]]
    """The entries of its registries, by name and key."""
    imports: dict[str, str]
    """The targets of the names that it imports, as in `Definition.references`."""


@cache
def module_definitions(name: str, source: str, modules: frozenset[str]) -> Module:
    """The definitions of the module `name`; `modules` are all that a name may lead to."""
    tree = ast.parse(source)
    _drop_docstrings(tree)
    reader = _Reader(name, modules)
    for statement in _statements(tree.body):
        reader.read(statement)
    return reader.module()


def _drop_docstrings(tree: ast.Module) -> None:
    """Remove strings that stand alone: docstrings, of attributes as well."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [s for s in body if not _is_text(s)] or [ast.Pass()]  # type: ignore[attr-defined]


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those under `if TYPE_CHECKING` and the like included."""
    for statement in body:
        if isinstance(statement, ast.If) and not any(map(_binds_values, statement.body)):
            yield from _statements([*statement.body, *statement.orelse])
        else:
            yield statement


def _binds_values(statement: ast.stmt) -> bool:
    return not isinstance(statement, ast.Import | ast.ImportFrom)


@dataclass
class _Reader:
    """Reads the statements of one module in their order."""

    name: str
    modules: frozenset[str]
    imports: dict[str, str] = field(default_factory=dict)
    """The target of each imported name, as in `Definition.references`."""
    parts: dict[str, list[ast.AST]] = field(default_factory=dict)
    """The statements, or their parts, that make each definition."""
    entries: dict[str, dict[str, list[ast.AST]]] = field(default_factory=dict)
    registered: dict[str, set[str]] = field(default_factory=dict)
    """The definitions that a decorator may have added to the value of a name."""
    texts: dict[str, str] = field(default_factory=dict)
    """The names that stand for texts."""
    tables: dict[str, ast.Dict] = field(default_factory=dict)
    """The names that stand for dictionaries, as they are written."""

    @property
    def has_registries(self) -> bool:
        """Whether the dictionaries of these names are looked up by functions in this module."""
        return self.name.startswith(OF_REGISTRIES)

    def read(self, statement: ast.stmt) -> None:
        """Note what a statement binds."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node)
        if isinstance(statement, ast.Import | ast.ImportFrom):
            return
        bound = [*dict.fromkeys(_bound(statement))]
        for name in bound:
            self._bind(name, statement)
        if isinstance(statement, ast.Assign) and (text := _text(statement.value, {})) is not None:
            self.texts.update(dict.fromkeys(bound, text))
        if isinstance(value := getattr(statement, "value", None), ast.Dict) and len(bound) == 1:
            self.tables[bound[0]] = value
        if not bound or _has_effects(statement):
            self._effect(statement)

    def _bind(self, name: str, statement: ast.stmt) -> None:
        value = getattr(statement, "value", None)
        if self.has_registries and name in REGISTRIES and isinstance(value, ast.Dict):
            rest, entries = _split(value, self.texts, self.tables)
            self.entries[name] = entries
            self.parts.setdefault(name, []).extend(rest)
        else:
            self.parts.setdefault(name, []).append(statement)

    def _effect(self, statement: ast.stmt) -> None:
        """Count a statement that may change other values to every definition that it names."""
        named = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)} & self.parts.keys()
        bound = set(_bound(statement))
        for name in [STATEMENTS, *sorted(named - bound)]:
            self.parts.setdefault(name, []).append(statement)
            self.registered.setdefault(name, set()).update(bound)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name in self.modules:
                    self.imports[alias.asname or alias.name.partition(".")[0]] = f"{alias.name}:"
            return
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            leads = f"{whole}:" if whole in self.modules else f"{node.module}:{alias.name}"
            if leads.partition(":")[0] in self.modules:
                self.imports[alias.asname or alias.name] = leads

    def module(self) -> Module:
        """The definitions read so far."""
        return Module(
            {
                name: self._definition(nodes, self.registered.get(name, set()))
                for name, nodes in self.parts.items()
            },
            {
                name: {key: self._definition(nodes) for key, nodes in entries.items()}
                for name, entries in self.entries.items()
            },
            self.imports,
        )

    def _definition(self, nodes: Sequence[ast.AST], registered: Collection[str] = ()) -> Definition:
        texts = "\n".join(map(ast.dump, nodes))
        every = [inner for node in nodes for inner in ast.walk(node)]
        return Definition(
            hashlib.sha256(texts.encode()).hexdigest()[:16],
            _unique(chain(self._references(every), (f"{self.name}:{r}" for r in registered))),
            _unique(_words(every)),
            _unique(_members(every)),
            _unique(self._keys(every)),
        )

    def _references(self, nodes: Sequence[ast.AST]) -> Iterator[str]:
        whole = set[str]()
        for node in nodes:
            if isinstance(node, ast.Name):
                whole |= {node.id}
        attributes = [n for n in nodes if isinstance(n, ast.Attribute)]
        for node in attributes:
            yield from self._attribute(node)
        # code that only takes attributes of a module does not need all of the module
        asked = {id(n.value) for n in attributes if isinstance(n.value, ast.Name)}
        bare = {n.id for n in nodes if isinstance(n, ast.Name) and id(n) not in asked}
        for name in sorted(whole):
            if name in self.parts or name in self.entries:
                yield f"{self.name}:{name}"
            elif name in self.imports and (not self.imports[name].endswith(":") or name in bare):
                yield self.imports[name]

    def _attribute(self, node: ast.Attribute) -> Iterator[str]:
        if isinstance(node.value, ast.Name):
            leads = self.imports.get(node.value.id, "")
            if leads.endswith(":"):
                deeper = f"{leads[:-1]}.{node.attr}"
                yield f"{deeper}:" if deeper in self.modules else f"{leads}{node.attr}"

    def _keys(self, nodes: Sequence[ast.AST]) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, ast.Subscript):
                place, key = node.value, node.slice
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                place, key = node.func.value, node.args[0]
            else:
                continue
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                name = getattr(place, "attr", getattr(place, "id", ""))
                leads = self.imports.get(name, name).rpartition(":")[2]
                if {name, leads} & REGISTRIES:
                    yield key.value


def _unique(texts: Iterator[str]) -> tuple[str, ...]:
    return tuple(sorted(set(texts)))


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a statement binds at the top level of a module."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif not isinstance(node, _INSIDE):
        for inner in ast.iter_child_nodes(node):
            yield from _bound(inner)


_INSIDE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
"""Expressions with a scope of their own."""


def _has_effects(statement: ast.stmt) -> bool:
    """Whether a statement may do more than to bind its names."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return not {*map(_called, statement.decorator_list)} <= HARMLESS
    if isinstance(statement, ast.Assign):
        return not all(isinstance(t, ast.Name | ast.Tuple) for t in statement.targets)
    return not isinstance(statement, ast.AnnAssign)


def _called(decorator: ast.expr) -> str:
    plain = decorator.func if isinstance(decorator, ast.Call) else decorator
    return str(getattr(plain, "attr", getattr(plain, "id", "")))


def _split(
    value: ast.Dict, texts: Texts, tables: Tables
) -> tuple[list[ast.AST], dict[str, list[ast.AST]]]:
    """The entries of a registry by key, and the rest of it: other registries that it contains."""
    rest: list[ast.AST] = []
    entries: dict[str, list[ast.AST]] = {}
    for key, item in zip(value.keys, value.values, strict=True):
        if key is not None and (name := _text(key, texts)) is not None:
            entries[name] = [item]
        elif key is None and (pairs := _pairs(item, texts, tables)):
            entries.update({name: [entry] for name, entry in pairs})
        else:
            rest += [item] if key is None else [key, item]
    return rest, entries


def _text(key: ast.expr, texts: Texts) -> str | None:
    """The text of an expression, if its names are known."""
    if isinstance(key, ast.Constant):
        return key.value if isinstance(key.value, str) else None
    if isinstance(key, ast.Name):
        return texts.get(key.id)
    if isinstance(key, ast.FormattedValue):
        return _text(key.value, texts)
    if isinstance(key, ast.JoinedStr):
        parts = [_text(part, texts) for part in key.values]
        return None if None in parts else "".join(map(str, parts))
    return None


def _pairs(item: ast.expr, texts: Texts, tables: Tables) -> list[tuple[str, ast.expr]]:
    """The entries of `dict.fromkeys(("a", "b"), x)`, `{f"{n}": f(n) for n in ("a", "b")}` and
    `TABLE`; none if their keys are not known."""
    entries: list[tuple[str | None, ast.expr]] = []
    if isinstance(item, ast.Call) and _called(item) == "fromkeys" and len(item.args) == 2:
        keys, entry = item.args
        entries = [(_text(key, texts), entry) for key in _rows(keys, tables)]
    elif isinstance(item, ast.DictComp) and len(item.generators) == 1:
        (loop,) = item.generators
        turns = [] if loop.ifs else [_Loop(loop.target, row) for row in _rows(loop.iter, tables)]
        entries = [(_text(item.key, {**texts, **t.texts}), t.filled(item.value)) for t in turns]
    elif isinstance(item, ast.Name) and item.id in tables:
        table = tables[item.id]
        pairs = zip(table.keys, table.values, strict=True)
        entries = [(None if key is None else _text(key, texts), entry) for key, entry in pairs]
    known = [(key, entry) for key, entry in entries if key is not None]
    return known if len(known) == len(entries) else []


def _rows(place: ast.expr, tables: Tables) -> Sequence[ast.expr]:
    """The items of a loop: a row of expressions, the keys of a table, or its `items()`."""
    if isinstance(place, ast.Name) and place.id in tables:
        return [key or ast.Constant(None) for key in tables[place.id].keys]
    if isinstance(place, ast.Call) and _called(place) == "items":
        table = tables.get(getattr(getattr(place.func, "value", None), "id", ""))
        pairs = zip(table.keys, table.values, strict=True) if table else ()
        return [ast.Tuple([key or ast.Constant(None), item], ast.Load()) for key, item in pairs]
    return getattr(place, "elts", ())


class _Loop(ast.NodeTransformer):
    """One turn of a loop over a row of constants: puts them in place of its names."""

    def __init__(self, target: ast.expr, row: ast.expr) -> None:
        targets, values = getattr(target, "elts", [target]), getattr(row, "elts", [row])
        names = [t.id for t in targets if isinstance(t, ast.Name)]
        self._values = dict(zip(names, values, strict=False))

    @property
    def texts(self) -> Texts:
        """The names that stand for texts."""
        every = {name: _text(value, {}) for name, value in self._values.items()}
        return {name: text for name, text in every.items() if text is not None}

    def filled(self, value: ast.expr) -> ast.expr:
        """An expression with the constants in it."""
        filled: ast.expr = self.visit(copy.deepcopy(value))
        return filled

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """See `ast.NodeTransformer`."""
        value: ast.expr = self._values.get(node.id, node)
        return value


def _words(nodes: Sequence[ast.AST]) -> Iterator[str]:
    inside = {id(part) for n in nodes if isinstance(n, ast.JoinedStr) for part in n.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            parts = (getattr(part, "value", "") for part in node.values)
            text = "".join(part if isinstance(part, str) else "*" for part in parts)
            if "*" in text and _PATTERN.fullmatch(text):
                yield text
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in inside and _WORD.fullmatch(node.value):
                yield node.value
        elif isinstance(node, ast.Attribute) and (path := _path_from_k(node)):
            yield path


def _path_from_k(node: ast.expr) -> str:
    """`keras.ops.ones` of `K.keras.ops.ones`; empty for an attribute of anything but K."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join(reversed(names)) if getattr(node, "id", "") == "K" else ""


def _members(nodes: Sequence[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr.isupper():
            yield node.attr


def parsed(sources: Mapping[str, str]) -> dict[str, Module]:
    """The definitions of all modules, by the name of the module."""
    modules = frozenset(sources)
    return {name: module_definitions(name, text, modules) for name, text in sources.items()}
