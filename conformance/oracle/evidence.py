"""Accepting oracles: what must hold of an answer that is not the only right one.

The indices that sort equal elements may have any order, and a matrix has many factors. The oracle
cannot expect one array there, so it has two halves. *Evidence* is an array that is computed from
the answer and the arguments of the call: the ranks of the elements that the indices name, or the
product of the factors. Its expected value is an ordinary entry of `ORACLES`, with the bound that
the spec's `accuracy` gives it. An answer is right if its evidence agrees. Inaccuracy, readings and
scripts work as for any other function.

A function of evidence is one of NumPy alone, because the script of a failure prints its source. It
takes the answer first, a list of arrays where the function gives several, and then the arguments by
name. It may not raise for a wrong answer of the right shape.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array


@dataclass(frozen=True, slots=True)
class Evidence:
    """A computation on an answer."""

    of: Callable[..., Array]
    says: str
    """The meaning of the numbers, in words: "the elements at the indices"."""
    like: str | None = None
    """The argument whose dtype the evidence has, if that is not the dtype of the answer."""
    elementwise: bool = False
    """Whether it has an element for each of the answer, whose wrong elements are the answer's."""
    demands: str | None = None
    """The right answer in words, if an element says no more than whether the answer is right."""

    def __call__(self, answer: Any, arguments: Mapping[str, Any]) -> Array:
        """The evidence of an answer to the call with these arguments."""
        return np.asarray(self.of(answer, **arguments))

    def source(self, name: str) -> str:
        """The function under another name, for a script: without types and its docstring."""
        (definition,) = ast.parse(inspect.getsource(self.of)).body
        assert isinstance(definition, ast.FunctionDef)
        every = [*definition.args.posonlyargs, *definition.args.args, *definition.args.kwonlyargs]
        for argument in (*every, definition.args.kwarg):
            if argument is not None:
                argument.annotation = None
        definition.name, definition.returns = name, None
        if ast.get_docstring(definition) is not None:
            definition.body = definition.body[1:]
        return ast.unparse(definition)
