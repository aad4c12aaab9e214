"""The module of a folder that looks most like a backend, found without importing anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from conformance.cli.first_look.offers import last_part
from conformance.cli.first_look.other_names import OTHER_NAMES
from conformance.specs import load

LEAST = 5
"""So many functions of the API a module has to be taken for a backend."""
_DEEPEST = 4
"""How many folders down is looked."""
_OTHERS = {"tests", "test", "docs", "examples", "build", "dist", "node_modules", "site-packages"}


def likeliest(folder: Path) -> Path | None:
    """The file that defines the most functions of the API; None if none has enough of them."""
    counts = {file: len(_offered(file)) for file in sorted(_sources(folder))}
    best = max(counts, key=lambda file: counts[file], default=None)
    return best if best is not None and counts[best] >= LEAST else None


def _sources(folder: Path, depth: int = 0) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.suffix == ".py" and path.is_file() and not path.name.startswith("test_"):
            yield path
        elif path.is_dir() and depth < _DEEPEST and not _is_other(path):
            yield from _sources(path, depth + 1)


def _is_other(folder: Path) -> bool:
    return (
        folder.is_symlink()
        or folder.name.startswith((".", "_"))
        or folder.name in _OTHERS
        or (folder / "pyvenv.cfg").is_file()
    )


def _offered(file: Path) -> set[str]:
    """The functions of the API that the file defines or imports by name, also under other names."""
    try:
        body = ast.parse(file.read_bytes()).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    names = {name for statement in body for name in _bound(statement)}
    own = {n for n in load() if n in names or names.intersection(OTHER_NAMES.get(n, ()))}
    return own | {last_part(n) for n in load() if last_part(n) in names}


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef):
        yield statement.name
    elif isinstance(statement, ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in statement.names)
    elif isinstance(statement, ast.Assign):
        yield from (target.id for target in statement.targets if isinstance(target, ast.Name))
