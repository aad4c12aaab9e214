"""The JSON Schema of a record: the same for every release of msgspec that the suite works with."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(record: type[msgspec.Struct], identity: str, title: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of files that hold a record."""
    (reference,), definitions = msgspec.json.schema_components(
        [record], ref_template="#/$defs/{name}"
    )
    whole = definitions[record.__name__]
    if "schema" in whole["properties"]:
        # the records have a default for it, but a file without it has no version
        whole["required"].insert(0, "schema")
    for definition in definitions.values():
        definition["description"] = inspect.cleandoc(definition["description"])
        for field in definition.get("properties", {}).values():
            _drop_names_of_keys(field)
    return {"$schema": DRAFT, "$id": identity, "title": title, **reference, "$defs": definitions}


def _drop_names_of_keys(schema: object) -> None:
    """Remove the names that a mapping may have: msgspec writes them from release 0.23 on only."""
    if isinstance(schema, dict):
        schema.pop("propertyNames", None)
        for part in schema.values():
            _drop_names_of_keys(part)
    elif isinstance(schema, list):
        for part in schema:
            _drop_names_of_keys(part)
