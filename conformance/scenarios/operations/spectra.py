"""Fourier transforms of keras.ops, of real and imaginary parts, and of windows of a signal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from conformance.oracle import Expectation, fourier
from conformance.oracle.rational import gamma
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import agrees_with, raises, shown
from conformance.scenarios.model import (
    KERAS_3,
    KERAS_3_DOCUMENT,
    Array,
    Check,
    Family,
    Scenario,
)
from conformance.scenarios.operations.calls import (
    Call,
    Function,
    Result,
    a_dtype,
    families,
    many,
    one,
    small,
)
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

X, REAL, IMAG, WINDOW = Ref("x"), Ref("real"), Ref("imag"), Ref("window")
LENGTHS = (4, 1, 2, 3, 5, 6, 7, 8, 9, 12, 16, 17)


def _batch(draw: DrawFn) -> tuple[int, ...]:
    return draw(st.sampled_from(((), (), (2,), (2, 3))))


def _length(draw: DrawFn) -> int:
    return draw(st.sampled_from(LENGTHS))


def _close(expected: Expectation) -> Result:
    return Result(expected.value.shape, agrees_with(expected), demands=shown(expected.value))


def _complex(draw: DrawFn, shape: Sequence[int]) -> tuple[Array, Array]:
    dtype = a_dtype(draw)
    return small(draw, shape, dtype), small(draw, shape, dtype)


def _transform(axes: Sequence[int], *, inverse: bool = False) -> Callable[[DrawFn], Call]:
    """A transform of a pair of tensors along the last axes."""

    def drawn(draw: DrawFn) -> Call:
        real, imag = _complex(draw, (*_batch(draw), *(_length(draw) for _ in axes)))
        parts = fourier.expected((real, imag), axes, real.dtype.name, inverse=inverse)
        return many({"real": real, "imag": imag}, (REAL, IMAG), gives=[*map(_close, parts)])

    return drawn


def _fitted(x: Array, n: int) -> Array:
    """The first n elements along the last axis, with zeros behind them if there are fewer."""
    missing = max(0, n - x.shape[-1])
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, missing)])[..., :n]


def _rfft(draw: DrawFn) -> Call:
    x = small(draw, (*_batch(draw), _length(draw)), a_dtype(draw))
    told = draw(st.booleans())
    n = _length(draw) if told else x.shape[-1]
    signal = _fitted(x, n)
    parts = fourier.expected((signal, np.zeros_like(signal)), (-1,), x.dtype.name)
    gives = [_close(_first(part, n // 2 + 1)) for part in parts]
    kwargs: dict[str, Argument] = {"fft_length": n} if told else {}
    return replace(many({"x": x}, X, gives=gives, **kwargs), about=_fit(x.shape[-1], n))


def _fit(given: int, needed: int) -> str:
    """How the numbers that are given fit the length of a transform."""
    cut = "cut" if needed < given else "filled" if needed > given else "as given"
    return f"{cut}, of {'odd' if needed % 2 else 'even'} length"


def _first(expected: Expectation, count: int) -> Expectation:
    value, bound = expected.value[..., :count], expected.bound[..., :count]
    return Expectation(value, bound, expected.dtype)


def _whole(real: Array, imag: Array, n: int) -> tuple[Array, Array]:
    """All n numbers of the spectrum of a real signal, of its first half."""
    behind = np.arange(n // 2 + 1, n)
    ahead = n - behind
    mirrored = np.concatenate([real, real[..., ahead]], -1)
    return mirrored, np.concatenate([imag, -imag[..., ahead]], -1)


def _irfft(draw: DrawFn) -> Call:
    """The spectrum is one of a real signal: what the others give, the docstring does not say."""
    told = draw(st.booleans())
    n = _length(draw) if told else 2 * draw(st.integers(1, 8))
    half = n // 2 + 1
    given = half + (draw(st.sampled_from((0, 0, -1, 1, 2))) if told else 0)
    real, imag = _complex(draw, (*_batch(draw), max(given, 1)))
    imag[..., 0] = 0
    if n % 2 == 0 and imag.shape[-1] >= half:
        imag[..., half - 1] = 0
    whole = _whole(_fitted(real, half), _fitted(imag, half), n)
    signal, _ = fourier.expected(whole, (-1,), real.dtype.name, inverse=True)
    kwargs: dict[str, Argument] = {"fft_length": n} if told else {}
    found = one({"real": real, "imag": imag}, (REAL, IMAG), gives=_close(signal), **kwargs)
    return replace(found, about=_fit(given - half + n, n))


def hann(length: int) -> Array:
    """The window of Hann, of a period of its length, as the docstring's example has it."""
    return np.asarray(0.5 - 0.5 * fourier.factors(max(length, 1))[0][:, 1 % max(length, 1)])


