"""From an expression in Python source to a program. Nothing of the source is ever evaluated.

`program_of` reads

* calls of documented functions: `K.sum(x)`, `keras.ops.sum(x)`;
* numbers, texts, tuples and lists;
* arithmetic of tensors, and parts of results: `x[0]`;
* callables: `lambda x: K.exp(x)`;
* lines that give a result a name before the last line: `x = K.ones((2,))`.

For anything else, `ExpressionError` names line and column and lists the allowed expressions.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from conformance.near_names import did_you_mean
from conformance.program.marks import OPERATOR
from conformance.program.model import Argument, Function, Program, Ref, Step

RESULT = "result"
"""The name of the result of the last call."""
BACKENDS = ("K", "backend", "keras.backend")
"""The prefixes of a function's name."""
SHORT = {"ops": "keras.ops", "random": "keras.random"}
"""How a package may be called."""
ALLOWED = (
    "write K.NAME(...) or keras.ops.NAME(...) with a documented function, numbers, "
    "texts, True, False, None, tuples and lists of them, + - * / **, x[0], lambda x: ..., and "
    "np.nan, np.inf, np.pi"
)
_LONGEST = 63
"""Bits of an integer."""
_NUMBERS = {"nan": math.nan, "inf": math.inf, "pi": math.pi, "e": math.e}
_MODULES = ("np", "numpy", "math")
_ARITHMETIC: Mapping[type[ast.operator], tuple[str, Callable[[Any, Any], Any] | None]] = {
    ast.Add: ("add", operator.add),
    ast.Sub: ("sub", operator.sub),
    ast.Mult: ("mul", operator.mul),
    ast.Div: ("truediv", operator.truediv),
    ast.Pow: ("pow", None),  # a power of numbers may take for ever
}


class ExpressionError(ValueError):
    """The source is not a program; `line` and `column` count from 1, `hint` is the remedy."""

    def __init__(self, problem: str, hint: str, line: int = 1, column: int = 1) -> None:
        super().__init__(problem)
        self.hint = hint
        self.line = line
        self.column = column


def program_of(source: str, functions: Collection[str]) -> Program:
    """The program of the source, which has one output.

    `functions` are the names that calls may have.

    Raises:
        ExpressionError: the source is not such an expression.
    """
    try:
        statements = ast.parse(source.strip()).body
        return _Reader(source.strip(), functions).program(statements)
    except SyntaxError as error:
        problem = f"this is not an expression: {error.msg}"
        raise ExpressionError(problem, ALLOWED, error.lineno or 1, error.offset or 1) from error
    except (RecursionError, MemoryError) as error:
        raise ExpressionError("this is nested too deep", "give parts of it names") from error
    except ExpressionError:
        raise
    except ValueError as error:  # a NUL, or an integer of thousands of digits
        raise ExpressionError(f"this is not an expression: {error}", ALLOWED) from error


