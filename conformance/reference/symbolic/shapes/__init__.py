"""Rules for the static shape and dtype of the operations' results."""

from __future__ import annotations

from conformance.reference.symbolic.shapes import (  # noqa: F401 - importing them registers their rules
    labels,
    random,
    shape_ops,
    windows,
)
