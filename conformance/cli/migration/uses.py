"""The uses of the backend in Python source. The source is read and never run."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from conformance.cli.errors import UsageProblem
from conformance.cli.migration.bindings import BACKENDS, Bindings, Function, assignments, parameters
from conformance.cli.migration.in_place import in_place
from conformance.cli.migration.seeds import NAME, needs, without_generator
from conformance.files import MOST_SOURCE, read_bounded

NOT_TRANSLATED = (
    "not translated: the function of K is unknown here; write its call, or change it by hand"
)
NOTEBOOK = ".ipynb"
CONVERT = "jupyter nbconvert --to script"
_WORDS = ("backend", NAME)
"""A file without these words has no uses."""
_SUFFIXES = frozenset({".py", ".pyi", ".pyw", ""})
_OTHER_FOLDERS = frozenset({"node_modules", "site-packages", "__pycache__"})


class Kind(StrEnum):
    """The kinds of uses."""

    FUNCTION = "function"
    """A call or mention of a function of K."""
    MODULE = "module"
    """A mention of K itself, such as `getattr(K, name)`."""
    ASSIGNMENT = "assignment"
    """An augmented assignment of a tensor, such as `e /= K.sum(e)`."""
    GENERATOR = "generator"
    """A translated call that needs a seed generator which the file lacks."""


@dataclass(frozen=True, slots=True)
class Use:
    """One mention of K, of a function of K, or of a tensor that needs attention."""

    file: Path
    line: int
    column: int
    end_line: int
    end_column: int
    """Columns are counted in characters, from 1; the end is the column after the last."""
    name: str
    text: str
    """The source of the call, or of the mention, on one line."""
    call: ast.Call | None = None
    """None where the function is not called but mentioned."""
    within: str = ""
    """`method` or `function` if it stands in one: a layer or a compiled function may run it."""
    kind: Kind = Kind.FUNCTION
    replacement: str = ""
    """The new statement; empty where the table of functions has it."""
    says: tuple[str, ...] = ()
    """The remarks, where the table of functions has none."""
    is_safe: bool = False
    """Whether --write may put the replacement in place."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that is not Python 3 source."""

    file: Path
    line: int
    reason: str


def sources(place: Path) -> list[Path]:
    """The Python files of a folder, or the file itself, without hidden folders and environments.

    Raises:
        UsageProblem: the file is not Python, or the folder lacks Python files.
    """
    if not place.is_dir():
        if place.suffix not in _SUFFIXES:
            raise UsageProblem(f"{place} is not a Python file", _remedy([place]))
        return [place]
    files = sorted(_walked(place, ".py"))
    if not files:
        notebooks = sorted(_walked(place, NOTEBOOK))
        raise UsageProblem(f"no Python files in {place}", _remedy(notebooks))
    return files


def _remedy(notebooks: Sequence[Path]) -> str:
    """The command that turns a notebook into a Python file."""
    for notebook in notebooks:
        if notebook.suffix == NOTEBOOK:
            return f"first run: {CONVERT} {shlex.quote(str(notebook))}"
    return "name a .py file, or a folder with such files"


def _walked(folder: Path, suffix: str) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir():
            hidden = path.name.startswith(".") or path.name in _OTHER_FOLDERS or path.is_symlink()
            if not hidden and not (path / "pyvenv.cfg").is_file():
                yield from _walked(path, suffix)
        elif path.suffix == suffix:
            yield path


def notebooks(place: Path) -> list[Path]:
    """The notebooks of a folder, which nothing reads."""
    return sorted(_walked(place, NOTEBOOK)) if place.is_dir() else []


def uses(file: Path, functions: Collection[str]) -> list[Use] | Unreadable:
    """The uses in one file, in the order of its lines; what it is if it cannot be read.

    `functions` are the names that a star import brings.
    """
    try:
        content = read_bounded(file, MOST_SOURCE, "split it")
        tree = ast.parse(content)
        text = content.decode("utf-8", "replace")
    except SyntaxError as error:
        return Unreadable(file, error.lineno or 1, f"not Python 3: {error.msg}")
    except OSError as error:
        return Unreadable(file, 1, error.strerror or str(error))
    except (ValueError, RecursionError, MemoryError) as error:
        return Unreadable(file, 1, f"not Python source: {error}")
    if not any(word in text for word in _WORDS):
        return []
    bindings = Bindings(functions)
    bindings.add_attributes(tree)
    visitor = _Visitor(file, text.splitlines(), bindings)
    visitor.visit(tree)
    visitor.add_statements(tree)
    return sorted(visitor.uses, key=lambda use: (use.line, use.column))


