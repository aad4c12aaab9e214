"""Reductions along axes, running sums and products, and indices of extremes.

`axis` is an integer, a list or tuple of integers, or None for all axes; negative axes count from
the end. With `keepdims` a reduced axis stays with length 1, otherwise it goes (ko-2.2:1171 read
with conflict C055: one rank less for each reduced axis). ValueError for an axis out of range.
"""

from __future__ import annotations

from typing import Any

from conformance.reference.edition import documented
from conformance.reference.symbolic.arguments import Axis, axes_of, axis_of, tensor
from conformance.reference.symbolic.graph import Tensor, apply, floating


def _reduced(operation: str, x: Any, axis: Any, keepdims: Any) -> Tensor:
    x = tensor(x, operation)
    return apply(operation, x, axis=axes_of(x, axis, operation), keepdims=bool(keepdims))


def _reduced_float(operation: str, x: Any, axis: Any, keepdims: Any) -> Tensor:
    return _reduced(operation, floating(tensor(x, operation)), axis, keepdims)


def _along(operation: str, x: Any, axis: Any) -> Tensor:
    x = tensor(x, operation)
    return apply(operation, x, axis=axis_of(x, axis, operation))


@documented(
    "ja-1:487 max(x, axis=None, keepdims=False)",
    "ja-2.0:1190 max(x, axis=None, keepdims=False)",
    "ko-2.2:1160 max(x, axis=None, keepdims=False)",
)
def max(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Largest element along axes, in the dtype of x. NaN if there is one.

    ValueError at evaluation if there are no elements.

    Shapes: any x; a reduced axis is gone, or has length 1 with `keepdims`.
    """
    return _reduced("max", x, axis, keepdims)


@documented(
    "ja-1:499 min(x, axis=None, keepdims=False)",
    "ja-2.0:1210 min(x, axis=None, keepdims=False)",
    "ko-2.2:1185 min(x, axis=None, keepdims=False)",
)
def min(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Smallest element along axes (ja-2.0 says largest by mistake), in the dtype of x.

    NaN if there is one. ValueError at evaluation if there are no elements.

    Shapes: as `max`.
    """
    return _reduced("min", x, axis, keepdims)


@documented(
    "ja-1:511 sum(x, axis=None, keepdims=False)",
    "ja-2.0:1976 sum(x, axis=None, keepdims=False)",
    "ko-2.2:1210 sum(x, axis=None, keepdims=False)",
)
def sum(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Sum along axes in the dtype of x; integers wrap around, of bool it is "or".

    Shapes: as `max`.
    """
    return _reduced("sum", x, axis, keepdims)


@documented(
    "ja-1:523 prod(x, axis=None, keepdims=False)",
    "ja-2.0:1996 prod(x, axis=None, keepdims=False)",
    "ko-2.2:1235 prod(x, axis=None, keepdims=False)",
)
def prod(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Product along axes in the dtype of x; integers wrap around, of bool it is "and".

    Shapes: as `max`.
    """
    return _reduced("prod", x, axis, keepdims)


@documented(
    "ja-2.0:2016 cumsum(x, axis=0)",
    "ko-2.2:1260 cumsum(x, axis=0)",
)
def cumsum(x: Tensor, axis: int = 0) -> Tensor:
    """Running sum along one axis: shape and dtype of x.

    Raises:
        ValueError: x is bool.
    """
    return _along("cumsum", x, axis)


@documented(
    "ja-2.0:2035 cumprod(x, axis=0)",
    "ko-2.2:1281 cumprod(x, axis=0)",
)
def cumprod(x: Tensor, axis: int = 0) -> Tensor:
    """Running product along one axis: shape and dtype of x.

    Raises:
        ValueError: x is bool.
    """
    return _along("cumprod", x, axis)


@documented(
    "ja-1:534 var(x, axis=None, keepdims=False)",
    "ja-2.0:2054 var(x, axis=None, keepdims=False)",
    "ko-2.2:1302 var(x, axis=None, keepdims=False)",
)
def var(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Mean square distance from the mean along axes; of integers and bool in floatx.

    Shapes: as `max`.
    """
    return _reduced_float("var", x, axis, keepdims)


@documented(
    "ja-1:545 std(x, axis=None, keepdims=False)",
    "ja-2.0:2074 std(x, axis=None, keepdims=False)",
    "ko-2.2:1327 std(x, axis=None, keepdims=False)",
)
def std(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Square root of `var` along axes; of integers and bool in floatx.

    Shapes: as `max`.
    """
    return _reduced_float("std", x, axis, keepdims)


@documented(
    "ja-1:557 mean(x, axis=None, keepdims=False)",
    "ja-2.0:2094 mean(x, axis=None, keepdims=False)",
    "ko-2.2:1352 mean(x, axis=None, keepdims=False)",
)
def mean(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """Mean along axes; of integers and bool in floatx. NaN if there are no elements.

    Shapes: as `max`.
    """
    return _reduced_float("mean", x, axis, keepdims)


@documented(
    "ja-1:569 any(x, axis=None, keepdims=False)",
    "ja-2.0:2114 any(x, axis=None, keepdims=False)",
    "ko-2.2:1377 any(x, axis=None, keepdims=False)",
)
def any(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """1 where an element along the axes is not 0, else 0; uint8 (ko-2.2:1391).

    Shapes: as `max`.
    """
    return _reduced("any", x, axis, keepdims)


@documented(
    "ja-1:582 all(x, axis=None, keepdims=False)",
    "ja-2.0:2134 all(x, axis=None, keepdims=False)",
    "ko-2.2:1399 all(x, axis=None, keepdims=False)",
)
def all(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """1 where every element along the axes is not 0, else 0; uint8 (ko-2.2:1413).

    Shapes: as `max`.
    """
    return _reduced("all", x, axis, keepdims)


@documented(
    "ja-1:595 argmax(x, axis=-1)",
    "ja-2.0:2154 argmax(x, axis=-1)",
    "ko-2.2:1421 argmax(x, axis=-1)",
)
def argmax(x: Tensor, axis: int = -1) -> Tensor:
    """Index of the (first) largest element along one axis, which goes; int64.

    Shapes: any x; the result has the shape of x without the axis.
    """
    return _along("argmax", x, axis)


@documented(
    "ja-1:607 argmin(x, axis=-1)",
    "ja-2.0:2173 argmin(x, axis=-1)",
    "ko-2.2:1442 argmin(x, axis=-1)",
)
def argmin(x: Tensor, axis: int = -1) -> Tensor:
    """Index of the (first) smallest element along one axis, which goes; int64.

    Shapes: any x; the result has the shape of x without the axis.
    """
    return _along("argmin", x, axis)


@documented(
    "ja-2.0:2282 logsumexp(x, axis=None, keepdims=False)",
    "ko-2.2:1563 logsumexp(x, axis=None, keepdims=False)",
)
def logsumexp(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """log(sum(exp(x))) along axes without overflow; of integers and bool in floatx.

    Shapes: as `max`.
    """
    return _reduced_float("logsumexp", x, axis, keepdims)
