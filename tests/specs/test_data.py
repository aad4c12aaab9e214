"""Data files of the specs: what is wrong is named with its file and line."""

from __future__ import annotations

import pytest

from conformance.specs import SpecError, load
from conformance.specs.data import data_of, read_data
from conformance.specs.errata import Conflict
from conformance.specs.extraction import DocumentEntry, Explanation, parameter_line

GOOD = """\
# a comment
- {heading: [1, "### f"], signature: [4, "f(x, **kwargs)"], parameters: [[x, 8], ["**kwargs", 9]]}
- {signature: [20, "keras.backend.g()"], raises: [[ValueError, 24]], returns: 22, examples: [26]}
"""


def test_entries_are_read() -> None:
    f, g = data_of(GOOD, "good.yaml", list[DocumentEntry])
    assert f.heading == (1, "### f")
    assert f.parameters == [("x", 8), ("**kwargs", 9)]
    assert (f.start, g.start) == (1, 20), "a heading may be lost"
    assert g.text == "g()"
    assert g.raises == [("ValueError", 24)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (GOOD.replace("raises", "raisse"), 3),
        (GOOD.replace("[4, ", "[0, "), 2),
        (GOOD.replace("[26]", "26"), 3),
        (GOOD.replace("returns: 22", "raises: []"), 3),
        (GOOD + "\t- {}\n", 4),
        ("theme: x\n", 1),
    ],
)
def test_a_mistake_is_named_with_its_file_and_line(text: str, line: int) -> None:
    with pytest.raises(SpecError, match=rf"^wrong\.yaml:{line}: \S"):
        data_of(text, "wrong.yaml", list[DocumentEntry])


@pytest.mark.parametrize(
    "text",
    [
        "- {kind: heading, document: ja-3, line: 1, names: [f], erratum: C001}",
        "- {kind: nonsense, document: ja-1, line: 1, names: [f], erratum: C001}",
        "- {kind: heading, document: ja-1, line: 1, names: [], erratum: C001}",
        "- {kind: heading, document: ja-1, line: 1, names: [f], erratum: 1}",
    ],
)
def test_an_explanation_is_refused_that_explains_nothing(text: str) -> None:
    with pytest.raises(SpecError, match=r"^explained\.yaml:1: "):
        data_of(text, "explained.yaml", list[Explanation])


def test_a_conflict_has_a_claim_for_each_edition_or_for_all() -> None:
    conflicts = {c.number: c for c in read_data("errata.yaml", list[Conflict])}
    assert conflicts["C060"].claim("keras-1") == "to the even integer"
    assert conflicts["C107"].claim("keras-2.2") == "axis=-1"
    assert conflicts["C107"].claim("keras-2.0") == "there is none"
    assert conflicts["C123"].claim("keras-1") is None, "no function of keras-1 is concerned"


def test_the_line_of_a_parameter() -> None:
    spec = load()["max"]
    assert parameter_line(spec, "ja-2.0", "keepdims") == 1199
    assert parameter_line(spec, "ko-2.2", "keepdims") == 1170
    assert parameter_line(spec, "ko-2.2", "x") == 1168


def test_a_document_may_not_describe_a_parameter_or_not_have_the_function() -> None:
    assert parameter_line(load()["max"], "ja-1", "keepdims") is None
    assert parameter_line(load()["max"], "ko-2.2", "nonsense") is None
    assert parameter_line(load()["logsumexp"], "ja-1", "keepdims") is None
