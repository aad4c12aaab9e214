"""A target after a first look at its module: the family that nobody stated, and wrong names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import click
import msgspec

from conformance.adapters import registry
from conformance.adapters.looks import LookError, computes_at_once, look
from conformance.adapters.registry import Target
from conformance.cli.errors import UsageProblem
from conformance.cli.first_look.offers import (
    another_edition,
    check_place,
    documented,
    looked_for,
)
from conformance.cli.first_look.other_names import proposed
from conformance.near_names import did_you_mean, proposal
from conformance.reporting.safe_text import clean
from conformance.specs import load

_LISTED = 6
"""So many proposals stand on a line."""


def settled(target: Target) -> Target:
    """The target with the family that its module shows, if none is stated; notes go to stderr.

    A target of the suite's own, one with an adapter, and a module that cannot be imported stay as
    they are. UsageProblem for an entry of `names` that no document or no module has.
    """
    if target.name in registry.shipped() or target.adapter or target.mapping:
        return target
    try:
        found = look(target, (*looked_for(), *target.names.values()))
    except LookError:
        return target  # whoever runs it will say so
    _check_names(target, found)
    check_place(target, found)
    _say(target.name, *_notes(target, found))
    if target.family is None and computes_at_once(found, target.names):
        return msgspec.structs.replace(target, family="eager")
    return target


@cache
def _say(_name: str, *notes: str) -> None:
    """Each note once, however often a target is looked at."""
    for note in notes:
        click.echo(clean(note), err=True)


def _check_names(target: Target, found: frozenset[str]) -> None:
    specs = load()
    known = [*specs, *specs.aliases()]
    for name in target.names:
        if name not in known:
            problem = f"{target.name}: names: no document has a function {name!r}"
            raise UsageProblem(problem, proposal(name, known, "`conformance list`"))
    for name, own in target.names.items():
        if own not in found:
            problem = f"{target.name}: names: {target.module} has no {own!r}"
            near = did_you_mean(own, sorted(found))
            raise UsageProblem(problem, near or f"write what it calls {name}, or leave it out")


def _notes(target: Target, found: frozenset[str]) -> Iterator[str]:
    if target.family is None and computes_at_once(found, target.names):
        yield (
            f"{target.name}: it has neither placeholder nor function, so that it is tested as one "
            'that computes at once (--eager; in TOML family = "eager")'
        )
    if (other := another_edition(found, target.edition)) is not None:
        name, there, own = other
        yield (
            f"{target.name}: it has {there} functions of {name}, and {own} of {target.edition}, "
            f'which it is tested against: --edition {name} (in TOML edition = "{name}")'
        )
    yield from _proposals(target, found)


def _proposals(target: Target, found: frozenset[str]) -> Iterator[str]:
    """Functions that stand under another name, as an entry for `names`."""
    names = documented(target.edition)
    own = [name for name in sorted(found) if name not in target.names.values()]
    missing = [name for name in names if name not in target.names]
    pairs = proposed(missing, own)
    if pairs:
        looks = _words(pairs)
        entry = ", ".join(f'{name} = "{other}"' for name, other in pairs.items())
        options = " ".join(f"--name {name}={other}" for name, other in [*pairs.items()][:2])
        yield f"{target.name}: {looks}: names = {{ {entry} }} in its TOML, or {options}"


def _words(pairs: Mapping[str, str]) -> str:
    listed = [f"`{other}` looks like `{name}`" for name, other in pairs.items()]
    more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    return ", ".join(listed[:_LISTED]) + more
