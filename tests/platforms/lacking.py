"""What other systems lack of Python's modules: as typeshed says, whose stubs mypy brings."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

from tests.platforms.simulation import System

MODULES = ("os", "signal", "select", "socket", "resource", "time", "mmap")
_POSIX_ONLY = ("fcntl", "grp", "posix_ipc", "pty", "pwd", "resource", "syslog", "termios", "tty")


def stubs() -> Path | None:
    """The folder of typeshed's stubs; None without mypy."""
    mypy = find_spec("mypy")
    if mypy is None or not mypy.submodule_search_locations:
        return None
    return Path(mypy.submodule_search_locations[0], "typeshed", "stdlib")


def macos() -> System:
    """Everything works there but the sandbox."""
    names = {module: lacks(module, "darwin") for module in MODULES}
    return System(platform="darwin", names=names, modules=(), starts=True)


def windows() -> System:
    """Only what needs no worker works there."""
    names = {m: lacks(m, "win32") for m in MODULES if m not in _POSIX_ONLY}
    return System(platform="win32", names=names, modules=_POSIX_ONLY, starts=False)


def lacks(module: str, platform: str) -> list[str]:
    """The names that Python 3.11 and later have on Linux, and 3.11 lacks there."""
    folder = stubs()
    assert folder is not None
    place = next(
        p for p in (folder / f"{module}.pyi", folder / module / "__init__.pyi") if p.is_file()
    )
    body = ast.parse(place.read_text("utf-8")).body
    here = _names(body, "linux", sys.version_info[:2])
    return sorted({*here} - {*_names(body, platform, (3, 11))})


def _names(body: Iterable[ast.stmt], platform: str, version: tuple[int, ...]) -> Iterator[str]:
    """The names that a stub defines there."""
    for node in body:
        match node:
            case ast.If(test=test):
                met = _holds(test, platform, version)
                yield from _names(node.body if met else node.orelse, platform, version)
            case ast.FunctionDef() | ast.ClassDef():
                yield node.name
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case ast.ImportFrom(names=aliases):
                yield from (alias.asname or alias.name for alias in aliases)


def _holds(test: ast.expr, platform: str, version: tuple[int, ...]) -> bool:
    """Whether a condition on the system and on Python's version holds."""
    system = SimpleNamespace(platform=platform, version_info=version)
    return bool(eval(compile(ast.Expression(test), "<stub>", "eval"), {"sys": system}))
