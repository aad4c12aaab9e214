"""Drift: how the docstrings of an installed release differ from those that an edition describes.

An edition states the release whose docstrings it judges by. `drift` compares that list with the
list of another release, function by function. It compares texts by digest: the suite keeps no
sentence of the package, so a change of text names the section and not the words.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Literal

from msgspec import Struct

from conformance.specs.docstrings import Docstring

Kind = Literal["added", "removed", "signature", "parameter", "default", "text", "alias"]

_NONE = "no default"


class DriftedFunction(Struct, frozen=True):
    """One difference between two releases in one function."""

    function: str
    kind: Kind
    change: str
    """The difference, as a clause: `adds the parameter initial=None`."""


def drift(
    described: Mapping[str, Docstring], installed: Mapping[str, Docstring]
) -> list[DriftedFunction]:
    """All differences, by function; `described` and `installed` map public names."""
    names = sorted({*described, *installed})
    return [change for name in names for change in _of(name, described, installed)]


def _of(
    name: str, described: Mapping[str, Docstring], installed: Mapping[str, Docstring]
) -> Iterator[DriftedFunction]:
    old, new = described.get(name), installed.get(name)
    if old is None and new is not None:
        yield DriftedFunction(name, "added", f"is new: {name}{new.signature}")
    elif new is None:
        yield DriftedFunction(name, "removed", "is gone")
    elif old is not None:
        yield from _changes(name, old, new)


def _changes(name: str, old: Docstring, new: Docstring) -> Iterator[DriftedFunction]:
    if old.same_as != new.same_as:
        aliases = [alias or "a function of its own" for alias in (old.same_as, new.same_as)]
        yield DriftedFunction(name, "alias", "was {}, is now {}".format(*aliases))
    if old.signature != new.signature:
        yield from (
            DriftedFunction(name, kind, change)
            for kind, change in _signature_changes(old.signature, new.signature)
        )
    for section in dict.fromkeys([*old.sections, *new.sections]):
        if (before := _text(old, section)) != (after := _text(new, section)):
            verb = "gains" if before is None else "loses" if after is None else "changes"
            yield DriftedFunction(name, "text", f"{verb} the section {section}")


def _text(docstring: Docstring, section: str) -> str | None:
    """The digest of a section's text; None without such a section."""
    texts = dict(zip_longest(docstring.sections, docstring.texts, fillvalue=""))
    return texts.get(section)


def _signature_changes(old: str, new: str) -> Iterator[tuple[Kind, str]]:
    """The parameters that differ, or both signatures if no parameter does."""
    before, after = parameter_defaults(old), parameter_defaults(new)
    if before is None or after is None or {*before.items()} == {*after.items()}:
        yield "signature", f"was {old}, is now {new}"
        return
    for parameter in dict.fromkeys([*before, *after]):
        if parameter not in before:
            yield "parameter", f"adds the parameter {_shown(parameter, after[parameter])}"
        elif parameter not in after:
            yield "parameter", f"drops the parameter {parameter}"
        elif before[parameter] != after[parameter]:
            defaults = f"from {before[parameter]} to {after[parameter]}"
            yield "default", f"changes the default of {parameter} {defaults}"


def _shown(parameter: str, default: str) -> str:
    return parameter if default == _NONE else f"{parameter}={default}"


def parameter_defaults(signature: str) -> dict[str, str] | None:
    """Each parameter with its default as a text; None if the signature is not Python."""
    try:
        arguments = ast.parse(f"def f{signature}: pass").body[0].args  # type: ignore[attr-defined]
    except SyntaxError:
        return None
    assert isinstance(arguments, ast.arguments)
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = [None] * (len(positional) - len(arguments.defaults))
    pairs = [
        *zip(positional, [*missing, *arguments.defaults], strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    plain = {argument.arg: _NONE if d is None else ast.unparse(d) for argument, d in pairs}
    stars = {"*": arguments.vararg, "**": arguments.kwarg}
    return plain | {f"{star}{item.arg}": _NONE for star, item in stars.items() if item is not None}
