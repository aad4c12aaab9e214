"""Loops of keras.ops: what callables carry from step to step.

All numbers are small and whole, so results are settled to the last bit, in any order in which a
parallel scan combines them. The loops here are those that the docstrings print as Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.program import Argument, Ref
from conformance.scenarios.control_flow.callables import (
    Expression,
    Nested,
    NestedFunction,
    Written,
    a_length,
    a_number_dtype,
    dims,
    do,
    families,
    leaves,
    stacked,
)
from conformance.scenarios.drawn_arrays import FLOATS, small
from conformance.scenarios.model import Array, Family
from conformance.specs.convention_names import ConventionName

A, B, C, D, I, S, X, Y = (Ref(name) for name in "abcdisxy")  # noqa: E741 - a loop's usual name
OUTER = Ref("outer")


_STEPS: dict[str, tuple[Expression, ...]] = {
    "a tensor": (
        (do("add", C, X), do("add", C, X)),
        (do("subtract", X, C), do("add", do("multiply", C, 2), X)),
        (do("add", C, do("multiply", OUTER, X)), C),
        (X, do("subtract", C, X)),
    ),
    "no tensor": (
        (do("subtract", OUTER, C), do("add", C, 1)),
        (do("add", C, OUTER), do("multiply", C, 3)),
    ),
}
"""The carried value and the output of a step, by the scanned values. They differ, and show their
order. The output has the shape and dtype of the carried value, as TensorFlow demands."""
_CARRIED = do("operator.getitem", C, 0), do("operator.getitem", C, 1)
_PAIRS: tuple[Expression, ...] = (
    (
        (do("add", _CARRIED[1], X), _CARRIED[0]),
        (do("subtract", _CARRIED[0], X), do("multiply", _CARRIED[1], 2)),
    ),
)
_UNROLLED = (1, 1, 1, 2, 3, True, False)


def _scanned(step: Callable[..., Any], init: Any, xs: Sequence[Any], *, reverse: bool) -> Any:
    """The last carried value, and the outputs as rows."""
    carry, rows = init, []
    for x in reversed(xs) if reverse else xs:
        carry, y = step(carry, x)
        rows.append(y)
    return carry, rows[::-1] if reverse else rows


def _scan(draw: DrawFn) -> Nested:
    return draw(st.sampled_from((_scan_tensor, _scan_tensor, _scan_two, _scan_none, _scan_pair)))(
        draw
    )


def _scan_call(
    draw: DrawFn,
    f: Written,
    init: tuple[Expression, dict[str, Array]],
    xs: tuple[Expression, dict[str, Array]],
    *,
    outside: dict[str, Array],
    about: str = "",
) -> Nested:
    """A scan of `xs` with the first carried value; both by their tensors."""
    rows = [*zip(*xs[1].values(), strict=True)] if xs[1] else [(None,)] * a_length(draw)
    packed = [row[0] if len(row) == 1 else row for row in rows]
    start = tuple(init[1].values())
    reverse = draw(st.booleans())
    carried = start[0] if len(start) == 1 else start
    carry, outputs = _scanned(f.of(outside), carried, packed, reverse=reverse)
    kwargs: dict[str, Argument] = {"reverse": reverse} if reverse else {}
    if not xs[1] or draw(st.booleans()):
        kwargs["length"] = len(rows)
    if (unroll := draw(st.sampled_from(_UNROLLED))) is not _UNROLLED[0]:
        kwargs["unroll"] = unroll
    (first, *_) = start
    return Nested(
        {**init[1], **xs[1]},
        (f.body, init[0], xs[0]),
        kwargs,
        gives=leaves((carry, stacked(outputs)), first.dtype.name),
        outside=outside,
        about=", ".join([*[about] * bool(about), *["in reverse"] * reverse]),
    )


def _step(draw: DrawFn, kind: str, returns: Sequence[Expression] = ()) -> Written:
    return Written("step", ("c", "x"), draw(st.sampled_from(returns or _STEPS[kind])))


def _parts(draw: DrawFn, names: str, shape: Sequence[int], dtype: str) -> dict[str, Array]:
    return {name: small(draw, shape, dtype) for name in names}


def _scan_tensor(draw: DrawFn) -> Nested:
    shape, dtype = dims(draw), a_number_dtype(draw)
    init, xs = _parts(draw, "c", shape, dtype), _parts(draw, "x", (a_length(draw), *shape), dtype)
    outside = {"outer": small(draw, shape, dtype)}
    return _scan_call(draw, _step(draw, "a tensor"), (C, init), (X, xs), outside=outside)


def _scan_two(draw: DrawFn) -> Nested:
    """The step gets a tuple of slices."""
    shape, dtype = dims(draw), a_number_dtype(draw)
    init, xs = _parts(draw, "c", shape, dtype), _parts(draw, "xy", (a_length(draw), *shape), dtype)
    slices = do("operator.getitem", X, 0), do("operator.getitem", X, 1)
    returns = do("add", C, do("subtract", *slices)), do("multiply", slices[1], 2)
    f = Written("step", ("c", "x"), returns)
    return _scan_call(draw, f, (C, init), ((X, Y), xs), outside={}, about="a tuple of tensors")


def _scan_none(draw: DrawFn) -> Nested:
    shape, dtype = dims(draw), a_number_dtype(draw)
    init, outside = _parts(draw, "c", shape, dtype), {"outer": small(draw, shape, dtype)}
    return _scan_call(
        draw, _step(draw, "no tensor"), (C, init), (None, {}), outside=outside, about="no tensors"
    )


def _scan_pair(draw: DrawFn) -> Nested:
    """The carried value is a pair, and so is the output."""
    shape, dtype = dims(draw), a_number_dtype(draw)
    init, xs = _parts(draw, "cd", shape, dtype), _parts(draw, "x", (a_length(draw), *shape), dtype)
    f = _step(draw, "", _PAIRS)
    return _scan_call(draw, f, ((C, D), init), (X, xs), outside={}, about="a pair is carried")


def _scan_empty(draw: DrawFn) -> Nested:
    """A loop over no slices: the carried value stays, and no row shows the shape of the results."""
    shape, dtype = dims(draw), a_number_dtype(draw)
    tensors = {**_parts(draw, "c", shape, dtype), "x": np.zeros((0, *shape), dtype)}
    outside = {"outer": small(draw, shape, dtype)}
    return Nested(
        tensors,
        (_step(draw, "a tensor").body, C, X),
        gives=leaves((tensors["c"],), dtype),
        outside=outside,
        conventions=(ConventionName.EMPTY,),
        about="no steps",
    )


_LIMIT = 11
_WHILE: tuple[tuple[str, Expression, Expression, Expression], ...] = (
    ("a number", I, do("less", I, _LIMIT), do("add", I, 3)),
    ("a tensor", X, do("less", do("max", X), _LIMIT), do("add", X, 2)),
    ("a tuple", (I, X), do("less", I, _LIMIT), (do("add", I, 2), do("subtract", OUTER, X))),
    ("a list", [I, X, Y], do("less", I, _LIMIT), [do("add", I, 1), Y, do("add", X, Y)]),
    ("a tuple of one", (X,), do("less", do("max", X), _LIMIT), (do("add", X, 4),)),
    (
        "a tuple in a tuple",
        (I, (X, Y)),
        do("less", I, _LIMIT),
        (
            do("add", I, 2),
            (do("operator.getitem", S, 1), do("add", do("operator.getitem", S, 0), 1)),
        ),
    ),
)
"""The carried value, the condition that continues, and the next value."""


def _packed(shape: Expression, tensors: dict[str, Array]) -> Any:
    if isinstance(shape, list | tuple):
        return type(shape)(_packed(part, tensors) for part in shape)
    return tensors[shape.name]


def _looped(
    holds: Callable[..., Any], body: Callable[..., Any], start: Any, most: int | None
) -> Any:
    carried, count = start, 0
    several = isinstance(start, list | tuple)
    while holds(*carried if several else (carried,)) and count != most:
        carried = body(*carried if several else (carried,))
        count += 1
    return carried


def _while_loop(draw: DrawFn) -> Nested:
    about, carried, holds, becomes = draw(st.sampled_from(_WHILE))
    shape, dtype = dims(draw, 1), a_number_dtype(draw)
    # the second half of the numbers lies beyond the limit: no step is made
    start = draw(st.sampled_from((0, 5, -3, _LIMIT - 1, _LIMIT, _LIMIT + 2)))
    numbers = {name: small(draw, shape, dtype) for name in "xy"} | {"i": np.asarray(start, dtype)}
    if about in ("a tensor", "a tuple of one"):
        numbers["x"] += np.asarray(start, dtype)
    parts = [part.name for part in _flat(carried)]
    tensors = {name: numbers[name] for name in parts}
    names = tuple(
        "s" if isinstance(one, tuple) else one.name
        for one in (carried if isinstance(carried, list | tuple) else (carried,))
    )
    outside = {"outer": small(draw, shape, dtype)}
    test, body = Written("holds", names, holds), Written("body", names, becomes)
    most = draw(st.sampled_from((None, None, 0, 1, 2, 100)))
    kwargs: dict[str, Argument] = {} if most is None else {"maximum_iterations": most}
    start_with = _packed(carried, tensors)
    last = _looped(test.of(outside), body.of(outside), start_with, most)
    idle = last is start_with
    # a body may return another dtype for float64, which does not concern the loop
    settled = dtype if idle or dtype != "float64" else None
    return Nested(
        tensors,
        (test.body, body.body, carried),
        kwargs,
        gives=leaves(last, settled),
        outside=outside,
        about=f"{about}, no turn" if idle else about,
    )


def _flat(part: Expression) -> list[Ref]:
    if isinstance(part, list | tuple):
        return [leaf for item in part for leaf in _flat(item)]
    return [part]


_TURNS: tuple[tuple[str, Expression, Expression], ...] = (
    ("a tensor", C, do("subtract", OUTER, S)),
    ("a tensor", C, do("add", do("multiply", S, -1), OUTER)),
    ("the variable of the loop", C, do("add", S, do("multiply", OUTER, I))),
    ("the variable of the loop", C, do("subtract", I, S)),
)
_PAIRED_TURNS: tuple[tuple[str, Expression, Expression], ...] = (
    (
        "a tuple",
        (C, D),
        (do("operator.getitem", S, 1), do("add", do("operator.getitem", S, 0), 1)),
    ),
    (
        "a list",
        [C, D],
        [do("operator.getitem", S, 1), do("subtract", OUTER, do("operator.getitem", S, 0))],
    ),
)


def _fori_loop(draw: DrawFn) -> Nested:
    return _turned(draw, _TURNS)


def _fori_loop_of_two(draw: DrawFn) -> Nested:
    return _turned(draw, _PAIRED_TURNS)


def _turned(draw: DrawFn, turns: Sequence[tuple[str, Expression, Expression]]) -> Nested:
    """The variable is used with floats: the docstring names no dtype for it."""
    about, carried, becomes = draw(st.sampled_from(turns))
    counts = "variable" in about
    shape, dtype = dims(draw), draw(st.sampled_from(FLOATS)) if counts else a_number_dtype(draw)
    tensors = {tensor.name: small(draw, shape, dtype) for tensor in _flat(carried)}
    outside = {"outer": small(draw, shape, dtype)}
    lower = draw(st.integers(-3, 3))
    upper = lower + draw(st.sampled_from((3, 4, 1, 2, 7, 0, -2)))
    body = Written("body", ("i", "s"), becomes)
    state = _packed(carried, tensors)
    for turn in range(lower, upper):
        state = body.of(outside)(turn, state)
    return Nested(
        tensors,
        (lower, upper, body.body, carried),
        gives=leaves(state, dtype),
        outside=outside,
        about=about if lower < upper else f"{about}, no turn",
    )


_FIRST, _LATER = (tuple(do("operator.getitem", x, place) for place in range(2)) for x in (A, B))
_MERGED: tuple[tuple[str, Expression, Expression, bool], ...] = (
    ("sums", X, do("add", A, B), True),
    ("maxima", X, do("maximum", A, B), True),
    (
        "sums of two",
        [X, Y],
        [do("add", _FIRST[0], _LATER[0]), do("maximum", _FIRST[1], _LATER[1])],
        True,
    ),
    (
        "affine functions",
        (X, Y),
        (
            do("multiply", _FIRST[0], _LATER[0]),
            do("add", do("multiply", _LATER[0], _FIRST[1]), _LATER[1]),
        ),
        False,
    ),
)
"""Associative functions of two elements, and whether their order does not matter."""


def _associative_scan(draw: DrawFn) -> Nested:
    """In reverse only what does not depend on the order of both: the docstring does not say it."""
    about, elems, merged, commutes = draw(st.sampled_from(_MERGED))
    shape, dtype, n = dims(draw), a_number_dtype(draw), a_length(draw)
    axis = draw(st.integers(0, len(shape)))
    whole = (*shape[:axis], n, *shape[axis:])
    tensors = {tensor.name: small(draw, whole, dtype, 2) for tensor in _flat(elems)}
    reverse = commutes and draw(st.booleans())
    f = Written("f", ("a", "b"), merged)
    argument = axis - len(whole) if draw(st.integers(0, 3)) == 0 else axis
    return Nested(
        tensors,
        (f.body, elems),
        {"axis": argument, **({"reverse": True} if reverse else {})},
        gives=leaves(_accumulated(f.of({}), _packed(elems, tensors), axis, reverse=reverse), dtype),
        about=f"{about}, in reverse" if reverse else about,
    )


def _accumulated(f: Callable[..., Any], elems: Any, axis: int, *, reverse: bool) -> Any:
    """The results of combining the first elements, or the last ones in reverse."""
    several = isinstance(elems, list | tuple)
    columns = [np.moveaxis(elem, axis, 0) for elem in (elems if several else [elems])]
    rows: list[Any] = [
        type(elems)(row) if several else row[0] for row in zip(*columns, strict=True)
    ]
    rows = rows[::-1] if reverse else rows
    scanned = [reduce(f, rows[: k + 1]) for k in range(len(rows))]
    whole = stacked(scanned[::-1] if reverse else scanned)
    if not several:
        return np.moveaxis(whole, 0, axis)
    return type(elems)(np.moveaxis(elem, 0, axis) for elem in whole)


FUNCTIONS: tuple[NestedFunction, ...] = (
    NestedFunction("keras.ops.scan", _scan),
    NestedFunction("keras.ops.scan", _scan_empty, dtypes=False, compiled=False, symbolic=False),
    NestedFunction("keras.ops.while_loop", _while_loop, settled_dtype=True),
    NestedFunction("keras.ops.fori_loop", _fori_loop),
    # the docstring's example has a tuple, but does not say that a symbolic one is taken
    NestedFunction("keras.ops.fori_loop", _fori_loop_of_two, symbolic=False),
    NestedFunction("keras.ops.associative_scan", _associative_scan),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
