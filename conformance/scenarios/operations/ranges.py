"""Numbers between two ends, of which one or both may be tensors, along any axis of the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.oracle import Expectation
from conformance.oracle.rational import gamma
from conformance.program import Argument, Ref
from conformance.scenarios.model import Array, Family
from conformance.scenarios.operations.calls import (
    FLOATS,
    Call,
    Function,
    Result,
    a_dtype,
    a_shape,
    exact,
    families,
    many,
    one,
    small,
)
from conformance.scenarios.operations.matrices import close_to
from conformance.specs.convention_names import ConventionName

COUNTS = (5, 2, 3, 4, 9, 16)
ROUNDINGS = 16
"""Of a place between the ends, of both products and their sum, and of what a power is made of."""
NAMES = ("start", "stop")


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Where samples begin and end, and how many there are along which axis."""

    start: Array
    stop: Array
    count: int
    endpoint: bool
    axis: int

    @property
    def step(self) -> Array:
        """From each sample to the next."""
        return np.asarray((self.stop - self.start) / (self.count - self.endpoint))

    @property
    def size(self) -> Array:
        """How large the numbers are of which a sample is the sum, along the axis."""
        both = np.abs(self.start) + np.abs(self.stop)
        return self._along_axis(np.broadcast_to(both, (self.count, *both.shape)))

    @property
    def samples(self) -> Array:
        """All of them."""
        places = np.arange(self.count).reshape(-1, *[1] * self.start.ndim)
        return self._along_axis(self.start + places * self.step)

    def _along_axis(self, samples: Array) -> Array:
        return np.moveaxis(samples, 0, self.axis)

    @property
    def given(self) -> dict[str, Argument]:
        """The keywords that say so, but for those that the function has by itself."""
        ended: dict[str, Argument] = {} if self.endpoint else {"endpoint": False}
        return {"num": self.count} | ended | ({"axis": self.axis} if self.axis else {})


def _pair(draw: DrawFn, made: Callable[[tuple[int, ...]], Array], *, tensors: bool) -> list[Array]:
    """Both ends, of which those of rank 0 are numbers: where that is one, the other is a tensor of
    several numbers, because one of a single number might count as that."""
    shape = a_shape(draw, 1, 2, 3) if tensors else ()
    several = int(np.prod(shape)) > 1
    alone = draw(st.sampled_from((*[None] * 6, *NAMES))) if several else None
    return [made(() if name == alone else shape) for name in NAMES]


def _ends(draw: DrawFn, pair: list[Array]) -> Ends:
    start, stop = (np.asarray(end, "longdouble") for end in np.broadcast_arrays(*pair))
    others = range(1, start.ndim + 1)
    axis = draw(st.sampled_from((0, *[0 for _ in others], *others)))
    return Ends(start, stop, draw(st.sampled_from(COUNTS)), draw(st.booleans()), axis)


def _called(
    pair: list[Array], ends: Ends, gives: Result | list[Result], others: Mapping[str, Argument]
) -> Call:
    """The call, which may be refused along another axis than the first, or with one tensor."""
    arrays = {name: end for name, end in zip(NAMES, pair, strict=True) if end.ndim}
    args = [Ref(n) if e.ndim else float(e) for n, e in zip(NAMES, pair, strict=True)]
    kwargs = {**ends.given, **others}
    found = (
        many(arrays, *args, gives=gives, **kwargs)
        if isinstance(gives, list)
        else one(arrays, *args, gives=gives, **kwargs)
    )
    refusable = ends.axis or len(arrays) == 1
    conventions = (ConventionName.TENSORS_AS_ENDS,) if refusable else ()
    return replace(found, about=_about(ends, arrays, others), conventions=conventions)


def _about(ends: Ends, arrays: Mapping[str, Array], others: Mapping[str, Argument]) -> str:
    said = [" and ".join(arrays) or "numbers", "" if ends.endpoint else "without the end"]
    said += [
        "along another axis" if ends.axis else "",
        *(_option(*pair) for pair in others.items()),
    ]
    return ", ".join(filter(None, said))


def _option(name: str, given: Argument) -> str:
    return f"of {given}" if name == "dtype" and "int" in str(given) else f"with {name}"


def _cast(draw: DrawFn, dtype: str) -> tuple[dict[str, Argument], str]:
    """Perhaps a dtype, and that in which the samples come then."""
    asked = draw(st.sampled_from((None, *FLOATS)))
    return ({}, dtype) if asked is None else ({"dtype": asked}, asked)


