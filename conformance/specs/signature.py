"""Documented signatures, read from their text."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter; `default` is the Python literal's text, or None if it is required."""

    name: str
    default: str | None

    @property
    def required(self) -> bool:
        """Whether a call must pass it."""
        return self.default is None

    @property
    def value(self) -> object:
        """The default as a Python value; ValueError if the parameter is required."""
        if self.default is None:
            raise ValueError(f"{self.name} has no default")
        return ast.literal_eval(self.default)


@dataclass(frozen=True, slots=True)
class Signature:
    """A function's name and parameters, in order."""

    name: str
    parameters: tuple[Parameter, ...]

    def __str__(self) -> str:
        inside = ", ".join(
            p.name if p.default is None else f"{p.name}={p.default}" for p in self.parameters
        )
        return f"{self.name}({inside})"


@cache
def parse(text: str) -> Signature:
    """The signature that `text` prints, such as `sum(x, axis=None)`; ValueError if it is none."""
    try:
        tree = ast.parse(f"def {text.removeprefix('keras.backend.')}: pass").body[0]
    except SyntaxError as error:
        raise ValueError(f"not a signature: {text!r}") from error
    if not isinstance(tree, ast.FunctionDef):
        raise ValueError(f"not a signature: {text!r}")
    arguments = tree.args.args
    required = len(arguments) - len(tree.args.defaults)
    defaults = [None] * required + [ast.unparse(d) for d in tree.args.defaults]
    return Signature(
        tree.name,
        tuple(Parameter(a.arg, d) for a, d in zip(arguments, defaults, strict=True)),
    )
