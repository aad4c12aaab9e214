"""Docstrings of numeric functions: the shapes that they take and return, and the formula's source.

A numeric function is a public function of the oracle or of the reference that takes an array and
returns one. Its docstring has the word `shape` or the axes in parentheses, as in (samples, 1). Its
source is a citation: in its own docstring, in that of its module, or a documented line in
`@documented`. The rules of gradients have one contract, which `gradient_of` states.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tools.style.allowance import StyleFinding

NUMERIC = re.compile(r"conformance/(oracle|reference(?!/symbolic/(?!gradients/)))/")
"""The oracle, and the reference without its graphs, whose tensors are nodes."""
ARRAYS = frozenset({"Array", "Bounded", "Mask", "NDArray", "Tensor"})
"""The names of array types in annotations."""
CITES, HAS_CONTRACT = "documented", "gradient_of"
"""A decorator with citations, and a decorator whose docstring is the contract of its functions."""
_LENGTH = r"(?!C\d)(?:\w+(?:\.\.\.)?|\.\.\.)(?: [*+/-] \w+)*"
SHAPE = re.compile(rf"\bshapes?\b|(?<!\w)\({_LENGTH},(?: {_LENGTH},?)*\)|\(\.\.\.\)", re.I)
SOURCE = re.compile(
    r"\bSource: |\b(ja-1|ja-2\.0|ko-2\.2|zh-TW)(:|,? lines? )\d|\bC\d{3}\b|\bHigham\b|\bIEEE 754\b"
    r"|\b(19|20)\d\d\b|\b(tf|torch)\.nn\.|\bAbramowitz\b|\bOpenCL\b"
)
SHAPE_ADVICE = "say which shapes it takes and returns, as in: x (..., n); the result is (...)"
SOURCE_ADVICE = "name the paper, standard or line of a document, as in: Source: ko-2.2 line 2750"


def examine(path: Path, file: str) -> Iterator[StyleFinding]:
    """The numeric functions of one module whose docstrings lack shapes or a source."""
    if not NUMERIC.match(file):
        return
    tree = ast.parse(path.read_text("utf-8"))
    about = ast.get_docstring(tree) or ""
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or not _is_numeric(node):
            continue
        text, decorators = ast.get_docstring(node) or "", _names(*node.decorator_list)
        if not SHAPE.search(text):
            yield StyleFinding(file, node.lineno, "shapes", node.name, SHAPE_ADVICE)
        if not (SOURCE.search(text) or SOURCE.search(about) or CITES in decorators):
            yield StyleFinding(file, node.lineno, "source", node.name, SOURCE_ADVICE)


def _is_numeric(function: ast.FunctionDef) -> bool:
    if function.name.startswith("_") or HAS_CONTRACT in _names(*function.decorator_list):
        return False
    arguments = function.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    taken = (p.annotation for p in parameters if p.annotation)
    return bool(function.returns and ARRAYS & _names(function.returns) and ARRAYS & _names(*taken))


def _names(*expressions: ast.expr) -> set[str]:
    """The names and attributes in expressions."""
    nodes = [node for expression in expressions for node in ast.walk(expression)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names | {node.attr for node in nodes if isinstance(node, ast.Attribute)}
