"""Images, and the kernels, windows, strides and output shapes that fit them.

What a drawing function depends on is drawn before it, under its documented name: `data_format`,
`padding`, `dilation_rate`, `strides`, `kernel_size`, `kernel`. Windows of `valid` calls lie inside
the image; those of other calls may be larger than it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.generators import long_axes, tensors
from conformance.generators.bindings import offered_bindings
from conformance.generators.calls import CallDraft
from conformance.generators.forms import in_form
from conformance.program import Binding, Ref
from conformance.specs import image_rules, kinds

Dims = tuple[int, ...]
Array = npt.NDArray[Any]

LENGTHS = {1: (4, 3, 5, 2, 6, 1, 7, 8), 2: (3, 4, 2, 5, 1, 6), 3: (3, 2, 4, 1)}
"""Lengths of a spatial axis, by the number of those axes: many axes, few elements."""
AXES = (2, 1, 2, 3)
"""How many spatial axes there are, as often as they are wanted."""
WRITTEN = ("integer", "tuple", "list", "tuple")
"""How a number for each spatial axis is given."""
BATCHES = (1, 2, 1, 2, 2, 3, 1, 2, 1, 2, 0)
CHANNELS = (1, 2, 2, 3)
FORMATS = ("channels_last", "channels_first", "channels_last", "channels_last", "channels_last")
"""The meaning of channels_first is a convention, and so is that of no format: both are rare."""
SIZES = (2, 3, 1, 3, 2, 4, 5)
PRODUCTS = 10
"""How many products a convolution may have for each element that a tensor may have."""
TRANSPOSED, LOCAL, PADDED = 6, 12, 6
"""How many elements of a result, or weights of a window, there may be for one of an image."""
KNOWN = (Binding.PLACEHOLDER, Binding.VARIABLE, Binding.PLACEHOLDER, Binding.CONSTANT)


def _data_format(call: CallDraft, name: str, _rule: kinds.DataFormat) -> None:
    if call.edition == "keras-1":
        call.add_value(name, call.pick(("tf", "th")))
        return
    required = any(p.required for p in call.documented.parameters if call.newest(p.name) == name)
    chosen = call.pick(FORMATS if required else (*FORMATS, "omitted", *FORMATS, None))
    if chosen == "omitted":
        call.values[name] = None
    else:
        call.add_value(name, chosen)


def _images(call: CallDraft, name: str, rule: kinds.Images) -> None:
    """Batch and spatial dimensions may be unknown when the graph is built; channels are known."""
    if rule.layout is not None:
        call.values["data_format"] = rule.layout
    axes = _spatial_axes(call, rule)
    spatial = tuple(call.pick(LENGTHS[axes]) for _ in range(axes))
    batch, channels = call.pick(BATCHES), call.pick(CHANNELS)
    data_format = _format(call)
    drawn = image_rules.images(batch, spatial, channels, data_format)
    room = call.room // (_work(call) * _block(call, rule) ** 2)
    shape = long_axes.lengthened(call, tuple(d or 0 for d in drawn), room=room)
    shape = _in_blocks(call, rule, shape)
    call.add_tensor(name, shape, call.dtype, "real")
    if call.inputs[-1].binding is Binding.PLACEHOLDER_NONE:
        inside = image_rules.channels(shape, data_format)
        least = image_rules.images(None, (None,) * axes, inside, data_format)
        told = call.inputs[-1].static_shape
        known = tuple(a if b is None else b for a, b in zip(told, least, strict=True))
        call.inputs[-1] = tensors.told(call.inputs[-1], known)
        call.static_shapes[name] = known


def _spatial_axes(call: CallDraft, rule: kinds.Images) -> int:
    """How many spatial axes the images have: two rather than others, where there is a choice."""
    if rule.most is None:
        return rule.spatial
    offered = tuple(n for n in AXES if rule.spatial <= n <= rule.most)
    chosen: int = call.pick_as("rank", offered, lambda n: str(n + 2))
    return chosen


def _block(call: CallDraft, rule: kinds.Images) -> int:
    size: int = 1 if rule.blocks is None else call.values[rule.blocks]
    return size


def _in_blocks(call: CallDraft, rule: kinds.Images, shape: Dims) -> Dims:
    """The shape so many times larger that it can be divided into blocks."""
    size, data_format = _block(call, rule), _format(call)
    channels = image_rules.channels(shape, data_format) or 0
    lengths = tuple(d or 0 for d in image_rules.spatial(shape, data_format))
    if rule.deep:
        channels *= size**2
    else:
        lengths = tuple(d * size for d in lengths)
    return tuple(d or 0 for d in image_rules.images(shape[0], lengths, channels, data_format))


def _work(call: CallDraft) -> int:
    """How many elements of a result or of a kernel there are, about, for one of the image."""
    if any(isinstance(rule, kinds.Padding) for rule in call.rules.values()):
        return PADDED
    own = any(isinstance(rule, kinds.LocalKernel) for rule in call.rules.values())
    spread = not {"output_shape", "output_padding"}.isdisjoint(call.rules)
    return TRANSPOSED if spread and not own else LOCAL if own else 1


def _format(call: CallDraft) -> str | None:
    """The data format; in an invalid call, an unknown one is treated like channels_last."""
    value: str | None = call.values.get("data_format")
    return value


def _add_kernel(call: CallDraft, name: str, shape: Dims, domain: str = "real") -> None:
    """A tensor whose shape is known when the graph is built."""
    offered = offered_bindings(call.spec, call.edition)
    binding = call.pick(tuple(b for b in KNOWN if b in offered))
    if call.binding in KNOWN:
        binding = call.binding
    item = call.new_input(name, shape, call.dtype, domain, binding)
    call.shapes[name] = call.static_shapes[name] = item.shape
    call.dtypes[name] = call.dtype
    call.passed[name] = Ref(name)


def _kernel(call: CallDraft, name: str, rule: kinds.Kernel) -> None:
    data_format = _format(call)
    shape = call.shapes[rule.of]
    sizes = _window_sizes(call, image_rules.spatial(shape, data_format), rule.layout)
    inside = image_rules.channels(shape, data_format)
    assert inside is not None
    outside = call.pick((1, 2, 1) if rule.layout == "depthwise" else CHANNELS)
    outside = long_axes.longer_axis(call, outside, room=_outside_room(call, shape, sizes, inside))
    mirrored = "mirrored_last" if data_format == "th" else "mirrored"
    domain = call.pick((mirrored, "real"))
    _add_kernel(call, name, _laid_out(call, rule.layout, sizes, inside, outside), domain)


def _outside_room(call: CallDraft, images: Dims, sizes: Dims, inside: int) -> int:
    """How many channels may come out, so that results, kernel and products are not too many."""
    image, kernel = long_axes.elements([images]), math.prod(sizes) * max(inside, 1)
    places = max(1, image // max(inside, 1))
    results = places * _work(call)
    return call.room * PRODUCTS // max(PRODUCTS * max(results, kernel), places * kernel)


def _laid_out(call: CallDraft, layout: str, sizes: Dims, inside: int, outside: int) -> Dims:
    """keras-1 lays a transposed kernel out as that of a convolution with the same channels."""
    if _format(call) == "th":
        return (outside, inside, *sizes)
    if layout == "transposed" and call.edition != "keras-1":
        return (*sizes, outside, inside)
    return (*sizes, inside, outside)


def _window_sizes(call: CallDraft, lengths: image_rules.Dims, layout: str = "convolution") -> Dims:
    dilation = image_rules.each(call.values.get("dilation_rate", 1), lengths)
    inside = call.values.get("padding", "valid") == "valid" and layout != "transposed"
    work, sizes = PRODUCTS * long_axes.growth(call), list[int]()
    for length, rate in zip(lengths, dilation, strict=True):
        assert length is not None
        most = (length - 1) // rate + 1 if inside else max(SIZES)
        size = call.pick(tuple(k for k in SIZES if k <= most))
        sizes.append(long_axes.longer_window(call, size, most=most, room=work // math.prod(sizes)))
    return tuple(sizes)


def _pointwise(call: CallDraft, name: str, rule: kinds.Pointwise) -> None:
    *sizes, channels, multiplier = call.shapes[rule.of]
    inside, outside = channels * multiplier, call.pick(CHANNELS)
    room = _outside_room(call, call.inputs[0].shape, (), inside)
    outside = long_axes.longer_axis(call, outside, room=room)
    _add_kernel(call, name, (*(1 for _ in sizes), inside, outside))


def _window(call: CallDraft, name: str, rule: kinds.Window) -> None:
    lengths = image_rules.spatial(call.shapes[rule.of], _format(call))
    if not rule.single:
        call.add_value(name, _window_sizes(call, lengths))
        return
    sizes = _window_sizes(call, lengths)
    call.add_value(name, _written(call, sizes, min(sizes)))


def _per_axis(call: CallDraft, name: str, rule: kinds.PerAxis) -> None:
    """Mostly 1, and more often so where the windows are dilated."""
    low, high = rule.range
    dilated = image_rules.OPERATORS["any_above"](call.values.get("dilation_rate", 1), 1)
    every = (low,) * (5 if dilated and name == "strides" else 2) + tuple(range(low, high + 1))
    numbers = tuple(call.pick(every) for _ in range(rule.spatial))
    call.add_value(name, numbers[0] if rule.single else numbers)


def _written(
    call: CallDraft, numbers: Dims, shared: int, *, lists: bool = True
) -> Dims | list[int] | int:
    """A number for each axis, in a tuple or a list, or the one that all axes share."""
    form = call.pick(WRITTEN if lists else WRITTEN[:2])
    return shared if form == "integer" else list(numbers) if form == "list" else numbers


def _moves(call: CallDraft, name: str, rule: kinds.Moves) -> None:
    """Mostly 1, and more often so where the windows are dilated."""
    low, high = rule.range
    dilated = image_rules.OPERATORS["any_above"](call.values.get("dilation_rate", 1), 1)
    every = (low,) * (5 if dilated and name == "strides" else 2) + tuple(range(low, high + 1))
    axes = image_rules.spatial(call.shapes[rule.of], _format(call))
    numbers = tuple(call.pick(every) for _ in axes)
    call.add_value(name, _written(call, numbers, numbers[0], lists=rule.lists))


def _patch(call: CallDraft, name: str, rule: kinds.Patch) -> None:
    lengths = image_rules.spatial(call.shapes[rule.of], _format(call))
    around = image_rules.each(call.values[rule.padding], lengths)
    apart = image_rules.each(call.values[rule.dilation], lengths)
    listed = zip(lengths, around, apart, strict=True)
    most = [((n or 0) + 2 * p - 1) // d + 1 for n, p, d in listed]
    sizes = tuple(call.pick(tuple(k for k in SIZES if k <= m)) for m in most)
    call.add_value(name, _written(call, sizes, min(sizes), lists=False))


def _adapted(call: CallDraft, name: str, rule: kinds.Adapted) -> None:
    lengths = image_rules.spatial(call.shapes[rule.of], _format(call))
    counts = tuple(call.integer((1, n or 1)) for n in lengths)
    call.add_value(name, _written(call, counts, min(counts)))


def _output_padding(call: CallDraft, name: str, rule: kinds.OutputPadding) -> None:
    axes = image_rules.spatial(call.shapes[rule.of], _format(call))
    strides = image_rules.each(call.values[rule.strides], axes)
    if rule.wrong:
        numbers = tuple(s + call.pick((0, 1)) for s in strides)
        call.add_value(name, _written(call, numbers, max(numbers)))
        return
    numbers = tuple(call.integer((0, s - 1)) for s in strides)
    call.add_value(name, _written(call, numbers, min(numbers)))


def _output_shape(call: CallDraft, name: str, rule: kinds.OutputShape) -> None:
    data_format = _format(call)
    shape, kernel = call.shapes[rule.of], call.shapes["kernel"]
    sizes = kernel[2:] if data_format == "th" else kernel[:-2]
    lengths = image_rules.spatial(shape, data_format)
    strides = image_rules.each(call.values["strides"], lengths)
    spatial = tuple(
        _length_before(call, n or 0, k, s) for n, k, s in zip(lengths, sizes, strides, strict=True)
    )
    made = image_rules.images(shape[0], spatial, _outside(call, kernel), data_format)
    form = call.pick(("tuple", "tuple", *call.tensors_of_integers()))
    call.add_value(name, in_form([d or 0 for d in made], form if call.error is None else "tuple"))


def _length_before(call: CallDraft, length: int, size: int, stride: int) -> int:
    """A length that a convolution with these windows turns into `length`."""
    if call.values["padding"] == "valid":
        more: int = call.pick((0, 0, 0, stride - 1))
        return (length - 1) * stride + size + more
    less: int = call.pick((0, 0, 0, stride - 1))
    return length * stride - less


def _outside(call: CallDraft, kernel: Dims) -> int:
    """The channels that a transposed convolution gives."""
    if _format(call) == "th":
        return kernel[0]
    return kernel[-1] if call.edition == "keras-1" else kernel[-2]


def _positions(call: CallDraft, name: str, rule: kinds.Positions) -> None:
    call.add_value(name, _places(call, rule.of))


def _places(call: CallDraft, images: str) -> Dims:
    lengths = image_rules.spatial(call.shapes[images], _format(call))
    sizes, strides = call.values["kernel_size"], call.values["strides"]
    return tuple(n or 0 for n in image_rules.windows(lengths, sizes, strides, "valid", 1))


def _local_kernel(call: CallDraft, name: str, rule: kinds.LocalKernel) -> None:
    channels = image_rules.channels(call.shapes[rule.of], _format(call)) or 0
    features = math.prod(call.values["kernel_size"]) * channels
    shape = (math.prod(_places(call, rule.of)), features, call.pick(CHANNELS))
    room = call.room // long_axes.elements([shape[:2]])
    shape = (*shape[:2], long_axes.longer_axis(call, shape[2], room=room))
    _add_kernel(call, name, shape, call.pick(("even", "real")))


def _mirrored(_rng: np.random.Generator, kernel: Array) -> Array:
    """The same when flipped along all spatial axes, (spatial..., in, out)."""
    places = math.prod(kernel.shape[:-2])
    flat = kernel.reshape(places, *kernel.shape[-2:])
    half = np.minimum(np.arange(places), np.arange(places)[::-1])
    return flat[half].reshape(kernel.shape)


def _mirrored_last(rng: np.random.Generator, kernel: Array) -> Array:
    """The same when flipped along all spatial axes, (out, in, spatial...)."""
    swapped = _mirrored(rng, np.moveaxis(kernel, (0, 1), (-2, -1)))
    return np.ascontiguousarray(np.moveaxis(swapped, (-2, -1), (0, 1)))


def _even(_rng: np.random.Generator, kernel: Array) -> Array:
    """Local weights that are the same for every element of a window."""
    return np.ascontiguousarray(np.broadcast_to(kernel[:, :1], kernel.shape))


DOMAINS: dict[str, Callable[[np.random.Generator, Array], Array]] = {
    "mirrored": _mirrored,
    "mirrored_last": _mirrored_last,
    "even": _even,
}
"""Kernels whose orientation, or the order of whose elements, makes no difference."""


KINDS: dict[type, Callable[[CallDraft, str, Any], None]] = {
    kinds.DataFormat: _data_format,
    kinds.Images: _images,
    kinds.Kernel: _kernel,
    kinds.Pointwise: _pointwise,
    kinds.Window: _window,
    kinds.PerAxis: _per_axis,
    kinds.Moves: _moves,
    kinds.OutputPadding: _output_padding,
    kinds.Patch: _patch,
    kinds.Adapted: _adapted,
    kinds.OutputShape: _output_shape,
    kinds.Positions: _positions,
    kinds.LocalKernel: _local_kernel,
}
