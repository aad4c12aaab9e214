"""What each claim of the documents says in English."""

from __future__ import annotations

import typing

import pytest

from conformance.editions import LINED_DOCUMENTS
from conformance.specs import kinds, load
from conformance.specs.claims.glosses import gloss
from conformance.specs.claims.lines import load_lines
from conformance.specs.claims.records import Checker, DocumentClaim
from conformance.specs.claims.words import description, named
from conformance.specs.documents.glosses import load_glosses
from tests.editions import OF_K


def test_every_line_that_demands_something_has_a_gloss() -> None:
    for document in LINED_DOCUMENTS:
        glossed = {gloss.line for gloss in load_glosses()[document]}
        assert glossed >= {line for line, _ in load_lines()[document].claiming(())}
        assert all(gloss.says for gloss in load_glosses()[document])


@pytest.mark.parametrize("kind", typing.get_args(kinds.ParameterRule), ids=lambda k: k.__name__)
def test_every_kind_of_parameter_has_words(kind: type) -> None:
    rules = (rule for spec in load().values() for rule in spec.parameters.values())
    assert all(
        description(rule) for rule in rules if type(rule) is kind and kind is not kinds.Omitted
    )


def test_a_parameter_that_scenarios_pass_has_words_of_its_own() -> None:
    for spec in load().values():
        for name, rule in spec.parameters.items() if set(spec.editions) & set(OF_K) else ():
            if isinstance(rule, kinds.Omitted):
                assert "scenarios" not in named(name, rule), (spec.name, name)


@pytest.mark.parametrize(
    ("claim", "says"),
    [
        (
            DocumentClaim(
                "ko-2.2",
                2789,
                "softmax",
                "a parameter",
                "",
                (Checker("parameter", "softmax", "axis"),),
            ),
            "`axis`: an axis of `x`",
        ),
        (
            DocumentClaim(
                "ko-2.2", 2783, "softmax", "a signature", "", (Checker("signature", "softmax", ""),)
            ),
            "`softmax(x, axis=-1)`",
        ),
        (
            DocumentClaim(
                "ko-2.2", 9, "shape", "an example", "", (Checker("example", "shape", "E12.2"),)
            ),
            "`K.shape(input)`",
        ),
        (DocumentClaim("ko-2.2", 9, "", "a result", says="as written"), "as written"),
        (DocumentClaim("ko-2.2", 9, "", "a result"), "a result"),
    ],
)
def test_a_gloss_follows_from_what_checks_the_claim(claim: DocumentClaim, says: str) -> None:
    assert gloss(claim, load()) == says
