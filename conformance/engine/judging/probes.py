"""Do `gradients` and `int_shape` work at all? Only then can they be asked of other functions.

What `int_shape` writes in the place of None is found out too: that is its own failure, and no
function is blamed for it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from conformance.observations import Batch, Returned, StructureObservation, TensorMetadata
from conformance.program import Binding, Input, Program, Ref, Step

_POINT = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.5]], np.float32)
BINDINGS = (Binding.VARIABLE, Binding.PLACEHOLDER, Binding.PLACEHOLDER_NONE)


def gradient_probe(binding: Binding) -> Batch:
    """The gradient of the sum of squares."""
    item = Input("x", _POINT.shape, "float32", binding)
    steps = (
        Step("squares", "square", (Ref("x"),)),
        Step("loss", "sum", (Ref("squares"),)),
        Step("gradients", "gradients", (Ref("loss"), [Ref("x")])),
    )
    return Batch(Program((item,), steps, ("gradients",)), {"x": _POINT[None]}, 1)


def shape_probe(binding: Binding) -> Batch:
    """The square of an input, whose static shape is asked for."""
    item = Input("x", _POINT.shape, "float32", binding)
    program = Program((item,), (Step("squares", "square", (Ref("x"),)),), ("squares",))
    return Batch(program, {"x": _POINT[None]}, 1)


def shape_failure(observed: StructureObservation) -> str | None:
    """The exception that `int_shape` raises for the result of an operation; None if it answers."""
    errors = [c.shape_error for o in observed.outputs for c in o.metadata if c.shape_error]
    return errors[0].type if errors else None


def unknown_marks(observed: StructureObservation) -> frozenset[int]:
    """The numbers that stand for unknown dimensions in the square of a placeholder.

    Only negative ones, which no dimension can be.
    """
    shapes = [c.shape for o in observed.outputs for c in o.metadata if c.shape is not None]
    return frozenset(d for shape in shapes for d in shape if d is not None and d < 0)


def without_marks(observed: StructureObservation, marks: frozenset[int]) -> StructureObservation:
    """The observation with None in the place of these numbers in the shapes of results."""
    if not marks:
        return observed

    def read(said: TensorMetadata) -> TensorMetadata:
        shape = said.shape and tuple(None if d in marks else d for d in said.shape)
        return replace(said, shape=shape)

    outputs = (replace(o, metadata=tuple(map(read, o.metadata))) for o in observed.outputs)
    return replace(observed, outputs=tuple(outputs))


def works(observed: StructureObservation) -> bool:
    """Whether the gradient is twice the point."""
    outcome = observed.draws[0].outcome
    if not isinstance(outcome, Returned) or len(outcome.values["gradients"]) != 1:
        return False
    array = outcome.values["gradients"][0].array
    return array is not None and np.array_equal(array, 2 * _POINT)
