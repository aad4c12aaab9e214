"""Loading spec files: what is wrong is named with its file and line."""

from __future__ import annotations

import pytest

from conformance.specs import SpecError, load
from conformance.specs.load import claims, general_claims
from conformance.specs.reading import load_text
from conformance.specs.signature import parse
from tests.specs.mistakes import GOOD, MISTAKES, NOT_YAML, Mistake


def test_the_good_example_is_good() -> None:
    file = load_text(GOOD, "good.yaml")
    assert file.theme == "examples"
    assert [spec.name for spec in file.functions] == ["f", "g"]


@pytest.mark.parametrize("mistake", NOT_YAML + MISTAKES, ids=lambda m: m.name)
def test_a_mistake_is_named_with_file_and_line(mistake: Mistake) -> None:
    with pytest.raises(SpecError) as caught:
        load_text(mistake.text, "wrong.yaml")
    place, _, message = str(caught.value).partition(": ")
    assert place.startswith("wrong.yaml:")
    assert mistake.words in message
    if mistake in MISTAKES:
        assert place == f"wrong.yaml:{mistake.at}", message
    else:  # the parser notices where it cannot go on, which may be the line after
        assert int(place.partition(":")[2]) in (mistake.at, mistake.at + 1), message


@pytest.mark.parametrize("text", ["", "3", "theme: x", "[]", "theme: x\nfunctions: {}", "\0"])
def test_what_is_no_spec_file_is_refused_on_line_one(text: str) -> None:
    with pytest.raises(SpecError, match=r"^x\.yaml:[12]: "):
        load_text(text, "x.yaml")


def test_specs_are_loaded_once_and_are_a_mapping() -> None:
    assert load() is load()
    assert "softmax" in load()
    assert "get_session" not in load()
    with pytest.raises(KeyError, match="get_session"):
        load()["get_session"]


def test_the_general_claims_come_after_the_function_s_own() -> None:
    sentences = [c.says for c in claims(load()["identity"], "static shape")]
    assert sentences == ["the same shape", general_claims()[0].says]
    assert not list(claims(load()["sum"], "error"))


@pytest.mark.parametrize(
    ("text", "form", "required"),
    [
        ("f()", "f()", []),
        ("f(x, y)", "f(x, y)", ["x", "y"]),
        ("greater(x,y)", "greater(x, y)", ["x", "y"]),
        ("keras.backend.f(x, shape=(3, 3))", "f(x, shape=(3, 3))", ["x"]),
        ("f(a='float32', b=-1, c=None)", "f(a='float32', b=-1, c=None)", []),
    ],
)
def test_a_signature_is_read_from_its_text(text: str, form: str, required: list[str]) -> None:
    signature = parse(text)
    assert str(signature) == form
    assert [p.name for p in signature.parameters if p.required] == required


def test_a_default_is_a_python_value() -> None:
    (x, axis) = parse("f(x, axis=(-1, 2))").parameters
    assert axis.value == (-1, 2)
    with pytest.raises(ValueError, match="x has no default"):
        _ = x.value


@pytest.mark.parametrize("text", ["", "f", "f(", "f(x,, y)", "lambda x: 0"])
def test_what_is_no_signature_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a signature"):
        parse(text)
