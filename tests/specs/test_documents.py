"""The specs against facts taken from the documents: functions, signatures, lines and errata."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from conformance.specs import DOCUMENTS, EDITIONS, load, load_conventions
from conformance.specs.load import documented_name, signature
from conformance.specs.signature import parse

FACTS: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("documented_signatures.json").read_text("utf-8")
)
SPECS = load()

THEMES = {
    "reductions": """max min sum prod cumsum cumprod var std mean any all argmax argmin
        logsumexp""",
    "elementwise": "square abs sqrt exp log round sign pow clip maximum minimum sin cos",
    "comparison": "equal not_equal greater greater_equal less less_equal",
    "shape ops": """concatenate reshape permute_dimensions repeat_elements repeat tile flatten
        batch_flatten expand_dims squeeze stack one_hot reverse slice gather""",
    "linear algebra": "dot batch_dot transpose",
    "creation": """variable constant placeholder zeros ones eye zeros_like ones_like identity
        arange""",
    "activations": "relu elu softmax softplus softsign sigmoid hard_sigmoid tanh",
}

ERRATA = {
    "C026": "variable placeholder zeros ones eye",
    "C027": "zeros_like ones_like",
    "C028": "zeros ones",
    "C029": "eye",
    "C030": "placeholder",
    "C031": "variable",
    "C032": "identity",
    "C033": "variable",
    "C034": "variable",
    "C039": "constant softsign one_hot",
    "C046": "dot",
    "C047": "batch_dot",
    "C048": "batch_dot",
    "C049": "batch_dot",
    "C050": "batch_dot",
    "C051": "batch_dot",
    "C052": "batch_dot",
    "C053": "transpose",
    "C054": "min",
    "C055": "max min sum prod var std mean any all logsumexp",
    "C056": "mean",
    "C057": "all",
    "C058": "any all",
    "C059": "any all",
    "C060": "round",
    "C061": "sign",
    "C062": "pow",
    "C063": "tanh",
    "C064": "less less_equal",
    "C073": "concatenate",
    "C074": "gather",
    "C075": "expand_dims",
    "C076": "one_hot",
    "C077": "repeat_elements",
    "C078": "arange",
    "C079": "reverse",
    "C081": "flatten batch_flatten",
    "C106": "elu",
    "C107": "softmax",
}
"""The numbered conflicts of the documents on these functions, section N (defects of form) aside."""


def test_the_functions_and_their_themes() -> None:
    wanted = {name: theme for theme, names in THEMES.items() for name in names.split()}
    assert {name: SPECS.theme(name) for name in SPECS} == wanted
    assert len(SPECS) == 69


def test_what_each_edition_offers() -> None:
    offered = {e: sum(e in spec.editions for spec in SPECS.values()) for e in EDITIONS}
    documented = {
        e: len({f["function"] for f in FACTS if f["document"] == d})
        for e, d in zip(EDITIONS, ("ja-1", "ja-2.0", "ko-2.2"), strict=True)
    }
    assert offered == documented


@pytest.mark.parametrize("fact", FACTS, ids=[f"{f['document']}-{f['function']}" for f in FACTS])
def test_a_signature_is_what_the_document_prints(fact: dict[str, Any]) -> None:
    entry = SPECS[fact["function"]].signatures[fact["document"]]
    assert entry.line == fact["line"]
    assert parse(entry.text) == parse(fact["signature"])
    assert entry.text == fact["signature"].removeprefix("keras.backend.")
    if "corrected" in fact:
        assert entry.corrected == fact["corrected"]
        assert entry.erratum in {e.number for e in SPECS[fact["function"]].errata}
    else:
        assert entry.corrected is None


def test_no_signature_is_invented() -> None:
    facts = {(f["document"], f["function"]) for f in FACTS}
    assert facts == {(d, name) for name, spec in SPECS.items() for d in spec.signatures}
    assert len(facts) == len(FACTS)


@pytest.mark.parametrize("name", SPECS)
def test_an_edition_is_bound_by_its_own_document(name: str) -> None:
    bound = {"keras-1": "ja-1", "keras-2.0": "ja-2.0", "keras-2.2": "ko-2.2"}
    spec = SPECS[name]
    assert spec.editions == {e: d for e, d in bound.items() if d in spec.signatures}


def test_names_of_functions_and_parameters_in_each_edition() -> None:
    assert SPECS.aliases() == {"lesser": "less", "lesser_equal": "less_equal"}
    assert documented_name(SPECS["less"], "keras-1") == "lesser"
    assert documented_name(SPECS["less"], "keras-2.0") == "less"
    assert str(signature(SPECS["expand_dims"], "keras-1")) == "expand_dims(x, dim=-1)"
    assert str(signature(SPECS["mean"], "keras-2.0")) == "mean(x, axis=None, keepdims=False)"
    assert str(signature(SPECS["one_hot"], "keras-1")) == "one_hot(indices, nb_classes)"
    with pytest.raises(KeyError):
        signature(SPECS["elu"], "keras-1")


@pytest.mark.parametrize("number", ERRATA)
def test_a_conflict_is_attached_to_the_functions_it_is_about(number: str) -> None:
    attached = {n for n, spec in SPECS.items() if number in {e.number for e in spec.errata}}
    assert attached == set(ERRATA[number].split())


def test_no_other_conflict_is_attached_and_none_twice() -> None:
    for name, spec in SPECS.items():
        numbers = [e.number for e in spec.errata]
        assert len(numbers) == len(set(numbers)), name
        assert set(numbers) <= set(ERRATA), name


@pytest.mark.parametrize("name", SPECS)
def test_a_line_that_is_cited_lies_in_the_entry_of_the_function(name: str) -> None:
    """Between the function's signature and the next documented signature of the same document."""
    spec = SPECS[name]
    lines = {str(d): entry.line for d, entry in spec.signatures.items()}
    starts = {d: sorted(f["line"] for f in FACTS if f["document"] == d) for d in DOCUMENTS}
    cited: list[tuple[str, str, int]] = [
        (c.aspect, d, n) for c in spec.claims for d, n in c.at.items()
    ]
    cited += [(e.name, d, n) for e in spec.errors for d, n in e.at.items()]
    for what, document, line in cited:
        first = lines[document]
        after = next((s for s in starts[document] if s > first), 10**9)
        assert first <= line < min(after, first + 40), f"{what}: {document}:{line}"


def test_every_convention_is_said_and_used() -> None:
    conventions = load_conventions()
    for name, convention in conventions.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
        assert convention.says.endswith(".")
        assert convention.source
    named = {u.convention for s in SPECS.values() for u in s.unsettled}
    named |= {c for s in SPECS.values() for c in s.profiles.values()}
    named |= {e.convention for s in SPECS.values() for e in s.errors if e.convention}
    assert named <= set(conventions)
