"""Complex numbers of keras.ops: made of real ones, and taken apart into them again.

Programs neither hold nor read complex numbers, so that one function makes them and another takes
them apart. What makes them is wrong if two ways to take them apart say so; what takes them apart is
wrong if another way shows that they were made rightly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from hypothesis.strategies import DrawFn, SearchStrategy

from conformance.editions import Edition
from conformance.oracle import Expectation
from conformance.oracle.rational import gamma
from conformance.program import Argument
from conformance.results import Aspect
from conformance.scenarios.checks import Test, agrees_with, is_array, only, shown
from conformance.scenarios.composites import composite
from conformance.scenarios.model import (
    KERAS_3,
    KERAS_3_DOCUMENT,
    Array,
    Check,
    Family,
    Problem,
    Scenario,
    Values,
)
from conformance.scenarios.operations.calls import a_dtype, a_shape, small
from conformance.scenarios.writing import ProgramWriter

COSINE = 8
"""Roundings of a cosine or sine, which OpenCL allows 4 units in the last place, and a product."""


def _pairs(draw: DrawFn) -> Array:
    return small(draw, (*a_shape(draw, 0, 3), 2), a_dtype(draw), 9)


def _made(w: ProgramWriter, x: Array) -> Argument:
    held = w.call("constant", w.array("x", x), dtype=x.dtype.name)
    return w.call("keras.ops.view_as_complex", held)


def _scenario(name: str, title: str, w: ProgramWriter, checks: Sequence[Check]) -> Scenario:
    return Scenario(name, title, program=w.program(), arrays=w.arrays, checks=(*checks,))


def _check(outputs: tuple[str, ...], test: Test, demands: str, section: str) -> Check:
    return Check(
        "the numbers",
        Aspect.VALUE,
        outputs=outputs,
        test=test,
        demands=demands,
        at={KERAS_3_DOCUMENT: section},
    )


def of_place(test: Test, place: int) -> Test:
    """A test of one of each pair of numbers in the last axis of an array."""

    def tested(values: Values) -> Problem | None:
        array = only(values)
        if isinstance(array, Problem):
            return array
        if array.shape[-1:] != (2,):
            return Problem(f"gives shape {array.shape}", "shape", got=array)
        return test((replace(values[0], array=array[..., place]),))

    return tested


def either(test: Test, place: int) -> Test:
    """A test that one part, or that place of the pairs, passes."""

    def tested(part: Values, pairs: Values) -> Problem | None:
        problem = test(part)
        return problem if problem and of_place(test, place)(pairs) else None

    return tested


def confirmed(test: Test, others: Sequence[Test]) -> Test:
    """A test whose failure counts where what else was seen passes the tests of its own."""

    def tested(values: Values, *seen: Values) -> Problem | None:
        problem = test(values)
        unlike = any(other(one) for other, one in zip(others, seen, strict=True))
        return replace(problem, unmade=True) if problem and unlike else problem

    return tested


def _taken_apart(w: ProgramWriter, made: Argument, *names: str) -> None:
    for name in names:
        w.observe(name, "eval", w.call(f"keras.ops.{name}", made))


ALL = ("real", "imag", "view_as_real")


def _made_checks(tests: Sequence[tuple[Test, str]]) -> list[Check]:
    return [
        _check((name, "view_as_real"), either(test, place), demands, "Summary")
        for place, (name, (test, demands)) in enumerate(zip(ALL, tests, strict=False))
    ]


def _view_as_complex(draw: DrawFn) -> Scenario:
    w, x = ProgramWriter(), _pairs(draw)
    _taken_apart(w, _made(w, x), *ALL)
    parts = [(is_array(x[..., place]), shown(x[..., place])) for place in range(2)]
    return _scenario("keras.ops.view_as_complex", "pairs of numbers", w, _made_checks(parts))


RESULTS: Mapping[str, Callable[[Array], Array]] = {
    "real": lambda x: x[..., 0],
    "imag": lambda x: x[..., 1],
    "view_as_real": lambda x: x,
}
"""What the functions that take complex numbers apart give, by the pairs that they are made of."""


def _taking(name: str) -> Callable[[DrawFn], Scenario]:
    others = ("real", "imag") if name == "view_as_real" else ("view_as_real",)

    def drawn(draw: DrawFn) -> Scenario:
        w, x = ProgramWriter(), _pairs(draw)
        _taken_apart(w, _made(w, x), name, *others)
        right = RESULTS[name](x)
        test = confirmed(is_array(right), [is_array(RESULTS[other](x)) for other in others])
        check = _check((name, *others), test, shown(right), "Returns")
        return _scenario(f"keras.ops.{name}", "complex numbers", w, [check])

    return drawn


def _polar(draw: DrawFn) -> Scenario:
    w, shape, dtype = ProgramWriter(), a_shape(draw), a_dtype(draw)
    size = np.abs(small(draw, shape, dtype))
    angle = (small(draw, shape, dtype, 25) / 8).astype(dtype)
    given = [
        w.call("constant", w.array(name, array), dtype=dtype)
        for name, array in (("size", size), ("angle", angle))
    ]
    made = w.call("keras.ops.polar", *given)
    wide = angle.astype("longdouble")
    _taken_apart(w, made, *ALL)
    bound = np.asarray(gamma(COSINE, dtype) * size, "float64")
    values = [np.asarray(size * turned, "float64") for turned in (np.cos(wide), np.sin(wide))]
    tests = [(agrees_with(Expectation(one, bound, dtype)), shown(one)) for one in values]
    return _scenario("keras.ops.polar", "magnitudes and angles", w, _made_checks(tests))


def _family(name: str, draw: Callable[[DrawFn], Scenario]) -> Family:
    @composite
    def drawn(inner: DrawFn) -> Scenario:
        return draw(inner)

    def make(_: Edition) -> SearchStrategy[Scenario]:
        return drawn()

    return Family(
        f"keras.ops.{name}", frozenset({Aspect.VALUE}), make=make, editions=KERAS_3, share=2.0
    )


FAMILIES: tuple[Family, ...] = (
    _family("view_as_complex", _view_as_complex),
    _family("view_as_real", _taking("view_as_real")),
    _family("real", _taking("real")),
    _family("imag", _taking("imag")),
    _family("polar", _polar),
)
