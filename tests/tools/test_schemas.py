"""`tools/schemas.py` writes every schema that the package publishes."""

from __future__ import annotations

from tools.schemas import PACKAGE, SCHEMAS


def test_every_published_schema_is_that_of_its_records() -> None:
    assert {str(f.relative_to(PACKAGE)) for f in PACKAGE.rglob("*.schema.json")} == {*SCHEMAS}
    stale = [name for name, schema in SCHEMAS.items() if (PACKAGE / name).read_bytes() != schema()]
    assert stale == [], "`python -m tools.schemas` writes them"
