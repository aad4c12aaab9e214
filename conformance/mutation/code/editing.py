"""The operators: from a node of the syntax tree to edits of the text, each one small change."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

SHOWN = 200
"""Characters of a changed part that one line of a report shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A part of a text, in bytes, and what takes its place."""

    operator: str
    start: int
    end: int
    after: str


@dataclass(slots=True)
class SourceText:
    """A module's source, with the places of its nodes in bytes."""

    source: bytes
    _starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        lengths = map(len, self.source.splitlines(keepends=True))
        self._starts = [0, *accumulate(lengths)]

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where the node begins and ends."""
        begin, end = getattr(node, "lineno"), getattr(node, "end_lineno")  # noqa: B009
        return (
            self._starts[begin - 1] + getattr(node, "col_offset"),  # noqa: B009
            self._starts[end - 1] + getattr(node, "end_col_offset"),  # noqa: B009
        )

    def line(self, place: int) -> int:
        """The line of a place, counted from 1."""
        return sum(start <= place for start in self._starts)

    def around(self, edit: Edit) -> tuple[str, str, str]:
        """The lines that the edit touches: what is before it, what it replaces, what is after."""
        first = self._starts[self.line(edit.start) - 1]
        last = self._starts[min(self.line(edit.end), len(self._starts) - 1)]
        parts = ((first, edit.start), (edit.start, edit.end), (edit.end, last))
        head, old, tail = (self.source[a:b].decode("utf-8") for a, b in parts)
        return head, old, tail

    def edited(self, edit: Edit) -> bytes:
        """The whole text with the edit made."""
        return self.source[: edit.start] + edit.after.encode("utf-8") + self.source[edit.end :]


def in_a_line(text: str, most: int = SHOWN) -> str:
    """The text with its line breaks and indents as single spaces, cut in the middle if long."""
    joined = " ".join(text.split())
    half = (most - 3) // 2
    return joined if len(joined) <= most else f"{joined[:half]} … {joined[-half:]}"


ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
COMPARISON: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
NEGATED = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
"""Comparisons whose exchange is the negation of the whole."""

_PAIRED_TEXTS = (
    ("same", "valid"),
    ("SAME", "VALID"),
    ("channels_first", "channels_last"),
    ("float32", "float64"),
    ("int32", "int64"),
    ("max", "avg"),
    ("nearest", "bilinear"),
    ("NHWC", "NCHW"),
    ("NWC", "NCW"),
    ("NDHWC", "NCDHW"),
    ("tf", "th"),
)
_OTHER_TEXTS = {
    "causal": "valid",
    "float16": "float32",
    "uint8": "int32",
    "bool": "int32",
    "half": "valid",
    "full": "valid",
    "sum": "max",
    "average_inc_pad": "average_exc_pad",
    "average_exc_pad": "average_inc_pad",
}
TEXTS: dict[str, str] = {
    **{a: b for pair in _PAIRED_TEXTS for a, b in (pair, pair[::-1])},
    **_OTHER_TEXTS,
}

_PAIRED_CALLS = (
    ("reduce_sum", "reduce_mean"),
    ("reduce_max", "reduce_min"),
    ("reduce_any", "reduce_all"),
    ("sum", "mean"),
    ("max", "min"),
    ("any", "all"),
    ("std", "var"),
    ("argmax", "argmin"),
    ("cumsum", "cumprod"),
    ("maximum", "minimum"),
    ("zeros", "ones"),
    ("zeros_like", "ones_like"),
    ("floor", "ceil"),
    ("sin", "cos"),
    ("greater", "greater_equal"),
    ("less", "less_equal"),
    ("equal", "not_equal"),
    ("eq", "neq"),
    ("gt", "ge"),
    ("lt", "le"),
    ("logical_and", "logical_or"),
    ("assign_add", "assign_sub"),
    ("add", "subtract"),
    ("max_pool", "avg_pool"),
    ("max_pool3d", "avg_pool3d"),
    ("sigmoid", "tanh"),
)
_OTHER_CALLS = {
    "reduce_prod": "reduce_sum",
    "prod": "sum",
    "sqrt": "square",
    "square": "abs",
    "abs": "square",
    "exp": "expm1",
    "log": "log1p",
    "sign": "abs",
    "round": "floor",
    "truncated_normal": "random_normal",
    "assign": "assign_add",
    "softmax": "log_softmax",
    "relu": "relu6",
    "elu": "selu",
    "multiply": "add",
}
CALLS: dict[str, str] = {
    **{a: b for pair in _PAIRED_CALLS for a, b in (pair, pair[::-1])},
    **_OTHER_CALLS,
}
"""Functions of libraries, and another function that takes the same arguments."""

CHECKS = frozenset({"isinstance", "issubclass", "hasattr", "getattr", "setattr", "warn"})
"""Functions whose exchanged arguments raise wherever they are called, or only warn."""


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
"""Every operator, and the part that it changes."""


@dataclass(frozen=True, slots=True)
class NodeContext:
    """The knowledge of an operator besides the node."""

    text: SourceText
    defaults: frozenset[int] = frozenset()
    """The nodes (`id`) that stand in defaults of parameters."""
    compared: frozenset[int] = frozenset()
    """Those that an identity (`is`) compares with, and the operands of a minus."""
    rebound: frozenset[str] = frozenset()
    """Names that are also bound without the assignment."""
    last: frozenset[int] = field(default_factory=frozenset)
    """The last statements of functions."""

    def replaced(self, operator: str, node: ast.AST, after: str) -> Edit:
        """The edit that puts `after` in place of the node."""
        start, end = self.text.span(node)
        return Edit(operator=operator, start=start, end=end, after=after)


def edits(node: ast.AST, around: NodeContext) -> Iterator[Edit]:
    """All edits that operators make of this node, not of the nodes inside it."""
    for make in _MAKERS.get(type(node), ()):
        yield from make(node, around)


def _bracketed(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def _with(node: ast.AST, **fields: Any) -> Any:
    """A copy of the node with other fields."""
    copied = copy.copy(node)
    for name, value in fields.items():
        setattr(copied, name, value)
    return copied


def _binary(node: ast.BinOp, around: NodeContext) -> Iterator[Edit]:
    if isinstance(node.op, ast.Add) and (_is_listing(node.left) or _is_listing(node.right)):
        exchanged = _with(node, left=node.right, right=node.left)
        yield around.replaced("arithmetic", node, _bracketed(exchanged))
    elif other := ARITHMETIC.get(type(node.op)):
        yield around.replaced("arithmetic", node, _bracketed(_with(node, op=other())))


def _is_listing(node: ast.expr) -> bool:
    """Whether it is a tuple, a list or a text, for which there is no minus."""
    repeated = isinstance(node, ast.BinOp) and (_is_listing(node.left) or _is_listing(node.right))
    text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    conversion = (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("list", "tuple", "str")
    )
    sliced = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    return isinstance(node, (ast.Tuple, ast.List, ast.ListComp)) or any(
        (repeated, text, conversion, sliced)
    )


def _augmented(node: ast.AugAssign, around: NodeContext) -> Iterator[Edit]:
    other = ARITHMETIC.get(type(node.op))
    if other is not None and not (isinstance(node.op, ast.Add) and _is_listing(node.value)):
        yield around.replaced("arithmetic", node, ast.unparse(_with(node, op=other())))
    yield around.replaced("statement dropped", node, "pass")


def _unary(node: ast.UnaryOp, around: NodeContext) -> Iterator[Edit]:
    if isinstance(node.op, ast.USub):
        yield around.replaced("arithmetic", node, _bracketed(node.operand))
    elif isinstance(node.op, ast.Not):
        yield around.replaced("boolean", node, _bracketed(node.operand))


def _compare(node: ast.Compare, around: NodeContext) -> Iterator[Edit]:
    for place, op in enumerate(node.ops):
        ops = [*node.ops[:place], COMPARISON[type(op)](), *node.ops[place + 1 :]]
        yield around.replaced("comparison", node, _bracketed(_with(node, ops=ops)))


def _boolean(node: ast.BoolOp, around: NodeContext) -> Iterator[Edit]:
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield around.replaced("boolean", node, _bracketed(_with(node, op=other)))


def _constant(node: ast.Constant, around: NodeContext) -> Iterator[Edit]:
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


def _call(node: ast.Call, around: NodeContext) -> Iterator[Edit]:
    yield from _exchanged(node, around)
    yield from _dropped(node, around)


def _exchanged(node: ast.Call, around: NodeContext) -> Iterator[Edit]:
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
    """The last name of the callee."""
    func = node.func
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


def _dropped(node: ast.Call, around: NodeContext) -> Iterator[Edit]:
    if _called(node) in CHECKS:
        return
    for gone in node.keywords:
        keywords = [k for k in node.keywords if k is not gone]
        yield around.replaced("argument dropped", node, ast.unparse(_with(node, keywords=keywords)))
    if len(node.args) > 1:
        fewer = _with(node, args=node.args[:-1])
        yield around.replaced("argument dropped", node, ast.unparse(fewer))


def _dropped_statement(node: ast.stmt, around: NodeContext) -> Iterator[Edit]:
    """Leave out what would only leave a name unbound, or end a function without its result."""
    if isinstance(node, ast.Assign) and not all(_bound(t, around) for t in node.targets):
        return
    if isinstance(node, ast.Return) and id(node) in around.last:
        return
    if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call):
        return
    yield around.replaced("statement dropped", node, "pass")


def _bound(target: ast.expr, around: NodeContext) -> bool:
    if isinstance(target, ast.Name):
        return target.id in around.rebound
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(_bound(item, around) for item in target.elts)
    return True


def _inverted(node: ast.If | ast.IfExp, around: NodeContext) -> Iterator[Edit]:
    """Leave out conditions whose negation is a comparison exchanged or a `not` dropped."""
    test = node.test
    negation = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    compared = isinstance(test, ast.Compare) and len(test.ops) == 1
    if not negation and not (compared and isinstance(test.ops[0], NEGATED)):  # type: ignore[attr-defined]
        yield around.replaced("branch inverted", test, f"(not ({ast.unparse(test)}))")


def _swapped(node: ast.Attribute, around: NodeContext) -> Iterator[Edit]:
    if other := CALLS.get(node.attr):
        yield around.replaced("call swapped", node, ast.unparse(_with(node, attr=other)))


def _transposed(node: ast.Tuple | ast.List, around: NodeContext) -> Iterator[Edit]:
    if all(_whole(item) for item in node.elts):
        for elts in _swaps(node.elts):
            after = ", ".join(map(ast.unparse, elts))
            brackets = "()" if isinstance(node, ast.Tuple) else "[]"
            yield around.replaced("axes transposed", node, after.join(brackets))


def _whole(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _whole(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) is int


_MAKERS: dict[type[ast.AST], Sequence[Callable[[Any, NodeContext], Iterator[Edit]]]] = {
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
