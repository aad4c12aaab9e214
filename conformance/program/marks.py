"""Names and texts in programs and answers that the host and the worker both give a meaning to.

The worker runs without the suite, and so has them once more, in `conformance_worker/marks.py`; a
test holds the two to each other.
"""

from __future__ import annotations

OPERATOR = "operator."
"""A step `operator.NAME` applies Python's operator to tensors."""
OPERATOR_CALL = "operator.call"
"""The step that calls its first argument with the others."""
PRINTED_CALL = "printed.call"
"""The step that calls its first argument, and gives what it printed."""
MAYBE = "maybe."
"""A step `maybe.NAME` gives `UNKNOWN` where the function is absent or raises."""

RETURNS = "returns"
"""What a step that may raise gives if it does not."""
RAISES = "raises "
"""The beginning of what it gives if it does; the names of the exception's classes follow."""
UNKNOWN = "unknown"
"""What a step gives that could not find out what it was asked."""
