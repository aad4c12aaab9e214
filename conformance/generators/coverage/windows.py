"""How windows move over images: what calls of convolutions and pooling show of them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from conformance.generators.structure import Structure
from conformance.specs import Spec, image_rules, kinds
from conformance.specs.convention_names import ConventionName

Feature = tuple[Hashable, ...]
"""One thing that a structure shows: its kind, and what it is."""


def windows_of(structure: Structure) -> Iterator[Feature]:
    """The effects of windows on each axis, in a dtype that the documents name."""
    if ConventionName.INPUT_DTYPE in structure.unsettled:
        return
    if any(isinstance(r, kinds.Images) for r in structure.spec.parameters.values()):
        yield from _effects(structure)


def beginnings(spec: Spec) -> list[Feature]:
    """The beginnings of features that must be tested, and that random settled calls rarely have."""
    images = [r for r in spec.parameters.values() if isinstance(r, kinds.Images)]
    if not images:
        return []
    axes = range(images[0].most or images[0].spatial)
    # of three axes the last is seldom long enough for a stride of two to make a difference
    last: list[Feature] = [("moves by two", 2)] if len(axes) == 3 else []
    effects: dict[str, list[Feature]] = {
        "strides": [("moves",), *last],
        "dilation_rate": [("reaches",)],
    }
    found = [effect for name in effects if name in spec.parameters for effect in effects[name]]
    if {"output_shape", "output_padding"} & {
        *spec.parameters
    }:  # there are no effects of strides on such windows
        return []
    if "padding" in spec.parameters:
        found += [("uneven", axis) for axis in axes]
    if "pool_size" in spec.parameters:  # what is padded is computed of the window
        found += [("of one", "same", axis, True) for axis in axes]
    return found


def has_effect(structure: Structure, beginning: Feature) -> bool:
    """Whether a settled call has a feature that begins so, and is true; on which side an odd
    element is padded, no document settles."""
    open_points = {ConventionName.SAME_PADDING} if beginning[0] == "uneven" else set()
    if not {*structure.unsettled} <= open_points:
        return False
    found = (f for f in windows_of(structure) if f[: len(beginning)] == beginning)
    return any(all(part is not False for part in f) for f in found)


def demanded_for(beginning: Feature) -> dict[str, str]:
    """The arguments with which features of this beginning are found sooner."""
    named = ("same",) if beginning[0] == "uneven" else beginning[1:2]
    return {"padding": repr(named[0])} if named and isinstance(named[0], str) else {}


def _effects(structure: Structure) -> Iterator[Feature]:
    """The axes on which strides, dilation and padding change what windows there are."""
    values = structure.runtime.values
    first, *others = structure.runtime.shapes.values()
    lengths = image_rules.spatial(first, values.get("data_format"))
    sizes = values.get("pool_size") or values.get("kernel_size")
    if sizes is None and others and others[0] is not None:
        sizes = image_rules.kernel(others[0], values.get("data_format"))[:-2]
    sizes = (sizes,) * len(lengths) if isinstance(sizes, int) else sizes
    if sizes is None or len(sizes) != len(lengths):
        return
    rates = image_rules.each(values.get("dilation_rate", 1), sizes)
    moves = values.get("strides", 1)
    strides = image_rules.each(sizes if moves is None else moves, sizes)
    padding = values.get("padding", "valid")
    steps = image_rules.windows(lengths, sizes, 1, padding, rates)
    if len(set(strides)) > 1:
        yield ("moves differently", all((count or 0) > 1 for count in steps))
    each = zip(lengths, sizes, rates, strides, steps, strict=True)
    for axis, (length, k, rate, stride, count) in enumerate(each):
        seen = (count or 0) > 1
        yield ("moves", axis, stride > 1 and seen)
        yield ("moves by two", axis, stride == 2 and seen)
        yield ("reaches", axis, (k or 0) > 1 and rate > 1)
        yield ("beyond", padding, axis, (k or 0) > 1 and seen)
        yield ("of one", padding, axis, k == 1)
        if padding == "same":
            yield ("uneven", axis, _padded(length or 0, k or 1, rate, stride) % 2 == 1)


def _padded(length: int, size: int, rate: int, stride: int) -> int:
    """How many elements are padded so that windows begin at every step of an axis."""
    return max(0, (-(-length // stride) - 1) * stride + (size - 1) * rate + 1 - length)
