"""Linear interpolation between the elements of an axis, which no document describes.

Element i of the longer axis lies at i / factor on the shorter one. Places behind the last element
have its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.reference.symbolic.gradients.accumulation import Gradients, gradient_of
from conformance.reference.symbolic.graph import Tensor, apply
from conformance.reference.symbolic.rules import Operand, Result, rule


def bilinear(x: Tensor, factors: Mapping[int, int]) -> Tensor:
    """x with each axis `factor` times as long."""
    for axis, factor in factors.items():
        x = apply("interpolate", x, axis=axis, factor=factor)
    return x


@rule("interpolate")
def _interpolate(x: Operand, axis: int, factor: int) -> Result:
    longer = [None if d is None else d * factor for d in x.shape]
    return (*x.shape[:axis], longer[axis], *x.shape[axis + 1 :]), x.dtype


@rule("interpolate_back")
def _interpolate_back(_upstream: Operand, x: Operand, **_: Any) -> Result:
    return x.shape, x.dtype


@gradient_of("interpolate")
def _gradient(node: Tensor, upstream: Tensor) -> Gradients:
    return (apply("interpolate_back", upstream, node.inputs[0], **node.attributes),)


@gradient_of("interpolate_back")
def _gradient_back(node: Tensor, upstream: Tensor) -> Gradients:
    return apply("interpolate", upstream, **node.attributes), None
