"""Which failures break a sentence of the release itself."""

from __future__ import annotations

import pytest

from conformance.history import promised
from conformance.specs.docstrings import Docstring
from tests.history.cases import NAME, call, docstring, failure, promises


def test_the_same_text_is_the_release_s_own_promise() -> None:
    assert promised(promises(docstring()), NAME, failure()) == ("release", "")


def test_an_absent_function_promises_nothing() -> None:
    basis, why = promised(promises(None), NAME, failure())
    assert basis == "none"
    assert why == "the release has no keras.ops.dot"


def test_another_function_of_the_case_may_be_absent() -> None:
    there = promises(docstring())
    there.described["keras.ops.new"] = docstring()  # type: ignore[index]
    basis, why = promised(there, NAME, failure(program=call(function="keras.ops.new")))
    assert (basis, why) == ("none", "the release has no keras.ops.new")


@pytest.mark.parametrize(
    "program",
    [
        call({"ref": "x"}, axis=0),
        call({"ref": "x"}, 0),
        call(NAME, False, {"ref": "x"}, 0, function="compiled"),
    ],
    ids=["by name", "by position", "compiled"],
)
def test_an_absent_parameter_promises_nothing(program: dict[str, object]) -> None:
    basis, why = promised(promises(docstring("(x)")), NAME, failure(program=program))
    assert basis == "none"
    assert why == "keras.ops.dot has no parameter axis there"


def test_an_absent_parameter_that_the_case_omits_changes_nothing() -> None:
    there = promises(docstring("(x)"))
    assert promised(there, NAME, failure(program=call({"ref": "x"})))[0] == "release"


def test_another_default_is_another_call_if_the_case_omits_the_parameter() -> None:
    there = promises(docstring("(x, axis=0)"))
    basis, why = promised(there, NAME, failure(program=call({"ref": "x"})))
    assert (basis, why) == ("none", "the default of axis is 0 there")
    assert promised(there, NAME, failure(program=call({"ref": "x"}, axis=1)))[0] == "release"


@pytest.mark.parametrize(
    ("installed", "section", "basis"),
    [
        (docstring(texts=["0" * 12, "2" * 12]), "Returns", "edition"),
        (docstring(sections=["Summary"], texts=["0" * 12]), "Returns", "none"),
        (docstring(sections=["Summary", "Result"]), "Returns", "release"),
        (docstring("(x)"), "signature", "none"),
        (docstring(), "signature", "release"),
        (docstring(), "Raises", "edition"),
    ],
    ids=["reworded", "absent", "renamed", "signature", "same signature", "unknown"],
)
def test_the_cited_section_decides(installed: Docstring, section: str, basis: str) -> None:
    assert promised(promises(installed), NAME, failure(section))[0] == basis


def test_the_described_release_is_judged_by_its_own_text() -> None:
    there = promises(docstring(texts=["0" * 12, "2" * 12]), release="3.15.1")
    assert promised(there, NAME, failure()) == ("release", "")


def test_without_docstrings_the_edition_judges() -> None:
    assert promised(None, NAME, failure())[0] == "edition"


def test_differing_functions_are_counted() -> None:
    assert promises(docstring()).differing() == 0
    assert promises(docstring("(x)")).differing() == 1
    assert promises(None).absent() == [NAME]
