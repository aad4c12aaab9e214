"""The specs against the documents, which are there as data: names, signatures, lines, conflicts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace as with_fields
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.scenarios.cited import cited_exceptions
from conformance.specs import EDITIONS, Spec, SpecFile, Specs, load, load_conventions
from conformance.specs.attachment import unattached
from conformance.specs.comparison import ENTRIES, Sources, SpecDifference, differences, settle
from conformance.specs.errata import load_conflicts
from conformance.specs.extraction import Explanation, Pages, load_explanations, load_extraction
from conformance.specs.load import documented_name, signature
from conformance.specs.model import DocumentedSignature, Erratum, ErrorCase

EXTRACTION = load_extraction()
SPECS = load().printed_in(EXTRACTION)
CONFLICTS = load_conflicts()


@cache  # and no constant: pytest imports this module whatever it runs
def whole() -> Sources:
    """The shipped specs, with what the scenarios provoke."""
    return Sources(SPECS, EXTRACTION, CONFLICTS, cited_exceptions())


def mistakes(sources: Sources | None = None) -> list[SpecDifference]:
    sources = sources or whole()
    mistakes_of_specs = [*differences(sources), *unattached(sources)]
    return settle(mistakes_of_specs, load_explanations()).differences


# What there is.


@pytest.mark.parametrize(
    ("document", "entries"),
    {"ja-1": 104, "ja-2.0": 144, "ko-2.2": 149, "ja-1-text": 104, "zh-TW": 138}.items(),
)
def test_every_entry_of_a_document_is_there(document: str, entries: int) -> None:
    assert len(EXTRACTION[document].entries) == entries == ENTRIES[document]


def test_there_is_a_spec_of_each_of_the_153_functions() -> None:
    assert len(SPECS) == 153
    assert sum(len(spec.signatures) for spec in SPECS.values()) == 638, "zh-TW has one twice"


@pytest.mark.parametrize("document", EXTRACTION)
def test_lines_ascend(document: str) -> None:
    """What is extracted from an entry lies between its first line and that of the next."""
    entries = EXTRACTION[document].entries
    ends = [entry.start for entry in entries[1:]] + [10**9]
    for entry, end in zip(entries, ends, strict=True):
        described = [line for _, line in entry.parameters]
        named = [line for _, line in entry.raises]
        assert described == sorted(described)
        returns = [] if entry.returns is None else [entry.returns]
        for line in (*described, *named, *returns, *entry.examples):
            assert entry.signature[0] < line < end
        assert entry.start <= entry.signature[0]


def test_the_rendered_text_of_keras_1_has_the_same_signatures() -> None:
    texts = [[e.text for e in EXTRACTION[d].entries] for d in ("ja-1", "ja-1-text")]
    assert texts[0] == texts[1]


def test_57_headings_of_zh_tw_lack_a_space() -> None:
    headings = [e.heading[1] for e in EXTRACTION["zh-TW"].entries if e.heading]
    assert sum(not h.startswith("### ") for h in headings) == 57


def test_there_are_142_conflicts() -> None:
    assert len(CONFLICTS) == 142
    kinds = Counter(kind for conflict in CONFLICTS.values() for kind in conflict.kinds)
    assert kinds == {"V": 49, "X": 50, "S": 38, "E": 63}


def test_which_conflicts_concern_prose_only() -> None:
    """Two in the introductions; the defects of form in section N, whatever they touch."""
    prose = {number for number, conflict in CONFLICTS.items() if conflict.prose}
    assert prose == {"C008", "C009", "C136", "C137", "C138", "C139", "C140", "C141"}


# That the specs say the same.


def test_no_difference_is_unexplained() -> None:
    assert not mistakes()


def test_every_documented_exception_is_provoked() -> None:
    named = {
        (name, document, line)
        for name, spec in SPECS.items()
        for document, printed in spec.signatures.items()
        if (entry := EXTRACTION[document].signed(printed.line))
        for _, line in entry.raises
    }
    own = {(n, str(d), k) for n, s in SPECS.items() for e in s.errors for d, k in e.at.items()}
    assert len(named) == 48
    assert named <= own | cited_exceptions()


def test_every_explanation_names_its_reason() -> None:
    for explanation in load_explanations():
        assert (explanation.erratum is None) != (explanation.because is None), explanation
        entry = EXTRACTION[explanation.document].at(explanation.line)
        name = whole().owner(explanation.document, entry) if entry else None
        if explanation.erratum is not None and name is not None:
            assert explanation.erratum in {e.number for e in SPECS[name].errata}, explanation


def test_what_each_edition_offers() -> None:
    offered = {e: sum(e in spec.editions for spec in SPECS.values()) for e in EDITIONS}
    of_lines = {"keras-1": 104 + 1, "keras-2.0": 144, "keras-2.2": 149}
    assert {e: offered[e] for e in of_lines} == of_lines, (
        "late keras-1 has asymmetric_temporal_padding, too (C083)"
    )


def test_names_of_functions_and_parameters_in_each_edition() -> None:
    older = {"lesser": "less", "lesser_equal": "less_equal", "deconv2d": "conv2d_transpose"}
    assert SPECS.aliases() == older
    assert documented_name(SPECS["less"], "keras-1") == "lesser"
    assert documented_name(SPECS["less"], "keras-2.0") == "less"
    assert str(signature(SPECS["expand_dims"], "keras-1")) == "expand_dims(x, dim=-1)"
    assert str(signature(SPECS["mean"], "keras-2.0")) == "mean(x, axis=None, keepdims=False)"
    assert str(signature(SPECS["one_hot"], "keras-1")) == "one_hot(indices, nb_classes)"
    with pytest.raises(KeyError):
        signature(SPECS["elu"], "keras-1")


def test_every_convention_is_said() -> None:
    conventions = load_conventions()
    for name, convention in conventions.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
        assert convention.says.endswith(".")
        assert convention.source
    named = {u.convention for s in SPECS.values() for u in s.unsettled}
    named |= {c for s in SPECS.values() for c in s.profiles.values()}
    named |= {e.convention for s in SPECS.values() for e in s.errors if e.convention}
    assert named <= set(conventions)


# That a mistake is seen: each is made in one place of what is compared.


def with_spec(name: str, **fields: Any) -> Sources:
    """Everything, with other fields in one spec."""
    return replaced(name, lambda spec: [replace(spec, **fields)])


def replaced(name: str, change: Callable[[Spec], list[Spec]]) -> Sources:
    files = [
        SpecFile(theme=SPECS.theme(n), functions=change(spec) if n == name else [spec])
        for n, spec in SPECS.items()
    ]
    return with_fields(whole(), specs=Specs(files))


def with_signature(name: str, document: str, **fields: Any) -> Sources:
    spec = SPECS[name]
    old: DocumentedSignature = spec.signatures[document]
    return with_spec(name, signatures={**spec.signatures, document: replace(old, **fields)})


def with_entry(document: str, title: str, /, **fields: Any) -> Sources:
    """Everything, with other facts in one entry of a document."""
    pages = EXTRACTION[document].entries
    changed = [replace(e, **fields) if e.heading and e.heading[1] == title else e for e in pages]
    assert tuple(changed) != pages
    return with_fields(whole(), extraction={**EXTRACTION, document: Pages(tuple(changed))})


def with_conflict(number: str, **fields: Any) -> Sources:
    changed = {**CONFLICTS, number: replace(CONFLICTS[number], **fields)}
    return with_fields(whole(), conflicts=changed)


def without_entry(document: str) -> Sources:
    pages = Pages(EXTRACTION[document].entries[:-1])
    return with_fields(whole(), extraction={**EXTRACTION, document: pages})


def with_error(name: str, index: int, **fields: Any) -> Sources:
    errors: list[ErrorCase] = list(SPECS[name].errors)
    errors[index] = replace(errors[index], **fields)
    return with_spec(name, errors=errors)


def with_errata(name: str, *more: str, without: str = "") -> Sources:
    errata = [erratum for erratum in SPECS[name].errata if erratum.number != without]
    return with_spec(name, errata=[*errata, *(Erratum(number=n, claim="") for n in more)])


def printed(name: str, kind: str, *documents: str) -> set[tuple[str, str, int]]:
    """A difference of a kind on the line of the function's signature, in all documents or these."""
    lines = {str(d): s.line for d, s in SPECS[name].signatures.items()}
    return {(kind, document, lines[document]) for document in documents or lines}


