"""The pages on specs describe every field, kind and operator, and their examples are specs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from conformance.specs import DOCUMENTS, EDITIONS, errata, extraction, kinds, model, records, rules
from conformance.specs.reading import load_text
from conformance.specs.written import SharedFile, WrittenSpec
from tools.spec_tables import PAGES, page

DOCS = Path(__file__).parents[2] / "docs"
PAGE, INPUTS, DATA = (
    (DOCS / name).read_text("utf-8") for name in ("specs.md", "inputs.md", "document-data.md")
)
KINDS = {kind.__struct_config__.tag: kind for kind in get_args(kinds.ParameterRule)}


def rows(text: str, heading: str) -> dict[str, str]:
    """The first cell's code and the rest of each row, of the tables under a heading."""
    _, _, after = text.partition(f"\n{heading}\n")
    section = re.split(r"\n##+ ", after)[0]
    return dict(re.findall(r"^\| `([^`]+)`[^|]* \|(.*)\|$", section, re.MULTILINE))


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.name)
def test_the_tables_are_those_of_the_schema(file: Path) -> None:
    text = file.read_text("utf-8")
    assert text == page(text), "run `python -m tools.spec_tables`"


def test_every_operator_has_its_row() -> None:
    operators = [re.match(r"\[(\w+)", row)[1] for row in rows(PAGE, "### Operators")]  # type: ignore[index]
    assert sorted(operators) == rules.operator_names()


def test_every_parameter_kind_has_its_row_with_its_fields() -> None:
    table = rows(INPUTS, "## Kinds")
    assert sorted(table) == sorted(map(str, KINDS))
    for tag, kind in KINDS.items():
        for field in kind.__struct_fields__:
            assert f"`{field}`" in table[str(tag)], f"{tag}: {field}"


def test_every_field_of_a_spec_has_its_row() -> None:
    table = rows(PAGE, "## Fields")
    assert {*WrittenSpec.__struct_fields__} <= {*table}
    assert all(len(table[name].split()) > 1 for name in WrittenSpec.__struct_fields__)


def test_every_accuracy_has_its_row() -> None:
    table = rows(PAGE, "### Accuracy")
    assert list(table) == [k.__struct_config__.tag for k in get_args(model.Accuracy)]


@pytest.mark.parametrize(
    "name",
    [
        *DOCUMENTS,
        *EDITIONS,
        *get_args(records.AspectName),
        *model.ErrorCase.__struct_fields__,
        *model.DocumentedSignature.__struct_fields__,
        *model.Claim.__struct_fields__,
        *model.Erratum.__struct_fields__,
        *model.Unsettled.__struct_fields__,
        *SharedFile.__struct_fields__,
        *model.Dtypes.__struct_fields__,
    ],
)
def test_every_name_of_a_spec_is_on_its_page(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize(
    "name",
    [
        *get_args(records.DtypeName),
        *get_args(records.Domain),
        *records.NAMED_PROFILES,
        "broadcast",
        "contraction",
        "batch_contraction",
        "batch_mismatch",
    ],
)
def test_every_name_of_an_input_is_on_its_page(name: str) -> None:
    assert f"`{name}`" in INPUTS


@pytest.mark.parametrize(
    ("text", "heading", "record"),
    [
        (DATA, "field of an entry", extraction.DocumentEntry),
        (DATA, "field of a conflict", errata.Conflict),
        (PAGE, "field of a rule", model.NamedRule),
    ],
)
def test_the_fields_of_other_records_have_their_rows(text: str, heading: str, record: Any) -> None:
    _, _, after = text.partition(f"| {heading} |")
    fields = re.findall(r"^\| `(\w+)` \|", after.partition("\n\n")[0], re.MULTILINE)
    assert {*fields} | {"prose"} == {*record.__struct_fields__} | {"prose"}


@pytest.mark.parametrize("field", extraction.Explanation.__struct_fields__)
def test_every_field_of_an_explanation_is_on_the_page(field: str) -> None:
    _, _, after = DATA.partition("`documents/explained.yaml` lists")
    assert f"`{field}`" in after.partition("\n\n")[0]


def test_the_examples_are_specs() -> None:
    examples = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    names = [[s.name for s in load_text(text, "specs.md").functions] for text in examples]
    assert names == [["keras.ops.arctan2"], ["repeat_elements"]]
