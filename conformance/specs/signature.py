"""Documented signatures, read from their text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from conformance.specs.parsing import literal, tree


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
        """The default as a Python value.

        Raises:
            ValueError: the parameter is required.
        """
        if self.default is None:
            raise ValueError(f"{self.name} has no default")
        value = _default(self.default)
        return list(value) if isinstance(value, list) else value


_default = cache(literal)


@dataclass(frozen=True, slots=True)
class Signature:
    """A function's name and parameters, in order."""

    name: str
    parameters: tuple[Parameter, ...]
    """Those that a call may pass by position or by name."""
    starred: Parameter | None = None
    """The parameter for any number of arguments, `*x`."""
    named: tuple[Parameter, ...] = ()
    """Those that a call can pass by name alone."""

    keywords: Parameter | None = None
    """The parameter for arguments of any names, `**kwargs`."""

    @property
    def every(self) -> tuple[Parameter, ...]:
        """All parameters in order."""
        parameters = (*self.parameters, self.starred, *self.named, self.keywords)
        return tuple(parameter for parameter in parameters if parameter is not None)

    def __str__(self) -> str:
        inside = ", ".join(
            p.name if p.default is None else f"{p.name}={p.default}" for p in self.parameters
        )
        return f"{self.name}({inside})"


def _is_dotted(package: str) -> bool:
    """Whether it is empty, or names joined by dots."""
    return all(map(str.isidentifier, package.split("."))) if package else True


@cache
def parse(text: str) -> Signature:
    """The signature that `text` prints, such as `sum(x, axis=None)`.

    Raises:
        ValueError: the text is not a signature.
    """
    try:
        name, _, parameters = text.removeprefix("keras.backend.").partition("(")
        package, _, own = name.rpartition(".")
        (definition,) = tree(f"def {own}({parameters}: pass").body
        if not isinstance(definition, ast.FunctionDef) or not _is_dotted(package):
            raise ValueError("not a function")
        arguments = definition.args
        starred = Parameter(arguments.vararg.arg, None) if arguments.vararg else None
        keywords = Parameter(arguments.kwarg.arg, "()") if arguments.kwarg else None
        named = tuple(_named(arguments))
        return Signature(name, tuple(_parameters(arguments)), starred, named, keywords)
    except (SyntaxError, ValueError) as error:
        raise ValueError(
            f"not a signature: {text!r}; write it as f(x, axis=None), with Python literals"
        ) from error


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    """Each parameter; ValueError if a default is no literal."""
    required = len(arguments.args) - len(arguments.defaults)
    for argument in arguments.args[:required]:
        yield Parameter(argument.arg, None)
    for argument, default in zip(arguments.args[required:], arguments.defaults, strict=True):
        ast.literal_eval(default)
        yield Parameter(argument.arg, ast.unparse(default))


def _named(arguments: ast.arguments) -> Iterator[Parameter]:
    """Each parameter that can be passed by name alone; ValueError if a default is not a literal."""
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        ast.literal_eval(default or ast.Constant(None))
        yield Parameter(argument.arg, ast.unparse(default) if default else None)


def misprinted(documented: Signature, printed: str) -> dict[str, str]:
    """The documented names of parameters that the printed signature calls otherwise (C042), by the
    printed name in the same place."""
    shown = [p.name for p in parse(printed).parameters] if printed else []
    documented_names = [p.name for p in documented.parameters]
    pairs = zip(shown, documented_names, strict=False)
    return {
        mine: name for mine, name in pairs if mine not in documented_names and name not in shown
    }
