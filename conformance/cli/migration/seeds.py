"""The calls that need a seed generator which the file lacks.

`conformance migration --write` puts such calls in a file, and a person writes the generator.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

NAME = "seed_generator"
_PLAIN_BASES = frozenset({"Layer", "Model", "object"})
"""The base classes that define no seed generator."""


def needs(generator: str) -> str:
    """The line that makes a generator, and its place."""
    where = "in __init__" if generator.startswith("self.") else "at the top of the file"
    return f"write {generator} = keras.random.SeedGenerator(SEED) {where}"


def without_generator(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """The calls, each with the generator that it needs."""
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for node in classes.values():
        if not _has_generator(node, classes):
            yield from ((call, f"self.{NAME}") for call in _calls(node, f"self.{NAME}"))
    if not any(map(_is_bound, ast.walk(tree))):
        yield from ((call, NAME) for call in _calls(tree, NAME))


def _calls(tree: ast.AST, generator: str) -> Iterator[ast.Call]:
    """The calls with this argument."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
            if any(_names(argument, generator) for argument in arguments):
                yield node


def _names(node: ast.expr, generator: str) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) == generator


def _is_bound(node: ast.AST) -> bool:
    """Whether a node binds the name of the generator: an assignment, a parameter, an import."""
    if isinstance(node, ast.Name):
        return node.id == NAME and isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.arg):
        return node.arg == NAME
    return isinstance(node, ast.alias) and NAME in (node.asname, node.name)


def _has_generator(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    """Whether a class, or a class that it extends, may set the attribute."""
    if any(
        isinstance(n, ast.Attribute) and n.attr == NAME and isinstance(n.ctx, ast.Store)
        for n in ast.walk(node)
    ):
        return True
    bases = [ast.unparse(base).rpartition(".")[2] for base in node.bases]
    others = [base for base in bases if base not in _PLAIN_BASES and base != node.name]
    return any(base not in classes or _has_generator(classes[base], classes) for base in others)
