"""Functions of keras.ops whose arguments a drawer gives: right ones pass, wrong ones are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from tests.engine.keras_calls import prepared, problems

REDUCED: Mapping[Any, Callable[..., Any]] = {
    None: lambda _, update: update,
    "add": np.add,
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
}


def where(condition: Any, x1: Any = None, x2: Any = None) -> Any:
    return np.where(condition, x1, x2)


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    return np.select(condlist, choicelist, choicelist[0].dtype.type(default))


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    return np.array_split(x, indices_or_sections, axis)


def squeeze(x: Any, axis: Any = None) -> Any:
    return np.squeeze(x, tuple(axis) if isinstance(axis, list) else axis)


def unstack(x: Any, num: Any = None, axis: int = 0) -> Any:
    return [*np.moveaxis(x, axis, 0)]


def sequences(x: Any, sequence_length: int, sequence_stride: int) -> Any:
    seen = np.lib.stride_tricks.sliding_window_view(x, sequence_length, -1)
    return seen[..., ::sequence_stride, :]


def cross(  # noqa: PLR0917 - as documented
    x1: Any, x2: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> Any:
    """By the formula, as NumPy takes no vectors of two elements any more."""
    ends = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    x, y = ([*np.moveaxis(v, e, 0)] for v, e in zip((x1, x2), ends, strict=False))
    flat = len(x) == len(y) == 2
    (a, b, c), (d, e, f) = ([*v, np.zeros_like(v[0])][:3] for v in (x, y))
    components = [b * f - c * e, c * d - a * f, a * e - b * d]
    return components[2] if flat else np.stack(components, ends[2])


def searchsorted(sorted_sequence: Any, values: Any, side: Any = "left") -> Any:
    return np.searchsorted(sorted_sequence, values, side)


def segments(reduced: Callable[..., Any]) -> Callable[..., Any]:
    def function(data: Any, segment_ids: Any, num_segments: Any = None, sorted: Any = False) -> Any:  # noqa: A002
        count = np.max(segment_ids) + 1 if num_segments is None else num_segments
        rows = [reduced(data[segment_ids == n], 0) for n in range(count)]
        return np.stack(rows).astype(data.dtype)

    return function


def top_k(x: Any, k: int, sorted: bool = True) -> Any:  # noqa: A002 - as documented
    best = np.argsort(x, kind="stable")[-k:]
    best = best[::-1] if sorted else best
    return x[best], best


def argpartition(x: Any, kth: int, axis: Any = -1) -> Any:
    return np.argpartition(x, kth, axis)


def argsort(x: Any, axis: Any = -1) -> Any:
    """Of equal elements the last one first."""
    line, end = (x.reshape(-1), 0) if axis is None else (x, axis)
    backwards = np.argsort(np.flip(line, end), end, kind="stable")
    return line.shape[end] - 1 - backwards


def scatter(indices: Any, values: Any, shape: Any) -> Any:
    result = np.zeros(tuple(shape), values.dtype)
    result[tuple(indices.T)] = values
    return result


def scatter_update(inputs: Any, indices: Any, updates: Any, reduction: Any = None) -> Any:
    result = inputs.copy()
    for place, update in zip(map(tuple, indices), updates, strict=True):
        result[place] = REDUCED[reduction](result[place], update)
    return result


def slice_update(inputs: Any, start_indices: Any, updates: Any) -> Any:
    result = inputs.copy()
    ends = zip(start_indices, updates.shape, strict=True)
    result[tuple(slice(s, s + n) for s, n in ends)] = updates
    return result


def multi_hot(
    inputs: Any,
    num_classes: Any = None,
    axis: int = -1,
    dtype: Any = None,
    sparse: bool = False,
) -> Any:
    assert axis in (-1, inputs.ndim - 1)
    assert not sparse
    return np.eye(num_classes)[inputs].max(-2).astype(dtype or "float32")


def nan_index(index: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, axis=None, keepdims=False: index(x, axis=axis, keepdims=keepdims)


def slogdet(x: Any) -> Any:
    return (*np.linalg.slogdet(x),)


def solve(a: Any, b: Any, lower: bool = False) -> Any:
    del lower  # of a triangle alone
    return np.linalg.solve(a, b[..., None])[..., 0] if b.ndim < a.ndim else np.linalg.solve(a, b)


def cholesky(x: Any, upper: bool = False) -> Any:
    low = np.linalg.cholesky(x)
    return low.swapaxes(-1, -2) if upper else low


def qr(x: Any, mode: Any = "reduced") -> Any:
    """With columns of either sign, as other implementations have them."""
    q, r = np.linalg.qr(x, mode)
    return -q, -r


def svd(x: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    assert compute_uv
    return (*np.linalg.svd(x, full_matrices),)


def svd_of_columns(x: Any, full_matrices: bool = True, **_: Any) -> Any:
    u, s, v = np.linalg.svd(x, full_matrices)
    return u, s, v.swapaxes(-1, -2)


def eigh(x: Any) -> Any:
    """The largest first."""
    w, v = np.linalg.eigh(x)
    return w[..., ::-1], v[..., ::-1]


def eig(x: Any) -> Any:
    """In another order, with vectors of another length and direction."""
    w, v = np.linalg.eig(x)
    return w[..., ::-1], v[..., ::-1] * (v.dtype.type(2) if v.dtype.kind == "f" else 2j)


def floats(x: Any) -> Any:
    return x if x.dtype.kind == "f" else x.astype("float32")


RIGHT: Mapping[str, Callable[..., Any]] = {
    "det": np.linalg.det,
    "slogdet": slogdet,
    "logdet": lambda x: np.linalg.slogdet(x)[1],
    "inv": np.linalg.inv,
    "cholesky_inverse": lambda x, upper=False: np.linalg.inv(x),
    "solve": solve,
    "solve_triangular": solve,
    "cholesky": cholesky,
    "qr": qr,
    "svd": svd,
    "eigh": eigh,
    "eig": eig,
    "quantile": lambda x, q, *args, **k: np.quantile(floats(x), q, *args, **k),
    "nanquantile": lambda x, q, *args, **k: np.nanquantile(floats(x), q, *args, **k),
    "percentile": lambda x, q, *args, **k: np.percentile(floats(x), q, *args, **k),
    "where": where,
    "select": select,
    "split": split,
    "array_split": split,
    "vsplit": split,
    "hsplit": lambda x, n: split(x, n, min(x.ndim - 1, 1)),
    "dsplit": lambda x, n: split(x, n, 2),
    "squeeze": squeeze,
    "unstack": unstack,
    "extract_sequences": sequences,
    "vander": np.vander,
    "cross": cross,
    "searchsorted": searchsorted,
    "digitize": np.digitize,
    "segment_sum": segments(np.sum),
    "segment_max": segments(np.max),
    "top_k": top_k,
    "argsort": argsort,
    "argpartition": argpartition,
    "scatter": scatter,
    "scatter_update": scatter_update,
    "slice_update": slice_update,
    "unravel_index": lambda indices, shape: np.unravel_index(indices, tuple(shape)),
    "multi_hot": multi_hot,
    "nanargmax": nan_index(np.nanargmax),
}


def without(name: str, keyword: str) -> Callable[..., Any]:
    """The function that does not look at a keyword argument."""
    return lambda *args, **k: RIGHT[name](*args, **{n: v for n, v in k.items() if n != keyword})


def always(name: str, **fixed: Any) -> Callable[..., Any]:
    return lambda *args, **k: RIGHT[name](*args, **{**k, **fixed})


WRONG: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("det", "without a sign", lambda x: abs(np.linalg.det(x))),
    ("slogdet", "without a sign", lambda x: (np.abs(slogdet(x)[0]), slogdet(x)[1])),
    ("inv", "transposed", lambda x: np.linalg.inv(x).swapaxes(-1, -2)),
    ("cholesky_inverse", "the product", lambda x, upper=False: x @ x),
    ("solve", "the transpose", lambda a, b: solve(a.swapaxes(-1, -2), b)),
    ("solve_triangular", "always the lower", lambda a, b, lower=False: solve(np.tril(a), b)),
    ("cholesky", "upper ignored", without("cholesky", "upper")),
    ("cholesky", "of either sign", lambda x, **k: -cholesky(x, **k)),
    ("qr", "mode ignored", without("qr", "mode")),
    ("qr", "exchanged", lambda x, **k: (qr(x, **k)[0], np.abs(qr(x, **k)[1]))),
    ("qr", "not orthogonal", lambda x, **k: (2 * qr(x, **k)[0], qr(x, **k)[1] / 2)),
    ("svd", "thin", always("svd", full_matrices=False)),
    ("svd", "values below zero", lambda x, **k: (-svd(x)[0], -svd(x)[1], svd(x)[2])),
    ("eigh", "values alone in order", lambda x: (np.sort(eigh(x)[0]), eigh(x)[1])),
    ("eig", "real parts alone", lambda x: tuple(np.real(part) for part in eig(x))),
    ("eig", "conjugated values", lambda x: (np.conj(eig(x)[0]), eig(x)[1])),
    ("eig", "vectors as rows", lambda x: (eig(x)[0], eig(x)[1].swapaxes(-1, -2))),
    (
        "eig",
        "one pair for all",
        lambda x: (eig(x)[0][..., :1] + 0 * eig(x)[0], eig(x)[1][..., :1] + 0 * eig(x)[1]),
    ),
    ("eig", "no vectors", lambda x: (eig(x)[0], 0 * eig(x)[1])),
    ("eigh", "no vectors", lambda x: (eigh(x)[0], 0 * x)),
    *(
        (name, f"{keyword} ignored", without(name, keyword))
        for name in ("quantile", "nanquantile", "percentile")
        for keyword in ("method", "axis", "keepdims")
    ),
    ("where", "exchanged", lambda condition, x1, x2: where(condition, x2, x1)),
    ("select", "the last that holds", lambda c, x, default=0: select(c[::-1], x[::-1], default)),
    ("select", "default ignored", without("select", "default")),
    ("split", "axis ignored", without("split", "axis")),
    ("split", "in reverse", lambda *args, **k: split(*args, **k)[::-1]),
    ("split", "one part more", lambda *args, **k: [*split(*args, **k), np.zeros(3)]),
    ("array_split", "the last longer", lambda x, n, axis=0: split(x[::-1], n, axis)[::-1]),
    ("unstack", "the first axis", lambda x, num=None, axis=0: unstack(x)),
    ("unstack", "one slice more", lambda x, *a, **k: [*unstack(x, *a, **k), x[0] * 0]),
    ("squeeze", "all axes", lambda x, axis=None: np.squeeze(x)),
    ("extract_sequences", "steps of one", lambda x, n, stride: sequences(x, n, 1)),
    ("vander", "rising", lambda x, **k: np.vander(x, **{**k, "increasing": True})),
    ("cross", "axis ignored", without("cross", "axis")),
    ("cross", "axisa ignored", without("cross", "axisa")),
    ("cross", "axisc ignored", without("cross", "axisc")),
    ("cross", "exchanged", lambda x1, x2, *a, **k: -cross(x1, x2, *a, **k)),
    ("searchsorted", "always left", always("searchsorted", side="left")),
    ("digitize", "the edge in the bin before", lambda x, bins: np.digitize(x, bins, right=True)),
    ("segment_sum", "means", segments(np.mean)),
    ("segment_max", "minima", segments(np.min)),
    ("top_k", "the first", lambda x, k, **_: (x[:k], np.arange(k))),
    ("top_k", "never sorted", always("top_k", sorted=False)),
    (
        "top_k",
        "places of the sorted ones",
        lambda x, k, **how: (top_k(x, k, **how)[0], top_k(x, k)[1]),
    ),
    ("top_k", "the first place", lambda x, k, **_: (top_k(x, k)[0], 0 * top_k(x, k)[1])),
    ("argsort", "axis ignored", without("argsort", "axis")),
    ("argsort", "descending", lambda x, axis=-1: argsort(-x, axis)),
    ("argsort", "one place twice", lambda x, axis=-1: 0 * argsort(x, axis)),
    ("argpartition", "axis ignored", without("argpartition", "axis")),
    ("argpartition", "descending", lambda x, kth, axis=-1: argpartition(-x, kth, axis)),
    ("scatter", "transposed", lambda i, v, shape: scatter(i, v[::-1], shape)),
    ("scatter_update", "reduction ignored", without("scatter_update", "reduction")),
    ("scatter_update", "always added", always("scatter_update", reduction="add")),
    (
        "scatter_update",
        "the first wins",
        lambda inputs, indices, updates, reduction=None: scatter_update(
            inputs, indices[::-1], updates[::-1], reduction
        ),
    ),
    ("slice_update", "at the beginning", lambda x, s, u: slice_update(x, [0] * len(s), u)),
    (
        "unravel_index",
        "by columns",
        lambda indices, shape: np.unravel_index(indices, tuple(shape), order="F"),
    ),
    (
        "multi_hot",
        "of the first label",
        lambda x, num_classes, **k: np.eye(num_classes)[x][..., 0, :],
    ),
    (
        "multi_hot",
        "counted",
        lambda x, num_classes, **k: np.eye(num_classes)[x].sum(-2),
    ),
    ("nanargmax", "NaN is the largest", nan_index(np.argmax)),
    ("nanargmax", "axis ignored", lambda x, axis=None, keepdims=False: np.nanargmax(x)),
)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_violates_nothing(name: str) -> None:
    assert prepared(name)
    findings = [(f.gives, f.demands) for f in problems(name, RIGHT[name])]
    assert not findings


def test_right_vectors_may_be_rows_or_columns() -> None:
    assert not [*problems("svd", svd_of_columns)]


@pytest.mark.parametrize(("name", "how", "wrong"), WRONG, ids=[f"{n}-{h}" for n, h, _ in WRONG])
def test_a_wrong_function_violates(name: str, how: str, wrong: Callable[..., Any]) -> None:
    assert next(problems(name, wrong, ValueError, IndexError), None) is not None
