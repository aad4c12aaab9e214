"""Names and texts in programs and answers that mean the same to the host and the worker.

The worker runs without the suite and has a copy of them, `conformance_worker/marks.py`; a test
compares the two.
"""

from __future__ import annotations

OPERATOR = "operator."
"""A step `operator.NAME` applies Python's operator to tensors."""
OPERATOR_CALL = "operator.call"
"""The step that calls its first argument with the others."""
PRINTED_CALL = "printed.call"
"""The step that calls its first argument, and gives what it printed."""
PRINTED_IMPORT = "printed.import"
"""The step that gives what a new process prints that imports the implementation."""
MAYBE = "maybe."
"""A step `maybe.NAME` gives `UNKNOWN` where the function is absent or raises."""

RETURNS = "returns"
"""The result of a step that may raise and did not."""
RAISES = "raises "
"""The beginning of its result if it raised; the names of the exception's classes follow."""
UNKNOWN = "unknown"
"""The result of a step that cannot determine its answer."""
