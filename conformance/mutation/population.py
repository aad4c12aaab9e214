"""All mutants of an edition, from the table of operators and the specs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from conformance.editions import Edition
from conformance.engine.planning.demands import demanded_aspects
from conformance.mutation.model import Candidate, Mutant
from conformance.mutation.operators import OPERATORS
from conformance.specs import Specs
from conformance.specs.load import signature


def population(
    specs: Specs,
    edition: Edition,
    select: Callable[[str], bool] = lambda _: True,
    operators: Callable[[str], bool] = lambda _: True,
) -> list[Mutant]:
    """The mutants of the functions and operators that are selected, function by function."""
    found = [c for c in _candidates(specs, edition) if select(c.spec.name)]
    return [m for c in found for m in _mutants(c) if operators(m.operator.name)]


def _candidates(specs: Specs, edition: Edition) -> Iterator[Candidate]:
    for name, spec in specs.items():
        if edition in spec.editions:
            aspects = frozenset(demanded_aspects(spec, edition))
            yield Candidate(
                spec=spec,
                theme=specs.theme(name),
                documented=signature(spec, edition),
                aspects=aspects,
            )


def _mutants(candidate: Candidate) -> Iterator[Mutant]:
    for operator in OPERATORS:
        if operator.aspects and not candidate.aspects & set(operator.aspects):
            continue
        for more in operator.applies(candidate):
            given = {**operator.given, **more}
            yield Mutant(
                operator=operator,
                function=candidate.spec.name,
                theme=candidate.theme,
                given=given,
            )
