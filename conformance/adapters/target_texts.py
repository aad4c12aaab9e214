"""Checks of a target's texts: placeholders have plain names, and no text has a character that
files, variables or arguments of programs cannot have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from string import Formatter
from typing import Any

from conformance.near_names import proposal
from conformance.source_text import is_dotted

PLACEHOLDERS = frozenset(
    {
        "home",
        "cache",
        "compiled",
        "links",
        "site_packages",
        "openblas_dir",
        "openblas_lib",
        "suite",
        "edition",
    }
)


DTYPES = (
    *("bool", "int4", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64"),
    *("float8_e4m3fn", "float8_e5m2", "bfloat16", "float16", "float32", "float64"),
    *("complex64", "complex128"),
)
"""The dtypes that `lacks` may name."""


def problems(fields: Mapping[str, Any]) -> Iterator[str]:
    """The problems in the fields of a table, each with the name of the field."""
    for name, value in fields.items():
        if any("\0" in text for text in _texts(value)):
            yield f"{name}: a NUL character; leave it out"
    for name, own in fields.get("names", {}).items():
        if not (is_dotted(name) and is_dotted(own)):
            yield f'names: {name!r} = {own!r}: write names of functions, such as pow = "power"'
    unknown = [name for name in fields.get("lacks", ()) if name not in DTYPES]
    yield from (f"lacks: no dtype {name!r}; {proposal(name, DTYPES)}" for name in unknown)
    for variable, text in fields.get("environment", {}).items():
        if not variable or "=" in variable:
            yield f"environment: {variable!r} cannot be the name of a variable"
        if problem := _placeholder_problem(text):
            yield f"environment.{variable}: {problem}"


def placeholders(text: str) -> set[str]:
    """The names of the placeholders in a text."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def plain(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables whose texts hold no placeholder, which a script can also set.

    PYTHONPATH is left out, which an interpreter reads when it starts.
    """
    split = {name: list(Formatter().parse(text)) for name, text in environment.items()}
    return {
        name: "".join(text for text, *_ in parts)
        for name, parts in split.items()
        if name != "PYTHONPATH" and all(field is None for _, field, *_ in parts)
    }


def importing(module: str) -> str:
    """The line of a script that binds `K` to a module, whose name a statement may not take."""
    if not is_dotted(module):
        return f"import importlib; K = importlib.import_module({module!r})"
    package, _, name = module.rpartition(".")
    return f"from {package} import {name} as K" if package else f"import {name} as K"


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value, including keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from (*_texts(key), *_texts(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _placeholder_problem(text: str) -> str | None:
    """Why the placeholders cannot be filled in; None if they can.

    A width or a conversion, which `str.format` knows, is refused: {home:>1900000000} has two
    gigabytes.
    """
    try:
        parts = [part[1:] for part in Formatter().parse(text) if part[1] is not None]
    except ValueError as error:
        return str(error)
    for name, spec, conversion in parts:
        if name not in PLACEHOLDERS:
            known = ", ".join(f"{{{placeholder}}}" for placeholder in sorted(PLACEHOLDERS))
            return (
                f"unknown placeholder {{{name}}}; there are {known}; write {{{{ and }}}} for braces"
            )
        if spec or conversion:
            return f"write {{{name}}} alone, without a format"
    return None
