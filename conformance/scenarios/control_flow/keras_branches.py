"""Branches and maps of keras.ops: callables of which one is called, or of every element.

All numbers are small and whole, so results are settled to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.program import Argument, Made, Ref
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

E, X, Y = Ref("e"), Ref("x"), Ref("y")
OUTER = Ref("outer")
MORE = do("add", do("multiply", X, 2), 1)
LESS = do("subtract", OUTER, X)


_CHOICES: tuple[tuple[Expression, Expression], ...] = (
    (X, Y),
    (do("add", X, 1), do("multiply", Y, 2)),
    (do("subtract", X, Y), do("subtract", Y, X)),
    ((X, do("add", Y, 3)), (do("multiply", Y, 2), X)),
    ([do("add", X, do("square", Y))], [do("subtract", do("multiply", X, 3), Y)]),
)


def _cond(draw: DrawFn) -> Nested:
    """Python's own truth values count as tensors do: the docstring says a scalar."""
    shape, dtype = dims(draw), a_number_dtype(draw)
    outside = {name: small(draw, shape, dtype) for name in "xy"}
    branches = [
        Written(name, (), returns)
        for name, returns in zip(("yes", "no"), draw(st.sampled_from(_CHOICES)), strict=True)
    ]
    truth = draw(st.booleans())
    gives = leaves(branches[0 if truth else 1].of(outside)(), dtype)
    bodies = [branch.body for branch in branches]
    pred = np.asarray(truth)
    return Nested({"pred": pred}, (Ref("pred"), *bodies), gives=gives, outside=outside)


_BRANCHES: tuple[tuple[Expression, ...], ...] = (
    (do("add", X, Y), do("subtract", X, Y), do("subtract", Y, X), do("maximum", X, Y)),
    (X, do("multiply", Y, 2), do("add", OUTER, X), LESS),
    ((X, Y), (Y, X), (do("add", X, Y), OUTER), (OUTER, Y)),
)


def _switch(draw: DrawFn) -> Nested:
    """Indices outside are those of the first and of the last branch."""
    shape, dtype = dims(draw), a_number_dtype(draw)
    tensors = {name: small(draw, shape, dtype) for name in "xy"}
    outside = {"outer": small(draw, shape, dtype)}
    count = draw(st.sampled_from((3, 2, 4, 1)))
    expressions = draw(st.sampled_from(_BRANCHES))[:count]
    branches = [
        Written(f"branch_{k}", ("x", "y"), expression) for k, expression in enumerate(expressions)
    ]
    index = draw(st.integers(-2, count + 1))
    chosen = branches[min(max(index, 0), count - 1)]
    bodies: list[Argument] = [branch.body for branch in branches]
    number = np.asarray(index, "int32")
    return Nested(
        {"index": number, **tensors},
        (Ref("index"), bodies, X, Y),
        gives=leaves(chosen.of(outside)(*tensors.values()), dtype),
        outside=outside,
        about="" if 0 <= index < count else "an index that is clamped",
    )


_MAPPED: tuple[Expression, ...] = (MORE, LESS, do("square", X), (LESS, MORE), [MORE, X])


def _map(draw: DrawFn) -> Nested:
    shape, dtype = dims(draw), a_number_dtype(draw)
    xs = small(draw, (a_length(draw), *shape), dtype)
    outside = {"outer": small(draw, shape, dtype)}
    f = Written("f", ("x",), draw(st.sampled_from(_MAPPED)))
    gives = leaves(stacked([f.of(outside)(x) for x in xs]), dtype)
    return Nested({"xs": xs}, (f.body, Ref("xs")), gives=gives, outside=outside)


_FIRST, _SECOND = do("operator.getitem", E, 0), do("operator.getitem", E, 1)
_WHOLE: tuple[Expression, ...] = (do("sum", X), do("max", X))
_OF_ONE: tuple[Expression, ...] = (MORE, LESS, do("square", X), *_WHOLE)
_OF_TWO: tuple[Expression, ...] = (
    do("subtract", _FIRST, do("multiply", _SECOND, 2)),
    do("add", OUTER, do("multiply", _FIRST, _SECOND)),
)


_OF_MATRICES: tuple[Expression, ...] = (
    do("moveaxis", X, 0, 1),
    do("transpose", X),
    do("swapaxes", X, 0, 1),
    do("sort", X, 0),
    do("argmax", X, 0),
    do("flip", X, 0),
    do("roll", X, 1, 0),
    do("cumsum", X, 0),
    do("take", X, [0, 1, 0], 0),
    do("tile", X, (2, 1)),
    do("reshape", X, (-1,)),
    do("matmul", X, do("transpose", OUTER)),
    do("max", do("multiply", X, OUTER), 1),
)
"""Functions of a matrix `x`, some with `outer`, another one of its shape."""


def _matrix_by_matrix(draw: DrawFn) -> Nested:
    """A function of a matrix, mapped over a stack of them."""
    dtype, n = draw(st.sampled_from(FLOATS)), a_length(draw)
    shape = (draw(st.integers(2, 4)), draw(st.integers(1, 4)))
    outside, x = {"outer": small(draw, shape, dtype)}, small(draw, (n, *shape), dtype)
    returns = draw(st.sampled_from(_OF_MATRICES))
    return _mapped(x, outside, returns, None if returns.name == "argmax" else dtype, returns.name)


