"""Calls that choose, split, join and arrange elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.program import Argument, Ref
from conformance.scenarios.checks import Test, is_array, only
from conformance.scenarios.model import Array, Family, Problem, Values
from conformance.scenarios.operations.calls import (
    Call,
    Function,
    a_dtype,
    a_shape,
    distinct,
    exact,
    families,
    many,
    one,
    small,
)

X = Ref("x")


def _kept(draw: DrawFn) -> Call:
    """A call that gives its tensor."""
    x = distinct(draw, a_shape(draw), a_dtype(draw))
    return one({"x": x}, X, gives=exact(x, x.dtype.name))


def _where(draw: DrawFn) -> Call:
    shape, dtype = a_shape(draw), a_dtype(draw)
    chosen = small(draw, shape) > 0
    x, y = distinct(draw, shape, dtype), 100 + distinct(draw, shape, dtype)
    given = {"condition": chosen, "x": x, "y": y}
    return one(given, *map(Ref, given), gives=exact(np.where(chosen, x, y), dtype))


def _select(draw: DrawFn) -> Call:
    shape, count = a_shape(draw), draw(st.integers(1, 3))
    conditions = [small(draw, shape) > 0 for _ in range(count)]
    choices = [distinct(draw, shape) + 1000 * n for n in range(count)]
    default = draw(st.sampled_from((0, -7)))
    names = [f"condition_{n}" for n in range(count)], [f"choice_{n}" for n in range(count)]
    given = dict(zip([*names[0], *names[1]], [*conditions, *choices], strict=True))
    args: list[Argument] = [[Ref(name) for name in listed] for listed in names]
    wanted = np.select(conditions, choices, np.float32(default))
    return one(given, *args, default, gives=exact(wanted, "float32"))


def _divided(
    rank: int, axis_of: Callable[[int], int] | None, *, uneven: bool = False
) -> Callable[[DrawFn], Call]:
    """Calls that split an axis: the one that the function is of, or a parameter `axis`."""

    def drawn(draw: DrawFn) -> Call:
        shape = list(a_shape(draw, rank, 3))
        free = axis_of is None
        axis = draw(st.integers(0, len(shape) - 1)) if axis_of is None else axis_of(len(shape))
        parts: Argument
        if uneven:
            shape[axis], parts = draw(st.integers(3, 8)), draw(st.integers(1, 4))
        elif draw(st.booleans()):
            parts = draw(st.integers(1, 4))
            shape[axis] = parts * draw(st.integers(1, 3))
        else:
            shape[axis], parts = 6, draw(st.sampled_from(([2], [1, 4], [2, 3, 5])))
        x = distinct(draw, shape, a_dtype(draw))
        pieces = np.array_split(x, parts, axis)
        gives = [exact(piece, x.dtype.name) for piece in pieces]
        return many({"x": x}, X, parts, gives=gives, **({"axis": axis} if free else {}))

    return drawn


def _unstack(draw: DrawFn) -> Call:
    x = distinct(draw, a_shape(draw), a_dtype(draw))
    axis = draw(st.integers(0, x.ndim - 1))
    length = x.shape[axis]
    given: dict[str, Argument] = {"num": length} if draw(st.booleans()) else {}
    pieces = [x.take(place, axis) for place in range(length)]
    gives = [exact(piece, x.dtype.name) for piece in pieces]
    return many({"x": x}, X, axis=axis, gives=gives, **given)


def _squeeze(draw: DrawFn) -> Call:
    shape = list(a_shape(draw, 0, 3))
    axis = draw(st.integers(0, len(shape)))
    x = distinct(draw, [*shape[:axis], 1, *shape[axis:]], a_dtype(draw))
    if draw(st.booleans()):
        return one({"x": x}, X, axis=axis, gives=exact(np.squeeze(x, axis), x.dtype.name))
    return one({"x": x}, X, gives=exact(np.squeeze(x), x.dtype.name))


def _meshgrid(draw: DrawFn) -> Call:
    lengths = draw(st.lists(st.integers(1, 5), min_size=2, max_size=3))
    given = {f"x{n}": distinct(draw, [length]) for n, length in enumerate(lengths)}
    grids = np.meshgrid(*given.values(), indexing="ij")
    gives = [exact(grid, "float32") for grid in grids]
    return many(given, *map(Ref, given), gives=gives, indexing="ij")


def _vander(draw: DrawFn) -> Call:
    x = small(draw, [draw(st.integers(1, 6))], a_dtype(draw), most=3)
    columns, rises = draw(st.integers(1, 4)), draw(st.booleans())
    wanted = np.vander(x, columns, rises)
    return one({"x": x}, X, N=columns, increasing=rises, gives=exact(wanted, x.dtype.name))


def _nextafter(draw: DrawFn) -> Call:
    """In float32 alone: what is computed in it is not next to a number of float64. A result that
    is promoted to float64 has the next number of that dtype."""
    shape, dtype = a_shape(draw), "float32"
    x, y = distinct(draw, shape) + np.float32(0.5), distinct(draw, shape)
    wide = np.nextafter(x.astype("float64"), y.astype("float64"))
    gives = exact(np.nextafter(x, y), dtype)
    gives = replace(gives, test=_promoted_to(wide, gives.test))
    return one({"x": x, "y": y}, X, Ref("y"), gives=gives)


def _promoted_to(wide: Array, test: Test) -> Test:
    """The test, but of a result that has the dtype of `wide` whether it is that array."""

    def tested(values: Values) -> Problem | None:
        got = only(values)
        promoted = not isinstance(got, Problem) and got.dtype == wide.dtype
        return is_array(wide)(values) if promoted else test(values)

    return tested


def _cross(draw: DrawFn) -> Call:
    shape = [*a_shape(draw, 0, 2), 3]
    x, y = small(draw, shape, "float32"), small(draw, shape, "float32")
    given = {"x": x, "y": y}
    return one(given, X, Ref("y"), gives=exact(np.cross(x, y), "float32"))


def _extract_sequences(draw: DrawFn) -> Call:
    x = distinct(draw, [*a_shape(draw, 0, 2), draw(st.integers(4, 12))], a_dtype(draw))
    length, stride = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    windows = np.lib.stride_tricks.sliding_window_view(x, length, -1)[..., ::stride, :]
    return one({"x": x}, X, length, stride, gives=exact(windows, x.dtype.name))


_PRODUCTS = (
    ("ij,jk->ik", ((3, 4), (4, 2))),
    ("ij->ji", ((3, 4),)),
    ("ij,j->i", ((3, 4), (4,))),
    ("bij,bjk->bik", ((2, 3, 4), (2, 4, 2))),
    ("ij->", ((3, 4),)),
    ("i,j->ij", ((3,), (4,))),
    ("abc,acd->abd", ((2, 3, 2), (2, 2, 3))),
)


def _einsum(draw: DrawFn) -> Call:
    text, shapes = draw(st.sampled_from(_PRODUCTS))
    given = {f"x{n}": small(draw, shape) for n, shape in enumerate(shapes)}
    wanted = np.einsum(text, *given.values())
    return one(given, text, *map(Ref, given), gives=exact(wanted, "float32"))


_ARRANGED: tuple[tuple[str, Callable[[Array], Array]], ...] = (
    ("b c h w -> b h w c", lambda x: x.transpose(0, 2, 3, 1)),
    ("b c h w -> b c (h w)", lambda x: x.reshape(*x.shape[:2], -1)),
    ("b c h w -> (b c) w h", lambda x: x.reshape(-1, *x.shape[2:]).swapaxes(1, 2)),
)


def _rearrange(draw: DrawFn) -> Call:
    pattern, arranged = draw(st.sampled_from(_ARRANGED))
    x = distinct(draw, a_shape(draw, 4, 4), a_dtype(draw))
    return one({"x": x}, X, pattern, gives=exact(arranged(x), x.dtype.name))


def _number(name: str) -> Callable[[DrawFn], Call]:
    def drawn(draw: DrawFn) -> Call:
        x = distinct(draw, a_shape(draw))
        return one({"x": x}, X, gives=exact(np.asarray(getattr(x, name))))

    return drawn


def _ops(
    name: str, draw: Callable[[DrawFn], Call], section: str = "Returns", inner: int | None = 0
) -> Function:
    """A function whose results consist of elements of the input."""
    return Function(f"keras.ops.{name}", draw, section=section, keeps_dtype=True, inner=inner)


FUNCTIONS: tuple[Function, ...] = (
    _ops("stop_gradient", _kept),
    _ops("conj", _kept, "Summary"),
    _ops("conjugate", _kept),
    _ops("where", _where),
    _ops("select", _select),
    _ops("split", _divided(1, None), "Args"),
    _ops("array_split", _divided(1, None, uneven=True), "Summary"),
    _ops("vsplit", _divided(2, lambda _: 0), "Args"),
    _ops("hsplit", _divided(1, lambda rank: min(rank - 1, 1)), "Args"),
    _ops("dsplit", _divided(3, lambda _: 2), "Args"),
    _ops("unstack", _unstack, inner=None),
    _ops("squeeze", _squeeze, inner=None),
    _ops("meshgrid", _meshgrid, "Summary"),
    _ops("vander", _vander),
    _ops("nextafter", _nextafter, "Summary"),
    _ops("cross", _cross, "Summary", inner=1),
    _ops("extract_sequences", _extract_sequences, "Summary"),
    _ops("einsum", _einsum, "Summary"),
    _ops("rearrange", _rearrange, "Summary"),
    Function("keras.ops.ndim", _number("ndim"), section="Summary", symbolic=False),
    Function("keras.ops.size", _number("size"), section="Summary", symbolic=False),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
