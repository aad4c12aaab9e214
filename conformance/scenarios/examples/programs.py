"""The lines of the documents' examples as programs.

An example may have

* assignments to a name;
* calls of `K.NAME`, of `keras.layers.NAME` and of the program's own results;
* `np.array`, `np.zeros` and `np.random.random` of literals;
* literals, tuples and lists of them, `+`, `-`, `*`, `/` and `==`.

Anything else is an error: the suite ignores no line silently.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import singledispatchmethod
from typing import Any, NoReturn

import numpy as np

from conformance.program import Ref
from conformance.scenarios.model import Array
from conformance.scenarios.recorder import Recorder, Result
from conformance.specs.examples import FILE
from conformance.specs.parsing import tree
from conformance.specs.source import SpecError

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.Eq: "eq",
}
_GRAIN = 1024
"""Random numbers are multiples of 1 / 1024: every float dtype has them."""


class ExampleError(SpecError):
    """A line of code that cannot be made into a program: `FILE:LINE: what, and what to write`."""


class ExampleProgram:
    """Records lines of code, each with its line in the file."""

    def __init__(self, K: Recorder) -> None:
        self.K = K
        self._values: dict[str, Any] = {}
        self._random = np.random.default_rng(0)
        self._code, self._line = "", 0
        self._attempted: ast.expr | None = None
        """The call that may raise."""

    def run(self, code: str, line: int) -> None:
        """Add an assignment or a call."""
        statement = self._parsed(code, line)
        if isinstance(statement, ast.Expr):
            self._value(statement.value)
            return
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            self._refuse("no assignment and no call", "one name = one expression")
        (target,) = statement.targets
        if not isinstance(target, ast.Name):
            self._refuse("an assignment to several names or to a part", "one name")
        value = self._value(statement.value)
        if isinstance(statement.value, ast.Call | ast.BinOp | ast.Compare):
            value = value.named(self._free(target.id))
        self._values[target.id] = value

    def observed(self, code: str, line: int) -> str:
        """Add an expression; the name of its result."""
        return self._shown(self._expression(code, line)).name

    def attempted(self, code: str, line: int) -> str:
        """Add a call that may raise; the name of "returns" or "raises ..."."""
        expression = self._expression(code, line)
        self._attempted = expression
        result = self._shown(expression)
        if not self.K.steps or not self.K.steps[-1].attempt:
            self._refuse("no call", "a call that raises")
        return result.name

    def asked(self, function: str, name: str) -> str:
        """Add a call of a function of K with the value named `name`; the name of its answer."""
        return self._step(function, (Ref(name),), {}).name

    def array(self, name: str) -> Array:
        """The array that a name stands for; ExampleError if it is none."""
        value = self._values.get(name)
        if not isinstance(value, Result) or value.name not in self.K.arrays:
            self._refuse(f"{name} is no array", f"{name} = np.array(...)")
        return self.K.arrays[value.name]

    def _parsed(self, code: str, line: int) -> ast.stmt:
        self._code, self._line = code, line
        try:
            statements = tree(code).body
        except SyntaxError as error:
            self._refuse(f"no Python ({error.msg})", "one statement")
        if len(statements) != 1:
            self._refuse(f"{len(statements)} statements", "one statement on each line")
        return statements[0]

    def _expression(self, code: str, line: int) -> ast.expr:
        statement = self._parsed(code, line)
        if not isinstance(statement, ast.Expr):
            self._refuse("no expression", "an expression")
        return statement.value

    def _shown(self, expression: ast.expr) -> Result:
        value = self._value(expression)
        if not isinstance(value, Result):
            self._refuse("a literal", "an expression with a call")
        return value

    @singledispatchmethod
    def _value(self, node: ast.expr) -> Any:
        """The argument that an expression stands for."""
        self._refuse(f"the expression {ast.unparse(node)!r}", "calls of functions of K")

    @_value.register
    def _(self, node: ast.Name) -> Any:
        if node.id not in self._values:
            self._refuse(f"{node.id} is not defined", f"{node.id} = ... on a line before")
        return self._values[node.id]

    @_value.register
    def _(self, node: ast.Tuple) -> Any:
        return tuple(self._value(part) for part in node.elts)

    @_value.register
    def _(self, node: ast.List) -> Any:
        return [self._value(part) for part in node.elts]

    @_value.register(ast.Constant)
    @_value.register(ast.UnaryOp)
    def _(self, node: ast.expr) -> Any:
        literal = self._literal(node)
        if not isinstance(literal, int | float | str | None):
            self._refuse(f"a {type(literal).__name__}", "a number, a text, True, False or None")
        return literal

    @_value.register
    def _(self, node: ast.BinOp) -> Any:
        return self._operation(node.op, node.left, node.right)

    @_value.register
    def _(self, node: ast.Compare) -> Any:
        if len(node.ops) > 1:
            self._refuse("several comparisons", "one")
        return self._operation(node.ops[0], node.left, node.comparators[0])

    @_value.register
    def _(self, node: ast.Call) -> Any:
        path = _path(node.func)
        if path in _NUMPY:
            return self._made_by_numpy(path, node)
        args, kwargs = self._arguments(node)
        package, _, function = path.rpartition(".")
        attempt = node is self._attempted
        if package in ("K", "keras.layers"):
            name = function if package == "K" else path
            return self._step(name, args, kwargs, attempt=attempt)
        if package:
            self._refuse(f"a call of {path}", "a function of K, or an array of NumPy")
        args = (self._value(node.func), *args)
        return self._step("operator.call", args, kwargs, attempt=attempt)

    def _literal(self, node: ast.expr) -> Any:
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError):
            self._refuse("an argument that is no literal", "numbers, texts, tuples or lists")

    def _operation(self, operator: ast.AST, left: ast.expr, right: ast.expr) -> Result:
        if type(operator) not in _OPERATORS:
            self._refuse(f"the operator {type(operator).__name__}", "a function of K")
        function = f"operator.{_OPERATORS[type(operator)]}"
        return self._step(function, (self._value(left), self._value(right)), {})

    def _arguments(self, node: ast.Call) -> tuple[tuple[Any, ...], dict[str, Any]]:
        args = tuple(self._value(a) for a in node.args)
        named = [(k.arg, self._value(k.value)) for k in node.keywords]
        if any(key is None for key, _ in named):
            self._refuse("unpacked keyword arguments", "each by its name")
        return args, {str(key): value for key, value in named}

    def _made_by_numpy(self, path: str, node: ast.Call) -> Result:
        args = [self._literal(a) for a in node.args]
        kwargs = {str(k.arg): self._literal(k.value) for k in node.keywords}
        try:
            array = _NUMPY[path](self._random, *args, **kwargs)
        except (TypeError, ValueError) as error:
            self._refuse(f"NumPy says: {error}", "what makes an array")
        return self.K.array(self._free("array"), array)

    def _step(
        self,
        function: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        attempt: bool = False,
    ) -> Result:
        name = self._free(f"{function.rpartition('.')[2]}_result")
        return self.K.step(function, args, kwargs, attempt=attempt).named(name)

    def _free(self, name: str) -> str:
        """The name, with a number if it is taken: programs never assign twice."""
        taken = {*self.K.arrays, *(step.result for step in self.K.steps)}
        numbered = (f"{name}_{n}" for n in range(2, len(taken) + 3))
        return name if name not in taken else next(n for n in numbered if n not in taken)

    def _refuse(self, what: str, instead: str) -> NoReturn:
        raise ExampleError(f"{FILE}:{self._line}: {what} in `{self._code}`; write {instead}")


def _path(function: ast.expr) -> str:
    """`K.placeholder` for a function by its names, one name for a value; empty for a call."""
    if isinstance(function, ast.Name):
        return function.id
    if isinstance(function, ast.Attribute):
        before = _path(function.value)
        return f"{before}.{function.attr}" if before else f"?.{function.attr}"
    return ""


def _array(_: np.random.Generator, value: Any, dtype: str | None = None) -> Array:
    array = np.array(value, dtype)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"an array of {array.dtype} holds no numbers")
    return array


def _zeros(_: np.random.Generator, shape: Any) -> Array:
    return np.zeros(shape)


def _uniform(generator: np.random.Generator, shape: Any) -> Array:
    return np.asarray(generator.integers(0, _GRAIN, shape) / _GRAIN)


_NUMPY: dict[str, Callable[..., Array]] = {
    "np.array": _array,
    "np.zeros": _zeros,
    "np.random.random": _uniform,
}
