"""docs/specs.md describes every field, parameter kind and operator, and its example is a spec."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from conformance.specs import DOCUMENTS, EDITIONS, errata, extraction, kinds, model, records, rules
from conformance.specs.reading import load_text

PAGE = (Path(__file__).parents[2] / "docs" / "specs.md").read_text("utf-8")
KINDS = {kind.__struct_config__.tag: kind for kind in get_args(kinds.ParameterRule)}


def rows(heading: str) -> dict[str, str]:
    """The first cell's code and the rest of each row, of the tables under a heading."""
    _, _, after = PAGE.partition(f"\n{heading}\n")
    section = re.split(r"\n##+ ", after)[0]
    return dict(re.findall(r"^\| `([^`]+)` \|(.*)\|$", section, re.MULTILINE))


def test_every_operator_has_its_row() -> None:
    listed = [re.match(r"\[(\w+)", row)[1] for row in rows("### Operators")]  # type: ignore[index]
    assert sorted(listed) == rules.operator_names()


def test_every_parameter_kind_has_its_row_with_its_fields() -> None:
    listed = rows("## Parameters")
    assert sorted(listed) == sorted(map(str, KINDS))
    for tag, kind in KINDS.items():
        for field in kind.__struct_fields__:
            assert f"`{field}`" in listed[str(tag)], f"{tag}: {field}"


@pytest.mark.parametrize("tag", KINDS)
def test_the_defaults_are_those_of_the_records(tag: str) -> None:
    kind = KINDS[tag]
    required = len(kind.__struct_fields__) - len(kind.__struct_defaults__)
    defaults: dict[str, Any] = dict(
        zip(kind.__struct_fields__[required:], kind.__struct_defaults__, strict=True)
    )
    for field, pair in re.findall(r"`(\w+)` \[(\d+, \d+)\]", rows("## Parameters")[tag]):
        assert tuple(map(int, pair.split(", "))) == defaults[field]
    for field, default in defaults.items():
        if isinstance(default, tuple):
            assert f"`{field}` [{default[0]}, {default[1]}]" in rows("## Parameters")[tag]


def test_every_field_of_a_spec_has_its_row() -> None:
    assert list(rows("## A spec")) == list(model.Spec.__struct_fields__)


def test_every_accuracy_has_its_row() -> None:
    listed = rows("### Accuracy")
    kinds = get_args(model.Accuracy)
    assert list(listed) == [k.__struct_config__.tag for k in kinds]
    for kind in kinds:
        for field in kind.__struct_fields__:
            assert f"`{field}`" in listed[str(kind.__struct_config__.tag)]


@pytest.mark.parametrize(
    "name",
    [
        *DOCUMENTS,
        *EDITIONS,
        *get_args(records.DtypeName),
        *get_args(records.Domain),
        *get_args(records.AspectName),
        *model.ErrorCase.__struct_fields__,
        *model.DocumentedSignature.__struct_fields__,
        *model.Claim.__struct_fields__,
        *model.Erratum.__struct_fields__,
        *model.Unsettled.__struct_fields__,
        *model.SharedError.__struct_fields__,
        *model.SharedFile.__struct_fields__,
        *model.Dtypes.__struct_fields__,
        "broadcast",
        "contraction",
        "batch_contraction",
        "batch_mismatch",
    ],
)
def test_every_name_that_may_be_written_is_on_the_page(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize(
    ("heading", "record"),
    [
        ("field of an entry", extraction.DocumentEntry),
        ("field of a conflict", errata.Conflict),
        ("field of a rule", model.NamedRule),
    ],
)
def test_the_fields_of_other_records_have_their_rows(heading: str, record: Any) -> None:
    _, _, after = PAGE.partition(f"| {heading} |")
    listed = re.findall(r"^\| `(\w+)` \|", after.partition("\n\n")[0], re.MULTILINE)
    assert {*listed} | {"prose"} == {*record.__struct_fields__} | {"prose"}


@pytest.mark.parametrize("field", extraction.Explanation.__struct_fields__)
def test_every_field_of_an_explanation_is_on_the_page(field: str) -> None:
    _, _, after = PAGE.partition("`documents/explained.yaml` lists")
    assert f"`{field}`" in after.partition("\n\n")[0]


def test_the_example_is_a_spec() -> None:
    example, _ = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    file = load_text(example, "docs/specs.md")
    assert [s.name for s in file.functions] == ["repeat_elements"]
    assert yaml.safe_load(example)["theme"] == file.theme
