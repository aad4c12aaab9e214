"""Functions that find, count and fill places: indices, segments, bins, orders.

All is exact except two sums and a product. `segment_sum` and `scatter_update` with "add":
gamma_n of the sum of the magnitudes of n terms (Higham 2002, 3.1). `segment_prod`: the bound of
`prod`. In segments it is infinite where some order of the terms or factors overflows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.oracle import reductions
from conformance.oracle.evidence import Evidence
from conformance.oracle.expectation import Array
from conformance.oracle.rounding import (
    Arithmetic,
    allowance,
    finite_magnitude,
    overflow_risk,
    signed_parts,
)

Bounded = tuple[Array, Array]
_ADD: Any = np.add.reduce


def searchsorted(sorted_sequence: Array, values: Array, side: str = "left") -> Array:
    """Where each value would have to stand, before or behind equal ones.

    Shapes: sorted_sequence (n,), any values; the result is integer and has the shape of the values.
    """
    return np.asarray(
        np.searchsorted(sorted_sequence, values, "left" if side == "left" else "right")
    )


def digitize(x: Array, bins: Array) -> Array:
    """The number of the bin of each element: how many edges are not above it.

    Shapes: any x, bins (n,); the result is integer and has the shape of x.
    """
    return np.asarray(np.searchsorted(bins, x, "right"))


def _numbers(segment_ids: Array, num_segments: int | None) -> range:
    """The number of each segment. Without `num_segments` the largest index is the last one."""
    return range(segment_ids.max() + 1 if num_segments is None else num_segments)


def _segments(reduced: Callable[..., Any]) -> Callable[..., Array]:
    def oracle(
        data: Array,
        segment_ids: Array,
        num_segments: int | None = None,
        sorted: bool = False,  # noqa: ARG001 - as documented
    ) -> Array:
        numbers = _numbers(segment_ids, num_segments)
        return np.stack([reduced(data[segment_ids == n], axis=0) for n in numbers])

    return oracle


def _bounded_sums(model: Arithmetic, **arguments: Any) -> Bounded:
    value = _SUM(**arguments)
    sizes = {**arguments, "data": finite_magnitude(arguments["data"])}
    numbers = _numbers(arguments["segment_ids"], arguments.get("num_segments"))
    counts = np.array([(arguments["segment_ids"] == n).sum() for n in numbers])
    counts = counts.reshape(-1, *(1,) * (value.ndim - 1))
    factor, magnitude = allowance(counts, model), _SUM(**sizes)
    bound = factor * magnitude + counts * model.underflow

    def parts() -> tuple[Array, Array]:
        positive, negative = (
            _SUM(**{**arguments, "data": x}) for x in signed_parts(arguments["data"])
        )
        return positive, negative

    return value, overflow_risk(value, bound, magnitude, factor, model, parts=parts)


def _bounded_products(
    model: Arithmetic,
    data: Array,
    segment_ids: Array,
    num_segments: int | None = None,
    sorted: bool = False,  # noqa: ARG001 - as documented
) -> Bounded:
    parts = (data[segment_ids == n] for n in _numbers(segment_ids, num_segments))
    bounded = [reductions.bounded_prod(model, part, 0) for part in parts]
    return np.stack([value for value, _ in bounded]), np.stack([bound for _, bound in bounded])


def top(x: Array, k: int, sorted: bool = True) -> Array:  # noqa: ARG001 - as documented
    """The k largest elements, in descending order.

    Shapes: x (n,); the result is (k,).
    """
    return -np.sort(-x)[:k] if x.dtype.kind == "f" else np.sort(x)[::-1][:k]


def places_of_top(x: Array, k: int, **_: Any) -> Array:
    """The right evidence of the indices of `top_k`.

    Shapes: x (n,); the result is (3, k).
    """
    values = top(x, k)
    return np.stack([values, values, np.zeros(k, values.dtype)])


def evidence_of_top(answer: Any, sorted: Any = True, **_: Any) -> Any:
    """The values of `top_k`, in descending order if `sorted` is false."""
    values = np.asarray(answer[0])
    return values if sorted else -np.sort(-values.astype(np.float64))


def evidence_of_places(answer: Any, x: Any, sorted: Any = True, **_: Any) -> Any:
    """What stands at the indices, the values beside them, and how often an index repeats one."""
    values, places = (np.asarray(part).astype(np.float64) for part in answer)
    order = np.arange(places.size) if sorted else np.argsort(-values, kind="stable")
    inside = (places >= 0) & (places < x.size) & (places == np.floor(places))
    named = np.where(inside, x[np.where(inside, places, 0).astype(int)], np.nan)
    again = [(places[:n] == place).sum() for n, place in enumerate(places)]
    return np.stack([named[order], values[order], np.asarray(again, np.float64)])


def sorted_and_places(x: Array, axis: int | None = -1, **_: Any) -> Array:
    """The right evidence of indices along an axis: the elements in order, and each index.

    Shapes: any x; the result is (2, ...) with the shape of x behind, or (2, elements of x) without
    an axis.
    """
    line = x.reshape(-1) if axis is None else x
    ordered = np.sort(line, axis=axis or 0)
    length = line.shape[axis or 0]
    shape = [1] * line.ndim
    shape[axis or 0] = length
    return np.stack([ordered, np.broadcast_to(np.arange(length).reshape(shape), line.shape)])


def evidence_of_order(answer: Any, x: Any, axis: Any = -1) -> Any:
    """The elements that the indices name, in their order, and the indices in ascending order."""
    line, end = (x.reshape(-1), 0) if axis is None else (x, axis)
    inside = np.clip(answer, 0, max(line.shape[end] - 1, 0)).astype(int)
    return np.stack([np.take_along_axis(line, inside, end), np.sort(answer, axis=end)])


def evidence_of_partition(answer: Any, x: Any, kth: Any, axis: Any = -1) -> Any:
    """The elements that the indices name, both sides of the kth in ascending order, and the indices
    in ascending order."""
    line, end = (x.reshape(-1), 0) if axis is None else (x, axis)
    inside = np.clip(answer, 0, max(line.shape[end] - 1, 0)).astype(int)
    named = np.moveaxis(np.take_along_axis(line, inside, end), end, -1)
    sides = [named[..., :kth], named[..., kth : kth + 1], named[..., kth + 1 :]]
    whole = np.concatenate([np.sort(side, axis=-1) for side in sides], axis=-1)
    return np.stack([np.moveaxis(whole, -1, end), np.sort(answer, axis=end)])


def multi_hot(inputs: Array, num_classes: int, **_: Any) -> Array:
    """1 for each class that is among the labels along the last axis, and 0 for the others.

    Shapes: inputs (..., labels); the result is (..., num_classes).
    """
    hot = (inputs[..., np.newaxis] == np.arange(num_classes)).any(-2)
    return np.asarray(hot, np.float64)


def scatter(indices: Array, values: Array, shape: Sequence[int]) -> Array:
    """Zeros, with the values in their places.

    Shapes: indices (n, k) for the first k axes, values (n, ...); the result has the shape `shape`.
    """
    result = np.zeros(tuple(shape), values.dtype)
    result[tuple(indices.T)] = values
    return result


_JOINED: Mapping[str | None, Callable[[Any, Any], Any]] = {
    None: lambda _, update: update,
    "add": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
}


def scatter_update(
    inputs: Array, indices: Array, updates: Array, reduction: str | None = None
) -> Array:
    """The tensor with one update after the other joined with what stands in its place.

    Shapes: indices (n, k) for the first k axes, updates (n, ...); the result has the shape of the
    inputs.
    """
    result = inputs.copy()
    for place, update in zip(map(tuple, indices), updates, strict=True):
        result[place] = _JOINED[reduction](result[place], update)
    return result


def bounded_update(model: Arithmetic, **arguments: Any) -> Bounded:
    """The tensor, and the bound of as many roundings as there are updates of a place."""
    value, reduction = scatter_update(**arguments), arguments.get("reduction")
    if reduction not in ("add", "mul"):
        return value, np.zeros(value.shape)
    counts = scatter_update(
        np.zeros(value.shape), arguments["indices"], np.ones(arguments["updates"].shape), "add"
    )
    tensors = {n: finite_magnitude(arguments[n]) for n in ("inputs", "updates")}
    magnitude = scatter_update(**{**arguments, **tensors})
    return value, allowance(counts, model) * magnitude + counts * model.underflow


def slice_update(inputs: Array, start_indices: Sequence[int], updates: Array) -> Array:
    """The tensor with a block of it replaced.

    Shapes: updates with the rank of the inputs; the result has the shape of the inputs.
    """
    result = inputs.copy()
    ends = zip(start_indices, updates.shape, strict=True)
    result[tuple(slice(start, start + n) for start, n in ends)] = updates
    return result


def unravel_index(indices: Array, shape: Sequence[int], *, item: int) -> Array:
    """One of the coordinates of each place.

    Shapes: any indices; the result has their shape.
    """
    return np.asarray(np.unravel_index(indices, tuple(shape))[item])


def _index(name: str, nothing: float) -> Callable[..., Array]:
    """The index of an extreme, which what is missing is not; readings of equal elements are those
    of `name`."""
    reduction = reductions.ORACLES[name]

    def oracle(x: Array, **how: Any) -> Array:
        present = np.where(np.isnan(x), x.dtype.type(nothing), x) if x.dtype.kind == "f" else x
        return reduction(present, **how)

    return oracle


_SUM = _segments(_ADD)

ORACLES: Mapping[str, Callable[..., Array]] = {
    "searchsorted": searchsorted,
    "digitize": digitize,
    "segment_sum": _SUM,
    "segment_max": _segments(np.max),
    "segment_min": _segments(np.min),
    "segment_prod": _segments(np.prod),
    "top_k.values": top,
    "top_k.indices": places_of_top,
    "argsort": sorted_and_places,
    "argpartition": sorted_and_places,
    "multi_hot": multi_hot,
    "scatter": scatter,
    "scatter_update": scatter_update,
    "slice_update": slice_update,
    "unravel_index.coordinate": unravel_index,
    "nanargmax": _index("argmax", -np.inf),
    "nanargmin": _index("argmin", np.inf),
}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "segment_sum": _bounded_sums,
    "segment_prod": _bounded_products,
    "scatter_update": bounded_update,
}
EVIDENCE: Mapping[str, Evidence] = {
    "top_k.values": Evidence(evidence_of_top, "the values in descending order"),
    "top_k.indices": Evidence(
        evidence_of_places, "[the elements at the indices, the values, repeated indices]", "x"
    ),
    "argsort": Evidence(
        evidence_of_order, "[the elements at the indices, the indices in ascending order]", "x"
    ),
    "argpartition": Evidence(
        evidence_of_partition,
        "[the elements at the indices, sorted on both sides of kth; the indices, sorted]",
        "x",
    ),
}
