"""Names and texts in programs and answers that mean the same to the host and the worker.

`conformance/program/marks.py` has them for the host; a test holds the two to each other.
"""

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
