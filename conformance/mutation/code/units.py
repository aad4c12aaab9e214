"""The functions and classes of a module, what each reaches, and the nodes that may be changed."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.mutation.code.editing import Edit, NodeContext, SourceText, edits

UnitKey = tuple[str, str]
"""A module and the name of a function or class at its top."""
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NEVER = (ast.Assert, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)


@dataclass(frozen=True, slots=True)
class SourceModule:
    """One module of a target: its name, its file and its source."""

    name: str
    file: str
    text: SourceText
    tree: ast.Module = field(compare=False)

    def units(self) -> dict[str, Definition]:
        """The functions and classes at its top, also inside `if` and `try`; the last of a name."""
        return {node.name: node for node in _top(self.tree.body)}


def parsed(name: str, file: str, source: bytes) -> SourceModule:
    """The module of this source. Raises SyntaxError."""
    return SourceModule(name, file, SourceText(source), ast.parse(source))


def _top(body: Iterable[ast.stmt]) -> Iterator[Definition]:
    for node in body:
        if isinstance(node, _DEFINITIONS):
            yield node
        elif isinstance(node, (ast.If, ast.Try)):
            yield from _top(ast.iter_child_nodes(node))  # type: ignore[arg-type]


def references(modules: Iterable[SourceModule]) -> dict[UnitKey, set[UnitKey]]:
    """For each unit those whose names stand in it: of its own module first, else of another."""
    known = {module.name: module.units() for module in modules}
    return {
        (name, unit): set(_referred(name, node, known))
        for name, units in known.items()
        for unit, node in units.items()
    }


def _referred(
    module: str, node: Definition, known: Mapping[str, Mapping[str, Definition]]
) -> Iterator[UnitKey]:
    own = {a.arg for n in ast.walk(node) if isinstance(n, ast.arguments) for a in _parameters(n)}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id not in own:
            others = [m for m in (module, *known) if inner.id in known[m]]
            yield from [(m, inner.id) for m in others[:1]]
        elif isinstance(inner, ast.Attribute):
            others = [m for m in _named(inner.value, known) if inner.attr in known[m]]
            yield from [(m, inner.attr) for m in others[:1]]


def _named(node: ast.expr, known: Iterable[str]) -> list[str]:
    """The modules that `backend_config` or `backend.numpy` may stand for, the likeliest first.

    Most of the names in it are parts of the module's name; the last is its last part, or that of a
    package above.
    """
    written = _dotted(node)
    parts = {module: module.split(".") for module in known}
    alike = [m for m in parts if written and written[-1] in parts[m]]
    return sorted(alike, key=lambda m: -len({*written} & {*parts[m]}))


def _dotted(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Attribute):
        return [*_dotted(node.value), node.attr]
    return [node.id] if isinstance(node, ast.Name) else []


def _parameters(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from filter(None, (arguments.vararg, arguments.kwarg))


def distances(graph: Mapping[UnitKey, Iterable[UnitKey]], start: UnitKey) -> dict[UnitKey, int]:
    """How many calls away each unit is that `start` reaches; itself at 0."""
    steps, queue = {start: 0}, deque([start])
    while queue:
        unit = queue.popleft()
        for other in graph.get(unit, ()):
            if other not in steps:
                steps[other] = steps[unit] + 1
                queue.append(other)
    return steps


def unit_edits(module: SourceModule, node: Definition) -> list[Edit]:
    """All edits inside a function or class, in the order of the text, each once."""
    around = _surroundings(module, node)
    every = [edit for inner in _changeable(node) for edit in edits(inner, around)]
    once = {(e.start, e.end, e.after): e for e in reversed(every)}
    return sorted(once.values(), key=lambda e: (e.start, e.end, e.operator, e.after))


def _changeable(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that may be changed: no docstring, decorator, annotation, assertion or message."""
    yield node
    for inner in _children(node):
        yield from _changeable(inner)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, (ast.Raise, ast.JoinedStr, ast.arg)):
        return
    skipped = {id(n) for n in _described(node)}
    for inner in ast.iter_child_nodes(node):
        if id(inner) not in skipped and not isinstance(inner, _NEVER) and not _tells(inner):
            yield inner


def _described(node: ast.AST) -> Iterator[ast.AST]:
    """Decorators and annotations."""
    yield from getattr(node, "decorator_list", ())
    for name in ("returns", "annotation"):
        if (value := getattr(node, name, None)) is not None:
            yield value


def _tells(node: ast.AST) -> bool:
    """Whether it is for a reader only: a docstring, a warning, the formatting of a text."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
    called = node.value if isinstance(node, ast.Expr) else node
    if isinstance(node, ast.Expr) and isinstance(called, ast.Constant):
        return True
    if not isinstance(called, ast.Call) or not isinstance(called.func, ast.Attribute):
        return False
    return called.func.attr in ("warn", "warning", "format")


def _surroundings(module: SourceModule, node: Definition) -> NodeContext:
    inside = list(ast.walk(node))
    return NodeContext(
        module.text,
        defaults=frozenset(_in_defaults(inside)),
        compared=frozenset(_compared(inside)),
        rebound=frozenset(_rebound(inside)) - set(_declared(inside, ast.Nonlocal)),
        last=frozenset(id(n.body[-1]) for n in inside if isinstance(n, _DEFINITIONS[:2])),
    )


def _in_defaults(inside: Iterable[ast.AST]) -> Iterator[int]:
    for arguments in (n for n in inside if isinstance(n, ast.arguments)):
        for default in (*arguments.defaults, *filter(None, arguments.kw_defaults)):
            yield from (id(n) for n in ast.walk(default))


def _compared(inside: Iterable[ast.AST]) -> Iterator[int]:
    for node in inside:
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            yield from map(id, node.comparators)


def _rebound(inside: Sequence[ast.AST]) -> Iterator[str]:
    """Names with two bindings in the unit: parameters, assignments, loops, `global`."""
    yield from _declared(inside, ast.Global)
    seen: set[str] = set()
    for node in inside:
        for name in _binds(node):
            if name in seen:
                yield name
            seen.add(name)


def _declared(
    inside: Iterable[ast.AST], kind: type[ast.Global] | type[ast.Nonlocal]
) -> Iterator[str]:
    """Names that are declared so; Python demands a binding around a name that is `nonlocal`."""
    yield from (name for node in inside if isinstance(node, kind) for name in node.names)


def _binds(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.arguments):
        yield from (a.arg for a in _parameters(node))
