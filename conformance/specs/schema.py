"""The published JSON Schema of spec files, made from the records themselves.

`schema/specs-1.schema.json` holds it for programs in other languages; docs/specs.md describes what
a schema cannot say.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import msgspec

from conformance.specs import rules
from conformance.specs.model import RULE_NAME, SpecFile

SCHEMA_ID = "urn:keras-backend-conformance:schema:specs-1"


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one YAML file of specs."""
    (reference,), definitions = msgspec.json.schema_components(
        [SpecFile], ref_template="#/$defs/{name}"
    )
    for record in definitions.values():
        record["description"] = inspect.cleandoc(record["description"])
    for record, field, keys in _closed_mappings():
        definitions[record]["properties"][field]["propertyNames"] = {"enum": keys}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "Specs of one theme (conformance-specs/1)",
        **reference,
        "$defs": {**definitions, "Expression": _expression()},
    }


def encode_schema() -> bytes:
    """The bytes of the published `specs-1.schema.json`."""
    return msgspec.json.format(msgspec.json.encode(json_schema()), indent=1) + b"\n"


def _closed_mappings() -> Iterator[tuple[str, str, list[str]]]:
    """Record, field and keys of each mapping whose keys are enumerated: msgspec's has none."""
    for record in _records():
        for field in record.fields:
            if isinstance(field.type, msgspec.inspect.DictType):
                keys = field.type.key_type
                if isinstance(keys, msgspec.inspect.LiteralType):
                    yield record.cls.__name__, field.encode_name, [str(v) for v in keys.values]


def _records() -> list[msgspec.inspect.StructType]:
    """Every record that a spec file may hold."""
    found: dict[type, msgspec.inspect.StructType] = {}
    pending: list[Any] = [msgspec.inspect.type_info(SpecFile)]
    while pending:
        node = pending.pop()
        if isinstance(node, msgspec.inspect.StructType):
            if node.cls in found:
                continue
            found[node.cls] = node
            pending += [field.type for field in node.fields]
        else:
            pending += _inside(node)
    return list(found.values())


def _inside(node: Any) -> list[Any]:
    """The types that a container, union or annotated type is made of."""
    parts = [getattr(node, name, None) for name in ("type", "item_type", "value_type")]
    return [*(p for p in parts if p is not None), *getattr(node, "types", ())]


def _expression() -> dict[str, Any]:
    """The rule language: recursive, with every operator by name. Which named rules there are, and
    how many arguments each takes, the schema does not say."""
    operators = [name for name in rules.operator_names() if name != "literal"]
    itself = {"$ref": "#/$defs/Expression"}
    return {
        "title": "Expression",
        "description": (
            "A rule: a constant, the name of a parameter (its value), [operator, argument, ...] or"
            " [name of a rule, argument, ...]. The argument of `literal` stands for itself."
        ),
        "anyOf": [
            {"type": ["integer", "boolean", "null"]},
            {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
            {
                "type": "array",
                "minItems": 1,
                "prefixItems": [{"enum": operators}],
                "items": itself,
            },
            {
                "type": "array",
                "minItems": 1,
                "prefixItems": [{"type": "string", "pattern": RULE_NAME}],
                "items": itself,
            },
            {
                "type": "array",
                "minItems": 2,
                "prefixItems": [
                    {"const": "literal"},
                    {"type": ["string", "number", "boolean", "null"]},
                ],
                "items": False,
            },
        ],
    }
