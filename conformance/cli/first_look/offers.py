"""How many functions of each edition a module offers, and where those of a package have to be."""

from __future__ import annotations

from collections.abc import Collection

from conformance.adapters.registry import Target
from conformance.cli.errors import UsageProblem
from conformance.cli.first_look.other_names import known_names
from conformance.editions import Edition
from conformance.specs import load
from conformance.specs.load import documented_name

DEFAULT: Edition = "keras-2.2"
"""The edition of a module that shows no other."""
_PACKAGED = "keras."
"""So begin the names of functions that are looked for in the package, and not in the module."""


def documented(edition: Edition) -> list[str]:
    """The functions of an edition, by its own names."""
    return [documented_name(s, edition) for s in load().values() if edition in s.editions]


def last_part(name: str) -> str:
    """`relu` of `keras.ops.relu`."""
    return name.rpartition(".")[2]


def looked_for() -> tuple[str, ...]:
    """All names that a first look asks for: those of packages as names of the module, too."""
    names = known_names()
    return tuple(dict.fromkeys([*names, *map(last_part, names)]))


def another_edition(found: Collection[str], edition: Edition) -> tuple[Edition, int, int] | None:
    """An edition that the module has more of, with how many functions it has of it, and of its own.

    Editions share names: only what the module's own lacks tells that another one is meant.
    """
    own = {*found} & {*documented(edition)}
    editions = dict.fromkeys(e for spec in load().values() for e in spec.editions)
    others = {e: {*found} & {*documented(e)} for e in editions if e != edition}
    best = max(others, key=lambda e: len(others[e] - own))
    more = len(others[best] - own) > len(own)
    return (best, len(others[best]), len(own)) if more else None


def check_place(target: Target, found: Collection[str]) -> None:
    """UsageProblem for a module that itself has what is looked for in its package."""
    names = [n for n in documented(target.edition) if n.startswith(_PACKAGED)]
    beside = [n for n in names if last_part(n) in found]
    if not beside or any(name in found for name in documented(target.edition)):
        return
    shown = beside[0].removeprefix(_PACKAGED)
    raise UsageProblem(
        f"{target.name}: {beside[0]} is {shown} of a package, and {target.module} has "
        f"{last_part(shown)} itself, as {len(beside)} functions of {target.edition}",
        f"put it into a package as PACKAGE/{shown.partition('.')[0]}.py, and name the module "
        f"PACKAGE.{shown.partition('.')[0]}",
    )
