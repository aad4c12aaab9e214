"""Which lines of the documents the checks of the scenarios cite, and which parameters they pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from hypothesis.strategies import SearchStrategy

from conformance.editions import Edition
from conformance.generators.collect import distinct, key_of_program
from conformance.program import Argument, Function, Step
from conformance.results import Aspect
from conformance.scenarios.families import FAMILIES
from conformance.scenarios.model import Check, Family, Scenario
from conformance.specs import load
from conformance.specs.claims.records import CheckCitation, CheckEvidence
from conformance.specs.load import claims, signature

_DRAWN = 12
"""How many scenarios of a strategy are drawn: more show no other check."""


@cache
def cited_exceptions() -> frozenset[tuple[str, str, int]]:
    """Function, document and line of each exception that a check of a scenario demands.

    Checks that rest on a convention demand nothing of a document and do not count.
    """
    return frozenset(place for check in evidence().checks for place in _demanded(check))


def _demanded(check: CheckCitation) -> Iterator[tuple[str, str, int]]:
    if check.aspect != Aspect.ERROR or not check.settled:
        return
    document = load()[check.function].editions[check.edition]
    line = dict(check.at or _first_claim(check.function)).get(document)
    if isinstance(line, int):
        yield check.function, document, line


def _first_claim(function: str) -> Mapping[str, int]:
    """The lines that a failure contradicts if a check names none."""
    claim = next(claims(load()[function], "error"), None)
    return {} if claim is None else {str(d): line for d, line in claim.at.items()}


@cache
def evidence() -> CheckEvidence:
    """The citations and the checks of the scenarios of every family and edition."""
    checks: set[CheckCitation] = set()
    passed: set[tuple[str, str]] = set()
    for family in FAMILIES:
        offered = load()[family.function].editions
        for edition in (e for e in family.editions if e in offered):
            for scenario in scenarios_of(family, edition):
                checks.update(_citation(scenario, check, edition) for check in scenario.checks)
                if not scenario.conventions:
                    passed.update(_passed(scenario.program.steps, edition))
    return CheckEvidence(frozenset(checks), frozenset(passed))


def scenarios_of(family: Family, edition: Edition, count: int = _DRAWN) -> Sequence[Scenario]:
    """Those of a sequence, or the first `count` of a strategy: the same each time."""
    scenarios = family.make(edition)
    if not isinstance(scenarios, SearchStrategy):
        return scenarios
    return distinct(scenarios, lambda scenario: key_of_program(scenario.program), count, 0)


def _citation(scenario: Scenario, check: Check, edition: Edition) -> CheckCitation:
    return CheckCitation(
        scenario.function,
        edition,
        check.name,
        str(check.aspect),
        frozenset((d, line) for d, line in check.at.items() if isinstance(line, int)),
        settled=not (check.conventions or scenario.conventions),
    )


def _passed(steps: Iterable[Step], edition: Edition) -> Iterator[tuple[str, str]]:
    """The functions that steps call, with each parameter that they pass, by its newest name."""
    for step in steps:
        arguments = [*step.args, *(value for _, value in step.kwargs)]
        yield from _passed(_inner(arguments), edition)
        name = _aliases().get(step.function, step.function)
        spec = load().get(name)
        if spec is None or edition not in spec.editions:
            continue
        names = [parameter.name for parameter in signature(spec, edition).parameters]
        for passed in (*names[: len(step.args)], *(key for key, _ in step.kwargs)):
            yield name, spec.renamed.get(passed, passed)


@cache
def _aliases() -> dict[str, str]:
    return load().aliases()


def _inner(arguments: Iterable[Argument]) -> Iterator[Step]:
    """The steps of the callables among some arguments."""
    for argument in arguments:
        if isinstance(argument, Function):
            yield from argument.steps
        elif isinstance(argument, list | tuple):
            yield from _inner(argument)
