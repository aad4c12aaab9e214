"""Which documented exceptions the scenarios provoke."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from hypothesis.strategies import SearchStrategy

from conformance.generators.collect import distinct, key_of_program
from conformance.results import Aspect
from conformance.scenarios.families import FAMILIES
from conformance.scenarios.model import Check, Family, Scenario
from conformance.specs import load
from conformance.specs.load import claims

_DRAWN = 40
"""How many scenarios of a strategy are drawn: fewer would show every error, too."""


@cache
def cited_exceptions() -> frozenset[tuple[str, str, int]]:
    """Function, document and line of each exception that a check of a scenario demands.

    Checks that rest on a convention demand nothing of a document and do not count.
    """
    return frozenset(place for family in FAMILIES for place in _cited(family))


def _cited(family: Family) -> Iterator[tuple[str, str, int]]:
    if Aspect.ERROR not in family.aspects:
        return
    offered = load()[family.function].editions
    for edition in (e for e in family.editions if e in offered):
        document = offered[edition]
        for scenario in _scenarios(family.make(edition)):
            for check in scenario.checks:
                if check.aspect is Aspect.ERROR and not (check.conventions or scenario.conventions):
                    line = _at(check, family.function).get(document)
                    if line is not None:
                        yield family.function, document, line


def _at(check: Check, function: str) -> Mapping[str, int]:
    """The lines that a failure would contradict: its own, or those of the first claim."""
    if check.at:
        return check.at
    claim = next(claims(load()[function], "error"), None)
    return {} if claim is None else {str(d): line for d, line in claim.at.items()}


def _scenarios(made: SearchStrategy[Scenario] | Sequence[Scenario]) -> Sequence[Scenario]:
    if not isinstance(made, SearchStrategy):
        return made
    return distinct(made, lambda scenario: key_of_program(scenario.program), _DRAWN, 0)
