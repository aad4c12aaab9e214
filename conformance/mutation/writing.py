"""Mutation reports as files: JSON with a published schema, and Markdown."""

from __future__ import annotations

from pathlib import Path

import msgspec

from conformance.files import write_atomically
from conformance.mutation.page import page
from conformance.mutation.records import SCHEMA, MutationReport
from conformance.reporting.json_results import schema_of
from conformance.results.encoding import plain_data

SCHEMA_ID = "urn:keras-backend-conformance:schema:mutation-1"


def write(report: MutationReport, folder: Path) -> None:
    """Write TARGET.mutation.json and TARGET.mutation.md; OSError if that cannot be done."""
    name = f"{report.target}.mutation"
    write_atomically(folder / f"{name}.json", encode(report))
    write_atomically(folder / f"{name}.md", page(report).encode())


def encode(report: MutationReport) -> bytes:
    """The bytes of the report as JSON."""
    return msgspec.json.format(msgspec.json.encode(plain_data(report)), indent=1) + b"\n"


def encode_schema() -> bytes:
    """The bytes of the published `mutation-1.schema.json`."""
    schema = schema_of(MutationReport, SCHEMA_ID, f"A mutation score of the suite ({SCHEMA})")
    return msgspec.json.format(msgspec.json.encode(schema), indent=1) + b"\n"
