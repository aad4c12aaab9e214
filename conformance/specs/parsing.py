"""Python source parsed into a tree, by one thread at a time.

CPython 3.11 sometimes fails to parse ("AST constructor recursion depth mismatch") while another
thread is parsing.
"""

from __future__ import annotations

import ast
import threading

_PARSING = threading.Lock()


def tree(text: str) -> ast.Module:
    """The statements of a text. Raises SyntaxError, and ValueError for null bytes."""
    with _PARSING:
        return ast.parse(text)


def literal(text: str) -> object:
    """The value of a Python literal. Raises SyntaxError, and ValueError for other expressions."""
    with _PARSING:
        expression = ast.parse(text.lstrip(" \t"), mode="eval")
    value: object = ast.literal_eval(expression)
    return value
