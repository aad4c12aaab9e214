# mypy: allow-untyped-defs, allow-untyped-calls
"""Errors that show with what users write: iterables, tensors of integers, one tensor twice."""

from __future__ import annotations

from conformance.reference.symbolic.graph import Tensor
from tests.engine.mutants.kit import arguments


def _only(name, *allowed):
    """Refuse what is none of the types for one parameter."""

    def change(call):
        if not isinstance(call[name], allowed):
            raise TypeError(f"{name} is a {type(call[name]).__name__}")

    return change


def _twice(x, y):
    """An error that shows where both arguments are the same tensor."""

    def change(call):
        if call[x] is call[y]:
            call[y] = call[y] + 1

    return change


def _exhausted(call):
    """An iterator is read once to look at it, and is empty then."""
    axes = call["axes"]
    if not isinstance(axes, int):
        list(axes)
        call["axes"] = list(axes)


arguments("reverse", "an iterator is read twice", _exhausted, profile="default",
          verdict="diverges")  # fmt: skip
arguments("normalize_batch_in_training", "takes lists and tuples of axes only",
          _only("reduction_axes", list, tuple))  # fmt: skip
arguments("slice", "takes lists only", _only("start", list))
arguments("conv2d_transpose", "takes no tensor as output_shape", _only("output_shape", tuple))
arguments("conv3d_transpose", "takes no tuple as output_shape", _only("output_shape", Tensor))
for _name in ("dot", "maximum", "equal"):
    arguments(_name, "one tensor twice", _twice("x", "y"), profile="default")
