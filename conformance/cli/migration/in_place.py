"""Augmented assignments of tensors, such as `e /= K.sum(e)`.

In old code they made a new tensor. On NumPy and torch they change the array in place, also under
its other names, and torch then may refuse the gradient.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.cli.migration.bindings import Function, assignments, own_nodes, parameters

Functions = Mapping[int, str]
"""The function of K that an expression calls or names, by the id of the expression."""
_NO_TENSORS = frozenset(
    {
        *("backend", "batch_get_value", "dtype", "eval", "floatx", "get_uid", "get_value"),
        *("image_data_format", "image_dim_ordering", "int_shape", "is_sparse", "ndim", "shape"),
    }
)
"""The functions of K that return no tensors on NumPy and torch, or returned arrays before."""
_FACTS = frozenset({"dtype", "name", "ndim", "shape"})
"""The attributes of a tensor that are numbers, texts or dtypes."""
_LISTS = (ast.List, ast.ListComp, ast.Tuple, ast.JoinedStr, ast.Set, ast.Dict)


@dataclass(frozen=True, slots=True)
class InPlace:
    """An augmented assignment that may change an array in place."""

    node: ast.AugAssign
    certain: bool
    """Whether a function of K made its value; otherwise it is a parameter that may be a tensor."""

    @property
    def new(self) -> str:
        """The assignment that makes a new tensor."""
        node = self.node
        old = ast.unparse(node.target)
        value = ast.BinOp(ast.parse(old, mode="eval").body, node.op, node.value)
        return f"{old} = {' '.join(ast.unparse(value).split())}"

    @property
    def says(self) -> tuple[str, ...]:
        """The differences, in words."""
        operator = ast.unparse(ast.AugAssign(ast.Name("x"), self.node.op, ast.Name("y")))[2:-2]
        may = "changes" if self.certain else "may change"
        return (
            f"on keras3-numpy: {operator} {may} the array in place, also under its other names",
            f"on keras3-torch: {operator} {may} the tensor in place; its gradient may fail",
        )

    @property
    def is_safe(self) -> bool:
        """Whether --write may change it: it assigns a name, and its value is a tensor."""
        return self.certain and isinstance(self.node.target, ast.Name)


def in_place(tree: ast.AST, functions: Functions) -> Iterator[InPlace]:
    """The augmented assignments of tensors in a file."""
    scopes = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for scope in ast.walk(tree) if functions else ():
        if isinstance(scope, scopes):
            yield from _Scope(list(own_nodes(scope)), functions).in_place(_tensors(scope))


def _tensors(scope: ast.AST) -> frozenset[str]:
    """The parameters of a function: they may be tensors."""
    return (
        frozenset(n for n, _ in parameters(scope)) if isinstance(scope, Function) else frozenset()
    )


@dataclass(slots=True)
class _Scope:
    """The nodes of a function, and the names of its tensors and lists, as far as it was read."""

    nodes: Sequence[ast.AST]
    functions: Functions
    tensors: set[str] = field(default_factory=set)
    lists: set[str] = field(default_factory=set)

    def in_place(self, names: frozenset[str]) -> Iterator[InPlace]:
        """The augmented assignments of tensors; `names` are those of the parameters."""
        operands = names & self._operands()
        for node in self.nodes:
            for target, value in assignments(node):
                self._assign(target, value)
            if isinstance(node, ast.For) and self._is_tensor(node.iter):
                self.tensors |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
            if isinstance(node, ast.AugAssign) and not self._is_list(node):
                certain = self._is_tensor(node.value) or self._is_tensor(node.target)
                if certain or getattr(node.target, "id", None) in operands:
                    yield InPlace(node, certain)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name) and isinstance(value, _LISTS):
            self.lists.add(target.id)
        elif isinstance(target, ast.Name) and self._is_tensor(value):
            self.tensors.add(target.id)

    def _is_list(self, node: ast.AugAssign) -> bool:
        """Whether it makes a list longer."""
        target = node.target
        known = isinstance(target, ast.Name) and target.id in self.lists - self.tensors
        return known or isinstance(node.value, _LISTS)

    def _is_tensor(self, node: ast.AST) -> bool:
        """Whether the value of an expression depends on a tensor that a function of K made."""
        if isinstance(node, ast.Name):
            return node.id in self.tensors or id(node) in self.functions
        if isinstance(node, ast.Attribute) and node.attr in _FACTS:
            return False
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("len", "isinstance", "str"):
            return False
        if (function := self.functions.get(id(node))) is not None:
            return function not in _NO_TENSORS
        return any(map(self._is_tensor, ast.iter_child_nodes(node)))

    def _operands(self) -> set[str]:
        """The names in the first arguments of the functions of K."""
        calls = [n for n in self.nodes if isinstance(n, ast.Call) and id(n) in self.functions]
        first = [argument for call in calls for argument in call.args[:1]]
        return {n.id for node in first for n in ast.walk(node) if isinstance(n, ast.Name)}
