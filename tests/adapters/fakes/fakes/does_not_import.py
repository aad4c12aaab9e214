# mypy: allow-untyped-defs, allow-untyped-calls
"""It cannot be imported."""

raise ImportError("the library that this needs is not there")
