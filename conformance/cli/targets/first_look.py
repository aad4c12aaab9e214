"""A first look at a module before its test: eager or graph mode, its edition, and wrong names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cache

import click
import msgspec

from conformance.adapters import registry
from conformance.adapters.looks import LookError, computes_at_once, look
from conformance.adapters.target_records import Target
from conformance.cli.errors import UsageProblem
from conformance.cli.targets.other_names import known_names, proposed
from conformance.editions import Edition
from conformance.near_names import did_you_mean, proposal
from conformance.reporting.safe_text import clean
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
    """All names that a first look asks for; names of packages also as names of the module."""
    names = known_names()
    return tuple(dict.fromkeys([*names, *map(last_part, names)]))


def another_edition(
    available: Collection[str], edition: Edition
) -> tuple[Edition, int, int] | None:
    """An edition that the module has more of, with how many functions it has of it, and of its own.

    Editions share names: only what the module's own lacks tells that another one is meant.
    """
    own = {*available} & {*documented(edition)}
    editions = dict.fromkeys(e for spec in load().values() for e in spec.editions)
    others = {e: {*available} & {*documented(e)} for e in editions if e != edition}
    best = max(others, key=lambda e: len(others[e] - own))
    more = len(others[best] - own) > len(own)
    return (best, len(others[best]), len(own)) if more else None


def check_place(target: Target, available: Collection[str]) -> None:
    """Check that a module has its functions in the documented package.

    Raises:
        UsageProblem: the module itself has functions that belong in a package.
    """
    names = [n for n in documented(target.edition) if n.startswith(_PACKAGED)]
    beside = [n for n in names if last_part(n) in available]
    if not beside or any(name in available for name in documented(target.edition)):
        return
    (package, _), *_ = Counter(name.rpartition(".")[0] for name in beside).most_common(1)
    first = next(name for name in beside if name.rpartition(".")[0] == package)
    part = package.removeprefix(_PACKAGED)
    raise UsageProblem(
        f"{target.name}: {target.module} itself has {last_part(first)} ({len(beside)} functions of "
        f"{target.edition} in all), but {first} belongs in a package",
        f"put it into a package as PACKAGE/{part.replace('.', '/')}.py, and name the module "
        f"PACKAGE.{part}",
    )


_LISTED = 6
"""So many proposals stand on a line."""


def settled(target: Target) -> Target:
    """The target with the family that its module shows, if none is stated; notes go to stderr.

    A target of the suite's own, one with an adapter, and a module that cannot be imported stay as
    they are.

    Raises:
        UsageProblem: no document or no module has an entry of `names`.
    """
    if target.name in registry.shipped() or target.adapter or target.mapping:
        return target
    try:
        available = look(target, (*looked_for(), *target.names.values()))
    except LookError:
        return target  # the run reports it
    _check_names(target, available)
    check_place(target, available)
    _say(target.name, *_notes(target, available))
    if target.family is None and computes_at_once(available, target.names):
        return msgspec.structs.replace(target, family="eager")
    return target


@cache
def _say(_name: str, *notes: str) -> None:
    """Each note once, however often a target is looked at."""
    for note in notes:
        click.echo(clean(note), err=True)


def _check_names(target: Target, available: frozenset[str]) -> None:
    specs = load()
    known = [*specs, *specs.aliases()]
    for name in target.names:
        if name not in known:
            problem = f"{target.name}: names: no document has a function {name!r}"
            raise UsageProblem(problem, proposal(name, known, "`conformance list`"))
    for name, own in target.names.items():
        if own not in available:
            problem = f"{target.name}: names: {target.module} has no {own!r}"
            near = did_you_mean(own, sorted(available))
            raise UsageProblem(problem, near or f"write what it calls {name}, or leave it out")


def _notes(target: Target, available: frozenset[str]) -> Iterator[str]:
    if target.family is None and computes_at_once(available, target.names):
        yield (
            f"{target.name}: it has neither placeholder nor function, so the suite tests it in "
            'eager mode (--eager; in TOML family = "eager")'
        )
    if (other := another_edition(available, target.edition)) is not None:
        name, there, own = other
        yield (
            f"{target.name}: the suite tests it against {target.edition}, of which it has {own} "
            f'functions; it has {there} of {name}: --edition {name} (in TOML edition = "{name}")'
        )
    yield from _proposals(target, available)


def _proposals(target: Target, available: frozenset[str]) -> Iterator[str]:
    """Functions that stand under another name, as an entry for `names`."""
    names = documented(target.edition)
    own = [name for name in sorted(available) if name not in target.names.values()]
    missing = [name for name in names if name not in target.names]
    pairs = proposed(missing, own)
    if pairs:
        looks = _words(pairs)
        entry = ", ".join(f'{name} = "{other}"' for name, other in pairs.items())
        options = " ".join(f"--name {name}={other}" for name, other in [*pairs.items()][:2])
        yield f"{target.name}: {looks}: names = {{ {entry} }} in its TOML, or {options}"


def _words(pairs: Mapping[str, str]) -> str:
    phrases = [f"`{other}` looks like `{name}`" for name, other in pairs.items()]
    more = f" and {len(phrases) - _LISTED} more" if len(phrases) > _LISTED else ""
    return ", ".join(phrases[:_LISTED]) + more
