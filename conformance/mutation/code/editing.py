"""The operators: from a node of the syntax tree to edits of the text, each one small change."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from conformance.mutation.code.siblings import (
    ARITHMETIC,
    CALLS,
    CHECKS,
    COMPARISON,
    NEGATED,
    TEXTS,
)
from conformance.mutation.code.text import Edit, SourceText

OPERATOR_NAMES = {
    "arithmetic": "an arithmetic operator exchanged for another, a sign dropped",
    "comparison": "a comparison exchanged for its negation or its neighbour",
    "boolean": "`and` for `or`, `or` for `and`, a `not` dropped",
    "constant": "0 for 1, n + 1, True for False, None for 0, a text such as 'same' for its sibling",
    "default": "the same in the default of a parameter",
    "arguments exchanged": "two neighbouring positional arguments of a call",
    "argument dropped": "a keyword argument of a call, or its last positional one",
    "statement dropped": "a call, an assignment, a raise or an early return",
    "branch inverted": "the condition of an if or of a conditional expression",
    "call swapped": "a function of a library for its sibling: sum for mean, max for min",
    "axes transposed": "two neighbouring whole numbers of a tuple or a list",
}
"""Every operator, and what it changes."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an operator knows besides the node."""

    text: SourceText
    defaults: frozenset[int] = frozenset()
    """The nodes (`id`) that stand in defaults of parameters."""
    compared: frozenset[int] = frozenset()
    """Those that an identity (`is`) compares with, and the operands of a minus."""
    rebound: frozenset[str] = frozenset()
    """Names that are bound without the assignment, too."""
    last: frozenset[int] = field(default_factory=frozenset)
    """The last statements of functions."""

    def replaced(self, operator: str, node: ast.AST, after: str) -> Edit:
        """The edit that puts `after` in the place of the node."""
        start, end = self.text.span(node)
        return Edit(operator=operator, start=start, end=end, after=after)


def edits(node: ast.AST, around: Surroundings) -> Iterator[Edit]:
    """All edits that operators make of this node, not of what is inside it."""
    for make in _MAKERS.get(type(node), ()):
        yield from make(node, around)


def _bracketed(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def _with(node: ast.AST, **fields: Any) -> Any:
    """A copy of the node with other fields."""
    made = copy.copy(node)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def _binary(node: ast.BinOp, around: Surroundings) -> Iterator[Edit]:
    if isinstance(node.op, ast.Add) and (_listed(node.left) or _listed(node.right)):
        exchanged = _with(node, left=node.right, right=node.left)
        yield around.replaced("arithmetic", node, _bracketed(exchanged))
    elif other := ARITHMETIC.get(type(node.op)):
        yield around.replaced("arithmetic", node, _bracketed(_with(node, op=other())))


def _listed(node: ast.expr) -> bool:
    """Whether it is a tuple, a list or a text, for which there is no minus."""
    repeated = isinstance(node, ast.BinOp) and (_listed(node.left) or _listed(node.right))
    text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    made = (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("list", "tuple", "str")
    )
    sliced = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    return isinstance(node, (ast.Tuple, ast.List, ast.ListComp)) or any(
        (repeated, text, made, sliced)
    )


def _augmented(node: ast.AugAssign, around: Surroundings) -> Iterator[Edit]:
    other = ARITHMETIC.get(type(node.op))
    if other is not None and not (isinstance(node.op, ast.Add) and _listed(node.value)):
        yield around.replaced("arithmetic", node, ast.unparse(_with(node, op=other())))
    yield around.replaced("statement dropped", node, "pass")


def _unary(node: ast.UnaryOp, around: Surroundings) -> Iterator[Edit]:
    if isinstance(node.op, ast.USub):
        yield around.replaced("arithmetic", node, _bracketed(node.operand))
    elif isinstance(node.op, ast.Not):
        yield around.replaced("boolean", node, _bracketed(node.operand))


def _compare(node: ast.Compare, around: Surroundings) -> Iterator[Edit]:
    for place, op in enumerate(node.ops):
        ops = [*node.ops[:place], COMPARISON[type(op)](), *node.ops[place + 1 :]]
        yield around.replaced("comparison", node, _bracketed(_with(node, ops=ops)))


def _boolean(node: ast.BoolOp, around: Surroundings) -> Iterator[Edit]:
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield around.replaced("boolean", node, _bracketed(_with(node, op=other)))


def _constant(node: ast.Constant, around: Surroundings) -> Iterator[Edit]:
    operator = "default" if id(node) in around.defaults else "constant"
    for value in _others(node.value, compared=id(node) in around.compared):
        yield around.replaced(operator, node, repr(value))


def _others(value: object, *, compared: bool) -> Iterator[object]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield from dict.fromkeys([type(value)(not value), value + 1])
    elif value is None and not compared:
        yield 0
    elif isinstance(value, str) and value in TEXTS:
        yield TEXTS[value]


def _call(node: ast.Call, around: Surroundings) -> Iterator[Edit]:
    yield from _exchanged(node, around)
    yield from _dropped(node, around)


def _exchanged(node: ast.Call, around: Surroundings) -> Iterator[Edit]:
    if _called(node) in CHECKS or any(isinstance(a, ast.Starred) for a in node.args):
        return
    for args in _swaps(node.args):
        yield around.replaced("arguments exchanged", node, ast.unparse(_with(node, args=args)))


def _swaps(items: Sequence[ast.expr]) -> Iterator[list[ast.expr]]:
    """The items with two neighbours exchanged that are not the same."""
    for place, (a, b) in enumerate(pairwise(items)):
        if ast.dump(a) != ast.dump(b):
            yield [*items[:place], b, a, *items[place + 2 :]]


def _called(node: ast.Call) -> str:
    """The last name of what is called."""
    func = node.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def _dropped(node: ast.Call, around: Surroundings) -> Iterator[Edit]:
    if _called(node) in CHECKS:
        return
    for gone in node.keywords:
        kept = [k for k in node.keywords if k is not gone]
        yield around.replaced("argument dropped", node, ast.unparse(_with(node, keywords=kept)))
    if len(node.args) > 1:
        fewer = _with(node, args=node.args[:-1])
        yield around.replaced("argument dropped", node, ast.unparse(fewer))


def _dropped_statement(node: ast.stmt, around: Surroundings) -> Iterator[Edit]:
    """Leave out what would only leave a name unbound, or end a function without its result."""
    if isinstance(node, ast.Assign) and not all(_bound(t, around) for t in node.targets):
        return
    if isinstance(node, ast.Return) and id(node) in around.last:
        return
    if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call):
        return
    yield around.replaced("statement dropped", node, "pass")


