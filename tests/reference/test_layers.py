"""The symbolic layer knows no library that computes: it takes a set of operations."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import conformance.reference as K  # noqa: N812
from conformance.reference import operations
from conformance.reference.graph import Placeholder, constant_of

PACKAGE = Path(K.__file__).parent
COMPUTING = {"coordinates", *(path.stem for path in PACKAGE.glob("ops_*.py"))}
"""Modules of the set of operations on NumPy arrays."""
ROOT = "__init__"
"""The one that chooses the set."""


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)
            yield from (f"{node.module}.{name.name}" for name in node.names)


SYMBOLIC = sorted(p.stem for p in PACKAGE.glob("*.py") if p.stem not in {*COMPUTING, ROOT})


@pytest.mark.parametrize("module", SYMBOLIC)
def test_symbolic_modules_import_no_array_library(module: str) -> None:
    found = set(imported(PACKAGE / f"{module}.py"))
    assert not {name for name in found if name.split(".")[0] in ("numpy", "scipy", "torch")}
    assert not {name for name in found if name.rpartition(".")[2] in COMPUTING}


def test_there_are_both_kinds_of_modules() -> None:
    assert {"graph", "rules", "gradients", "functions", "loops", "recurrent"} <= {*SYMBOLIC}
    assert "numpy" in set(imported(PACKAGE / "ops_numpy.py"))


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

    def apart(self, nodes: Any) -> Any:
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


def test_another_set_of_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations._Current, "operations", Numbers())
    x = Placeholder((), "float64")
    y = -x * constant_of(3, "float64") + x * x
    assert K.function([x], [y, *K.gradients(y, [x])])([5]) == [10, 7]
    assert K.function([x], [K.exp(x)])([3]) == [8]
