"""`unique` of keras.ops: functions that look at its parameters pass, others violate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from tests.engine.keras_calls import prepared, problems


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
        values = fitted(values, size, (axis or 0) % values.ndim, fill_value or 0)
        places, counts = (fitted(part, size, 0, 0) for part in (places, counts))
    asked = ((places, return_index), (inverse, return_inverse), (counts, return_counts))
    results = (values, *(part for part, flag in asked if flag))
    return results if len(results) > 1 else values


def fitted(x: Any, size: int, axis: int, fill: Any) -> Any:
    """The first `size` along the axis, and as many more as are lacking."""
    part = x.take(range(min(size, x.shape[axis])), axis)
    missing = [(0, size - part.shape[n] if n == axis else 0) for n in range(part.ndim)]
    return np.pad(part, missing, constant_values=fill)


RIGHT: Mapping[str, Callable[..., Any]] = {"unique": unique}


def without(name: str, *keywords: str) -> Callable[..., Any]:
    """The function that does not look at some of its keyword arguments."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return RIGHT[name](*args, **{k: v for k, v in kwargs.items() if k not in keywords})

    return called


def ignoring(name: str, **changed: Any) -> Callable[..., Any]:
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
        results = unique(x, **kwargs)
        if any(kwargs.get(name) != value for name, value in where.items()):
            return results
        if not isinstance(results, tuple):
            return changed(results) if place == 0 else results
        return tuple(changed(p) if n == place else p for n, p in enumerate(results))

    return called


EVERYTHING = {"return_index": True, "return_inverse": True, "return_counts": True}


def beside(keyword: str, changed: Callable[[Any], Any]) -> Callable[..., Any]:
    """`unique` with what a keyword asks for changed, wherever it stands."""

    def called(x: Any, **kwargs: Any) -> Any:
        asked = [name for name in EVERYTHING if kwargs.get(name)]
        if keyword not in asked:
            return unique(x, **kwargs)
        place = 1 + asked.index(keyword)
        return tuple(changed(p) if n == place else p for n, p in enumerate(unique(x, **kwargs)))

    return called


def in_another_order(x: Any, **kwargs: Any) -> Any:
    """Values that are not sorted, with what belongs to sorted ones."""
    results, other = unique(x, **kwargs), unique(x, **{**kwargs, "sorted": True})
    return (results[0], *other[1:]) if isinstance(results, tuple) else results


def smallest_fills(x: Any, fill_value: Any = None, **kwargs: Any) -> Any:
    return unique(x, fill_value=x.min() if fill_value is None else fill_value, **kwargs)


def last_size(x: Any, size: Any = None, **kwargs: Any) -> Any:
    results = unique(x, **kwargs) if size is None else unique(x, size=size, **kwargs)
    whole = unique(x, axis=kwargs.get("axis"))
    axis = kwargs.get("axis") or 0
    if size is None or isinstance(results, tuple) or whole.shape[axis] <= size:
        return results
    return whole.take(range(whole.shape[axis] - size, whole.shape[axis]), axis)


WRONG: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("unique", "never sorted", always("unique", sorted=False)),
    ("unique", "axis ignored", without("unique", "axis")),
    ("unique", "the last axis", ignoring("unique", axis=-1)),
    ("unique", "size ignored", without("unique", "size")),
    ("unique", "cut off in front", last_size),
    ("unique", "fill_value ignored", without("unique", "fill_value")),
    ("unique", "filled up with the smallest", smallest_fills),
    ("unique", "no places", without("unique", "return_index")),
    ("unique", "no inverse", without("unique", "return_inverse")),
    ("unique", "no counts", without("unique", "return_counts")),
    ("unique", "places too large", part(1, lambda p: p + 1, return_index=True)),
    ("unique", "the inverse turned round", beside("return_inverse", lambda p: p.max() - p)),
    ("unique", "counted once", beside("return_counts", np.ones_like)),
    ("unique", "counts of others", part(1, lambda p: p[::-1], return_counts=True)),
    ("unique", "parts of another order", in_another_order),
    ("unique", "unsorted with one twice", part(0, lambda v: 0 * v, sorted=False)),
)


def test_a_right_function_violates_nothing() -> None:
    assert prepared("unique")
    assert not [(f.gives, f.demands) for f in problems("unique", unique)]


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_violates(name: str, how: str, wrong: Callable[..., Any]) -> None:
    assert next(problems(name, wrong, ValueError, IndexError, TypeError), None) is not None
