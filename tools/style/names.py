"""Names that Python code binds: no participle, no pronoun, no class with two owners."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from tools.style.allowance import StyleFinding

VAGUE = frozenset(
    {"came", "found", "given", "kept", "listed", "made", "one", "said", "told", "wanted"}
)
"""Words that say what happened to a value and not what it is."""
ADVICE = "name the thing: failures, program, arguments, expected"


def examine(path: Path, file: str) -> Iterator[StyleFinding]:
    """The vague names that one module binds: variables, parameters, attributes and functions."""
    for line, name in _bound(ast.parse(path.read_text("utf-8"))):
        if name.strip("_") in VAGUE:
            yield StyleFinding(file, line, "name", name, ADVICE)


def _bound(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name


def classes(files: Mapping[str, Path]) -> Iterator[StyleFinding]:
    """The classes of a name that another module defines as well."""
    owners: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for file, path in files.items():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                owners[node.name].append((file, node.lineno))
    for name, places in owners.items():
        for file, line in places[1:]:
            first = f"{places[0][0]}:{places[0][1]} defines it as well"
            yield StyleFinding(file, line, "class", name, first)
