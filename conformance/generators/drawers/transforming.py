"""Signals and their Fourier transforms: lengths of transforms beside those of axes, and windows.

The axes that `fft` and its like transform have known lengths. Transforms are short, because the
oracle computes them by their definition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.generators.calls import CallDraft
from conformance.generators.dimensions import dims
from conformance.specs.kinds import FromDrawer

Dims = tuple[int, ...]
ROOM = 300
"""The most elements of a signal."""
LENGTHS = (4, 3, 5, 2, 1, 6, 8, 7, 9, 12, 16, 17)


def _shape(call: CallDraft, ranks: tuple[int, int], inner: int) -> Dims:
    """A shape none of whose last axes is empty."""
    shape = dims(call, ranks, room=min(call.room, ROOM))
    return (*shape[:-inner], *(max(d, 1) for d in shape[-inner:]))


def _complex(ranks: tuple[int, int], inner: int) -> Callable[[CallDraft], None]:
    """The parts of complex numbers, which are transformed along the last axes."""

    def draw(call: CallDraft) -> None:
        call.aim("x")
        shape = _shape(call, ranks, inner)
        call.add_parts("x", shape, call.dtype, "real")
        for part in ("x_real", "x_imag"):
            call.know(part, *range(len(shape) - inner, len(shape)))

    return draw


def _pass_length(call: CallDraft, natural: int) -> int:
    """The length of a transform: the natural one, passed or not, or a longer or a shorter one."""
    form = call.pick(("natural", "passed", "longer", "shorter", "any"))
    if form in ("natural", "passed") or (form == "shorter" and natural < 2):
        length = natural
    elif form == "any":
        length = call.pick(LENGTHS)
    else:
        more, less = (1, 5), (1 - natural, -1)
        length = natural + call.integer(more if form == "longer" else less)
    if form != "natural":
        call.add_value("fft_length", length)
    return int(length)


def _real_signal(call: CallDraft) -> None:
    call.aim("x")
    shape = _shape(call, (1, 4), 1)
    call.add_tensor("x", shape, call.dtype, "real")
    _pass_length(call, shape[-1])


def _half_spectrum(call: CallDraft) -> None:
    """The first half of a spectrum. One number alone is that of a signal whose length is passed."""
    call.aim("x")
    shape = _shape(call, (1, 4), 1)
    call.add_parts("x", shape, call.dtype, "spectrum")
    if shape[-1] < 2:
        call.add_value("fft_length", call.pick((1, 2, 3, 4, 5)))
    else:
        _pass_length(call, 2 * (shape[-1] - 1))


WINDOWS = ("omitted", "hann", "hamming", None, "tensor", "tensor")


def _pass_window(call: CallDraft, length: int, *, named: bool = True) -> str | None:
    """The window, in one of the documented forms."""
    if not isinstance(call.rules["window"], FromDrawer):
        return "wrong"
    form: str | None = call.pick(WINDOWS if named else (None, "tensor"))
    if form == "tensor":
        call.add_tensor("window", (length,), call.dtype, "window")
    elif form != "omitted":
        call.add_value("window", form)
    return form


def _pass_lengths(call: CallDraft, length: int, stride: int) -> int:
    """The lengths of sequences and their transforms, which are mostly as long."""
    longer = length + (call.integer((1, 4)) if call.pick((False, False, True)) else 0)
    call.add_value("sequence_length", length)
    call.add_value("sequence_stride", stride)
    call.add_value("fft_length", longer)
    return longer


def _pass_center(call: CallDraft) -> bool:
    center = call.pick((None, False, True))
    if center is not None:
        call.add_value("center", center)
    return center is not False


def _windowed(call: CallDraft) -> None:
    """A signal, longer than a window: a shorter one cannot be mirrored at its ends."""
    length = call.pick(LENGTHS[:9])
    longer = _pass_lengths(call, length, call.integer((1, 4)))
    call.aim("x")
    *batch, last = _shape(call, (1, 3), 1)
    last = max(last, longer + call.integer((0, 3)))
    call.add_tensor("x", (*batch, last), call.dtype, "real")
    _pass_center(call)
    _pass_window(call, length)


def _spectra(call: CallDraft) -> None:
    """Transforms of windows of a signal that can be put together again: each place of it is seen
    through a window. Windows of a name are of even lengths, which every rule gives one period."""
    length = call.pick((4, 2, 6, 8, 3, 1, 5, 7))
    form = _pass_window(call, length, named=length == 1 or length % 2 == 0)
    bare = form is None
    stride = length if bare else call.integer((1, max(1, length // 2)))
    longer = _pass_lengths(call, length, stride)
    count = call.integer((1, 6)) + -(-2 * longer // stride)
    call.aim("x")
    batch = _shape(call, (1, 3), 1)[:-1]
    while len(batch) and _elements(batch) * count * longer > ROOM:
        batch = batch[1:]
    call.add_parts("x", (*batch, count, longer // 2 + 1), call.dtype, "real")
    call.joint["x"] = "windows of a signal"
    beside = longer // 2 if _pass_center(call) else 0
    size = (count - 1) * stride + longer - 2 * beside
    if call.pick((False, True)):
        call.add_value("length", call.integer((max(1, size - 3), size + beside)))


def _elements(shape: Dims) -> int:
    total = 1
    for d in shape:
        total *= d
    return total


def _pairs(call: CallDraft) -> None:
    """Pairs of parts, in a last axis of length 2."""
    call.aim("x")
    shape = (*dims(call, (0, 3), room=min(call.room, ROOM)), 2)
    dtypes = getattr(call.rules["x"], "dtypes", None) or [call.dtype]
    call.add_tensor("x", shape, call.pick(tuple(dtypes)), "real")
    call.know("x", len(shape) - 1)


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "complex numbers along an axis": _complex((1, 4), 1),
    "complex numbers along two axes": _complex((2, 4), 2),
    "real signal": _real_signal,
    "pairs of parts": _pairs,
    "half of a spectrum": _half_spectrum,
    "windows of a signal": _windowed,
    "spectra of windows": _spectra,
}