SEEDED: dict[str, tuple[Callable[[], Sources], set[tuple[str, str, int]]]] = {
    "an entry is not extracted": (
        lambda: without_entry("ja-1"),
        {("count", "ja-1", 1), ("signature", "ja-1", 1547), ("line", "ja-1", 1550)},
    ),
    "a function has no spec": (
        lambda: replaced("sin", lambda spec: []),
        {("count", "", 0), *printed("sin", "entry")},
    ),
    "a document's signature is left out": (
        lambda: with_spec(
            "sin", signatures={d: s for d, s in SPECS["sin"].signatures.items() if d != "zh-TW"}
        ),
        printed("sin", "entry", "zh-TW"),
    ),
    "a signature is invented": (
        lambda: with_spec(
            "slice",
            signatures={
                **SPECS["slice"].signatures,
                "zh-TW": DocumentedSignature(line=5, text="slice(x)"),
            },
        ),
        {("signature", "zh-TW", 5)},
    ),
    "another line": (
        lambda: with_signature("sin", "ja-2.0", line=1388),
        {("signature", "ja-2.0", 1388), *printed("sin", "entry", "ja-2.0")},
    ),
    "another name of a parameter": (
        lambda: with_signature("sum", "ja-2.0", text="sum(x, axes=None, keepdims=False)"),
        {
            ("parameter", "ja-2.0", 1984),
            *printed("sum", "signature", "ja-2.0"),
            *printed("sum", "parameter", "ja-2.0"),
        },
    ),
    "another default": (
        lambda: with_signature("sum", "ja-2.0", text="sum(x, axis=-1, keepdims=False)"),
        printed("sum", "signature", "ja-2.0"),
    ),
    "a correction without its erratum": (
        lambda: with_errata("mean", without="C056"),
        {("conflict", "", 0), ("correction", "ja-2.0", 2094)},
    ),
    "a correction by an erratum that is not the function's": (
        lambda: with_signature("mean", "ja-2.0", erratum="C057"),
        {("correction", "ja-2.0", 2094)},
    ),
    "a correction that is not explained": (
        lambda: with_signature("sum", "ja-2.0", corrected="sum(x, axis=None, keepdims=True)"),
        printed("sum", "correction", "ja-2.0"),
    ),
    "a heading of another function": (
        lambda: with_entry("ja-2.0", "### sin", heading=(1384, "### cos")),
        {("heading", "ja-2.0", 1384)},
    ),
    "a spec under another name": (
        lambda: replaced("sin", lambda spec: [replace(spec, name="sine")]),
        printed("sin", "name"),
    ),
    "an edition that its document does not bind": (
        lambda: with_spec("sin", editions={**SPECS["sin"].editions, "keras-1": "zh-TW"}),
        printed("sin", "edition", "ja-1", "zh-TW"),
    ),
    "an edition left out": (
        lambda: with_spec("sin", editions={"keras-2.2": "ko-2.2"}),
        printed("sin", "edition", "ja-1", "ja-2.0"),
    ),
    "a parameter that is described and not there": (
        lambda: with_entry("ja-2.0", "### sin", parameters=[("x", 1396), ("y", 1397)]),
        {("parameter", "ja-2.0", 1397)},
    ),
    "a parameter that is described twice": (
        lambda: with_entry("ja-2.0", "### sin", parameters=[("x", 1396), ("x", 1397)]),
        {("parameter", "ja-2.0", 1397)},
    ),
    "a parameter that is not described": (
        lambda: with_entry("ja-2.0", "### sin", parameters=[("y", 1396)]),
        {("parameter", "ja-2.0", 1396), *printed("sin", "parameter", "ja-2.0")},
    ),
    "an exception that nothing provokes": (
        lambda: with_spec("conv3d", errors=[]),
        {("exception", "ja-2.0", 3093), ("exception", "ko-2.2", 3280)},
    ),
    "an exception that only a scenario provoked": (
        lambda: with_fields(whole(), provoked=cited_exceptions() - {("switch", "ko-2.2", 2673)}),
        {("exception", "ko-2.2", 2673)},
    ),
    "a case that cites another line": (
        lambda: with_error("repeat_elements", 0, at={"ja-2.0": 1590}),
        {("exception", "ja-2.0", 1590), ("exception", "ja-2.0", 1594)},
    ),
    "a claim on a line of another function": (
        lambda: with_spec(
            "sin", claims=[replace(c, at={**c.at, "ja-2.0": 1411}) for c in SPECS["sin"].claims]
        ),
        {("line", "ja-2.0", 1411)},
    ),
    "a case that cites a line of another function": (
        lambda: with_error("tile", 0, at={"ja-2.0": 1690}),
        {("line", "ja-2.0", 1690)},
    ),
    "a conflict that is not listed": (
        lambda: with_fields(whole(), conflicts={n: c for n, c in CONFLICTS.items() if n != "C008"}),
        {("conflict", "", 0)},
    ),
    "a conflict that a spec does not have": (
        lambda: with_errata("tanh", without="C063"),
        {("conflict", "", 0)},
    ),
    "a conflict that a spec has twice": (
        lambda: with_errata("tanh", "C063"),
        {("conflict", "", 0)},
    ),
    "a conflict of another function": (
        lambda: with_errata("tanh", "C061"),
        {("conflict", "", 0)},
    ),
    "a conflict that names a function without a spec": (
        lambda: with_conflict("C063", functions=["tanh", "tan"]),
        {("conflict", "", 0)},
    ),
    "a conflict about neither functions nor prose": (
        lambda: with_conflict("C008", prose=False),
        {("conflict", "", 0)},
    ),
    "a conflict with a line in the entry of a function it does not name": (
        lambda: with_conflict("C063", at={"ja-2.0": [1392]}),
        {("conflict", "ja-2.0", 1392)},
    ),
    "a conflict that says nothing of an edition": (
        lambda: with_conflict("C107", says={"keras-2.2": "axis=-1"}),
        {("conflict", "", 0)},
    ),
}


@pytest.mark.parametrize("name", SEEDED)
def test_a_mistake_is_seen_where_it_is_made(name: str) -> None:
    make, places = SEEDED[name]
    assert {(d.kind, d.document, d.line) for d in mistakes(make())} == places


def test_an_explanation_of_nothing_is_a_mistake() -> None:
    idle = Explanation(kind="name", document="ja-1", line=119, names=["epsilon"], erratum="C013")
    outcome = settle([], [idle])
    assert [(d.kind, d.document, d.line) for d in outcome.differences] == [("stale", "ja-1", 119)]
    assert "epsilon" in outcome.differences[0].says


def test_an_explanation_explains_its_own_difference_only() -> None:
    here = SpecDifference("ja-1", 773, "name", "lesser", "less is called lesser")
    there = SpecDifference("ja-1", 774, "name", "lesser", "less is called lesser")
    outcome = settle([there, here], load_explanations())
    assert [d for d, _ in outcome.explained] == [here]
    assert there in outcome.differences
