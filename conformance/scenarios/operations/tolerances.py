"""Calls of `isclose` and `allclose`: numbers well inside of a tolerance, or well outside of it.

What lies at the edge no docstring settles, nor which of two numbers a relative tolerance is of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.program import Argument, Ref
from conformance.scenarios.model import Array, Family
from conformance.scenarios.operations.calls import (
    Call,
    Function,
    a_dtype,
    a_shape,
    distinct,
    exact,
    families,
    small,
)


@dataclass(frozen=True)
class Tolerance:
    """Arguments, and numbers that are equal under them or not."""

    about: str
    least: int
    """How large the numbers are, or a little larger."""
    near: int
    """How far apart those are that are equal."""
    far: int
    _: KW_ONLY
    given: dict[str, Argument] = field(default_factory=dict)


TOLERANCES = (
    Tolerance("", 8, 0, 1),
    Tolerance("a large relative tolerance", 1024, 16, 1024, given={"rtol": 0.125}),
    Tolerance("a large absolute tolerance", 1024, 8, 512, given={"atol": 64.0}),
    Tolerance("no relative tolerance", 2**20, 0, 4, given={"rtol": 0.0, "atol": 0.25}),
    Tolerance("both tolerances", 1024, 16, 2048, given={"rtol": 0.125, "atol": 32.0}),
)
"""Under the default, numbers of 2**20 are equal that are 4 apart, and those of 1024 that are 8 or
16 apart are not, so that an argument that is not looked at shows."""
_NANS: tuple[tuple[str, dict[str, Argument], bool], ...] = (
    ("", {}, False),
    ("NaN is equal", {"equal_nan": True}, True),
    ("NaN is not equal", {"equal_nan": False}, False),
)


def _numbers(draw: DrawFn, tolerance: Tolerance) -> tuple[Array, Array, Array]:
    """Numbers, others beside them, and which of these are equal."""
    x = np.abs(distinct(draw, a_shape(draw), a_dtype(draw))) + tolerance.least
    apart = small(draw, x.shape) > draw(st.sampled_from((1, 4)))
    steps = np.where(apart, tolerance.far, tolerance.near).astype(x.dtype)
    signs = np.where(small(draw, x.shape) > 0, 1, -1).astype(x.dtype)
    return x * signs, (x + steps) * signs, ~apart


def _with_nan(draw: DrawFn, x: Array, y: Array, equal: Array, *, both: bool) -> Array:
    """Put NaN into some places of both, or of one alone; which are equal then."""
    drawn = small(draw, x.shape)
    one_sided = draw(st.booleans())
    x[drawn > 2] = np.nan
    y[drawn > (3 if one_sided else 2)] = np.nan
    return np.where(np.isnan(x) & np.isnan(y), both, equal & ~np.isnan(x) & ~np.isnan(y))


def _close(draw: DrawFn) -> tuple[Call, Array]:
    """A call without its result, and which numbers are equal."""
    tolerance = draw(st.sampled_from(TOLERANCES))
    nan, told, both = draw(st.sampled_from(_NANS))
    x, y, equal = _numbers(draw, tolerance)
    if told:
        equal = _with_nan(draw, x, y, equal, both=both)
    given = {**tolerance.given, **told}
    about = nan or tolerance.about
    return Call({"x": x, "y": y}, (Ref("x"), Ref("y")), given, results=(), about=about), equal


def _gives(of: Callable[[Array], Array]) -> Callable[[DrawFn], Call]:
    def drawn(draw: DrawFn) -> Call:
        call, equal = _close(draw)
        return replace(call, results=(exact(of(equal)),))

    return drawn


def _ops(name: str, draw: Callable[[DrawFn], Call]) -> Function:
    return Function(f"keras.ops.{name}", draw, section="Args", inner=0)


FUNCTIONS: tuple[Function, ...] = (
    _ops("isclose", _gives(np.asarray)),
    _ops("allclose", _gives(lambda equal: np.asarray(equal.all()))),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
