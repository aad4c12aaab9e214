"""Errors inside the reference, in every theme: each is found, in the aspect in which it is wrong.

They are where no wrapper reaches: in kernels, gradient rules and helpers of functions. What can be
wrong around a function of any backend is `conformance.mutation`'s (tests/mutation). A mutant that
survives is a bug in a generator, a check or a scenario, or it is no error at all.
"""

from __future__ import annotations

from functools import cache

import pytest

from conformance.results import AspectResult, Verdict
from tests.engine.mutants import themes
from tests.engine.mutants.kit import MUTANTS, Mutant
from tests.engine.mutants.runs import examined, found_in, rounds

# one worker of xdist runs them all: they share few processes of the reference
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("mutants")]

themes.load()
FOUND = {
    "violates": {Verdict.VIOLATES},
    "diverges": {Verdict.DIVERGES},
    "reported": {Verdict.VIOLATES, Verdict.DIVERGES},
}
"""`reported`: whether documents settle the cases in which it shows is up to the numbers drawn."""


@cache
def results() -> dict[str, AspectResult]:
    """What was found of all mutants, in few processes."""
    found = {}
    for together in rounds(list(MUTANTS.values())):
        listed = examined(together)
        found.update({tested.name: found_in(listed, tested) for tested in together})
    return found


@pytest.mark.parametrize("tested", MUTANTS.values(), ids=MUTANTS.keys())
def test_a_mutant_is_found(tested: Mutant) -> None:
    found = results()[tested.name]
    assert found.verdict in FOUND[tested.verdict]
    violations = [f for f in found.failures if f.verdict is Verdict.VIOLATES]
    assert all(f.citation for f in violations)
    assert all(f.convention for f in found.failures if f.verdict is Verdict.DIVERGES)


def test_every_theme_has_mutants() -> None:
    assert len(MUTANTS) > 400
