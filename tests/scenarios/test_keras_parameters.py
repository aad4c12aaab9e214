"""Scenarios of keras.ops with parameters: functions that look at them, and such that do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from tests.scenarios import keras_ops as ops

MODES = {"circular": "wrap"}
REDUCED: Mapping[Any, Callable[..., Any]] = {
    None: lambda _, update: update,
    "add": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
}


def unique(  # noqa: PLR0917 - as documented
    x: Any,
    sorted: bool = True,  # noqa: A002 - as documented
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    size: Any = None,
    fill_value: Any = None,
) -> Any:
    """Unsorted, in descending order."""
    values, places, inverse, counts = np.unique(x, True, True, True, axis=axis)
    if not sorted:
        values, places, counts = np.flip(values, axis or 0), places[::-1], counts[::-1]
        inverse = len(counts) - 1 - inverse
    if size is not None:
        values = fitted(values, size, axis or 0, fill_value or 0)
        places, counts = (fitted(part, size, 0, 0) for part in (places, counts))
    asked = ((places, return_index), (inverse, return_inverse), (counts, return_counts))
    found = (values, *(part for part, wanted in asked if wanted))
    return found if len(found) > 1 else values


def fitted(x: Any, size: int, axis: int, fill: Any) -> Any:
    """The first `size` along the axis, and as many more as are lacking."""
    kept = x.take(range(min(size, x.shape[axis])), axis)
    missing = [(0, size - kept.shape[n] if n == axis else 0) for n in range(kept.ndim)]
    return np.pad(kept, missing, constant_values=fill)


def argpartition(x: Any, kth: int, axis: Any = -1) -> Any:
    return np.argpartition(x, kth, axis)


def top_k(x: Any, k: int, sorted: bool = True) -> Any:  # noqa: A002 - as documented
    best = np.argsort(x)[-k:]
    best = best[::-1] if sorted else best
    return x[best], best


def isin(x1: Any, x2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    return np.isin(x1, x2, assume_unique=assume_unique, invert=invert)


def bincount(x: Any, weights: Any = None, minlength: int = 0, sparse: bool = False) -> Any:
    assert not sparse
    return np.bincount(x, weights, minlength)


def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: Any = None) -> Any:
    found = inputs.copy()
    for place, update in zip(map(tuple, indices), updates, strict=True):
        found[place] = REDUCED[reduction](found[place], update)
    return found


def cross(  # noqa: PLR0917 - as documented
    x1: Any, x2: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> Any:
    """By the formula, as NumPy takes no vectors of two elements any more."""
    ends = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    x, y = ([*np.moveaxis(v, e, 0)] for v, e in zip((x1, x2), ends, strict=False))
    flat = len(x) == len(y) == 2
    (a, b, c), (d, e, f) = ([*v, np.zeros_like(v[0])][:3] for v in (x, y))
    found = [b * f - c * e, c * d - a * f, a * e - b * d]
    return found[2] if flat else np.stack(found, ends[2])


def multi_hot(inputs: Any, num_classes: Any = None, axis: int = -1, dtype: Any = None) -> Any:
    assert axis in (-1, inputs.ndim - 1)
    return np.eye(num_classes)[inputs].max(-2).astype(dtype or "float32")


def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    y = np.moveaxis(y, axis, -1)
    steps = dx if x is None else np.diff(np.moveaxis(x, axis, -1))
    return ((y[..., 1:] + y[..., :-1]) / 2 * steps).sum(-1)


def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = None) -> Any:
    assert constant_values is None
    named: Any = MODES.get(mode, mode)
    return np.pad(x, pad_width, named)


RIGHT: Mapping[str, Callable[..., Any]] = {
    "unique": unique,
    "isclose": np.isclose,
    "allclose": np.allclose,
    "argpartition": argpartition,
    "top_k": top_k,
    "isin": isin,
    "bincount": bincount,
    "scatter_update": scatter_update,
    "rot90": np.rot90,
    "cross": cross,
    "multi_hot": multi_hot,
    "diagonal": np.diagonal,
    "trace": np.trace,
    "trapezoid": trapezoid,
    "pad": pad,
}


def without(name: str, *keywords: str) -> Callable[..., Any]:
    """The function that does not look at some of its keyword arguments."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return RIGHT[name](*args, **{k: v for k, v in kwargs.items() if k not in keywords})

    return called


