"""What an operator puts in the place of what it finds: tables, nothing of one target."""

from __future__ import annotations

import ast

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
"""Functions of libraries, and one that takes the same arguments and is another."""

CHECKS = frozenset({"isinstance", "issubclass", "hasattr", "getattr", "setattr", "warn"})
"""Functions whose exchanged arguments raise wherever they are called, or only warn."""
