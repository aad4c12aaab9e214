"""What the pages count of specs, plans and claims is what there is."""

from __future__ import annotations

import re
from functools import cache

import pytest

from conformance.editions import LINED_DOCUMENTS, Edition
from conformance.engine import PROFILES, Task, plan
from conformance.results import Aspect
from conformance.results.scores import CONTRACT
from conformance.scenarios.cited import cited_exceptions, evidence
from conformance.specs import load
from conformance.specs.claims.table import claim_table, counts
from conformance.specs.comparison import Sources
from conformance.specs.errata import load_conflicts
from conformance.specs.extraction import load_extraction
from tests.docs.published import words
from tests.fuzz.faults import FAULTS


@cache
def tasks(edition: Edition) -> tuple[Task, ...]:
    return tuple(plan(load(), edition, PROFILES["default"], 0))


def demanded(edition: Edition) -> int:
    """How many aspects of functions an edition demands, without the contract of a backend."""
    return sum(len(task.aspects) for task in tasks(edition) if task.theme != CONTRACT)


def test_the_page_of_torch_has_the_aspects_that_each_edition_demands() -> None:
    page = words("docs/torch.md")
    for edition, before in [("keras-1", "aspects of "), ("keras-2.0", "of "), ("keras-2.2", "")]:
        stated = re.search(rf"(\d+) of \1 {before}(?:aspects of edition )?{edition}", page)
        assert stated
        assert int(stated[1]) == demanded(edition)


def test_the_page_of_keras_3_counts_its_functions_and_aspects() -> None:
    every = [task for task in tasks("keras-3") if task.theme != CONTRACT]
    page = words("docs/keras3-checks.md")
    ops = [task for task in every if task.spec.name.startswith("keras.ops.")]
    single = sum(task.spec.dtype is not None for task in ops)
    assert f"| functions | {len(every)}: {single} by single calls" in page
    assert f"; {len(ops) - single} by [scenarios]" in page
    assert f"gradients of the {len(ops) - single} functions that only scenarios call" in page
    gradients = sum(Aspect.GRADIENT in task.aspects for task in every)
    assert f"of each of the {gradients} differentiable functions" in page
    errors = sum(Aspect.ERROR in task.aspects for task in every)
    assert f"{errors} functions have excluded values |" in page
    assert f"The edition demands {demanded('keras-3')} aspects" in page


def test_the_page_of_composed_programs_counts_the_planted_faults() -> None:
    assert f"plants {len(FAULTS)} faults in the reference" in words("docs/fuzz.md")


@pytest.mark.thorough
def test_the_first_page_counts_the_claims() -> None:
    printed = load().printed_in(LINED_DOCUMENTS)
    sources = Sources(printed, load_extraction(), load_conflicts(), cited_exceptions())
    claims = counts(claim_table(sources, evidence()).claims)
    assert (
        f"describe `K` in {claims.total:,} claims. The suite checks "
        f"{claims.checked:,} of them, and {claims.violable:,} of these checks can fail a run"
    ) in words("README.md")
