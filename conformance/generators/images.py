"""Images, and the kernels, windows, strides and output shapes that fit them.

What a drawing function depends on is drawn before it, under its documented name: `data_format`,
`padding`, `dilation_rate`, `strides`, `kernel_size`, `kernel`. Windows of `valid` calls lie inside
the image; those of other calls may be larger than it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from conformance.generators.calls import Call, offered_bindings
from conformance.program import Binding, Ref
from conformance.specs import Spec, image_rules, kinds

if TYPE_CHECKING:
    from conformance.generators.structure import Structure

Dims = tuple[int, ...]
Array = npt.NDArray[Any]

LENGTHS = {1: (4, 3, 5, 2, 6, 1, 7, 8), 2: (3, 4, 2, 5, 1, 6), 3: (3, 2, 4, 1)}
"""Lengths of a spatial axis, by the number of those axes: many axes, few elements."""
BATCHES = (1, 2, 1, 2, 2, 3, 1, 2, 1, 2, 0)
CHANNELS = (1, 2, 2, 3)
FORMATS = ("channels_last", "channels_first", "channels_last", "channels_last", "channels_last")
"""The layout of channels_first is a convention, and so is what no format stands for."""
SIZES = (2, 3, 1, 3, 2, 4, 5)
KNOWN = (Binding.PLACEHOLDER, Binding.VARIABLE, Binding.PLACEHOLDER, Binding.CONSTANT)


def _data_format(call: Call, name: str, _rule: kinds.DataFormat) -> None:
    if call.edition == "keras-1":
        call.add_value(name, call.pick(("tf", "th")))
        return
    required = any(p.required for p in call.documented.parameters if call.newest(p.name) == name)
    chosen = call.pick(FORMATS if required else (*FORMATS, "omitted", *FORMATS, None))
    if chosen == "omitted":
        call.values[name] = None
    else:
        call.add_value(name, chosen)


def _images(call: Call, name: str, rule: kinds.Images) -> None:
    """Batch and spatial dimensions may be unknown when the graph is built; channels are known."""
    spatial = tuple(call.pick(LENGTHS[rule.spatial]) for _ in range(rule.spatial))
    batch, channels = call.pick(BATCHES), call.pick(CHANNELS)
    data_format = _format(call)
    shape = image_rules.images(batch, spatial, channels, data_format)
    call.add_tensor(name, tuple(d or 0 for d in shape), call.dtype, "real")
    if call.inputs[-1].binding is Binding.PLACEHOLDER_NONE:
        known = image_rules.images(None, (None,) * rule.spatial, channels, data_format)
        call.inputs[-1] = replace(
            call.inputs[-1], arguments=(("shape", known), ("dtype", call.dtype))
        )
        call.static_shapes[name] = known


def _format(call: Call) -> str | None:
    """The data format: what is none, in an invalid call, stands for channels_last."""
    value: str | None = call.values.get("data_format")
    return value


def _add_kernel(call: Call, name: str, shape: Dims, domain: str = "real") -> None:
    """A tensor whose shape is known when the graph is built."""
    offered = offered_bindings(call.spec, call.edition)
    binding = call.pick(tuple(b for b in KNOWN if b in offered))
    if call.binding in KNOWN:
        binding = call.binding
    item = call.new_input(name, shape, call.dtype, domain, binding)
    call.shapes[name] = call.static_shapes[name] = item.shape
    call.dtypes[name] = call.dtype
    call.passed[name] = Ref(name)


def _kernel(call: Call, name: str, rule: kinds.Kernel) -> None:
    data_format = _format(call)
    shape = call.shapes[rule.of]
    sizes = _window_sizes(call, image_rules.spatial(shape, data_format), rule.layout)
    inside = image_rules.channels(shape, data_format)
    assert inside is not None
    outside = call.pick((1, 2, 1) if rule.layout == "depthwise" else CHANNELS)
    mirrored = "mirrored_last" if data_format == "th" else "mirrored"
    domain = call.pick((mirrored, "real"))
    _add_kernel(call, name, _laid_out(call, rule.layout, sizes, inside, outside), domain)


def _laid_out(call: Call, layout: str, sizes: Dims, inside: int, outside: int) -> Dims:
    """keras-1 lays a transposed kernel out as that of a convolution with the same channels."""
    if _format(call) == "th":
        return (outside, inside, *sizes)
    if layout == "transposed" and call.edition != "keras-1":
        return (*sizes, outside, inside)
    return (*sizes, inside, outside)


def _window_sizes(call: Call, lengths: image_rules.Dims, layout: str = "convolution") -> Dims:
    dilation = image_rules.each(call.values.get("dilation_rate", 1), lengths)
    inside = call.values.get("padding", "valid") == "valid" and layout != "transposed"
    sizes = []
    for length, rate in zip(lengths, dilation, strict=True):
        assert length is not None
        most = (length - 1) // rate + 1 if inside else max(SIZES)
        sizes.append(call.pick(tuple(k for k in SIZES if k <= most)))
    return tuple(sizes)


def _pointwise(call: Call, name: str, rule: kinds.Pointwise) -> None:
    *sizes, channels, multiplier = call.shapes[rule.of]
    _add_kernel(call, name, (*(1 for _ in sizes), channels * multiplier, call.pick(CHANNELS)))


def _window(call: Call, name: str, rule: kinds.Window) -> None:
    lengths = image_rules.spatial(call.shapes[rule.of], _format(call))
    call.add_value(name, _window_sizes(call, lengths))


def _per_axis(call: Call, name: str, rule: kinds.PerAxis) -> None:
    """Mostly 1, and more often so where the windows are dilated."""
    low, high = rule.range
    dilated = image_rules.OPERATORS["any_above"](call.values.get("dilation_rate", 1), 1)
    every = (low,) * (5 if dilated and name == "strides" else 2) + tuple(range(low, high + 1))
    numbers = tuple(call.pick(every) for _ in range(rule.spatial))
    call.add_value(name, numbers[0] if rule.single else numbers)


def _output_shape(call: Call, name: str, rule: kinds.OutputShape) -> None:
    data_format = _format(call)
    shape, kernel = call.shapes[rule.of], call.shapes["kernel"]
    sizes = kernel[2:] if data_format == "th" else kernel[:-2]
    lengths = image_rules.spatial(shape, data_format)
    strides = image_rules.each(call.values["strides"], lengths)
    spatial = tuple(
        _length_before(call, n or 0, k, s) for n, k, s in zip(lengths, sizes, strides, strict=True)
    )
    call.add_value(name, image_rules.images(shape[0], spatial, _outside(call, kernel), data_format))


def _length_before(call: Call, length: int, size: int, stride: int) -> int:
    """A length that a convolution with these windows turns into `length`."""
    if call.values["padding"] == "valid":
        more: int = call.pick((0, 0, 0, stride - 1))
        return (length - 1) * stride + size + more
    less: int = call.pick((0, 0, 0, stride - 1))
    return length * stride - less


def _outside(call: Call, kernel: Dims) -> int:
    """The channels that a transposed convolution gives."""
    if _format(call) == "th":
        return kernel[0]
    return kernel[-1] if call.edition == "keras-1" else kernel[-2]


def _positions(call: Call, name: str, rule: kinds.Positions) -> None:
    call.add_value(name, _places(call, rule.of))


def _places(call: Call, images: str) -> Dims:
    lengths = image_rules.spatial(call.shapes[images], _format(call))
    sizes, strides = call.values["kernel_size"], call.values["strides"]
    return tuple(n or 0 for n in image_rules.windows(lengths, sizes, strides, "valid", 1))


def _local_kernel(call: Call, name: str, rule: kinds.LocalKernel) -> None:
    channels = image_rules.channels(call.shapes[rule.of], _format(call)) or 0
    features = math.prod(call.values["kernel_size"]) * channels
    shape = (math.prod(_places(call, rule.of)), features, call.pick(CHANNELS))
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


def features(structure: Structure) -> Iterator[tuple[Hashable, ...]]:
    """How windows move: whatever two of these circumstances come together."""
    if not any(isinstance(r, kinds.Images) for r in structure.spec.parameters.values()):
        return
    values = structure.runtime.values
    settled = structure.settled
    moves = [
        ("settled", settled),
        ("padding", values.get("padding")),
        ("first", values.get("data_format") in image_rules.CHANNELS_FIRST),
        ("mode", values.get("pool_mode")),
        ("channels", all(_channels(structure, s) > 1 for s in structure.runtime.shapes.values())),
    ]
    for name in ("strides", "dilation_rate", "pool_size", "kernel_size"):
        numbers = image_rules.each(values.get(name, 1), "x")
        moves.append((name, max(numbers) > 1))
        moves.append((name + " differ", len(set(numbers)) > 1))
    yield from (("windows", *pair) for pair in combinations(moves, 2))
    yield ("border", values.get("padding"), values.get("pool_mode"), settled)
    yield from ((*effect, settled) for effect in _effects(structure))


def rare(spec: Spec) -> list[tuple[Hashable, ...]]:
    """The beginnings of features that a settled call hardly has, and that are to be tested."""
    images = [r for r in spec.parameters.values() if isinstance(r, kinds.Images)]
    if not images:
        return []
    # of three axes the last is seldom long enough for a stride of two to make a difference
    last: list[tuple[Hashable, ...]] = [("moves by two", 2)] if images[0].spatial == 3 else []
    effects: dict[str, list[tuple[Hashable, ...]]] = {
        "strides": [("moves",), *last],
        "dilation_rate": [("reaches",)],
    }
    found = [effect for name in effects if name in spec.parameters for effect in effects[name]]
    if "output_shape" in spec.parameters:  # there are no effects of strides on such windows
        return []
    if "pool_size" in spec.parameters:  # what is padded is computed of the window
        found += [("of one", "same", axis, True) for axis in range(images[0].spatial)]
    modes = spec.parameters.get("pool_mode")
    if isinstance(modes, kinds.Literals):
        found += [("border", "same", mode) for mode in modes.values]
    return found


def wanted(beginning: tuple[Hashable, ...]) -> dict[str, str]:
    """The forms of arguments of which features that begin so are found sooner."""
    named = beginning[1:2]
    return {"padding": repr(named[0])} if named and isinstance(named[0], str) else {}


def _effects(structure: Structure) -> Iterator[tuple[Hashable, ...]]:
    """The axes on which strides, dilation and padding change what windows there are."""
    values = structure.runtime.values
    first, *others = structure.runtime.shapes.values()
    lengths = image_rules.spatial(first, values.get("data_format"))
    sizes = values.get("pool_size") or values.get("kernel_size")
    if sizes is None and others and others[0] is not None:
        sizes = image_rules.kernel(others[0], values.get("data_format"))[:-2]
    if sizes is None or len(sizes) != len(lengths):
        return
    rates = image_rules.each(values.get("dilation_rate", 1), sizes)
    strides = image_rules.each(values.get("strides", 1), sizes)
    padding = values.get("padding", "valid")
    steps = image_rules.windows(lengths, sizes, 1, padding, rates)
    if len(set(strides)) > 1:
        yield ("moves differently", all((count or 0) > 1 for count in steps))
    for axis, (k, rate, stride, count) in enumerate(zip(sizes, rates, strides, steps, strict=True)):
        seen = (count or 0) > 1
        yield ("moves", axis, stride > 1 and seen)
        yield ("moves by two", axis, stride == 2 and seen)
        yield ("reaches", axis, (k or 0) > 1 and rate > 1)
        yield ("beyond", padding, axis, (k or 0) > 1 and seen)
        yield ("of one", padding, axis, k == 1)


def _channels(structure: Structure, shape: Dims) -> int:
    """The channels of an image; of a kernel, those that come out."""
    return image_rules.channels(shape, structure.runtime.values.get("data_format")) or 0


KINDS: dict[type, Callable[[Call, str, Any], None]] = {
    kinds.DataFormat: _data_format,
    kinds.Images: _images,
    kinds.Kernel: _kernel,
    kinds.Pointwise: _pointwise,
    kinds.Window: _window,
    kinds.PerAxis: _per_axis,
    kinds.OutputShape: _output_shape,
    kinds.Positions: _positions,
    kinds.LocalKernel: _local_kernel,
}
