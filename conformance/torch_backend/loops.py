"""Loops over the first axes of sequences, which autograd differentiates like any other operation.

A bundle of tensors is a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from conformance.torch_backend.kernels import KERNELS, Tensor, kernel
from conformance.torch_backend.shapes import alike

if TYPE_CHECKING:
    from conformance.reference.symbolic.loops import Body, LoopLayout

KERNELS["unbundle"] = lambda bundle, index, **_: bundle[index]


def _steps(sequences: Sequence[Tensor], layout: LoopLayout) -> range:
    lengths = {len(s) for s in sequences}
    if len(lengths) != 1:
        raise ValueError(f"the sequences have {sorted(lengths)} time steps; give all the same")
    (length,) = lengths
    if layout.outputs and layout.carried and not length:
        raise ValueError("there is no time step: a loop has outputs only if it runs")
    return range(length - 1, -1, -1) if layout.backwards else range(length)


@kernel
def loop(*inputs: Tensor, body: Body, layout: LoopLayout) -> list[Tensor]:
    """All outputs on a new first axis, then what was carried last."""
    end = layout.sequences + layout.carried
    sequences, outside = inputs[: layout.sequences], inputs[end:]
    carried: Sequence[Any] = inputs[layout.sequences : end]
    outputs: list[list[Tensor]] = [[] for _ in range(layout.outputs)]
    elements = [s.unbind(0) for s in sequences]
    for t in _steps(sequences, layout):
        results = body(*[e[t] for e in elements], *carried, *outside)
        for rows, output in zip(outputs, results[: layout.outputs], strict=True):
            rows.append(output)
        carried = results[layout.outputs :]
    if not all(outputs):  # no step: each in the shape that one on zeros gives
        zeros = [s.new_zeros(s.shape[1:]) for s in sequences]
        first = body(*zeros, *outside)[: layout.outputs]
        return [o.new_zeros((0, *o.shape)) for o in first]
    return [*map(torch.stack, outputs), *carried]


@kernel
def refined(x: Tensor, shape: tuple[int | None, ...]) -> Tensor:
    """x itself.

    Raises:
        ValueError: its shape is not what follows from the graph.
    """
    if any(a is not None and a != b for a, b in zip(shape, x.shape, strict=True)):
        raise ValueError(f"a state has shape {tuple(x.shape)}, after {shape}")
    return x


@kernel
def choose(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """x where the condition is true, else y.

    Raises:
        ValueError: the shapes of x and y differ.
    """
    alike(x, y)
    return torch.where(condition, x, y)
