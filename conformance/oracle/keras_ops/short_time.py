"""Fourier transforms of windows of a signal, and the signal that has such transforms.

`stft` multiplies sequences of the signal by a window and transforms them. A window with a name is
off by at most `WINDOW` roundings of 1, beyond the losses of the transform. With `center` the signal
is mirrored at its ends.

`istft` joins the sequences again. The docstring promises the original waveform, where the
parameters are those of `stft`. It does not say how overlapping sequences are weighed. The oracle
takes the least squares (D. W. Griffin and J. S. Lim, Signal estimation from modified short-time
Fourier transform, 1984), and its bound includes every other mean of the sequences at a place. The
bound is wide where sequences contradict each other, and a bound of rounding where they are windows
of one signal. The oracle demands nothing near the ends, where fewer windows overlap. It demands
nothing of overlapping sequences without a window, because the docstring allows their sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.keras_ops import fourier
from conformance.oracle.keras_ops.fourier import PI, Bounded, Pair
from conformance.oracle.rounding import Arithmetic, allowance

WINDOW = 16
"""Roundings of 1 by which an element of a named window may be off.

An angle up to two pi has three roundings. OpenCL allows a cosine 4 units in the last place. A
product and a sum follow, and the window has half of all that.
"""
SHARES = {"hann": np.longdouble("0.5"), "hamming": np.longdouble("0.54")}
"""The constant term of each named window; the cosine has the rest."""


def named_window(name: str, length: int, *, periodic: bool = True) -> Array:
    """A window with a name, periodic or symmetric. The window of length 1 is 1, as in the example
    of `istft`."""
    if length == 1:
        return np.ones(1, "longdouble")
    turns = np.arange(length) / np.longdouble(length if periodic else length - 1)
    share = SHARES[name]
    return np.asarray(share - (1 - share) * np.cos(2 * PI * turns))


@dataclass(frozen=True, eq=False)
class Windows:
    """How a signal is cut into windows: the parameters of `stft`, and readings of them."""

    sequence_length: int
    sequence_stride: int
    fft_length: int
    window: Any = "hann"
    center: bool = True
    window_at: str = "middle"
    """Where a shorter sequence lies in its transform: `middle`, `beginning` or `everywhere`."""
    periodic: bool = True

    @cached_property
    def weights(self) -> Array:
        """The window among zeros, as long as the transform."""
        if self.window is None and self.window_at == "everywhere":
            return np.ones(self.fft_length, "longdouble")
        missing = self.fft_length - self.sequence_length
        before = 0 if self.window_at == "beginning" else missing // 2
        return np.pad(self._window.astype("longdouble"), (before, missing - before))

    @property
    def _window(self) -> Array:
        if isinstance(self.window, str):
            return named_window(self.window, self.sequence_length, periodic=self.periodic)
        return np.ones(self.sequence_length) if self.window is None else np.asarray(self.window)

    @property
    def border(self) -> int:
        """How many places stand before the signal, and behind it."""
        return self.fft_length // 2 if self.center else 0

    def cut(self, x: Array) -> Array:
        """The sequences of a signal, in rows as long as the transform."""
        widths = [(0, 0)] * (x.ndim - 1) + [(self.border, self.border)]
        padded = np.pad(x, widths, mode="reflect") if self.center else x
        rows = np.lib.stride_tricks.sliding_window_view(padded, self.fft_length, -1)
        return rows[..., :: self.sequence_stride, :]

    def sums(self, rows: Array) -> Array:
        """The sum of rows, each one stride behind the row before."""
        *batch, count, length = rows.shape
        whole = np.zeros((*batch, self.size(count)), rows.dtype)
        for place in range(count):
            whole[self.reach(place, length)] += rows[..., place, :]
        return whole

    def reach(self, place: int, length: int) -> tuple[Any, ...]:
        """The places of the signal that a row covers."""
        start = place * self.sequence_stride
        return (..., slice(start, start + length))

    def size(self, count: int) -> int:
        """The length of a signal, with its borders, that has so many rows."""
        return (count - 1) * self.sequence_stride + self.fft_length

    def covered(self, count: int) -> Array:
        """The places that all windows cover which would cover them in a signal without ends."""
        used, stride = self.weights != 0, self.sequence_stride
        windows = self.sums(np.broadcast_to(used, (count, len(used))).astype(int))
        needed = np.array([used[p % stride :: stride].sum() for p in range(self.size(count))])
        return np.asarray((windows == needed) & (needed > 0))


def _transforms(rows: Array) -> tuple[Array, Array]:
    return fourier.half((rows, np.zeros_like(rows)))


def _stft(part: int) -> Callable[..., Array]:
    def oracle(x: Array, **how: Any) -> Array:
        windows = Windows(**how)
        return _transforms(windows.cut(x) * windows.weights)[part]

    return oracle


def _bounded_stft(part: int) -> Callable[..., Bounded]:
    def bounded(model: Arithmetic, x: Array, **how: Any) -> Bounded:
        windows = Windows(**how)
        rows = windows.cut(x)
        value, size = _transforms(rows * windows.weights)[part], np.abs(rows)
        weighted = (size * np.abs(windows.weights)).sum(-1, keepdims=True)
        bound = fourier.lost(model, weighted, [windows.fft_length])
        if isinstance(windows.window, str):
            bound = bound + allowance(WINDOW, model) * size.sum(-1, keepdims=True)
        return value, np.broadcast_to(bound, value.shape)

    return bounded


def _clipped(x: Array, windows: Windows, length: int | None) -> Array:
    """The signal without its borders."""
    start = windows.border
    return x[..., start : x.shape[-1] - start if length is None else start + length]


def _least_squares(rows: Array, windows: Windows) -> tuple[Array, Array]:
    """The signal, and the sum of the squares of the windows at each place; 1 if that is 0."""
    squares = windows.sums(np.broadcast_to(np.square(windows.weights), rows.shape))
    squares = np.where(squares > 0, squares, 1)
    return windows.sums(rows * windows.weights) / squares, squares


def istft(x: Pair, *, length: int | None = None, **how: Any) -> Array:
    """The signal of these transforms."""
    windows = Windows(**how)
    rows = fourier.irfft(x, windows.fft_length)
    return _clipped(_least_squares(rows, windows)[0], windows, length)


def bounded_istft(model: Arithmetic, x: Pair, *, length: int | None = None, **how: Any) -> Bounded:
    """Value and bound of `istft`."""
    windows = Windows(**how)
    rows = fourier.irfft(x, windows.fft_length)
    value, squares = _least_squares(rows, windows)
    each = fourier.bounded_irfft(model, x, windows.fft_length)[1]
    each = each + allowance(fourier.MORE, model) * np.abs(rows)
    weights = np.broadcast_to(np.abs(windows.weights), rows.shape)
    rounding = windows.sums(each * weights)
    if isinstance(windows.window, str):
        moved = windows.sums(np.abs(rows)) + 2 * np.abs(value) * windows.sums(weights)
        rounding = rounding + allowance(WINDOW, model) * moved
    bound = rounding / squares + _spread(rows, windows, value)
    known = windows.covered(rows.shape[-2])
    if windows.window is None:
        known = known & (windows.sums(weights) == 1)
    bound = np.where(known & np.isfinite(bound), bound, np.inf)
    return _clipped(value, windows, length), _clipped(bound, windows, length)


def _spread(rows: Array, windows: Windows, value: Array) -> Array:
    """The largest distance between a sequence and the signal, at each place."""
    largest, used = np.zeros(value.shape, value.dtype), windows.weights != 0
    for place in range(rows.shape[-2]):
        part = windows.reach(place, rows.shape[-1])
        sequence = rows[..., place, :] / np.where(used, windows.weights, 1)
        far = np.where(used, np.abs(sequence - value[part]), 0)
        largest[part] = np.maximum(largest[part], far)
    return largest


ORACLES: Mapping[str, Callable[..., Array]] = {
    "stft.real": _stft(0),
    "stft.imag": _stft(1),
    "istft": istft,
}
CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    "stft.real": _bounded_stft(0),
    "stft.imag": _bounded_stft(1),
    "istft": bounded_istft,
}