def _window(draw: DrawFn, length: int, dtype: str, kinds: Sequence[str]) -> tuple[str, Array]:
    kind = draw(st.sampled_from(kinds))
    if kind == "tensor":
        return kind, 1 + np.abs(small(draw, (length,), dtype))
    return kind, (hann(length) if kind == "hann" else np.ones(length)).astype("longdouble")


def _about(kind: str, length: int) -> str:
    words = {"hann": "the window of Hann", "tensor": "a tensor as window", "none": "no window"}
    return f"{words[kind]} of {'odd' if length % 2 else 'even'} length"


def _passed(kind: str, window: Array, kwargs: dict[str, Argument]) -> dict[str, Array]:
    """The tensors that are passed besides the signal; the keyword is added."""
    if kind == "tensor":
        kwargs["window"] = WINDOW
        return {"window": window}
    if kind == "none":
        kwargs["window"] = None
    return {}


def _frames(x: Array, length: int, stride: int) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(x, length, -1)
    return windows[..., ::stride, :]


def _centred(x: Array, length: int) -> Array:
    """As the docstring's example has it: with the signal mirrored at its ends."""
    beside = length // 2
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(beside, beside)], mode="reflect")


def _stft(*, center: bool) -> Callable[[DrawFn], Call]:
    """With transforms as long as the sequences: where a shorter one lies, is not said."""

    def drawn(draw: DrawFn) -> Call:
        length, stride = draw(st.integers(2, 8)), draw(st.integers(1, 4))
        x = small(draw, (*_batch(draw), length + draw(st.integers(0, 8))), a_dtype(draw))
        # which window is Hann's, the docstring's example shows, which is centred
        kinds = ("hann", "none", "tensor") if center else ("none", "tensor")
        kind, window = _window(draw, length, x.dtype.name, kinds)
        kwargs: dict[str, Argument] = {} if center else {"center": False}
        outside = _passed(kind, window, kwargs)
        seen = _frames(_centred(x, length) if center else x, length, stride) * window
        parts = fourier.expected((seen, np.zeros_like(seen)), (-1,), x.dtype.name)
        gives = [_close(_first(part, length // 2 + 1)) for part in parts]
        found = many({"x": x}, X, length, stride, length, gives=gives, **kwargs)
        return replace(found, outside=outside, about=_about(kind, length))

    return drawn


ROUNDINGS = 128
"""Of the numbers of the spectrum, of windows, sums and the division, besides the transform's."""


def _istft(*, center: bool) -> Callable[[DrawFn], Call]:
    """Where windows cover each place of a signal, that comes back of its spectrum.

    Without windowing sequences lie side by side: whether their sum or mean comes where they
    overlap, the docstring does not say.
    """

    def drawn(draw: DrawFn) -> Call:
        length = draw(st.sampled_from((4, 3, 5, 6, 8)))
        bare = not center and draw(st.booleans())
        stride = length if bare else draw(st.integers(1, length // 2))
        size = length + stride * draw(st.integers(0, 5))
        x = small(draw, (*_batch(draw), size), a_dtype(draw))
        # which window of Hann is meant, shows where stft is tested; most take one for even lengths
        hann = center and length % 2 == 0
        kinds = ("none",) if bare else ("hann", "tensor") if hann else ("tensor",)
        kind, window = _window(draw, length, x.dtype.name, kinds)
        kwargs: dict[str, Argument] = {"length": size} if center else {"center": False}
        outside = _passed(kind, window, kwargs)
        seen = _frames(_centred(x, length) if center else x, length, stride) * window
        spectrum = fourier.transformed((seen, np.zeros_like(seen)))
        real, imag = (part[..., : length // 2 + 1].astype(x.dtype) for part in spectrum)
        gives = _restored(x, window, stride, center=center)
        tensors = {"real": real, "imag": imag}
        found = one(tensors, (REAL, IMAG), length, stride, length, gives=gives, **kwargs)
        return replace(found, outside=outside, about=_about(kind, length))

    return drawn


def _restored(x: Array, window: Array, stride: int, *, center: bool) -> Result:
    """The signal: each number is a quotient by the sum of at least one square of the window.

    Near the ends fewer windows lie over a place: whether they alone are divided by, the docstring
    does not say.
    """
    length = window.shape[-1]
    squares = np.square(window.astype("float64"))
    least = float(squares.min(initial=np.inf, where=squares > 0))
    largest = float(np.abs(x).max(initial=0)) * float(squares.max()) * length
    lost = gamma((fourier.STEPS + 4) * length + ROUNDINGS, x.dtype.name)
    beside = length // 2 if center else 0
    inside = covered(x.shape[-1] + 2 * beside, length, stride)[beside : beside + x.shape[-1]]
    bound = np.broadcast_to(np.where(inside, lost * largest / least, np.inf), x.shape)
    return _close(Expectation(x.astype("float64"), bound, x.dtype.name))


def covered(size: int, length: int, stride: int) -> Array:
    """The places over which all windows lie that a signal without ends would have there."""
    places = np.arange(size)
    first, last = -((length - 1 - places) // stride), places // stride
    return np.asarray((first >= 0) & (last <= (size - length) // stride))


def _ops(name: str, draw: Callable[[DrawFn], Call], section: str = "Summary") -> Function:
    return Function(f"keras.ops.{name}", draw, section=section)


FUNCTIONS: tuple[Function, ...] = (
    _ops("fft", _transform((-1,))),
    _ops("fft2", _transform((-2, -1))),
    _ops("ifft2", _transform((-2, -1), inverse=True)),
    _ops("rfft", _rfft),
    _ops("irfft", _irfft),
    _ops("stft", _stft(center=False), "Args"),
    _ops("stft", _stft(center=True), "Example"),
    _ops("istft", _istft(center=False)),
    _ops("istft", _istft(center=True)),
)


def _other_length(name: str, arrays: Mapping[str, Array], length: int, window: int) -> Scenario:
    """A window longer or shorter than the sequences is attempted."""
    w = ProgramWriter()
    made = {key: w.call("constant", w.array(key, array)) for key, array in arrays.items()}
    shape = w.call("constant", w.array("window", np.ones(window, "float32")))
    x: Argument = made["x"] if len(made) == 1 else (*made.values(),)
    w.attempt("outcome", f"keras.ops.{name}", x, length, 1, length, window=shape)
    demands = "an exception: the length of a window must be that of the sequences"
    check = Check(
        "a window of another length is refused",
        Aspect.ERROR,
        outputs=("outcome",),
        test=raises(),
        demands=demands,
        at={KERAS_3_DOCUMENT: "Args"},
        conventions=(ConventionName.INVALID_INPUT,),
    )
    title = f"a {'longer' if window > length else 'shorter'} window"
    return Scenario(
        f"keras.ops.{name}", title, program=w.program(), arrays=w.arrays, checks=(check,)
    )


def _other_lengths(name: str) -> Family:
    """Of each kind one: what is refused depends on no number."""
    signal, part = np.ones(9, "float32"), np.ones((6, 3), "float32")
    arrays = {"x": signal} if name == "stft" else {"real": part, "imag": part}
    made = [_other_length(name, arrays, 4, window) for window in (3, 5, 1)]
    aspects = frozenset({Aspect.ERROR})
    return Family(f"keras.ops.{name}", aspects, make=lambda _: made, editions=KERAS_3)


FAMILIES: tuple[Family, ...] = (
    *families(FUNCTIONS),
    *map(_other_lengths, ("stft", "istft")),
)
