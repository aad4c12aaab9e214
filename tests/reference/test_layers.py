"""The symbolic layer knows no library that computes, nor the functions that are built on it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import conformance.reference as K  # noqa: N812
from conformance.reference import configuration, keras_support
from conformance.reference.symbolic.backend import SymbolicBackend
from conformance.reference.symbolic.graph import Placeholder, constant_of

PACKAGE = Path(K.__file__).parent
NAME = "conformance.reference"
LIBRARIES = ("numpy", "scipy", "torch")

SYMBOLIC = sorted((PACKAGE / "symbolic").rglob("*.py"))
THEMES = sorted(path for path in PACKAGE.glob("*.py") if path.stem != "__init__")
COMPUTING = sorted((PACKAGE / "numpy_library").glob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)
            yield from (f"{node.module}.{name.name}" for name in node.names)


def rooms(path: Path) -> set[str]:
    """The rooms, or the modules at the top, that a file of the package imports from."""
    inside = (name.split(".") for name in imported(path) if name.startswith(f"{NAME}."))
    return {parts[2] for parts in inside}


def named(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("path", [*SYMBOLIC, *THEMES], ids=named)
def test_only_the_numpy_library_imports_a_library_that_computes(path: Path) -> None:
    assert not {name for name in imported(path) if name.split(".")[0] in LIBRARIES}
    assert "numpy_library" not in rooms(path)


@pytest.mark.parametrize("path", SYMBOLIC, ids=named)
def test_the_symbolic_layer_imports_nothing_but_itself(path: Path) -> None:
    assert rooms(path) <= {"symbolic"}


@pytest.mark.parametrize("path", COMPUTING, ids=named)
def test_the_numpy_library_knows_no_documented_function(path: Path) -> None:
    assert rooms(path) <= {"symbolic", "numpy_library"}


def test_there_are_all_kinds_of_modules() -> None:
    symbolic, themes, computing = (
        {named(path) for path in paths} for paths in (SYMBOLIC, THEMES, COMPUTING)
    )
    assert {"symbolic/graph.py", "symbolic/rules.py", "symbolic/shapes/windows.py"} <= symbolic
    assert {"activations.py", "variables.py", "control_flow.py"} <= themes
    assert "numpy" in set(imported(PACKAGE / "numpy_library" / "kernels.py"))
    assert "numpy_library/kernels.py" in computing
    assert rooms(PACKAGE / "numpy_library" / "kernels.py") == set()
    assert "symbolic" in rooms(PACKAGE / "variables.py")


class Numbers:
    """A set of operations on Python's numbers: every tensor is a scalar."""

    KERNELS: Mapping[str, Callable[..., Any]] = {
        "add": operator.add,
        "multiply": operator.mul,
        "negative": operator.neg,
        "exp": lambda x: 2.0**x,
        "fill_like": lambda _, value, dtype: value,
    }

    differentiates = False

    def distinct_nodes(self, nodes: Any) -> Any:
        del nodes
        return frozenset()

    def scheduled(self, nodes: Any, steps: Any, *, inner: bool) -> Any:
        del nodes, inner
        return steps

    def kernel(self, operation: str, attributes: Mapping[str, Any]) -> Callable[..., Any]:
        return lambda *values: self.KERNELS[operation](*values, **attributes)

    def shape(self, value: Any) -> tuple[int, ...]:
        del value
        return ()

    def accept(self, value: Any, dtype: str) -> Any:
        del dtype
        return value

    def export(self, value: Any) -> Any:
        return value

    def computing(self) -> Any:
        return nullcontext()


def test_another_set_of_operations() -> None:
    backend = SymbolicBackend("numbers", Numbers(), configuration.settings_from_file())  # type: ignore[arg-type]
    x = backend.call(Placeholder, (), "float64")
    y = -x * backend.call(constant_of, 3, "float64") + x * x
    offered = SimpleNamespace(**keras_support.exported(backend))
    assert offered.function([x], [y, *offered.gradients(y, [x])])([5]) == [10, 7]
    assert offered.function([x], [offered.exp(x)])([3]) == [8]
