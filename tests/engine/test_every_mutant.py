"""Errors inside the reference, in every theme: each is found, in the aspect that is wrong.

The errors are where no wrapper reaches: in kernels, gradient rules and helpers of functions.
`conformance.mutation` makes the errors that a wrapper around a function of any backend can make
(tests/mutation). A mutant that survives shows a bug in a generator, a check or a scenario, or is no
error.
"""

from __future__ import annotations

from functools import cache

import pytest

from conformance.results import AspectResult, Verdict
from tests.engine.mutants import themes
from tests.engine.mutants.kit import MUTANTS, Mutant
from tests.engine.mutants.runs import examined, found_in, rounds

# one worker of xdist runs them all, because they share a few processes of the reference
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("mutants")]

themes.load()
FOUND = {
    "violates": {Verdict.VIOLATES},
    "diverges": {Verdict.DIVERGES},
    "reported": {Verdict.VIOLATES, Verdict.DIVERGES},
}
"""`reported`: it depends on the numbers drawn whether the documents settle the failing cases."""


@cache
def results() -> dict[str, AspectResult]:
    """The results of all mutants, from a few processes."""
    outcomes = {}
    for together in rounds(list(MUTANTS.values())):
        judged = examined(together)
        outcomes.update({tested.name: found_in(judged, tested) for tested in together})
    return outcomes


@pytest.mark.parametrize("tested", MUTANTS.values(), ids=MUTANTS.keys())
def test_a_mutant_is_found(tested: Mutant) -> None:
    result = results()[tested.name]
    assert result.verdict in FOUND[tested.verdict]
    violations = [f for f in result.failures if f.verdict is Verdict.VIOLATES]
    assert all(f.citation for f in violations)
    assert all(f.convention for f in result.failures if f.verdict is Verdict.DIVERGES)


def test_every_theme_has_mutants() -> None:
    assert len(MUTANTS) > 400
