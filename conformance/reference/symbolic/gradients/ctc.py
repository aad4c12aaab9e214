"""The gradient of the CTC loss, with respect to the probabilities."""

from __future__ import annotations

from conformance.reference.symbolic.gradients.accumulation import Gradients, gradient_of
from conformance.reference.symbolic.graph import Tensor, apply


@gradient_of("ctc_cost")
def _cost(node: Tensor, upstream: Tensor) -> Gradients:
    return apply("ctc_cost_gradient", upstream, *node.inputs), None, None, None