def told(name: str, **changed: Any) -> Callable[..., Any]:
    """The function with other arguments, where it is given these."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return RIGHT[name](*args, **{k: changed.get(k, v) for k, v in kwargs.items()})

    return called


def always(name: str, **added: Any) -> Callable[..., Any]:
    """The function with arguments that it takes for given."""
    return lambda *args, **kwargs: RIGHT[name](*args, **{**kwargs, **added})


def part(place: int, changed: Callable[[Any], Any], **where: Any) -> Callable[..., Any]:
    """`unique` with one of its results changed where these arguments are given."""

    def called(x: Any, **kwargs: Any) -> Any:
        found = unique(x, **kwargs)
        if any(kwargs.get(name) != given for name, given in where.items()):
            return found
        if not isinstance(found, tuple):
            return changed(found) if place == 0 else found
        return tuple(changed(p) if n == place else p for n, p in enumerate(found))

    return called


EVERYTHING = {"return_index": True, "return_inverse": True, "return_counts": True}


def in_another_order(x: Any, **kwargs: Any) -> Any:
    """Values that are not sorted, with what belongs to sorted ones."""
    found, other = unique(x, **kwargs), unique(x, **{**kwargs, "sorted": True})
    return (found[0], *other[1:]) if isinstance(found, tuple) else found


def smallest_fills(x: Any, fill_value: Any = None, **kwargs: Any) -> Any:
    return unique(x, fill_value=x.min() if fill_value is None else fill_value, **kwargs)


def last_size(x: Any, size: Any = None, **kwargs: Any) -> Any:
    found = unique(x, **kwargs) if size is None else unique(x, size=size, **kwargs)
    whole = unique(x, axis=kwargs.get("axis"))
    axis = kwargs.get("axis") or 0
    if size is None or isinstance(found, tuple) or whole.shape[axis] <= size:
        return found
    return whole.take(range(whole.shape[axis] - size, whole.shape[axis]), axis)


def once_each(inputs: Any, indices: Any, updates: Any, reduction: Any = None) -> Any:
    """Every update is of what was there before all of them."""
    found, place = inputs.copy(), tuple(indices.T)
    found[place] = REDUCED[reduction](inputs[place], updates)
    return found


def of_no_value(inputs: Any, indices: Any, updates: Any, reduction: Any = None) -> Any:
    """The first update replaces what was there."""
    found, seen = inputs.copy(), set[Any]()
    for place, update in zip(map(tuple, indices), updates, strict=True):
        found[place] = REDUCED[reduction if place in seen else None](found[place], update)
        seen.add(place)
    return found


def first_axis_alone(x: Any, pad_width: Any, **kwargs: Any) -> Any:
    """One width or pair for all axes is taken for that of the first."""
    if isinstance(pad_width, tuple) and len(pad_width) == x.ndim:
        return pad(x, pad_width, **kwargs)
    pair = np.broadcast_to(pad_width, (1, 2)).tolist()
    return pad(x, [*pair, *[(0, 0)] * (x.ndim - 1)], **kwargs)


def repeated_edge(x: Any, pad_width: Any, mode: str = "constant") -> Any:
    return pad(x, pad_width, "edge" if mode == "symmetric" else mode)


WRONG: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("unique", "never sorted", always("unique", sorted=False)),
    ("unique", "axis ignored", without("unique", "axis")),
    ("unique", "the last axis", told("unique", axis=-1)),
    ("unique", "size ignored", without("unique", "size")),
    ("unique", "cut off in front", last_size),
    ("unique", "fill_value ignored", without("unique", "fill_value")),
    ("unique", "filled up with the smallest", smallest_fills),
    ("unique", "no places", without("unique", "return_index")),
    ("unique", "no inverse", without("unique", "return_inverse")),
    ("unique", "no counts", without("unique", "return_counts")),
    ("unique", "places too large", part(1, lambda p: p + 1, return_index=True)),
    ("unique", "the inverse turned round", part(2, lambda p: p.max() - p, **EVERYTHING)),
    ("unique", "counted once", part(3, np.ones_like, **EVERYTHING)),
    ("unique", "counts of others", part(1, lambda p: p[::-1], return_counts=True)),
    ("unique", "parts of another order", in_another_order),
    ("unique", "unsorted with one twice", part(0, lambda v: 0 * v, sorted=False)),
    ("isclose", "rtol ignored", without("isclose", "rtol")),
    ("isclose", "atol ignored", without("isclose", "atol")),
    ("isclose", "equal_nan ignored", without("isclose", "equal_nan")),
    ("isclose", "NaN always equal", always("isclose", equal_nan=True)),
    ("isclose", "exactly equal", lambda x, y, **_: x == y),
    ("allclose", "rtol ignored", without("allclose", "rtol")),
    ("allclose", "atol ignored", without("allclose", "atol")),
    ("allclose", "equal_nan ignored", without("allclose", "equal_nan")),
    ("allclose", "NaN always equal", always("allclose", equal_nan=True)),
    ("allclose", "any of them", lambda x, y, **k: np.isclose(x, y, **k).any()),
    ("argpartition", "axis ignored", without("argpartition", "axis")),
    ("argpartition", "of none the last", lambda x, kth, axis=-1: argpartition(x, kth, axis or 0)),
    ("argpartition", "always of all", lambda x, kth, axis=-1: argpartition(x, kth, None)),
    ("argpartition", "descending", lambda x, kth, axis=-1: argpartition(-x, kth, axis)),
    ("top_k", "never sorted", always("top_k", sorted=False)),
    ("top_k", "the first", lambda x, k, sorted=True: (x[:k], np.arange(k))),  # noqa: A006
    (
        "top_k",
        "places of the sorted ones",
        lambda x, k, sorted=True: (top_k(x, k, sorted)[0], top_k(x, k)[1]),  # noqa: A006
    ),
    ("isin", "invert ignored", without("isin", "invert")),
    ("isin", "the others", lambda x, y, **k: isin(y, x, **k)),
    ("isin", "all of unique ones", lambda x, y, **k: np.ones(x.shape, bool)),
    ("bincount", "weights ignored", without("bincount", "weights")),
    (
        "bincount",
        "whole weights",
        lambda x, weights=None, **k: bincount(
            x, weights if weights is None else np.trunc(weights), **k
        ),
    ),
    ("bincount", "minlength ignored", without("bincount", "minlength")),
    ("scatter_update", "reduction ignored", without("scatter_update", "reduction")),
    ("scatter_update", "always added", always("scatter_update", reduction="add")),
    (
        "scatter_update",
        "min for max",
        lambda inputs, indices, updates, reduction=None: scatter_update(
            inputs, indices, updates, "min" if reduction == "max" else reduction
        ),
    ),
    ("scatter_update", "one update each", once_each),
    ("scatter_update", "of no value before", of_no_value),
    (
        "scatter_update",
        "the first wins",
        lambda inputs, indices, updates, reduction=None: scatter_update(
            inputs, indices[::-1], updates[::-1], reduction
        ),
    ),
    ("rot90", "axes ignored", lambda x, k=1, axes=(0, 1): np.rot90(x, k)),
    ("rot90", "clockwise", lambda x, k=1, axes=(0, 1): np.rot90(x, -k, axes)),
    ("rot90", "once", lambda x, k=1, axes=(0, 1): np.rot90(x, 1, axes)),
    ("cross", "axis ignored", without("cross", "axis")),
    ("cross", "axisa ignored", without("cross", "axisa")),
    ("cross", "axisb ignored", without("cross", "axisb")),
    ("cross", "axisc ignored", without("cross", "axisc")),
    ("cross", "exchanged", lambda x, y, **k: -cross(x, y, **k)),
    ("multi_hot", "dtype ignored", without("multi_hot", "dtype")),
    (
        "multi_hot",
        "counted",
        lambda x, num_classes, axis=-1, dtype=None: (
            np.eye(num_classes)[x].sum(-2).astype(dtype or "float32")
        ),
    ),
    (
        "multi_hot",
        "the largest along another axis",
        lambda x, num_classes, axis=-1, dtype=None: (
            np.moveaxis(np.eye(num_classes)[x], -1, axis)
            .max(min(x.ndim - 1, 1))
            .astype(dtype or "float32")
        ),
    ),
    ("diagonal", "axis1 ignored", without("diagonal", "axis1")),
    ("diagonal", "axis2 ignored", without("diagonal", "axis2")),
    ("diagonal", "offset ignored", without("diagonal", "offset")),
    (
        "diagonal",
        "axes exchanged",
        lambda x, offset=0, axis1=0, axis2=1: np.diagonal(x, offset, axis2, axis1),
    ),
    ("trace", "axis1 ignored", without("trace", "axis1")),
    ("trace", "axis2 ignored", without("trace", "axis2")),
    ("trace", "axes exchanged", lambda x, offset, axis1, axis2: np.trace(x, offset, axis2, axis1)),
    ("trapezoid", "x ignored", lambda y, x=None, **k: trapezoid(y, **k)),
    ("trapezoid", "axis ignored", without("trapezoid", "axis")),
    ("trapezoid", "backwards", lambda y, x=None, **k: trapezoid(y, -x, **k)),
    ("pad", "mode ignored", without("pad", "mode")),
    (
        "pad",
        "reflect for symmetric",
        lambda x, w, mode="constant": pad(x, w, "reflect" if mode == "symmetric" else mode),
    ),
    ("pad", "the edge for symmetric", repeated_edge),
    ("pad", "one width is of the first axis", first_axis_alone),
)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_has_no_problem(name: str) -> None:
    made = ops.scenarios(name)
    assert made
    for scenario in made:
        problems = ops.found(scenario, RIGHT)
        assert not problems, (scenario.title, scenario.program.steps, problems)


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_is_found(name: str, how: str, wrong: Callable[..., Any]) -> None:
    found = (ops.found(scenario, {**RIGHT, name: wrong}) for scenario in ops.scenarios(name))
    assert any(not one.gives.startswith("raises") for problems in found for one in problems)


def test_each_function_has_three_wrong_ones() -> None:
    names = [name for name, _, _ in WRONG]
    assert {*names} == {*RIGHT}
    assert min(names.count(name) for name in RIGHT) >= 3
