"""No module of the package imports itself by way of others, not even for types alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import conformance

Graph = Mapping[str, set[str]]

PACKAGE = Path(conformance.__file__).parent
FOLDERS = {
    "conformance_worker": "conformance.adapters.worker",
    "conformance_mutant": "conformance.mutation.worker",
}
"""Packages that run in a target's interpreter under their own names, and where they are."""


def modules() -> dict[str, Path]:
    """Every module of the package by its name."""
    paths = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = (PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts)
        paths[".".join(p for p in parts if p != "__init__")] = path
    return paths


def imported(tree: ast.Module, package: str) -> Iterator[str]:
    """The dotted names that a module imports, in functions and for types too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: 1 - node.level or None] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def nearest(name: str, known: Mapping[str, object]) -> str | None:
    """The module that a dotted name is, or is defined in."""
    folder = FOLDERS.get(name.partition(".")[0])
    name = f"{folder}.{name}" if folder else name
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name or None


def graph(sources: Mapping[str, str], packages: frozenset[str]) -> Graph:
    """Which modules each module imports, given their sources and which of them are packages."""
    names: dict[str, set[str]] = {}
    for name, source in sources.items():
        package = name if name in packages else name.rpartition(".")[0]
        targets = (nearest(i, sources) for i in imported(ast.parse(source), package))
        names[name] = {target for target in targets if target is not None}
    return names


def circle(imports: Graph) -> list[str]:
    """The modules of one circle, in the order in which each is imported by the next; or nothing."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        problems: list[str] = error.args[1]
        return problems
    return []


def test_no_circle_of_imports() -> None:
    paths = modules()
    packages = frozenset(name for name, path in paths.items() if path.name == "__init__.py")
    sources = {name: path.read_text("utf-8") for name, path in paths.items()}
    imports = graph(sources, packages)
    assert sum(map(len, imports.values())) > len(paths), "the imports were found"
    assert circle(imports) == []


CIRCLES = {
    "for types": ("if TYPE_CHECKING:\n    from p.b import B", "from p.a import A"),
    "in a function": ("def f():\n    from p import b", "import p.a"),
    "relative": ("from .b import B", "from . import a"),
}


@pytest.mark.parametrize("case", CIRCLES)
def test_every_sort_of_circle_is_found(case: str) -> None:
    first, second = CIRCLES[case]
    sources = {"p": "", "p.a": first, "p.b": second}
    assert {"p.a", "p.b"} == {*circle(graph(sources, frozenset({"p"})))}


def test_what_is_imported_one_way_is_no_circle() -> None:
    sources = {"p": "from p.a import A", "p.a": "from p import b", "p.b": "import ast"}
    assert circle(graph(sources, frozenset({"p"}))) == []