class _Visitor(ast.NodeVisitor):
    """Lists the mentions of the backend and of its functions."""

    def __init__(self, file: Path, lines: list[str], bindings: Bindings) -> None:
        self._file, self._lines, self._bindings = file, lines, bindings
        self._within = ""
        self._in_class = False
        self._functions: dict[int, str] = {}
        """The id of an expression to the function of K that it calls or names."""
        self._definitions: set[int] = set()
        """The ids of the expressions that give K a name."""
        self.uses: list[Use] = []

    def visit_Import(self, node: ast.Import) -> None:
        """`import keras`, `import keras.backend as K`."""
        self._bindings.add_import(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """`from keras import backend as K`, `from keras.backend import sum as s`."""
        self._bindings.add_import_from(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        """`K = keras.backend`, and other assignments."""
        self._visit_assignment(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """`K: Any = keras.backend`."""
        self._visit_assignment(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        """`(K := keras.backend)`."""
        self._visit_assignment(node)

    def _visit_assignment(self, node: ast.AST) -> None:
        for target, value in assignments(node):
            if self._bindings.add_assignment(target, value) in BACKENDS:
                self._definitions.add(id(value))
        self.generic_visit(node)

    def visit(self, node: ast.AST) -> None:
        """Visit a node, unless it is the K of `K = keras.backend`."""
        if id(node) not in self._definitions:
            super().visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A class, whose functions are methods."""
        outer, self._in_class = self._in_class, True
        self.generic_visit(node)
        self._in_class = outer

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """A function, or a method."""
        self._visit_body(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        """A coroutine."""
        self._visit_body(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """A function without a name."""
        self._visit_body(node)

    def _visit_body(self, node: Function) -> None:
        outer, in_class = self._within, self._in_class
        defaults = [default for _, default in parameters(node) if default is not None]
        self._definitions |= {id(d) for d in defaults if self._bindings.module(d) in BACKENDS}
        self._within = outer or ("method" if in_class else "function")
        self._in_class = False
        with self._bindings.inside(node):
            self.generic_visit(node)
        self._within, self._in_class = outer, in_class

    def visit_Call(self, node: ast.Call) -> None:
        """A call of a function of K, or with K as an argument, and what stands in its arguments."""
        name = self._bindings.function(node.func)
        modules = [part for part in node.args if self._bindings.module(part) in BACKENDS]
        if name is not None:
            self._add(node, name, node)
        elif self._bindings.module(node) in BACKENDS or modules:
            self._add_module(node)
        else:
            self.visit(node.func)
        for part in (*node.args, *node.keywords):
            if part not in modules:
                self.visit(part)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """A mention of a function of K."""
        name = self._bindings.function(node)
        if name is not None:
            self._add(node, name, None)
        elif self._bindings.module(node) not in BACKENDS:
            self.generic_visit(node)
        elif isinstance(node.ctx, ast.Load):
            self._add_module(node)

    def visit_Name(self, node: ast.Name) -> None:
        """A mention of a function that was imported by name, or of K."""
        if not isinstance(node.ctx, ast.Load):
            return
        name = self._bindings.function(node)
        if name is not None:
            self._add(node, name, None)
        elif self._bindings.module(node) in BACKENDS:
            self._add_module(node)

    def add_statements(self, tree: ast.AST) -> None:
        """Add augmented assignments of tensors, and calls without their seed generator."""
        for assignment in in_place(tree, self._functions):
            use = replace(
                self._use(assignment.node, ""), kind=Kind.ASSIGNMENT, says=assignment.says
            )
            self.uses.append(replace(use, replacement=assignment.new, is_safe=assignment.is_safe))
        for call, generator in without_generator(tree):
            use = replace(self._use(call, ""), kind=Kind.GENERATOR, says=(needs(generator),))
            self.uses.append(use)

    def _add(self, node: ast.expr, name: str, call: ast.Call | None) -> None:
        self._functions[id(node)] = name
        self.uses.append(replace(self._use(node, name), call=call))

    def _add_module(self, node: ast.expr) -> None:
        self.uses.append(replace(self._use(node, ""), kind=Kind.MODULE, says=(NOT_TRANSLATED,)))

    def _use(self, node: ast.expr | ast.stmt, name: str) -> Use:
        text = " ".join(ast.unparse(node).split())
        end_line = node.end_lineno or node.lineno
        end = self._column(end_line, node.end_col_offset or node.col_offset)
        start = self._column(node.lineno, node.col_offset)
        place = (self._file, node.lineno, start, end_line, end)
        return Use(*place, name, text, within=self._within)

    def _column(self, line: int, offset: int) -> int:
        """The column in characters of an offset in bytes."""
        source = self._lines[line - 1] if line <= len(self._lines) else ""
        return len(source.encode()[:offset].decode(errors="replace")) + 1
