"""Images, alone or in batches, with borders that are added or taken away, or with colours.

Height, width and channels are known before the numbers are: an error of `crop_images` says that
they must be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.dtypes import is_floating
from conformance.generators.calls import CallDraft

Dims = tuple[int, ...]
SIDES = ("top", "left", "bottom", "right")
LENGTHS = (3, 2, 4, 1, 5, 6, 9)
BATCHES: tuple[Dims, ...] = ((), (2,), (1,), (3,))
FORMATS = ("omitted", "channels_last", "channels_first", None)


def _images(call: CallDraft, channels: int, domain: str) -> tuple[Dims, int]:
    """Add the images; their shape, and the axis of the rows."""
    call.aim("images")
    batch: Dims = call.pick_as("rank", BATCHES, lambda shape: str(len(shape) + 3))
    size = call.pick(LENGTHS), call.pick(LENGTHS)
    data_format = call.pick(FORMATS)
    if data_format != "omitted":
        call.add_value("data_format", data_format)
    first = data_format == "channels_first"
    shape = (*batch, channels, *size) if first else (*batch, *size, channels)
    call.add_tensor("images", shape, call.dtype, domain)
    call.know("images", *range(len(batch), len(shape)))
    return shape, len(batch) + first


def _sides(
    call: CallDraft, kind: str, numbers: tuple[int, int, int, int], size: tuple[int, int]
) -> None:
    """Pass the numbers of all four sides, or of two of them and the size that is left to."""
    form = call.pick(("all", "all", "first", "last"))
    kept = {"all": SIDES, "first": SIDES[:2], "last": SIDES[2:]}[form]
    for side, number in zip(SIDES, numbers, strict=True):
        if side in kept:
            call.add_value(f"{side}_{kind}", number)
    if form != "all":
        call.add_value("target_height", size[0])
        call.add_value("target_width", size[1])


def _padded(call: CallDraft) -> None:
    shape, rows = _images(call, call.pick((3, 1, 2, 4)), "real")
    top, left, bottom, right = (call.integer((0, 3)) for _ in SIDES)
    size = shape[rows] + top + bottom, shape[rows + 1] + left + right
    _sides(call, "padding", (top, left, bottom, right), size)


def _cropped(call: CallDraft) -> None:
    shape, rows = _images(call, call.pick((3, 1, 2, 4)), "real")
    height, width = shape[rows], shape[rows + 1]
    top, left = call.integer((0, height - 1)), call.integer((0, width - 1))
    bottom, right = call.integer((0, height - 1 - top)), call.integer((0, width - 1 - left))
    size = height - top - bottom, width - left - right
    _sides(call, "cropping", (top, left, bottom, right), size)


def _coloured(call: CallDraft) -> None:
    _images(call, 3, "colours")


def _apart(call: CallDraft, batch: Dims, channels: int, spatial: Dims, name: str) -> None:
    """Add images, or volumes, in a drawn data format; of a batch alone the number is unknown."""
    data_format = call.pick(FORMATS)
    if data_format != "omitted":
        call.add_value("data_format", data_format)
    first = data_format == "channels_first"
    shape = (*batch, channels, *spatial) if first else (*batch, *spatial, channels)
    call.add_tensor(name, shape, call.dtype, getattr(call.rules[name], "domain", "real"))
    call.know(name, *range(len(batch), len(shape)))


def _batch(call: CallDraft, rank: int) -> Dims:
    batch: Dims = call.pick_as("rank", BATCHES[:3], lambda batch: str(len(batch) + rank + 1))
    return batch


WAYS = ("side by side", "strides", "dilation", "padding")


def _patched(name: str, ranks: Dims, *, single: int) -> Callable[[CallDraft], None]:
    """Images, or volumes, and patches that fit. A single size is passed for `single` axes.

    With padding, windows have odd lengths and steps of 1: then both ends have as much of it. The
    docstring does not say what the padding holds, which a bound says of floats alone.
    """

    def draw(call: CallDraft) -> None:
        call.aim(name)
        rank = call.pick(ranks)
        way = call.pick(WAYS if is_floating(call.dtype) else WAYS[:-1])
        lengths = (1, 3) if way == "padding" else (2, 1, 3)
        size = tuple(call.pick(lengths) for _ in range(rank))
        if rank == single and len({*size}) == 1 and call.pick((False, True)):
            call.add_value("size", size[0])
        else:
            call.add_value("size", size)
        dilation = call.pick((2, 3)) if way == "dilation" else 1
        if way != "side by side":
            moves = (call.integer((1, 3)) if way == "strides" else 1 for _ in size)
            call.add_value("strides", tuple(moves))
        if dilation > 1 or call.pick((False, False, True)):
            call.add_value("dilation_rate", dilation)
        if way == "padding" or call.pick((False, False, True)):
            call.add_value("padding", "same" if way == "padding" else "valid")
        more = (0, 1, 2, 3, 4) if rank == 2 else (0, 1, 2)
        spatial = tuple((n - 1) * dilation + 1 + call.pick(more) for n in size)
        _apart(call, _batch(call, rank), call.integer((1, 3)), spatial, name)

    return draw


KERNELS = (None, (3, 3), (3, 5), (5, 3), (1, 3), (3, 1), (1, 1))
DEVIATIONS = (0.05, 1000.0, 1.0, 2.0, 3.0)


def _blurred(call: CallDraft) -> None:
    """Images that have a middle, whatever the filter meets beyond their ends."""
    call.aim("images")
    size = call.pick(KERNELS)
    if size is not None:
        call.add_value("kernel_size", size)
    if call.pick((False, True, True)):
        call.add_value("sigma", (call.pick(DEVIATIONS), call.pick(DEVIATIONS)))
    spatial = tuple(n + call.pick((2, 0, 1, 3, 4)) for n in size or (3, 3))
    _apart(call, _batch(call, 2), call.integer((1, 3)), spatial, "images")


def _edged(call: CallDraft) -> None:
    call.aim("images")
    spatial = tuple(call.pick((4, 3, 5, 6, 8)) for _ in range(2))
    _apart(call, call.pick(BATCHES[1:3]), call.integer((1, 3)), spatial, "images")


def _pass_option(call: CallDraft, name: str, choices: tuple[float | None, ...]) -> float | None:
    """Pass one of these numbers, or None to leave the parameter out."""
    number: float | None = call.pick(choices)
    if number is not None:
        call.add_value(name, number)
    return number


def _compared(call: CallDraft) -> None:
    """Two images in grey, or batches of them, that have room for a window."""
    call.aim("image1")
    size = _pass_option(call, "filter_size", (1, 3, 5, 7, None)) or 11
    _pass_option(call, "filter_sigma", (None, None, 1.5, 0.5, 3.0))
    _pass_option(call, "max_val", (None, 1.0, 4.0))
    if call.pick((False, True)):
        call.add_value("k1", call.pick((0.01, 0.1)))
        call.add_value("k2", call.pick((0.03, 0.5)))
    spatial = tuple(int(size) + call.pick((0, 1, 2, 3)) for _ in range(2))
    _apart(call, _batch(call, 2), 1, spatial, "image1")
    shape = call.shapes["image1"]
    call.add_tensor("image2", shape, call.dtype, "colours")
    call.know("image2", *range(len(shape) - 3, len(shape)))


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "padded images": _padded,
    "cropped images": _cropped,
    "coloured images": _coloured,
    "patches of images": _patched("images", (2, 2, 3), single=2),
    "patches of volumes": _patched("volumes", (3,), single=3),
    "blurred images": _blurred,
    "edged images": _edged,
    "compared images": _compared,
}