def _bound(target: ast.expr, around: Surroundings) -> bool:
    if isinstance(target, ast.Name):
        return target.id in around.rebound
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(_bound(item, around) for item in target.elts)
    return True


def _inverted(node: ast.If | ast.IfExp, around: Surroundings) -> Iterator[Edit]:
    """Leave out conditions whose negation is a comparison exchanged or a `not` dropped."""
    test = node.test
    negation = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    compared = isinstance(test, ast.Compare) and len(test.ops) == 1
    if not negation and not (compared and isinstance(test.ops[0], NEGATED)):  # type: ignore[attr-defined]
        yield around.replaced("branch inverted", test, f"(not ({ast.unparse(test)}))")


def _swapped(node: ast.Attribute, around: Surroundings) -> Iterator[Edit]:
    if other := CALLS.get(node.attr):
        yield around.replaced("call swapped", node, ast.unparse(_with(node, attr=other)))


def _transposed(node: ast.Tuple | ast.List, around: Surroundings) -> Iterator[Edit]:
    if all(_whole(item) for item in node.elts):
        for elts in _swaps(node.elts):
            after = ", ".join(map(ast.unparse, elts))
            brackets = "()" if isinstance(node, ast.Tuple) else "[]"
            yield around.replaced("axes transposed", node, after.join(brackets))


def _whole(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _whole(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) is int


_MAKERS: dict[type[ast.AST], Sequence[Callable[[Any, Surroundings], Iterator[Edit]]]] = {
    ast.BinOp: (_binary,),
    ast.AugAssign: (_augmented,),
    ast.UnaryOp: (_unary,),
    ast.Compare: (_compare,),
    ast.BoolOp: (_boolean,),
    ast.Constant: (_constant,),
    ast.Call: (_call,),
    ast.Assign: (_dropped_statement,),
    ast.Expr: (_dropped_statement,),
    ast.Raise: (_dropped_statement,),
    ast.Return: (_dropped_statement,),
    ast.If: (_inverted,),
    ast.IfExp: (_inverted,),
    ast.Attribute: (_swapped,),
    ast.Tuple: (_transposed,),
    ast.List: (_transposed,),
}
