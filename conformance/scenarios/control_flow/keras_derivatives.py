"""Derivatives of keras.ops: products of a Jacobian matrix and a vector, and gradients of one's own.

The functions are polynomials of small whole numbers, so results are settled to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.program import Argument, Ref
from conformance.scenarios.control_flow.callables import (
    Expression,
    Nested,
    NestedFunction,
    Written,
    dims,
    do,
    families,
    leaves,
)
from conformance.scenarios.drawn_arrays import FLOATS, small
from conformance.scenarios.model import Array, Family

X, Y = Ref("x"), Ref("y")
DX, DY = Ref("dx"), Ref("dy")
_OF_ONE: tuple[tuple[Expression, Expression], ...] = (
    (do("square", X), do("multiply", do("multiply", X, 2), DX)),
    (do("add", do("multiply", X, 3), 1), do("multiply", DX, 3)),
    (do("sum", do("square", X)), do("sum", do("multiply", do("multiply", X, 2), DX))),
)
_OF_TWO: tuple[tuple[Expression, Expression], ...] = (
    (do("multiply", X, Y), do("add", do("multiply", X, DY), do("multiply", Y, DX))),
    (
        do("subtract", do("square", X), Y),
        do("subtract", do("multiply", do("multiply", X, 2), DX), DY),
    ),
    (
        (do("multiply", X, Y), do("add", X, Y)),
        (do("add", do("multiply", X, DY), do("multiply", Y, DX)), do("add", DX, DY)),
    ),
)
"""Functions, and their derivatives times vectors."""


def _jvp(draw: DrawFn) -> Nested:
    several = draw(st.booleans())
    shape, dtype = dims(draw, 1), draw(st.sampled_from(FLOATS))
    names = ("x", "y") if several else ("x",)
    returns, slope = draw(st.sampled_from(_OF_TWO if several else _OF_ONE))
    primals: dict[str, Array] = {name: small(draw, shape, dtype) for name in names}
    tangents = {f"d{name}": small(draw, shape, dtype) for name in names}
    result = Written("fun", names, returns).of({})(*primals.values())
    moved = Written("slope", (*primals, *tangents), slope).of({})
    moves = moved(*primals.values(), *tangents.values())
    auxiliary = not isinstance(returns, tuple) and draw(st.booleans())
    other = do("multiply", X, 5)
    fun = Written("fun", names, (returns, other) if auxiliary else returns)
    gives = (result, moves, primals["x"] * 5) if auxiliary else (result, moves)
    kwargs: dict[str, Argument] = {"has_aux": True} if auxiliary else {}
    return Nested(
        {**primals, **tangents},
        (fun.body, _refs(names), _refs([*tangents])),
        kwargs,
        gives=leaves(gives, dtype),
        about=f"of {len(names)}{', and something else' if auxiliary else ''}",
    )


def _refs(names: Sequence[str]) -> tuple[Ref, ...]:
    return tuple(map(Ref, names))


FUNCTIONS: tuple[NestedFunction, ...] = (NestedFunction("keras.ops.jvp", _jvp, symbolic=False),)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
