"""A spec states what a reader decided: the rest comes from documents and patterns."""

from __future__ import annotations

import pytest

from conformance.specs import SpecError, load
from conformance.specs.completion import BY_SCENARIOS
from conformance.specs.kinds import Boolean, Companion, FromDrawer, Integer, TensorKind
from conformance.specs.model import Dtypes, Exact, Spec
from conformance.specs.reading import load_shared, load_text, places, shared_in

HEAD = "theme: mine\nfunctions:\n"
MAXIMUM = """\
- name: keras.ops.maximum
  like: pair
  summary: "The larger of two elements."
  accuracy: {kind: exact}
"""


def loaded(entry: str) -> Spec:
    """The spec of a file with this entry alone."""
    (spec,) = load_text(HEAD + entry, "mine.yaml").functions
    return spec


def test_signature_and_editions_come_from_the_document() -> None:
    spec = loaded(MAXIMUM)
    assert [s.text for s in spec.signatures.values()] == ["keras.ops.maximum(x1, x2)"]
    assert spec.editions == {"keras-3": "keras-3.15.1"}
    assert spec.oracle == "maximum"


def test_the_summary_is_the_claim_about_the_value() -> None:
    (claim,) = loaded(MAXIMUM).claims
    assert (claim.aspect, claim.says) == ("value", "The larger of two elements.")
    assert claim.sections == {"keras-3.15.1": "Summary"}


def test_a_claim_has_its_own_words_and_section() -> None:
    own = MAXIMUM + "  says: It is larger.\n  section: Returns\n"
    own += "  claims: [{aspect: dtype, says: Its dtype., section: Args}]\n"
    value, dtype = loaded(own).claims
    assert (value.says, value.sections["keras-3.15.1"]) == ("It is larger.", "Returns")
    assert (dtype.says, dtype.sections["keras-3.15.1"]) == ("Its dtype.", "Args")


def test_no_section_is_no_claim_about_the_value() -> None:
    dropout = "- {name: keras.random.dropout, summary: Some are 0., section: null}\n"
    assert loaded(dropout).claims == []


def test_a_pattern_gives_fields_and_names_parameters_by_their_places() -> None:
    spec = loaded(MAXIMUM)
    assert spec.renamed == {"x1": "x", "x2": "y"}
    assert isinstance(spec.parameters["x"], TensorKind)
    assert isinstance(spec.parameters["y"], Companion)
    assert spec.shape == ["broadcast", ["shape", "x"], ["shape", "y"]]
    assert [case.convention for case in spec.unsettled] == ["scalar", "empty", "broadcasting"]
    assert spec.differentiable


def test_a_spec_replaces_fields_and_adds_open_cases() -> None:
    own = """\
  parameters: {x: {kind: tensor, ranks: [1, 2]}}
  dtypes: {documented: [float32], probed: []}
  differentiable: false
  unsettled: [{when: [equal, [rank, x], 2], convention: empty, says: it is a matrix}]
"""
    spec = loaded(MAXIMUM + own)
    assert spec.parameters["x"] == TensorKind(ranks=(1, 2))
    assert [*spec.parameters] == ["x", "y"]
    assert spec.dtypes.documented == ["float32"]
    assert not spec.differentiable
    assert [case.convention for case in spec.unsettled][-2:] == ["broadcasting", "empty"]


def test_a_pattern_may_have_a_pattern() -> None:
    spec = loaded("- {name: keras.ops.equal, like: comparison, summary: Whether they are equal.}\n")
    assert spec.accuracy == Exact()
    assert spec.shape == loaded(MAXIMUM).shape


def test_parameters_without_a_rule_come_from_the_drawer() -> None:
    spec = load()["keras.ops.squeeze"]
    assert {*spec.parameters.values()} == {FromDrawer()}


def test_a_default_of_true_or_false_is_a_truth_value() -> None:
    assert load()["keras.ops.sum"].parameters["keepdims"] == Boolean()


def test_a_function_without_single_calls_passes_nothing() -> None:
    spec = load()["keras.ops.scan"]
    assert {*spec.parameters.values()} == {BY_SCENARIOS}
    assert (spec.oracle, spec.differentiable, spec.dtypes) == ("", False, Dtypes())


def test_parameters_are_drawn_as_signature_or_spec_order_them() -> None:
    clip = load()["keras.ops.clip"]
    assert [*clip.parameters] == ["x", "min_value", "max_value"]
    assert [*load()["keras.ops.digitize"].parameters] == ["bins", "x"]
    tri = load()["keras.ops.tri"].parameters
    assert [*tri] == ["N", "M", "k", "dtype"]
    assert isinstance(tri["k"], Integer)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("like: pair", "like: pairs", 4, "no pattern 'pairs'; did you mean pair?"),
        ("keras.ops.maximum", "keras.ops.maximun", 3, "no list of docstrings has"),
        ("  summary", "  section: Raises\n  summary", 6, "no section 'Raises'"),
        ("  like: pair\n", "", 3, "'x1' has no rule here"),
        ("{kind: exact}", "{kind: exact}\n  unsettled: [[is-empty, z]]", 7, "'z'"),
        ("{kind: exact}", "{kind: exact}\n  unsettled: [[is-empti, x]]", 7, "is-empty"),
        ("{kind: exact}", "{kind: exact}\n  claims:\n  - {aspect: dtype, says: a, section: See}",
         8, "no section 'See'"),
        ("  like: pair", "  like: reduction", 4, "'keepdims'"),
    ],
)  # fmt: skip
def test_a_mistake_has_the_line_where_it_is_written(
    old: str, new: str, line: int, words: str
) -> None:
    with pytest.raises(SpecError) as caught:
        load_text(HEAD + MAXIMUM.replace(old, new), "mine.yaml")
    place, _, message = str(caught.value).partition(": ")
    assert (place, words in message) == (f"mine.yaml:{line}", True), message


def test_a_part_of_a_pattern_has_the_line_that_names_it() -> None:
    text = (
        HEAD
        + MAXIMUM
        + "  unsettled: [{when: [equal, [rank, x], 9], convention: empty, says: a}]\n"
    )
    parts = ["unsettled[0].when", "unsettled[3].when", "claims[0]", "parameters['x']", "accuracy"]
    lines = places({"mine.yaml": text}, [("keras.ops.maximum", part) for part in parts])
    assert lines == [f"mine.yaml:{line}" for line in (4, 7, 5, 4, 6)]


@pytest.mark.parametrize(
    ("patterns", "says"),
    [
        ("[{name: a, says: b}, {name: a, says: c}]", "there is a pattern a already"),
        ("[{name: a, says: b, like: c}]", "no pattern 'c' stands above"),
        ("[{name: a, says: b, shapes: x}]", "shapes"),
    ],
)
def test_a_wrong_pattern_is_refused(patterns: str, says: str) -> None:
    with pytest.raises(SpecError, match=rf"^rules\.yaml:1: .*{says}"):
        shared_in(f"patterns: {patterns}")


def test_every_pattern_says_which_functions_it_describes() -> None:
    assert all(pattern.says.endswith(".") for pattern in load_shared().patterns.values())
