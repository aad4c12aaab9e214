"""Gradients by PyTorch's autograd.

The node `derivatives` has a loss and variables as inputs. Where a graph has one, the values of its
variables are *watched*: made to require gradients as soon as they are there. Then autograd records
everything that is computed from them. A variable of the graph may be any tensor, also a tensor that
is computed from another variable.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch

from conformance.reference.symbolic.operations import PlannedStep
from conformance.reference.symbolic.plans import ordered
from conformance.torch_backend.kernels import Kernel, Tensor, kernel

NODE = "derivatives"


class _Sloped(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, x: Tensor, value: Kernel, slope: Kernel) -> Tensor:
        ctx.save_for_backward(x)
        ctx.slope = slope
        return value(x)

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None, None]:
        (x,) = ctx.saved_tensors
        return upstream * ctx.slope(x), None, None


def sloped(value: Kernel, slope: Kernel) -> Kernel:
    """A function of one tensor with its derivative, for which autograd's own loses digits."""
    return lambda x: _Sloped.apply(x, value, slope)


@kernel
def stop_gradient(x: Tensor) -> Tensor:
    """The same value without its history."""
    return x.detach()


@kernel
def derivatives(loss: Tensor, *variables: Tensor, create_graph: bool = True) -> list[Tensor]:
    """The gradients of the sum of the loss, zeros where it does not depend on a variable.

    `create_graph`: what was recorded is needed again, and the gradients may be differentiated.
    """
    if not loss.requires_grad:
        return [torch.zeros_like(x) for x in variables]
    return list(
        torch.autograd.grad(
            loss,
            variables,
            torch.ones_like(loss),
            retain_graph=create_graph,
            create_graph=create_graph,
            allow_unused=True,
            materialize_grads=True,
        )
    )


def _watch_once(x: Tensor | None) -> Tensor | None:
    """x, watched; x itself if it is watched already (by an outer loop) or if no step needs it."""
    return x if x is None or x.requires_grad else x.detach().requires_grad_()


def _watch(x: Tensor) -> Tensor:
    """x, watched; never x itself, which may also be the value of other nodes."""
    return x.view_as(x) if x.requires_grad else x.detach().requires_grad_()


def watched(nodes: Iterable[Any]) -> set[Any]:
    """The tensors with respect to which the graph, or the body of a loop in it, has derivatives."""
    variables: set[Any] = set()
    for node in nodes:
        if node.operation == NODE:
            variables.update(node.inputs[1:])
        body = node.attributes.get("body")
        if body is not None:
            inside = watched(ordered(body.results, body.parameters))
            pairs = zip(node.inputs, body.parameters, strict=True)
            variables.update(x for x, parameter in pairs if parameter in inside)
    return variables


def distinct_nodes(nodes: Sequence[Any]) -> set[Any]:
    """Nodes that must not share a tensor with equal nodes: watched ones, and `stop_gradient`."""
    return watched(nodes) | {node for node in nodes if node.operation == "stop_gradient"}


def scheduled(nodes: Sequence[Any], steps: list[PlannedStep], *, inner: bool) -> list[PlannedStep]:
    """The steps of a plan, with those that watch the variables of its derivatives.

    After the last derivatives of a whole graph nothing more is recorded.
    """
    variables = watched(nodes)
    if not variables:
        return steps
    slots = [slot for slot, node in enumerate(nodes) if node in variables]
    derived = [step for step in steps if nodes[step[0]].operation == NODE]
    retained = inner or len(derived) != 1
    result = list(_watching(nodes, steps, slots, retained))
    if not retained:
        end = 1 + next(i for i, step in enumerate(result) if step[0] == derived[0][0])
        done = {step[0] for step in result[:end]}
        result[end:end] = [(s, _detached, (s,), ()) for s in slots if s in done]
    return result


def _detached(x: Tensor | None) -> Tensor | None:
    """The tensor without its history; None where the plan has dropped it."""
    return None if x is None else x.detach()


def _watching(
    nodes: Sequence[Any], steps: list[PlannedStep], slots: Sequence[int], retained: bool
) -> Iterator[PlannedStep]:
    """Steps that watch given values, then those of the plan, each before the watch on its value."""
    computed = {step[0] for step in steps}
    for slot in slots:
        if slot not in computed:
            yield slot, _watch_once, (slot,), ()
    for slot, run, sources, last in steps:
        if nodes[slot].operation == NODE:
            yield slot, functools.partial(derivatives, create_graph=retained), sources, last
        else:
            yield slot, run, sources, last
        if slot in slots:
            yield slot, _watch, (slot,), ()
