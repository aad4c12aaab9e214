"""Gradients of loops, of the parts of their bundles, and of selection."""

from __future__ import annotations

from conformance.reference.symbolic.gradients.accumulation import (
    Gradients,
    carries,
    gradient_of,
    passed_back,
    zeros,
)
from conformance.reference.symbolic.graph import Placeholder, Tensor, apply
from conformance.reference.symbolic.loops import Body, part


@gradient_of("choose")
def _choose(node: Tensor, upstream: Tensor) -> Gradients:
    condition, nothing = node.inputs[0], zeros(upstream)
    nothing.role = "nothing"
    return (
        None,
        apply("choose", condition, upstream, nothing),
        apply("choose", condition, nothing, upstream),
    )


@gradient_of("refined")
def _refined(_: Tensor, upstream: Tensor) -> Gradients:
    return (upstream,)


@gradient_of("unbundle")
def _part(node: Tensor, upstream: Tensor) -> Gradients:
    (bundle,) = node.inputs
    return (apply("in_bundle", bundle, upstream, index=node.attributes["index"]),)


@gradient_of("loop")
def _loop(node: Tensor, upstream: Tensor) -> Gradients:
    body = node.attributes["body"]
    found = apply(
        "loop_gradients", upstream, *node.inputs, **node.attributes, backward=_backward(body)
    )
    return tuple(
        part(found, i, x.shape, x.dtype) if carries(x) else None for i, x in enumerate(node.inputs)
    )


def _backward(body: Body) -> Body:
    """The body that gives the gradients of the parameters from those of the results."""
    given: list[Tensor] = [Placeholder(y.shape, y.dtype) for y in body.results]
    upstream: dict[Tensor, Tensor] = {}
    for y, g in zip(body.results, given, strict=True):
        if carries(y):
            upstream[y] = upstream[y] + g if y in upstream else g
    wanted = [p for p in body.parameters if carries(p)]
    found = dict(zip(wanted, passed_back(upstream, wanted), strict=True))
    results = [found[p] if p in found else zeros(p) for p in body.parameters]
    return Body([*body.parameters, *given], results)
