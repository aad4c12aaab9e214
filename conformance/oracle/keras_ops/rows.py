"""Functions of whole rows that Keras 3 has: gates, projections, correlations, distances, attention.

Bounds (u the unit roundoff, n the number of terms):

* sparsemax: the threshold t of k elements is their sum less 1, over k. It is off by
  gamma_(2k+8) (1 + 2 max|x|); so is the result. An element that is nearer to t than the running
  sums are certain, may count or not, which moves t no further: such elements are counted in k.
* correlate: gamma_(n+1) of the sum of magnitudes (Higham, Accuracy and Stability, section 3.1).
* corrcoef: a mean is off by e, the bound of `mean`, and so is each difference d from it. The sum of
  products of differences is off by sum |d_i| e_j + |d_j| e_i + e_i e_j and gamma_(n+4) of the sum
  of magnitudes, the sums of squares as well, of whose roots each has half of the relative error.
* cdist: as a norm of the differences, each of which is rounded once.
* attention: a logit is off by gamma_(H+4) of the sum of its magnitudes, the exponential by a factor
  of exp(2 L) where L is the most of it, and each weight by gamma_(S+16) more; so is their mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.oracle import reductions
from conformance.oracle.activations import sigmoid
from conformance.oracle.expectation import Array
from conformance.oracle.rounding import Arithmetic, allowance, finite_magnitude

Bounded = tuple[Array, Array]


def glu(x: Array, axis: int = -1) -> Array:
    """The first half along the axis times the sigmoid of the second.

    Shapes: any x with an even length on the axis; the result has half of it.
    """
    first, second = np.split(x, 2, axis)
    return np.asarray(first * sigmoid(second))


def threshold(x: Array, axis: int) -> Array:
    """The number that is taken from each element. The positive rest sums to one.

    Shapes: any x; the result has length 1 on the axis.
    Source: A. F. T. Martins and R. F. Astudillo, From Softmax to Sparsemax, ICML 2016, algorithm 1.
    """
    falling = -np.sort(-x, axis)
    along = [-1 if a == axis % x.ndim else 1 for a in range(x.ndim)]
    count = np.arange(1, x.shape[axis] + 1).reshape(along)
    totals = np.cumsum(falling, axis) - 1
    inside = (count * falling > totals).sum(axis=axis, keepdims=True)
    last = np.maximum(inside, 1)
    return np.asarray(np.take_along_axis(totals, last - 1, axis) / last)


def sparsemax(x: Array, axis: int = -1) -> Array:
    """Each element less the threshold, or zero.

    Shapes: any x; the result has the shape of x.
    """
    return np.asarray(np.maximum(x - threshold(x, axis), 0))


def bounded_sparsemax(model: Arithmetic, x: Array, axis: int = -1) -> Bounded:
    """Value and bound of `sparsemax`.

    Shapes: value and bound have the shape of x.
    """
    size = 1 + 2 * np.abs(x).max(axis=axis, keepdims=True)
    doubt = allowance(2 * x.shape[axis], model) * size
    inside = (x - threshold(x, axis) > -doubt).sum(axis=axis, keepdims=True)
    bound = allowance(2 * inside + 8, model) * size + 4 * model.underflow
    risky = np.abs(x).sum(axis=axis, keepdims=True) * 2 >= model.overflow
    return sparsemax(x, axis), np.broadcast_to(np.where(risky, np.inf, bound), x.shape)


def correlate(x: Array, y: Array, mode: str = "valid", *, late: bool = False) -> Array:
    """Sums of products of x and of y moved along it. Where `same` cannot take as many at the front
    as at the end, it begins one place earlier, or with `late` later.

    Shapes: x (n,), y (m,). The result is (n + m - 1,) for `full`, else one row of max(n, m) for
    `same` or max(n, m) - min(n, m) + 1 elements for `valid`.
    """
    full = np.correlate(x, y, "full")
    longer, shorter = max(x.size, y.size), min(x.size, y.size)
    if mode == "full":
        return full
    if mode == "valid":
        return full[shorter - 1 : longer]
    start = (shorter - 1 + late) // 2
    return full[start : start + longer]


def bounded_correlate(
    model: Arithmetic, x: Array, y: Array, mode: str = "valid", **how: bool
) -> Bounded:
    """Value and bound of `correlate`; infinite where the sum of magnitudes overflows.

    Shapes: value and bound have the shape of `correlate`.
    """
    terms = min(x.size, y.size)
    size = correlate(finite_magnitude(x), finite_magnitude(y), mode, **how)
    factor = allowance(terms + 1, model)
    bound = factor * size + 2 * terms * model.underflow
    bound = np.where(size * (1 + factor) >= model.overflow, np.inf, bound)
    return correlate(x, y, mode, **how), bound


def _differences(x: Array) -> Array:
    return np.asarray(x - x.mean(axis=1, keepdims=True))


def corrcoef(x: Array) -> Array:
    """The correlation of each row with each.

    Shapes: x (rows, n); the result is (rows, rows).
    """
    d = _differences(x)
    products = d @ d.T
    roots = np.sqrt(np.diag(products))
    return np.asarray(products / np.outer(roots, roots))


def bounded_corrcoef(model: Arithmetic, x: Array) -> Bounded:
    """Value and bound of `corrcoef`; infinite where rounding may be all of a row.

    Shapes: value and bound have the shape of `corrcoef`.
    """
    value, d = corrcoef(x), np.abs(_differences(x))
    _, drift = reductions.bounded_mean(model, x, 1, True)
    e = drift + allowance(2, model) * (np.abs(x).max(axis=1, keepdims=True) + drift)
    e = np.broadcast_to(e, x.shape)
    moved = d @ e.T + e @ d.T + e @ e.T + allowance(x.shape[1] + 4, model) * ((d + e) @ (d + e).T)
    squares = np.diag(d @ d.T)
    share = np.diag(moved) / squares
    bound = moved / np.sqrt(np.outer(squares, squares)) + np.abs(value) * np.add.outer(share, share)
    risky = np.maximum.outer(share, share) > 1 / 4
    least = model.smallest_normal / model.unit
    far = np.maximum.outer(squares, squares) * 4 >= np.sqrt(model.overflow)
    near = np.minimum.outer(squares, squares) < np.sqrt(least) * 4
    return value, np.where(risky | far | near | np.isnan(bound), np.inf, bound + 8 * model.unit)


def _apart(x: Array, y: Array) -> Array:
    return np.asarray(x[..., :, None, :] - y[..., None, :, :])


def cdist(x: Array, y: Array) -> Array:
    """The distance of each row of x from each of y.

    Shapes: x (..., n, d), y (..., m, d); the result is (..., n, m).
    """
    d = _apart(x, y)
    top = np.abs(d).max(axis=-1, keepdims=True, initial=0)
    top = np.where((top > 0) & np.isfinite(top), top, 1)
    return np.asarray(np.sqrt(np.square(d / top).sum(axis=-1)) * top[..., 0])


def bounded_cdist(model: Arithmetic, x: Array, y: Array) -> Bounded:
    """Value and bound of `cdist`.

    Shapes: value and bound have the shape of `cdist`.
    """
    value, terms = cdist(x, y), x.shape[-1]
    bound = allowance(terms / 2 + 10, model) * finite_magnitude(value) + 4 * model.underflow
    squares = np.square(value)
    small = (squares < terms * model.smallest_normal / model.unit) & (value > 0)
    outside = np.isfinite(value) & (small | (squares * 2 >= model.overflow))
    return value, np.where(outside, np.inf, bound)


def logits(  # noqa: PLR0917 - as documented
    query: Array, key: Array, bias: Array | None, mask: Array | None, scale: Any, is_causal: bool
) -> tuple[Array, Array]:
    """The logits (B, N, T, S), and the sums of the magnitudes of their terms.

    Shapes: query (B, T, N, H), key (B, S, N or a divisor of it, H), bias and mask broadcast with
    (B, N, T, S). Both results are (B, N, T, S). Source: A. Vaswani and others, Attention Is All You
    Need, NIPS 2017, equation 1.
    """
    key = each_head(query, key)
    scale = 1 / np.sqrt(query.dtype.type(query.shape[-1])) if scale is None else scale
    both = [np.einsum("btnh,bsnh->bnts", q, k) for q, k in ((query, key), (abs(query), abs(key)))]
    scores, size = both[0] * scale, both[1] * np.abs(scale)
    if bias is not None:
        scores, size = scores + bias, size + np.abs(bias)
    if is_causal:
        rows, columns = scores.shape[-2:]
        scores = np.where(np.tri(rows, columns, dtype=bool), scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return scores, size


def each_head(query: Array, tensor: Array) -> Array:
    """Keys or values for each head of the queries: groups of heads share theirs.

    Shapes: query (B, T, N, H), tensor (B, S, n, H) where n divides N; the result is (B, S, N, H).
    """
    return np.repeat(tensor, query.shape[2] // tensor.shape[2], axis=2)


def weights(scores: Array) -> Array:
    """The softmax of logits.

    Shapes: scores (..., S); the result has the shape of the scores.
    """
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def attention(  # noqa: PLR0917 - as documented
    query: Array,
    key: Array,
    value: Array,
    bias: Array | None = None,
    mask: Array | None = None,
    scale: Any = None,
    is_causal: bool = False,
    **_left: Any,
) -> Array:
    """softmax(query key scale + bias) value, where the mask holds; heads may share keys.

    Shapes: query (B, T, N, H), key and value (B, S, N or a divisor of it, H), bias and mask
    broadcast with (B, N, T, S). The result has the shape of the query.
    """
    scores, _ = logits(query, key, bias, mask, scale, is_causal)
    value = each_head(query, value)
    return np.asarray(np.einsum("bnts,bsnh->btnh", weights(scores), value))


def bounded_attention(  # noqa: PLR0917 - as documented
    model: Arithmetic,
    query: Array,
    key: Array,
    value: Array,
    bias: Array | None = None,
    mask: Array | None = None,
    scale: Any = None,
    is_causal: bool = False,
    **_: Any,
) -> Bounded:
    """Value and bound of `attention`.

    Shapes: query (B, T, N, H); value and bound have the shape of the query.
    """
    value = each_head(query, value)
    scores, size = logits(query, key, bias, mask, scale, is_causal)
    off = allowance(query.shape[-1] + 8, model) * size.max(axis=-1, initial=0)
    factor = np.expm1(np.minimum(2 * off, 50)) + allowance(key.shape[1] + 16, model)
    mean = np.einsum("bnts,bsnh->btnh", weights(scores), np.abs(value))
    most = 2 * np.moveaxis(np.abs(value).max(axis=1, initial=0)[:, :, None, :], 1, 2)
    bound = np.minimum(np.moveaxis(factor, 1, 2)[..., None] * mean, most)
    bound = bound + np.moveaxis(off, 1, 2)[..., None] * model.underflow + 8 * model.underflow
    risky = np.moveaxis(size.max(axis=-1, initial=0) * 4 >= model.overflow, 1, 2)[..., None]
    return attention(query, key, value, bias, mask, scale, is_causal), np.where(
        risky, np.inf, bound
    )


ORACLES: Mapping[str, Callable[..., Array]] = {
    "glu": glu,
    "sparsemax": sparsemax,
    "correlate": correlate,
    "corrcoef": corrcoef,
    "cdist": cdist,
    "attention": attention,
}

CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "sparsemax": bounded_sparsemax,
    "correlate": bounded_correlate,
    "corrcoef": bounded_corrcoef,
    "cdist": bounded_cdist,
    "attention": bounded_attention,
}
