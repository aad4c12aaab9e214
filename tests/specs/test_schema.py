"""The published JSON Schema: it is that of the records, takes the specs, refuses mistakes."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from conformance import specs
from conformance.specs import rules
from conformance.specs.reading import load_text
from conformance.specs.schema import encode_schema
from conformance.specs.source import SpecError
from tests.specs.mistakes import GOOD, MISTAKES, NOT_IN_THE_SCHEMA, Mistake

FOLDER = Path(str(resources.files(specs)))
SCHEMA_FILE = FOLDER / "schema" / "specs-1.schema.json"
OTHER = (
    "accuracy.yaml",
    "conventions.yaml",
    "errata.yaml",
    "examples.yaml",
    "general.yaml",
    "releases.yaml",
    "rules.yaml",
)
FILES = [
    *sorted(p for p in FOLDER.glob("*.yaml") if p.name not in OTHER),
    *sorted(FOLDER.parent.glob("editions/*/specs/*.yaml")),
]
VALIDATOR = jsonschema.Draft202012Validator(json.loads(encode_schema()))


def expression(rule: Any) -> bool:
    """Whether the schema takes the rule for an expression."""
    schema = {**json.loads(encode_schema()), "$ref": "#/$defs/Expression"}
    return bool(jsonschema.Draft202012Validator(schema).is_valid(rule))


def test_the_published_schema_is_that_of_the_records() -> None:
    assert SCHEMA_FILE.read_bytes() == encode_schema(), (
        f"write conformance.specs.schema.encode_schema() to {SCHEMA_FILE.name}"
    )


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(encode_schema()))


def test_there_is_a_file_for_each_theme() -> None:
    assert len(FILES) == len({specs.load().theme(name) for name in specs.load()}) == 21 + 20


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_every_spec_file_satisfies_it(path: Path) -> None:
    VALIDATOR.validate(yaml.safe_load(path.read_text("utf-8")))


@pytest.mark.thorough
def test_every_shared_rule_satisfies_its_part() -> None:
    schema = {**json.loads(encode_schema()), "$ref": "#/$defs/NamedRule"}
    for rule in yaml.safe_load((FOLDER / "rules.yaml").read_text("utf-8"))["rules"]:
        jsonschema.validate(rule, schema)


def test_the_good_example_satisfies_it() -> None:
    VALIDATOR.validate(yaml.safe_load(GOOD))


@pytest.mark.parametrize(
    "mistake", [m for m in MISTAKES if m.name not in NOT_IN_THE_SCHEMA], ids=lambda m: m.name
)
def test_it_refuses_what_the_loader_refuses(mistake: Mistake) -> None:
    with pytest.raises(SpecError):
        load_text(mistake.text, "x.yaml")
    assert not VALIDATOR.is_valid(yaml.safe_load(mistake.text))


@pytest.mark.parametrize(
    "rule",
    [
        0,
        -1,
        True,
        None,
        "axis",
        ["floatx"],
        ["literal", "bool"],
        ["shape", "x"],
        ["is-empty", "x"],
        ["join", ["take", ["shape", "x"], 0, -1], ["list", 1, None]],
    ],
    ids=str,
)
def test_what_is_an_expression(rule: Any) -> None:
    assert expression(rule)


@pytest.mark.parametrize(
    "rule",
    [
        1.5,
        "not a name",
        "",
        {},
        [],
        ["nonsense", 1],
        ["is-", 1],
        ["Is-empty", "x"],
        ["is-empty", 1.5],
        [["shape", "x"]],
        ["join", ["nonsense"]],
        ["join", ["shape", {}]],
        ["literal"],
        ["literal", "a", "b"],
        ["literal", ["shape", "x"]],
        ["join", ["literal", []]],
        ["if", True, ["take", ["list", 0.5], 0, 1], 2],
    ],
    ids=str,
)
def test_what_is_none(rule: Any) -> None:
    assert not expression(rule)


@pytest.mark.parametrize("operator", rules.operator_names())
def test_every_operator_is_enumerated(operator: str) -> None:
    argument = "x" if operator == "literal" else ["shape", "x"]
    assert expression([operator, argument])
    assert not expression([operator + "s_", argument])
