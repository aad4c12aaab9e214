"""Gradients on the graph: reverse accumulation, and a rule for each operation."""

from __future__ import annotations

from conformance.reference.symbolic.gradients import (  # noqa: F401 - importing them registers their rules
    accumulation,
    elementwise,
    products,
    reductions,
    shape_ops,
)
