"""Loops and selection on NumPy arrays. A bundle of arrays is an array of objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from conformance.reference.numpy_library.kernels import WIDER, Array, kernel
from conformance.reference.symbolic.loops import Body, LoopLayout


def _bundled(arrays: Sequence[Array]) -> Array:
    bundle = np.empty(len(arrays), object)
    bundle[:] = [None] * len(arrays)
    for i, array in enumerate(arrays):
        bundle[i] = array
    return bundle


def _steps(sequences: Sequence[Array], layout: LoopLayout) -> Any:
    lengths = {s.shape[0] for s in sequences}
    if len(lengths) != 1:
        raise ValueError(f"the sequences have {sorted(lengths)} time steps; give all the same")
    (length,) = lengths
    if layout.outputs and layout.carried and not length:
        raise ValueError("there is no time step: a loop has outputs only if it runs")
    return range(length - 1, -1, -1) if layout.backwards else range(length)


@kernel
def loop(*inputs: Array, body: Body, layout: LoopLayout) -> Any:
    """All outputs on a new first axis, then what was carried last."""
    sequences, carried, outside = _divided(inputs, layout)
    outputs: list[list[Array]] = [[] for _ in range(layout.outputs)]
    history = []
    for t in _steps(sequences, layout):
        history.append(carried)
        results = body(*[s[t] for s in sequences], *carried, *outside)
        for rows, output in zip(outputs, results[: layout.outputs], strict=True):
            rows.append(output)
        carried = results[layout.outputs :]
    _histories[body] = inputs, history
    if layout.outputs and not history:
        return _bundled([*_of_no_step(sequences, outside, body, layout)])
    return _bundled([*map(np.stack, outputs), *carried])


def _of_no_step(
    sequences: Sequence[Array], outside: Sequence[Array], body: Body, layout: LoopLayout
) -> Iterator[Array]:
    """No outputs, each in the shape that a step on zeros gives."""
    zeros = [np.zeros(s.shape[1:], s.dtype) for s in sequences]
    for output in body(*zeros, *outside)[: layout.outputs]:
        yield np.zeros((0, *output.shape), output.dtype)


def _divided(
    inputs: Sequence[Array], layout: LoopLayout
) -> tuple[list[Array], list[Array], list[Array]]:
    """Sequences, initial values, and what comes from outside."""
    end = layout.sequences + layout.carried
    return list(inputs[: layout.sequences]), list(inputs[layout.sequences : end]), [*inputs[end:]]


@kernel
def loop_gradients(
    upstream: Array, *inputs: Array, body: Body, backward: Body, layout: LoopLayout
) -> Any:
    """The gradients of a loop's inputs: the body's own ones, from the last step to the first.

    `backward` takes a step's values and the gradients of its results, and gives those of its
    parameters. A carried value passes its gradient on to the step before; the outside tensors get
    the sum over all steps.
    """
    sequences, _, outside = _divided(inputs, layout)
    order = _steps(sequences, layout)
    history = _history(inputs, body, layout)
    along = [np.zeros_like(s) for s in sequences]
    carried = [*upstream[layout.outputs :]]
    totals = [np.zeros(x.shape, WIDER.get(x.dtype, x.dtype)) for x in outside]
    first = layout.sequences + layout.carried
    for place in reversed(range(len(order))):
        t = order[place]
        upstream_now = [y[place] for y in upstream[: layout.outputs]]
        gradients = backward(
            *[s[t] for s in sequences], *history[place], *outside, *upstream_now, *carried
        )
        for gradient, slot in zip(gradients[: layout.sequences], along, strict=True):
            slot[t] = gradient
        carried = gradients[layout.sequences : first]
        totals = [total + g for total, g in zip(totals, gradients[first:], strict=True)]
    sums = [total.astype(x.dtype) for total, x in zip(totals, outside, strict=True)]
    return _bundled([*along, *carried, *sums])


_histories: WeakKeyDictionary[Body, tuple[tuple[Array, ...], list[list[Array]]]] = (
    WeakKeyDictionary()
)
"""For each loop that has run: its inputs, and the carried values that each step was given.

The gradients of a loop are computed soon after the loop itself, from the same arrays.
"""


def _history(inputs: tuple[Array, ...], body: Body, layout: LoopLayout) -> list[list[Array]]:
    """The carried values that each step received."""
    constants, history = _histories.pop(body, ((), []))
    if len(constants) == len(inputs) and all(
        a is b for a, b in zip(constants, inputs, strict=True)
    ):
        return history
    history = []
    sequences, carried, outside = _divided(inputs, layout)
    for t in _steps(sequences, layout):
        history.append(carried)
        results = body(*[s[t] for s in sequences], *carried, *outside)
        carried = results[layout.outputs :]
    return history


@kernel
def unbundle(bundle: Array, index: int, **_: Any) -> Any:
    """One array of a bundle."""
    return bundle[index]


@kernel
def in_bundle(bundle: Array, array: Array, index: int) -> Any:
    """A bundle like another, with one array and zeros."""
    arrays = [np.zeros_like(item) for item in bundle]
    arrays[index] = array
    return _bundled(arrays)


@kernel
def choose(condition: Array, x: Array, y: Array) -> Any:
    """x where the condition is true, else y.

    Raises:
        ValueError: the shapes of x and y differ.
    """
    if x.shape != y.shape:
        raise ValueError(f"choose: shapes {x.shape} and {y.shape} must be the same")
    if condition.size == 1:
        return x if condition.item() else y
    return np.where(condition, x, y)


@kernel
def refined(x: Array, shape: tuple[int | None, ...]) -> Any:
    """x itself.

    Raises:
        ValueError: its shape is not what follows from the graph.
    """
    if any(a is not None and a != b for a, b in zip(shape, x.shape, strict=True)):
        raise ValueError(f"a state has shape {x.shape}, after {shape}")
    return x
