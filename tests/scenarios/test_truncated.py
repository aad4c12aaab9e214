"""A sentence that breaks off proves nothing: in ja-1, that of manual_variable_initialization."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.editions import Edition
from conformance.results import Aspect, Verdict
from conformance.scenarios import families_of
from conformance.specs import load
from tests.editions import OF_K
from tests.engine.support import TINY, examine, module

FUNCTION = "manual_variable_initialization"

FORGETS = """
from conformance import reference
from conformance.reference import *

def manual_variable_initialization(value):
    if value:
        reference.manual_variable_initialization(True)
"""


def test_no_claim_of_ja_1_stands_behind_it() -> None:
    cited = {document for claim in load()[FUNCTION].claims for document in claim.at}
    assert cited == {"ja-2.0", "zh-TW", "ko-2.2"}


def verdicts(edition: Edition, tmp_path: Any) -> set[Verdict]:
    """Those on the state of a backend whose flag cannot be turned off."""
    (tmp_path / "forgets.py").write_text(FORGETS, encoding="utf-8")
    target = module("forgets", tmp_path, edition=edition, CONFORMANCE_REFERENCE_EDITION=edition)
    outcome = examine(target, (FUNCTION,), replace(TINY, scenarios=20))
    return {f.verdict for f in outcome.aspect(FUNCTION, Aspect.STATE).failures}


def test_a_flag_that_cannot_be_turned_off_violates_only_where_a_document_says_so(
    tmp_path: Any,
) -> None:
    assert Verdict.VIOLATES in verdicts("keras-2.2", tmp_path)
    assert Verdict.VIOLATES not in verdicts("keras-1", tmp_path)


def test_the_aspect_is_demanded_of_every_edition() -> None:
    assert all(families_of(FUNCTION, edition) for edition in OF_K)
