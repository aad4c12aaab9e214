"""Write the published JSON Schemas, after a change of their records.

    python -m tools.schemas

The tests compare each file with its records, and fail until you write the schemas again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import click

import conformance
from conformance.history import encode_schema as encode_history_schema
from conformance.mutation import records
from conformance.mutation.code import page as code_writing
from conformance.reporting import difference, json_results, scores
from conformance.specs import schema
from conformance.vectors import records as vectors

PACKAGE = Path(conformance.__file__).parent
SCHEMAS: Mapping[str, Callable[[], bytes]] = {
    "results/schema/results-1.schema.json": json_results.encode_schema,
    "results/schema/difference-1.schema.json": difference.encode_schema,
    "reporting/schema/scores-1.schema.json": scores.encode_schema,
    "history/schema/history-1.schema.json": encode_history_schema,
    "mutation/schema/mutation-1.schema.json": records.encode_schema,
    "mutation/schema/code-mutation-1.schema.json": code_writing.encode_schema,
    "vectors/schema/vectors-1.schema.json": vectors.encode_schema,
    "vectors/schema/vectors-index-1.schema.json": vectors.encode_index_schema,
    "specs/schema/specs-1.schema.json": schema.encode_schema,
}
"""The function that makes each file of the package."""


@click.command(help=__doc__)
def main() -> None:
    """Write the files that differ, and name them."""
    for name, encode in SCHEMAS.items():
        file, schema = PACKAGE / name, encode()
        if not file.exists() or file.read_bytes() != schema:
            file.write_bytes(schema)
            click.echo(f"{file}: written")


if __name__ == "__main__":
    main()