def _samples(value: Array, relative: Array, dtype: str, others: Mapping[str, Argument]) -> Result:
    """Samples that are off by so many times the roundings of one; with the dtype if it is asked
    for."""
    wide = value.astype("float64")
    bound = gamma(ROUNDINGS, dtype) * relative.astype("float64")
    expected = close_to(Expectation(wide, bound, dtype))
    return replace(expected, dtype=dtype) if "dtype" in others else expected


def _linspace(*, tensors: bool) -> Callable[[DrawFn], Call]:
    def drawn(draw: DrawFn) -> Call:
        if draw(st.integers(0, 3)) == 0:
            return _whole(draw, tensors=tensors)
        dtype = a_dtype(draw) if tensors else "float32"
        pair = _pair(draw, lambda shape: small(draw, shape, dtype, 8), tensors=tensors)
        ends = _ends(draw, pair)
        others, dtype = _cast(draw, dtype)
        samples = _samples(ends.samples, ends.size, dtype, others)
        if draw(st.booleans()):
            return _called(pair, ends, samples, others)
        size = np.abs(ends.start) + np.abs(ends.stop)
        step = replace(_samples(ends.step, size, dtype, others), dtype=None)
        return _called(pair, ends, [samples, step], {"retstep": True, **others})

    return drawn


def _whole(draw: DrawFn, *, tensors: bool) -> Call:
    """Integers as samples, of which each part of the way is a fraction that all dtypes have."""
    pair = _pair(draw, lambda shape: 16 * small(draw, shape, "float32"), tensors=tensors)
    ends = _ends(draw, pair)
    ends = replace(ends, count=draw(st.sampled_from((4, 8, 16))) + ends.endpoint)
    dtype = draw(st.sampled_from(("int32", "int64")))
    samples = exact(ends.samples.astype(dtype), dtype)
    return _called(pair, ends, samples, {"dtype": dtype})


def _logspace(*, tensors: bool) -> Callable[[DrawFn], Call]:
    """Powers: what the exponents lose counts as often as the logarithm of the base is large."""

    def drawn(draw: DrawFn) -> Call:
        dtype = a_dtype(draw) if tensors else "float32"
        pair = _pair(draw, lambda shape: small(draw, shape, dtype) / 2, tensors=tensors)
        pair = [np.asarray(end, dtype) for end in pair]
        ends, base = _ends(draw, pair), draw(st.sampled_from((None, 2, 3)))
        others, dtype = _cast(draw, dtype)
        value = np.power(np.longdouble(base or 10), ends.samples)
        relative = value * (1 + ends.size * np.log(base or 10))
        based: dict[str, Argument] = {} if base is None else {"base": base}
        return _called(pair, ends, _samples(value, relative, dtype, others), {**based, **others})

    return drawn


def _geomspace(*, tensors: bool) -> Callable[[DrawFn], Call]:
    """Ends above zero: powers of numbers that the logarithms of the ends are divided into."""

    def drawn(draw: DrawFn) -> Call:
        dtype = a_dtype(draw) if tensors else "float32"
        positive = _pair(draw, lambda shape: 2.0 ** small(draw, shape, dtype), tensors=tensors)
        pair = [np.asarray(end, dtype) for end in positive]
        ends = _ends(draw, pair)
        ends = replace(ends, start=np.log(ends.start), stop=np.log(ends.stop))
        others, dtype = _cast(draw, dtype)
        value = np.exp(ends.samples)
        relative = value * (1 + ends.size)
        return _called(pair, ends, _samples(value, relative, dtype, others), others)

    return drawn


def _both(name: str, made: Callable[..., Callable[[DrawFn], Call]]) -> list[Function]:
    """Of numbers, which are nothing symbolic, and of tensors."""
    full = f"keras.ops.{name}"
    return [
        Function(full, made(tensors=False), section="Args", names_dtype=True, symbolic=False),
        Function(full, made(tensors=True), section="Args", names_dtype=True, inner=0),
    ]


FUNCTIONS: tuple[Function, ...] = (
    *_both("linspace", _linspace),
    *_both("logspace", _logspace),
    *_both("geomspace", _geomspace),
)

FAMILIES: tuple[Family, ...] = tuple(families(FUNCTIONS))