class _Reader:
    """Reads one source; steps are collected in the order in which Python would call."""

    def __init__(self, source: str, functions: Collection[str]) -> None:
        self._lines = source.splitlines()
        self._functions = functions
        self._names: dict[str, Argument] = {}
        self._steps: list[Step] = []
        self._count = 0

    def program(self, statements: list[ast.stmt]) -> Program:
        """The program of these lines."""
        if not statements:
            raise ExpressionError("there is nothing to try", ALLOWED)
        *before, last = statements
        for statement in before:
            self._assign(statement)
        if not isinstance(last, ast.Expr):
            raise self._refused(last, "the last line gives no result", "end with an expression")
        value = self._argument(last.value)
        if not isinstance(value, Ref):
            raise self._refused(last, "no function is called", ALLOWED)
        *earlier, final = self._steps
        if final.result != value.name:  # an earlier line's
            return Program((), tuple(self._steps), (value.name,))
        return Program((), (*earlier, replace(final, result=RESULT)), (RESULT,))

    def _assign(self, statement: ast.stmt) -> None:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            raise self._refused(
                statement, "only the last line may be an expression", "write x = ..."
            )
        (target,) = statement.targets
        if not isinstance(target, ast.Name):
            raise self._refused(target, "a result gets one name", "write x = ...")
        self._names[target.id] = self._argument(statement.value)

    def _argument(self, node: ast.expr) -> Argument:
        read = _READERS.get(type(node))
        if read is None:
            raise self._misplaced(node)
        argument: Argument = read(self, node)
        return argument

    def _constant(self, node: ast.Constant) -> Argument:
        value = node.value
        if isinstance(value, int) and value.bit_length() > _LONGEST:
            raise self._refused(node, f"an integer of more than {_LONGEST} bits", "write a float")
        if value is None or isinstance(value, bool | int | float | str):
            return value
        raise self._misplaced(node)

    def _tuple(self, node: ast.Tuple) -> Argument:
        return tuple(self._argument(item) for item in node.elts)

    def _list(self, node: ast.List) -> Argument:
        return [self._argument(item) for item in node.elts]

    def _name(self, node: ast.Name) -> Argument:
        if node.id not in self._names:
            near = did_you_mean(node.id, self._names)
            raise self._refused(node, f"nothing is called {node.id}", near or ALLOWED)
        return self._names[node.id]

    def _attribute(self, node: ast.Attribute) -> Argument:
        module = ast.unparse(node.value)
        if module in _MODULES and node.attr in _NUMBERS:
            return _NUMBERS[node.attr]
        raise self._misplaced(node)

    def _unary(self, node: ast.UnaryOp) -> Argument:
        value = self._argument(node.operand)
        if isinstance(node.op, ast.USub | ast.UAdd):
            negative = isinstance(node.op, ast.USub)
            if isinstance(value, int | float) and _is_number(value):
                return -value if negative else value
            if isinstance(value, Ref):
                return self._step("operator.neg", (value,)) if negative else value
        raise self._misplaced(node)

    def _binary(self, node: ast.BinOp) -> Argument:
        name, compute = _ARITHMETIC.get(type(node.op), ("", None))
        left, right = self._argument(node.left), self._argument(node.right)
        if name and (isinstance(left, Ref) or isinstance(right, Ref)):
            return self._step(OPERATOR + name, (left, right))
        if compute is None or not (_is_number(left) and _is_number(right)):
            raise self._refused(
                node, f"{_words(node)} cannot stand here", "write the number itself"
            )
        try:
            return compute(left, right)  # type: ignore[no-any-return]
        except ArithmeticError as error:
            raise self._refused(node, str(error), "write the number itself") from error

    def _subscript(self, node: ast.Subscript) -> Argument:
        value, place = self._argument(node.value), self._argument(node.slice)
        if not isinstance(value, Ref) or not _is_place(place):
            raise self._misplaced(node, "write x[0] or x[0, 1]")
        return self._step("operator.getitem", (value, place))

    def _lambda(self, node: ast.Lambda) -> Argument:
        arguments = node.args
        if (
            arguments.defaults
            or arguments.kwonlyargs
            or arguments.posonlyargs
            or arguments.vararg
            or arguments.kwarg
        ):
            raise self._refused(node, "a callable has plain parameters", "write lambda x, y: ...")
        parameters = {a.arg: self._new("p") for a in arguments.args}
        outer = (self._names, self._steps)
        self._names = {**self._names, **{name: Ref(own) for name, own in parameters.items()}}
        self._steps = []
        try:
            returns = self._argument(node.body)
            steps = tuple(self._steps)
            return Function(self._new("f"), tuple(parameters.values()), steps, returns)
        finally:
            self._names, self._steps = outer

    def _call(self, node: ast.Call) -> Argument:
        if ast.unparse(node.func) == "float":
            return self._float(node)
        name = self._function(node.func)
        args = tuple(self._argument(item) for item in node.args)
        kwargs = [(keyword.arg, self._argument(keyword.value)) for keyword in node.keywords]
        if any(key is None for key, _ in kwargs):
            raise self._refused(node, "** cannot stand here", "write the arguments one by one")
        return self._step(name, args, tuple((str(key), value) for key, value in kwargs))

    def _float(self, node: ast.Call) -> float:
        texts = [a.value for a in node.args if isinstance(a, ast.Constant)]
        if len(texts) == len(node.args) == 1 and texts[0] in ("nan", "inf", "-inf"):
            return float(texts[0])
        raise self._refused(
            node, f"{_words(node)} cannot stand here", "write float('nan') or a number"
        )

    def _function(self, node: ast.expr) -> str:
        prefix, _, name = ast.unparse(node).rpartition(".")
        package = SHORT.get(prefix, prefix)
        if package in SHORT.values():
            name = f"{package}.{name}"
        elif prefix and prefix not in BACKENDS:
            raise self._refused(node, f"{ast.unparse(node)} is not a function of K", ALLOWED)
        if name not in self._functions:
            near = did_you_mean(name, self._functions)
            hint = near or "`conformance list` has all documented functions"
            raise self._refused(node, f"no document has a function {name}", hint)
        return name

    def _step(
        self,
        function: str,
        args: tuple[Argument, ...],
        kwargs: tuple[tuple[str, Argument], ...] = (),
    ) -> Ref:
        step = Step(self._new("t"), function, args, kwargs)
        self._steps.append(step)
        return Ref(step.result)

    def _new(self, letter: str) -> str:
        """A name that nothing has: those of the source are not names of the program."""
        self._count += 1
        return f"{letter}{self._count}"

    def _misplaced(self, node: ast.expr, hint: str = ALLOWED) -> ExpressionError:
        return self._refused(node, f"{_words(node)} cannot stand here", hint)

    def _refused(self, node: ast.expr | ast.stmt, problem: str, hint: str) -> ExpressionError:
        line = self._lines[node.lineno - 1].encode()
        column = len(line[: node.col_offset].decode(errors="replace"))
        return ExpressionError(problem, hint, node.lineno, column + 1)


_READERS: Mapping[type[ast.expr], Callable[[_Reader, Any], Argument]] = {
    ast.Constant: _Reader._constant,
    ast.Tuple: _Reader._tuple,
    ast.List: _Reader._list,
    ast.Name: _Reader._name,
    ast.Attribute: _Reader._attribute,
    ast.UnaryOp: _Reader._unary,
    ast.BinOp: _Reader._binary,
    ast.Subscript: _Reader._subscript,
    ast.Lambda: _Reader._lambda,
    ast.Call: _Reader._call,
}


def _is_number(value: Argument) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_place(value: Argument) -> bool:
    places = value if isinstance(value, tuple) else (value,)
    return all(isinstance(place, int) and not isinstance(place, bool) for place in places)


def _words(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 40 else f"{text[:37]}..."