def _image_by_image(draw: DrawFn) -> Nested:
    """A convolution or a pool of one image, mapped over a batch."""
    n, spatial = draw(st.sampled_from((2, 1, 3))), draw(st.integers(1, 3))
    lengths, (own, others) = (4, 3, 2)[:spatial], draw(st.sampled_from(((1, 1), (2, 3))))
    kernel = small(draw, (*(2, 1, 2)[:spatial], own, others), "float32")
    x = small(draw, (n, *lengths, own), "float32")
    image = do("expand_dims", X, 0)
    name = draw(st.sampled_from(("conv", "max_pool")))
    called = do("conv", image, OUTER) if name == "conv" else do("max_pool", image, 2, 1)
    about = f"{name}, {spatial} spatial axes"
    return _mapped(x, {"outer": kernel}, do("operator.getitem", called, 0), "float32", about)


def _mapped(
    x: Array, outside: Mapping[str, Array], returns: Expression, dtype: str | None, about: str
) -> Nested:
    """The call that maps a function of one tensor over its first axis."""
    f = Written("f", ("x",), returns)
    gives = leaves(stacked([f.of(outside)(row) for row in x]), dtype)
    return Nested({"x": x}, (f.body, X), gives=gives, outside=outside, about=about)


def _vectorized_map(draw: DrawFn) -> Nested:
    of = draw(st.sampled_from((_of_numbers, _matrix_by_matrix, _image_by_image)))
    return of(draw)


def _of_numbers(draw: DrawFn) -> Nested:
    """A function element by element, of one tensor or of two."""
    shape, dtype, n = dims(draw, 1), draw(st.sampled_from(FLOATS)), a_length(draw)
    outside = {"outer": small(draw, shape, dtype)}
    x = small(draw, (n, *shape), dtype)
    if draw(st.booleans()):
        returns = draw(st.sampled_from(_OF_ONE))
        f = Written("f", ("x",), returns)
        gives = leaves(stacked([f.of(outside)(row) for row in x]), dtype)
        about = "a number of each" if returns in _WHOLE else ""
        return Nested({"x": x}, (f.body, X), gives=gives, outside=outside, about=about)
    y = small(draw, (n, *shape), dtype)
    f = Written("f", ("e",), draw(st.sampled_from(_OF_TWO)))
    rows = [f.of(outside)([*pair]) for pair in zip(x, y, strict=True)]
    gives = leaves(stacked(rows), dtype)
    return Nested(
        {"x": x, "y": y}, (f.body, [X, Y]), gives=gives, outside=outside, about="a list of tensors"
    )


_VECTORISED: tuple[Expression, ...] = (do("add", X, Y), do("subtract", do("multiply", X, 3), Y))


def _vectorize(draw: DrawFn) -> Nested:
    kind = draw(st.sampled_from((_plain, _excluding, _with_signature)))
    return kind(draw)


def _plain(draw: DrawFn) -> Nested:
    """Two vectors, or a vector and a number, as in the docstring's example."""
    dtype, n = draw(st.sampled_from(FLOATS)), a_length(draw)
    x, y = small(draw, (n,), dtype), small(draw, draw(st.sampled_from(((n,), ()))), dtype)
    f = Written("f", ("x", "y"), draw(st.sampled_from(_VECTORISED)))
    rows = [f.of({})(*pair) for pair in zip(*np.broadcast_arrays(x, y), strict=True)]
    gives = leaves(np.asarray(rows, dtype), dtype)
    return Nested({"x": x, "y": y}, (f.body,), gives=gives, then=(X, Y), about="of numbers")


def _excluding(draw: DrawFn) -> Nested:
    """The second argument reaches the function whole."""
    dtype = draw(st.sampled_from(FLOATS))
    x, y = small(draw, (a_length(draw),), dtype), small(draw, (3,), dtype)
    f = Written("f", ("x", "y"), do("subtract", X, do("sum", Y)))
    gives = leaves(np.asarray([f.of({})(row, y) for row in x], dtype), dtype)
    kwargs: dict[str, Argument] = {"excluded": Made("set", (1,))}
    return Nested(
        {"x": x, "y": y}, (f.body,), kwargs, gives=gives, then=(X, Y), about="an argument excluded"
    )


_OF_VECTORS: tuple[tuple[str, Expression], ...] = (
    ("(n),(n)->()", do("sum", do("multiply", X, Y))),
    ("(n),(n)->(n)", do("subtract", do("multiply", X, 2), Y)),
    ("(n),(n)->(n)", do("subtract", X, do("sum", Y))),
)


def _with_signature(draw: DrawFn) -> Nested:
    dtype, n = draw(st.sampled_from(FLOATS)), a_length(draw)
    x, y = (small(draw, (n, 3), dtype) for _ in range(2))
    signature, returns = draw(st.sampled_from(_OF_VECTORS))
    f = Written("f", ("x", "y"), returns)
    gives = leaves(stacked([f.of({})(*pair) for pair in zip(x, y, strict=True)]), dtype)
    kwargs: dict[str, Argument] = {"signature": signature}
    return Nested({"x": x, "y": y}, (f.body,), kwargs, gives=gives, then=(X, Y), about="of vectors")


FUNCTIONS: tuple[NestedFunction, ...] = (
    NestedFunction("keras.ops.cond", _cond),
    NestedFunction("keras.ops.switch", _switch),
    NestedFunction("keras.ops.map", _map, section="Summary"),
    NestedFunction("keras.ops.vectorized_map", _vectorized_map, section="Summary"),
    NestedFunction("keras.ops.vectorize", _vectorize, compiled=False, symbolic=False),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
