"""Conventions: each is what something rests on, and each that is named exists.

Each says which lines were read and leave it open, for every document that has a function of which
it is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis.strategies import SearchStrategy

from conformance.editions import (
    EDITIONS,
    LINED_DOCUMENTS,
    Document,
    Edition,
    edition_files,
    open_inputs_of,
)
from conformance.generators.collect import distinct, key_of_program
from conformance.scenarios import Scenario
from conformance.scenarios.families import FAMILIES
from conformance.specs import Spec, load, load_conventions
from conformance.specs.comparison import BOUND
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import Convention, unknown
from conformance.specs.examples import load_examples
from conformance.specs.extraction import load_extraction

IN_CODE = set(ConventionName)
"""Each is used by a module, to which `test_convention_names` holds them."""
IN_EXAMPLES = {name for example in load_examples() for name in example.conventions}
LENGTHS = {"ja-1": 1550, "ja-1-text": 984, "ja-2.0": 3392, "zh-TW": 1431, "ko-2.2": 4060}
"""How many lines each document has."""
DRAWN = 3
"""How many scenarios of a strategy are looked at."""
FEW = 12
"""The text of a convention that no more functions name has a line of every one of them."""
_NUMBERS = re.compile(r"\blines? (\d[\d-]*(?:(?:, | and )\d[\d-]*)*)", re.IGNORECASE)
SILENT = [(c, d) for c in load_conventions().values() for d in c.silent if d in LINED_DOCUMENTS]


OF_LINES = [file.name for file in edition_files() if file.cited_by == "line"]


def lines_named(text: str) -> list[range]:
    """The lines that a text names: "lines 3-5, 9" gives those from 3 to 5, and line 9."""
    numbers = (n for group in _NUMBERS.findall(text) for n in re.findall(r"\d[\d-]*", group))
    ends = [[int(end) for end in number.split("-")] for number in numbers]
    return [range(end[0], end[-1] + 1) for end in ends]


def naming(spec: Spec) -> Iterator[tuple[str, set[Document]]]:
    """The conventions that a spec names, each with the documents that leave it open."""
    documents = set(spec.signatures)
    for case in spec.unsettled:
        yield case.convention, _documents(spec, case.editions) if case.editions else documents
    for error in spec.errors:
        if error.convention:
            yield error.convention, _documents(spec, error.editions)
    for edition, profiles in spec.silent.items():
        yield from ((name, _documents(spec, [edition])) for name in profiles.values())
    others = [spec.arrangement, *(p.convention for p in spec.results), *spec.profiles.values()]
    yield from ((name, documents) for name in others if name)


def _documents(spec: Spec, editions: list[Edition]) -> set[Document]:
    return {spec.editions[edition] for edition in editions}


def named_by(spec: Spec) -> set[str]:
    """The conventions that a spec names."""
    return {name for name, _ in naming(spec)}


NAMED = {
    name: [s for s in load().values() if name in named_by(s)]
    for name in sorted({*load_conventions()})
}
"""The functions whose specs name each convention."""


@pytest.mark.parametrize("name", load_conventions())
def test_a_spec_an_example_an_edition_or_the_code_names_each_convention(name: str) -> None:
    of_editions = {named for e in EDITIONS for named in open_inputs_of(e).values()}
    assert name in {*IN_CODE, *IN_EXAMPLES, *of_editions} or NAMED[name]


def test_an_unknown_convention_is_refused_with_those_of_a_similar_name() -> None:
    assert unknown("same-paddings").partition("did you mean ")[2].startswith("same-padding")
    assert unknown("xyz").endswith("is not in conventions.yaml")


# What was read.


def test_the_lines_of_a_text_are_found() -> None:
    text = "lines 3-5, 9: the first 7 words (line 12); lines 20 and 22-23 in 4 of them"
    assert lines_named(text) == [
        range(3, 6),
        range(9, 10),
        range(12, 13),
        range(20, 21),
        range(22, 24),
    ]
    assert lines_named("nothing of 7 in headlines 5") == []


@pytest.mark.parametrize(("convention", "document"), SILENT, ids=lambda c: getattr(c, "name", c))
def test_the_lines_that_were_read_are_lines_of_the_document(
    convention: Convention, document: Document
) -> None:
    text = convention.silent[document]
    assert re.match(r"lines? \d", text), text
    for lines in lines_named(text):
        assert lines, f"{lines} runs backwards"
        assert 1 <= lines.start < lines.stop <= LENGTHS[document] + 1


@pytest.mark.parametrize("document", LINED_DOCUMENTS)
def test_the_documents_are_as_long_as_their_last_facts(document: Document) -> None:
    last = max(c.at.get(document, 0) for s in load().values() for c in s.claims)
    assert load_extraction()[document].entries[-1].start < last <= LENGTHS[document]


@pytest.mark.parametrize("name", load_conventions())
def test_every_document_is_read_that_has_a_function_of_the_convention(name: str) -> None:
    documents = {
        d
        for s in NAMED[name]
        for n, documents_of_name in naming(s)
        if n == name
        for d in documents_of_name
    }
    assert load_conventions()[name].silent
    assert documents <= load_conventions()[name].silent.keys()


@pytest.mark.parametrize("name", [n for n, specs in NAMED.items() if 0 < len(specs) <= FEW])
def test_the_entry_of_every_function_of_a_convention_is_read(name: str) -> None:
    for document, text in load_conventions()[name].silent.items():
        read = {line for lines in lines_named(text) for line in lines}
        for spec in NAMED[name]:
            if document in spec.signatures and document in LINED_DOCUMENTS:
                assert read & {*_entry(spec, document)}, f"{spec.name} in {document}"


def _entry(spec: Spec, document: Document) -> range:
    """The lines of a function's entry."""
    pages, line = load_extraction()[document], spec.signatures[document].line
    here = pages.signed(line)
    assert here is not None
    after = [entry.start for entry in pages.entries if entry.start > line]
    return range(here.start, min(after, default=LENGTHS[document] + 1))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("edition", OF_LINES)
def test_the_document_of_an_edition_is_read_where_its_scenarios_name_a_convention(
    edition: Edition,
) -> None:
    named = {name for scenario in _scenarios(edition) for name in _names(scenario)}
    assert len(named) > 20, sorted(named)
    unread = {n for n in named if BOUND[edition] not in load_conventions()[n].silent}
    assert unread == set()


def _scenarios(edition: Edition) -> Iterator[Scenario]:
    """The scenarios of an edition, a few of each family that draws them."""
    for family in FAMILIES:
        if edition in family.editions and edition in load()[family.function].editions:
            scenarios = family.make(edition)
            yield from (
                distinct(scenarios, _key, DRAWN, 0)
                if isinstance(scenarios, SearchStrategy)
                else scenarios
            )


def _key(scenario: Scenario) -> str:
    return key_of_program(scenario.program)


def _names(scenario: Scenario) -> set[str]:
    of_checks = (n for check in scenario.checks for n in check.conventions)
    others = (other.convention for check in scenario.checks for other in check.alternatives)
    return {*scenario.conventions, *of_checks, *others}
