"""Rules for the static shape and dtype of what the operations give."""

from __future__ import annotations

from conformance.reference.symbolic.shapes import (  # noqa: F401 - importing them registers their rules
    ctc,
    gradients,
    labels,
    random,
    shape_ops,
    windows,
)
