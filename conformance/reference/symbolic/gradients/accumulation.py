"""Gradients: rules of operations, and reverse accumulation over the graph.

A rule takes a node and the gradient of the loss with respect to it. It gives one symbolic gradient
for each input of the node, or None where the result does not depend on an input smoothly. Only
tensors of float dtypes carry gradients.

    @gradient_of("sin")
    def sin(node, upstream):
        return (upstream * apply("cos", node.inputs[0]),)

The rules are in the modules beside this one.

The rules of loops, of the parts of their bundles, and of selection are here, because they
accumulate gradients inside the body of a loop.

Source: A. Griewank and A. Walther, Evaluating Derivatives, 2nd edition, SIAM 2008, chapter 3.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from conformance.reference.symbolic.graph import Placeholder, Tensor, apply
from conformance.reference.symbolic.loops import Body, part
from conformance.reference.symbolic.plans import ordered
from conformance.reference.symbolic.rules import FLOATS, Operand, Result, rule

Gradients = tuple[Tensor | None, ...]
GradientRule = TypeVar("GradientRule", bound=Callable[[Tensor, Tensor], Gradients])

GRADIENTS: dict[str, Callable[[Tensor, Tensor], Gradients]] = {}


def gradient_of(*operations: str) -> Callable[[GradientRule], GradientRule]:
    """Register a function as the gradient rule of these operations.

    A rule takes the node of an operation, and `upstream`, which has the shape of the node. For each
    input it returns a gradient of the input's shape, or None.
    """

    def register(function: GradientRule) -> GradientRule:
        GRADIENTS.update(dict.fromkeys(operations, function))
        return function

    return register


def summed_to(upstream: Tensor, like: Tensor) -> Tensor:
    """`upstream` summed over the axes along which `like` was broadcast: the shape of `like`."""
    if None not in upstream.shape and upstream.shape == like.shape:
        return upstream
    return apply("sum_to", upstream, like)


def spread(upstream: Tensor, like: Tensor) -> Tensor:
    """`upstream` broadcast to the run-time shape of `like`, in the dtype of `upstream`."""
    if None not in like.shape and upstream.shape == like.shape:
        return upstream
    return upstream * apply("fill_like", like, value=1, dtype=upstream.dtype)


def reshaped_to(upstream: Tensor, like: Tensor) -> Tensor:
    """The elements of `upstream` in row order in the run-time shape of `like`."""
    return apply("reshape", upstream, apply("shape", like))


def zeros(like: Tensor) -> Tensor:
    """Zeros in the run-time shape and the dtype of `like`."""
    return apply("fill_like", like, value=0, dtype=like.dtype)


def carries(node: Tensor) -> bool:
    """Whether gradients pass through a tensor at all: through no integers and no bool."""
    return node.dtype in FLOATS


def accumulated(loss: Tensor, variables: Sequence[Tensor]) -> list[Tensor]:
    """The gradient of the sum of `loss` with respect to each tensor, in its shape and dtype.

    ValueError if an operation between a tensor and the loss has no rule.
    """
    if loss.backend.library.differentiates:
        return _by_library(loss, variables)
    return passed_back({loss: apply("fill_like", loss, value=1, dtype=loss.dtype)}, variables)


@rule("derivatives")
def _derivatives(loss: Operand, *variables: Operand) -> Result:
    """A bundle of gradients, for a library that finds them itself."""
    return (len(variables),), loss.dtype


def _by_library(loss: Tensor, variables: Sequence[Tensor]) -> list[Tensor]:
    bundle = apply("derivatives", loss, *variables)
    return [part(bundle, i, x.shape, x.dtype) for i, x in enumerate(variables)]


def passed_back(upstream: Mapping[Tensor, Tensor], variables: Sequence[Tensor]) -> list[Tensor]:
    """The gradient with respect to each tensor, from that with respect to the keys of `upstream`.

    ValueError if an operation between has no rule.

    Shapes: each key of `upstream` and its gradient have one shape; each result has the shape of its
    tensor.
    """
    order = ordered(list(upstream), [])
    between = _depending(order, variables)
    parts: dict[Tensor, list[Tensor]] = {node: [] for node in between}
    for node, gradient in upstream.items():
        if node in between:
            parts[node].append(gradient)
    for node in reversed(order):
        if parts.get(node):
            _pass_on(node, _total(parts[node]), parts)
    return [_total(parts[x]) if parts.get(x) else zeros(x) for x in variables]


def _depending(order: Sequence[Tensor], variables: Sequence[Tensor]) -> set[Tensor]:
    """The tensors that depend on one of the variables through tensors that carry gradients."""
    dependent = {x for x in variables if carries(x)}
    for node in order:
        if carries(node) and not dependent.isdisjoint(node.inputs):
            dependent.add(node)
    return dependent


def _pass_on(node: Tensor, upstream: Tensor, parts: dict[Tensor, list[Tensor]]) -> None:
    if parts.keys().isdisjoint(node.inputs):
        return
    parts[node] = [upstream]
    for item, gradient in zip(node.inputs, _inputs(node, upstream), strict=True):
        if gradient is not None and item in parts:
            parts[item].append(gradient)


def _inputs(node: Tensor, upstream: Tensor) -> Gradients:
    rule = GRADIENTS.get(node.operation)
    if rule is None:
        raise ValueError(
            f"gradients: {node.operation} has no gradient, and the loss depends on {node!r}; "
            "put K.stop_gradient around it, or leave it out of the loss"
        )
    return rule(node, upstream)


def _total(parts: Sequence[Tensor]) -> Tensor:
    return functools.reduce(_sum, parts)


def _sum(x: Tensor, y: Tensor) -> Tensor:
    node = apply("add", x, y)
    node.role = "total"
    return node


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
    gradients = apply(
        "loop_gradients", upstream, *node.inputs, **node.attributes, backward=_backward(body)
    )
    return tuple(
        part(gradients, i, x.shape, x.dtype) if carries(x) else None
        for i, x in enumerate(node.inputs)
    )


def _backward(body: Body) -> Body:
    """The body that gives the gradients of the parameters from those of the results."""
    arriving: list[Tensor] = [Placeholder(y.shape, y.dtype) for y in body.results]
    upstream: dict[Tensor, Tensor] = {}
    for y, g in zip(body.results, arriving, strict=True):
        if carries(y):
            upstream[y] = upstream[y] + g if y in upstream else g
    differentiable = [p for p in body.parameters if carries(p)]
    passed = dict(zip(differentiable, passed_back(upstream, differentiable), strict=True))
    results = [passed[p] if p in passed else zeros(p) for p in body.parameters]
    return Body([*body.parameters, *arriving], results)
