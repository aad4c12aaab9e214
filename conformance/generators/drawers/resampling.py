"""Images that get another size or perspective, and points between the elements of a tensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.dtypes import is_floating
from conformance.generators.calls import CallDraft
from conformance.generators.drawers.pictures import FORMATS

Dims = tuple[int, ...]
Numbers = tuple[float, ...]
FILLS: Numbers = (7, -2.5, 0)
WHOLE_FILLS: Numbers = (7, 3, 0)
LENGTHS = (3, 2, 4, 5, 6)


def _pass_filling(call: CallDraft, modes: tuple[str, ...]) -> None:
    """A mode and, for one of them, the number beyond the ends; the defaults may be left out."""
    mode = call.pick(modes)
    if mode != "constant" or call.pick((False, True)):
        call.add_value("fill_mode", mode)
    if mode == "constant" and call.pick((True, True, False)):
        fills = FILLS if is_floating(call.dtype) else WHOLE_FILLS
        call.add_value("fill_value", call.pick(fills))


def _beside(call: CallDraft) -> str:
    """The dtype of places: that of the tensor if it has fractions."""
    return call.dtype if is_floating(call.dtype) else "float32"


MODES = ("constant", "nearest", "wrap", "reflect")
POINTS: tuple[Dims, ...] = ((12,), (2, 6), (1,), (2, 3, 2))


def _mapped(call: CallDraft) -> None:
    """A tensor, and points inside and outside of it; means of integers are not settled."""
    call.aim("inputs")
    rank = call.pick_as("rank", (2, 1, 3), str)
    shape = tuple(call.pick(LENGTHS[:4]) for _ in range(rank))
    call.add_tensor("inputs", shape, call.dtype, "real")
    call.add_tensor("coordinates", (rank, *call.pick(POINTS)), _beside(call), "points")
    call.know("coordinates", 0)
    call.joint["coordinates"] = "points of an array"
    call.add_value("order", call.pick((1, 0)) if is_floating(call.dtype) else 0)
    _pass_filling(call, (*MODES, "mirror"))


def _images(call: CallDraft, size: Dims, domain: str) -> Dims:
    """Add images, alone or in a batch, in a drawn data format; the axes before them."""
    call.aim("images")
    batches: tuple[Dims, ...] = ((), (2,), (1,))
    batch: Dims = call.pick_as("rank", batches, lambda batch: str(len(batch) + 3))
    channels, data_format = call.integer((1, 3)), call.pick(FORMATS)
    if data_format != "omitted":
        call.add_value("data_format", data_format)
    first = data_format == "channels_first"
    shape = (*batch, channels, *size) if first else (*batch, *size, channels)
    place = "channels first" if first else "channels last"
    call.add_tensor(
        "images", shape, call.dtype, f"{domain}, {place}" if domain == ALIKE else domain
    )
    call.know("images", *range(len(batch), len(shape)))
    return batch


ALIKE = "alike"


def _pass_order(call: CallDraft) -> None:
    """The interpolation, which may be left out where it is linear."""
    method = call.pick(("bilinear", "nearest")) if is_floating(call.dtype) else "nearest"
    if method == "nearest" or call.pick((False, True)):
        call.add_value("interpolation", method)


def _affine(call: CallDraft) -> None:
    """Images, and a row of a transform for each. Rows of whole numbers leave no point of a square
    open; no bound says of integers which points are."""
    whole = not is_floating(call.dtype) or call.pick((True, False))
    rows = call.pick(LENGTHS)
    batch = _images(call, (rows, rows if whole else call.pick(LENGTHS)), "real")
    domain = "whole transforms" if whole else "transforms"
    call.add_tensor("transform", (*batch, 8), _beside(call), domain)
    call.know("transform", len(batch))
    _pass_order(call)
    _pass_filling(call, MODES)


def _perspective(call: CallDraft) -> None:
    """Images, and four points of the result and of the image for each."""
    batch = _images(call, (call.pick((3, 4, 5, 6, 7)), call.pick((4, 3, 5, 6, 7))), "real")
    for name in ("start", "end"):
        domain = f"{name}s of a perspective"
        call.add_tensor(f"{name}_points", (*batch, 4, 2), call.dtype, domain)
        call.know(f"{name}_points", *range(len(batch) + 2))
    _pass_order(call)
    if call.pick((True, True, False)):
        call.add_value("fill_value", call.pick(FILLS))


METHODS = ("bilinear", "nearest", "bicubic")
WAYS = ("same", "repeated", "alike", "with borders", "cut", "another")
"""Ways to another size: the docstring settles all but the last, which conventions settle."""


DOMAINS = {"alike": ALIKE, "cut": "windows of images", "another": "images of another size"}


def _resized(call: CallDraft) -> None:
    """Images of the same size, with repeated elements, of equal elements, with borders, cut, or of
    any numbers and size."""
    way = call.pick(WAYS if is_floating(call.dtype) else WAYS[:2])
    rows, columns = call.pick((3, 2, 4, 1, 5, 7)), call.pick((4, 2, 3, 1, 5, 6))
    domain = DOMAINS.get(way, "real")
    _images(call, (rows, columns), domain)
    size = _SIZES[way](call, rows, columns)
    call.add_value("size", size if call.pick((True, True, False)) else list(size))
    if way in ("same", "repeated", "alike", "another"):
        _pass_method(call, way)


def _pass_method(call: CallDraft, way: str) -> None:
    whole = way == "repeated" or not is_floating(call.dtype)
    method = "nearest" if whole else call.pick(METHODS)
    if method != "bilinear" or call.pick((False, True)):
        call.add_value("interpolation", method)
    if way in ("alike", "another") and call.pick((False, True)):
        call.add_value("antialias", call.pick((True, False)))


def _repeated(call: CallDraft, rows: int, columns: int) -> Dims:
    return rows * call.integer((1, 3)), columns * call.integer((1, 3))


def _of_any_size(call: CallDraft, *_: Any) -> Dims:
    return call.integer((1, 8)), call.integer((1, 8))


def _along_one(
    call: CallDraft, rows: int, columns: int, length: Callable[[int], int]
) -> tuple[int, int]:
    """The size with another number of rows, or of columns."""
    return (length(rows), columns) if call.pick((True, False)) else (rows, length(columns))


def _with_borders(call: CallDraft, rows: int, columns: int) -> Dims:
    """Borders of one width on both sides."""
    beside = call.integer((0, 2))
    call.add_value("pad_to_aspect_ratio", True)
    if call.pick((True, True, False)):
        call.add_value("fill_value", call.pick((50.0, 0.0)))
    if call.pick((False, False, True)):
        call.add_value("fill_mode", "constant")
    return _along_one(call, rows, columns, lambda length: length + 2 * beside)


def _cut(call: CallDraft, rows: int, columns: int) -> Dims:
    call.add_value("crop_to_aspect_ratio", True)
    return _along_one(call, rows, columns, lambda length: call.integer((1, length)))


_SIZES: Mapping[str, Callable[[CallDraft, int, int], Dims]] = {
    "same": lambda _call, rows, columns: (rows, columns),
    "repeated": _repeated,
    "alike": _of_any_size,
    "with borders": _with_borders,
    "cut": _cut,
    "another": _of_any_size,
}

METHODS_OF_SCALING = (
    *("linear", "cubic", "bilinear", "triangle", "bicubic"),
    *("lanczos3", "trilinear", "tricubic", "lanczos5"),
)


def _scaled(call: CallDraft) -> None:
    """A tensor, some of its axes, and a scale and a translation for each. Scales of 1 and whole
    steps leave no element open; between the elements the filter of Lanczos does."""
    call.aim("images")
    rank = call.pick_as("rank", (2, 3, 4, 1), str)
    shape = tuple(call.pick((4, 3, 5, 7, 9)) for _ in range(rank))
    call.add_tensor("images", shape, call.dtype, "real")
    call.know("images", *range(rank))
    axes = call.pick(tuple(axes for axes in AXES if max(axes) < rank))
    size = [call.integer((1, 9)) if axis in axes else n for axis, n in enumerate(shape)]
    call.add_value("output_shape", tuple(size))
    method = call.pick(METHODS_OF_SCALING)
    whole = method.startswith("lanczos") or call.pick((False, False, True))
    for name, domain in (("scale", "scales"), ("translation", "steps")):
        kind = f"whole {domain}" if whole else domain
        call.add_tensor(name, (len(axes),), _beside(call), kind)
        call.know(name, 0)
    call.add_value("spatial_dims", axes)
    call.add_value("method", method)
    if call.pick((False, True)):
        call.add_value("antialias", call.pick((False, True)))


AXES: tuple[Dims, ...] = ((0, 1), (0,), (1, 2), (1,), (1, 0), (0, 1, 2), (2,), (1, 3))
"""Axes that are scaled, in any order."""

DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "points of an array": _mapped,
    "transformed images": _affine,
    "images in perspective": _perspective,
    "resized images": _resized,
    "scaled images": _scaled,
}
