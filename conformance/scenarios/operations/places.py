"""Calls that find, count and fill places: indices, segments, bins, encodings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.oracle import Expectation
from conformance.program import Argument, Ref
from conformance.scenarios.checks import agrees_with, shown
from conformance.scenarios.model import Array, Family, Problem
from conformance.scenarios.operations.calls import (
    Call,
    Function,
    Result,
    a_dtype,
    a_shape,
    distinct,
    exact,
    families,
    many,
    one,
    shaped,
    small,
)

X = Ref("x")


def _numbers(draw: DrawFn, shape: Any, below: int, dtype: str = "int32") -> Array:
    generator = np.random.default_rng(draw(st.integers(0, 2**16)))
    return np.asarray(generator.integers(0, below, shape), dtype)


def _searchsorted(draw: DrawFn) -> Call:
    sequence = np.sort(small(draw, [draw(st.integers(1, 8))]))
    values, side = small(draw, a_shape(draw, 1, 2)), draw(st.sampled_from(("left", "right")))
    wanted = np.searchsorted(sequence, values, "left" if side == "left" else "right")
    given = {"sequence": sequence, "values": values}
    return one(given, *map(Ref, given), side=side, gives=exact(wanted))


def _digitize(draw: DrawFn) -> Call:
    """No value lies on the edge of a bin: the docstring does not say which bin it belongs to."""
    bins = np.unique(small(draw, [draw(st.integers(1, 6))]))
    x = small(draw, a_shape(draw)) + np.float32(0.5)
    given = {"x": x, "bins": bins}
    return one(given, *map(Ref, given), gives=exact(np.digitize(x, bins)))


def _bincount(draw: DrawFn) -> Call:
    x = _numbers(draw, draw(st.integers(1, 10)), 6)
    least = draw(st.sampled_from((0, 3, 9)))
    if draw(st.booleans()):
        return one({"x": x}, X, minlength=least, gives=exact(np.bincount(x, minlength=least)))
    weights = small(draw, x.shape, a_dtype(draw)) / np.float32(2)
    wanted = np.bincount(x, weights, least)
    given = {"x": x, "weights": weights}
    return one(given, X, weights=Ref("weights"), minlength=least, gives=exact(wanted))


def _segments(reduced: Callable[[Array], Any], most: int) -> Callable[[DrawFn], Call]:
    """No segment is empty: the docstrings do not say what one has."""

    def drawn(draw: DrawFn) -> Call:
        count = draw(st.integers(1, 4))
        ids = np.concatenate([np.arange(count), _numbers(draw, draw(st.integers(0, 6)), count)])
        ordered = draw(st.booleans())
        ids = np.sort(ids) if ordered else ids[::-1]
        data = small(draw, [ids.size, *a_shape(draw, 0, 1)], a_dtype(draw), most)
        wanted = np.stack([reduced(data[ids == segment]) for segment in range(count)])
        given = {"data": data, "ids": np.ascontiguousarray(ids, "int32")}
        gives = exact(wanted, data.dtype.name)
        return one(given, *map(Ref, given), num_segments=count, sorted=ordered, gives=gives)

    return drawn


def _top_k(draw: DrawFn) -> Call:
    x = distinct(draw, [draw(st.integers(1, 9))], a_dtype(draw))
    k = draw(st.integers(1, x.size))
    order = np.argsort(-x)[:k]
    given: dict[str, Argument] = {"sorted": True} if draw(st.booleans()) else {}
    return many({"x": x}, X, k, gives=[exact(x[order], x.dtype.name), exact(order)], **given)


def _top_k_unsorted(draw: DrawFn) -> Call:
    x = distinct(draw, [draw(st.integers(1, 9))], a_dtype(draw))
    k = draw(st.integers(1, x.size))
    best = np.sort(x)[-k:]

    def are_largest(values: Array, places: Array) -> Problem | None:
        if not np.array_equal(np.sort(values), best):
            return Problem("gives other values", "values", got=values, expected=best)
        inside = ((places >= 0) & (places < x.size)).all()
        right = inside and np.array_equal(x[places.astype(int)], values)
        return None if right else Problem("gives other indices", "indices", got=places)

    said = f"{shown(best)} in any order, and the place of each"
    gives = (shaped(best.shape, said, x.dtype.name), shaped(best.shape, ""))
    return Call(
        {"x": x},
        (X, k),
        {"sorted": False},
        results=gives,
        whole=are_largest,
        demands=said,
        several=True,
        about="not sorted",
    )


def _in_top_k(draw: DrawFn) -> Call:
    rows, classes = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    predictions = distinct(draw, [rows, classes])
    targets, k = _numbers(draw, rows, classes), draw(st.integers(1, classes))
    best = np.argsort(-predictions, 1)[:, :k]
    given = {"targets": targets, "predictions": predictions}
    return one(given, *map(Ref, given), k, gives=exact((best == targets[:, None]).any(1)))


def _multi_hot(draw: DrawFn) -> Call:
    classes = draw(st.integers(1, 6))
    x = _numbers(draw, a_shape(draw, 1, 2), classes)
    wanted = (x[..., None] == np.arange(classes)).any(-2).astype("float32")
    return one({"x": x}, X, num_classes=classes, gives=exact(wanted))


def _multi_hot_as(draw: DrawFn) -> Call:
    """The axis is the last of the result: the docstring does not say of which axis of the labels
    one vector is, if it is not the last one."""
    classes, dtype = draw(st.integers(1, 6)), draw(st.sampled_from(("int32", "float64", "bool")))
    x = _numbers(draw, a_shape(draw, 1, 2), classes)
    told, given = dtype, dict[str, Argument](dtype=dtype)
    if of_axis := draw(st.booleans()):
        told, given = "float32", {"axis": x.ndim - 1}
    wanted = (x[..., None] == np.arange(classes)).any(-2).astype(told)
    made = one({"x": x}, X, num_classes=classes, gives=exact(wanted, told), **given)
    return replace(made, about="the axis that is the last one" if of_axis else "a dtype")


def _targets(draw: DrawFn) -> tuple[tuple[int, ...], Array, Array]:
    """A shape, different places in it by their first coordinates, and what comes there."""
    shape = a_shape(draw, 1, 3)
    known = draw(st.integers(1, len(shape)))
    size = int(np.prod(shape[:known]))
    generator = np.random.default_rng(draw(st.integers(0, 2**16)))
    places = generator.permutation(size)[: draw(st.integers(1, size))]
    indices = np.stack(np.unravel_index(places, shape[:known]), -1).astype("int32")
    return shape, indices, 1 + np.abs(distinct(draw, [len(places), *shape[known:]]))


def _scatter(draw: DrawFn) -> Call:
    shape, indices, values = _targets(draw)
    wanted = np.zeros(shape, "float32")
    wanted[tuple(indices.T)] = values
    given = {"indices": indices, "values": values}
    return one(given, *map(Ref, given), shape, gives=exact(wanted, "float32"))


def _scatter_update(draw: DrawFn) -> Call:
    shape, indices, updates = _targets(draw)
    inputs = distinct(draw, shape)
    wanted = inputs.copy()
    wanted[tuple(indices.T)] = updates
    given = {"inputs": inputs, "indices": indices, "updates": updates}
    return one(given, *map(Ref, given), gives=exact(wanted, "float32"))


_REDUCTIONS: tuple[tuple[str | None, Callable[[Any, Any], Any]], ...] = (
    (None, lambda _, update: update),
    ("add", np.add),
    ("max", np.maximum),
    ("min", np.minimum),
    ("mul", np.multiply),
)


def _scatter_reduced(draw: DrawFn) -> Call:
    """Several updates of one place, one after the other, of small whole numbers: all is exact."""
    name, reduced = draw(st.sampled_from(_REDUCTIONS))
    shape, dtype = a_shape(draw, 1, 3), a_dtype(draw)
    known = draw(st.integers(1, len(shape)))
    size, count = int(np.prod(shape[:known])), draw(st.integers(2, 6))
    indices = np.stack(np.unravel_index(_numbers(draw, count, min(size, 3)), shape[:known]), -1)
    inputs = small(draw, shape, dtype, 3)
    updates = small(draw, [count, *shape[known:]], dtype, 3)
    wanted = inputs.copy()
    for place, update in zip(map(tuple, indices), updates, strict=True):
        wanted[place] = reduced(wanted[place], update)
    given = {"inputs": inputs, "indices": indices.astype("int32"), "updates": updates}
    made = one(given, *map(Ref, given), reduction=name, gives=exact(wanted, dtype))
    return replace(made, about="the last of several updates" if name is None else name)


def _slice_update(draw: DrawFn) -> Call:
    inputs = distinct(draw, a_shape(draw), a_dtype(draw))
    starts = [draw(st.integers(0, length - 1)) for length in inputs.shape]
    pairs = zip(inputs.shape, starts, strict=True)
    lengths = [draw(st.integers(1, length - start)) for length, start in pairs]
    updates = 100 + distinct(draw, lengths, inputs.dtype.name)
    wanted = inputs.copy()
    wanted[tuple(slice(s, s + n) for s, n in zip(starts, lengths, strict=True))] = updates
    given = {"inputs": inputs, "updates": updates}
    gives = exact(wanted, inputs.dtype.name)
    return one(given, Ref("inputs"), starts, Ref("updates"), gives=gives)


def _unravel_index(draw: DrawFn) -> Call:
    shape = a_shape(draw, 1, 3)
    x = _numbers(draw, a_shape(draw, 1, 2), int(np.prod(shape)))
    return many({"x": x}, X, shape, gives=[exact(one) for one in np.unravel_index(x, shape)])


def _histogram(draw: DrawFn) -> Call:
    """No element lies on an edge."""
    x = small(draw, a_shape(draw, 1, 1, 9), most=3) + np.float32(0.5)
    bins, low, high = draw(st.sampled_from(((4, -4.0, 4.0), (2, -4.0, 4.0), (3, -2.0, 1.0))))
    counts, edges = np.histogram(x, bins, (low, high))
    return many(
        {"x": x}, X, bins=bins, range=(low, high), gives=[exact(counts), rounded_edges(edges)]
    )


def rounded_edges(edges: Array) -> Result:
    """Each is low (1 - t) + high t, or low + t (high - low), in float32: no more than six roundings
    of what is no larger than |low| + |high|."""
    bound = np.full(edges.shape, 6 * 2.0**-24 * float(np.abs(edges[[0, -1]]).sum()))
    test = agrees_with(Expectation(edges.astype(float), bound, "float32"))
    return Result(edges.shape, test, demands=shown(edges))


def _nan_place(found: Callable[..., Any]) -> Callable[[DrawFn], Call]:
    """Each line has a number."""

    def drawn(draw: DrawFn) -> Call:
        x = distinct(draw, a_shape(draw, 1, 3), a_dtype(draw))
        axis = draw(st.one_of(st.none(), st.integers(0, x.ndim - 1)))
        missing = small(draw, x.shape) > 1
        first = np.arange(x.shape[axis or 0]).reshape([-1] + [1] * (x.ndim - 1 - (axis or 0)))
        x = np.where(missing & (first > 0), np.nan, x).astype(x.dtype)
        keeps = draw(st.booleans())
        wanted = found(x, axis=axis, keepdims=keeps)
        return one({"x": x}, X, axis=axis, keepdims=keeps, gives=exact(wanted))

    return drawn


def _argsort(draw: DrawFn) -> Call:
    x = distinct(draw, a_shape(draw), a_dtype(draw))
    axis = draw(st.one_of(st.none(), st.just(-1), st.integers(0, x.ndim - 1)))
    return one({"x": x}, X, axis=axis, gives=exact(np.argsort(x, axis)))


_ALONG: tuple[tuple[str, dict[str, Argument], int | None], ...] = (
    ("", {}, -1),
    ("along the last axis", {"axis": -1}, -1),
    ("along the first axis", {"axis": 0}, 0),
    ("of all elements", {"axis": None}, None),
)


def _argpartition(draw: DrawFn) -> Call:
    x = distinct(draw, a_shape(draw, 1, 3), a_dtype(draw))
    about, given, axis = draw(st.sampled_from(_ALONG))
    if not given and draw(st.booleans()):
        x, about = x / x.dtype.type(8), "of fractions"
    lines = x.reshape(-1) if axis is None else x
    kth = draw(st.integers(0, lines.shape[axis or 0] - 1))
    said = f"the number in place {kth}, smaller ones before it, larger ones behind it"
    return Call(
        {"x": x},
        (X, kth),
        given,
        results=(shaped(lines.shape, said),),
        whole=_partitions(np.moveaxis(lines, axis or 0, -1), axis or 0, kth),
        demands=said,
        about=about,
    )


def _partitions(lines: Array, axis: int, kth: int) -> Callable[[Array], Problem | None]:
    """The test of indices along an axis, which is the last of `lines`."""

    def test(found: Array) -> Problem | None:
        places = np.moveaxis(found, axis, -1)
        if found.dtype.kind not in "iu" or (np.sort(places) != np.arange(places.shape[-1])).any():
            return Problem("gives other indices", "indices", got=found)
        values = np.take_along_axis(lines, places, -1)
        middle = values[..., kth : kth + 1]
        right = (values[..., :kth] < middle).all() and (values[..., kth + 1 :] > middle).all()
        return None if right else Problem("gives another order", "order", got=found)

    return test


def _ops(
    name: str, draw: Callable[[DrawFn], Call], section: str = "Returns", **others: Any
) -> Function:
    return Function(f"keras.ops.{name}", draw, section=section, inner=0, **others)


FUNCTIONS: tuple[Function, ...] = (
    _ops("searchsorted", _searchsorted, "Summary"),
    _ops("digitize", _digitize, "Example"),
    _ops("bincount", _bincount, symbolic=False),
    _ops("segment_sum", _segments(lambda part: part.sum(0), 4), keeps_dtype=True),
    _ops("segment_max", _segments(lambda part: part.max(0), 4), keeps_dtype=True),
    _ops("segment_min", _segments(lambda part: part.min(0), 4), keeps_dtype=True),
    _ops("segment_prod", _segments(lambda part: part.prod(0), 2), keeps_dtype=True),
    _ops("top_k", _top_k, keeps_dtype=True),
    _ops("in_top_k", _in_top_k),
    _ops("top_k", _top_k_unsorted, "Args", keeps_dtype=True),
    _ops("multi_hot", _multi_hot, "Summary"),
    _ops("multi_hot", _multi_hot_as, "Args", names_dtype=True),
    _ops("scatter", _scatter, "Summary"),
    _ops("scatter_update", _scatter_update, "Summary"),
    _ops("scatter_update", _scatter_reduced, "Args"),
    _ops("slice_update", _slice_update, "Summary", keeps_dtype=True),
    _ops("unravel_index", _unravel_index),
    _ops("histogram", _histogram),
    _ops("nanargmax", _nan_place(np.nanargmax)),
    _ops("nanargmin", _nan_place(np.nanargmin)),
    _ops("argsort", _argsort),
    _ops("argpartition", _argpartition, "Args"),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
