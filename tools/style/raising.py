"""Docstrings that state exceptions: `Raises:` in each public function with a `raise` of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools.style.allowance import StyleFinding

SECTION = "Raises:"
ADVICE = f"add a section `{SECTION}` with each exception and its condition"
UNSTATED = frozenset({"SystemExit", "NotImplementedError"})
"""The exit status of a command, whose docstring is its help, and the mark of an abstract method."""
REPORTED = frozenset({"ClickException", "UsageError"})
"""The errors of a command that click prints."""
CATCH_ALL = frozenset({"Exception", "BaseException", ""})

Function = ast.FunctionDef | ast.AsyncFunctionDef


def examine(path: Path, file: str) -> Iterator[StyleFinding]:
    """The public functions of one module that raise and do not say so."""
    for function in _public(ast.parse(path.read_text("utf-8"))):
        unstated = UNSTATED | (REPORTED if _is_command(function) else frozenset())
        classes = sorted({*_raised(function.body)} - unstated)
        if classes and SECTION not in (ast.get_docstring(function) or ""):
            text = f"{function.name} raises {', '.join(classes)}"
            yield StyleFinding(file, function.lineno, "raises", text, ADVICE)


def _is_command(function: Function) -> bool:
    return any(_name(decorator) == "command" for decorator in function.decorator_list)


def _public(node: ast.Module | ast.ClassDef) -> Iterator[Function]:
    """Functions and methods without an underscore, none of them inside a function."""
    for inner in node.body:
        if isinstance(inner, ast.ClassDef | Function) and not inner.name.startswith("_"):
            yield from _public(inner) if isinstance(inner, ast.ClassDef) else [inner]


def _raised(nodes: Iterable[ast.AST], caught: frozenset[str] = frozenset()) -> Iterator[str]:
    """The classes that statements raise, without those that they catch."""
    for node in nodes:
        if isinstance(node, ast.Raise):
            name = _name(node.exc)
            if name[:1].isupper() and not caught & {name, *CATCH_ALL}:
                yield name
        elif isinstance(node, ast.Try):
            handled = (_name(kind) for handler in node.handlers for kind in _kinds(handler))
            yield from _raised(node.body, caught.union(handled))
            yield from _raised([*node.handlers, *node.orelse, *node.finalbody], caught)
        elif not isinstance(node, Function | ast.Lambda | ast.ClassDef):
            yield from _raised(ast.iter_child_nodes(node), caught)


def _kinds(handler: ast.ExceptHandler) -> list[ast.expr | None]:
    """The expressions for the classes of an `except`; None stands for all classes."""
    return [*handler.type.elts] if isinstance(handler.type, ast.Tuple) else [handler.type]


def _name(node: ast.expr | None) -> str:
    """The last part of a dotted name, or of the name that is called."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
