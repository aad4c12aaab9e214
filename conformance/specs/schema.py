"""The published JSON Schema of spec files, made from the records themselves.

`schema/specs-1.schema.json` holds it for programs in other languages; docs/specs.md describes what
a schema cannot say.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec

from conformance.json_schemas import schema_of
from conformance.specs import rules
from conformance.specs.model import RULE_NAME
from conformance.specs.parsing import tree
from conformance.specs.written import WrittenFile

SCHEMA_ID = "urn:keras-backend-conformance:schema:specs-1"


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one YAML file of specs."""
    schema = schema_of(WrittenFile, SCHEMA_ID, "Specs of one theme (conformance-specs/1)")
    definitions = schema["$defs"]
    for structure in _records():
        properties = definitions[structure.cls.__name__]["properties"]
        for field, text in field_texts(structure.cls).items():
            properties[field] = {**properties[field], "description": text}
    for record, field, keys in _closed_mappings():
        definitions[record]["properties"][field]["propertyNames"] = {"enum": keys}
    return {**schema, "$defs": {**definitions, "Expression": _expression()}}


def field_texts(record: type) -> dict[str, str]:
    """The text below each field of a record, those of its bases included."""
    texts: dict[str, str] = {}
    for base in reversed(record.__mro__):
        if base.__module__.startswith("conformance."):
            texts |= _own_texts(base)
    return texts


@cache
def _own_texts(record: type) -> dict[str, str]:
    """The string that follows each annotated name in the source of a class."""
    (definition,) = tree(inspect.getsource(record)).body
    statements = definition.body if isinstance(definition, ast.ClassDef) else []
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in pairwise(statements)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def encode_schema() -> bytes:
    """The bytes of the published `specs-1.schema.json`."""
    return msgspec.json.format(msgspec.json.encode(json_schema()), indent=1) + b"\n"


def _closed_mappings() -> Iterator[tuple[str, str, list[str]]]:
    """Record, field and keys of each mapping whose keys are enumerated."""
    for record in _records():
        for field in record.fields:
            if isinstance(field.type, msgspec.inspect.DictType):
                keys = field.type.key_type
                if isinstance(keys, msgspec.inspect.LiteralType):
                    yield record.cls.__name__, field.encode_name, [str(v) for v in keys.values]


def _records() -> list[msgspec.inspect.StructType]:
    """Every record that a spec file may hold."""
    records: dict[type, msgspec.inspect.StructType] = {}
    pending: list[Any] = [msgspec.inspect.type_info(WrittenFile)]
    while pending:
        node = pending.pop()
        if isinstance(node, msgspec.inspect.StructType):
            if node.cls in records:
                continue
            records[node.cls] = node
            pending += [field.type for field in node.fields]
        else:
            pending += _inside(node)
    return list(records.values())


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
