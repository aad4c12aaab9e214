"""Convolutions: shared, transposed, depthwise, separable, and with unshared weights.

Convolution is what neural networks mean by it, the correlation of the image with the kernel, which
is not flipped (Goodfellow, Bengio and Courville, Deep Learning, section 9.1; tf.nn.convolution):
y[b, p, o] = sum over i, c of x[b, p * stride + i * dilation, c] * kernel[i, c, o], with zeros
around the image. Where no document settles a point, TensorFlow's rule holds: `same` with a stride
or an even window, depthwise channels in the order c * multiplier + m, the layout of kernels.

The transposed convolution is the adjoint: y[b, p * stride + i] gathers x[b, p] * kernel[i]. It is
cut to `output_shape` by the padding that the convolution of such an image has.

Bounds are those of inner products, gamma_n sum |terms| (Higham 2002, 3.1), with n the number of
products that are summed. A separable convolution is a sum of products of three; in any order of
evaluation no term passes more than n1 n2 + 1 roundings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product as combinations
from typing import Any

import numpy as np

from conformance.oracle.expectation import Array
from conformance.oracle.linear_algebra import inner_product
from conformance.oracle.rounding import Arithmetic, allowance, finite_magnitude
from conformance.oracle.windows import (
    CHANNELS_FIRST,
    Numbers,
    each,
    from_format,
    padded,
    pads,
    to_format,
    windows,
)

Bounded = tuple[Array, Array]


def _kernel(kernel: Array, data_format: str | None) -> Array:
    """(spatial dimensions..., in, out); `th` has (out, in, spatial dimensions...)."""
    return np.moveaxis(kernel, (1, 0), (-2, -1)) if data_format == "th" else kernel


def _seen(x: Array, sizes: Sequence[int], strides: Numbers, padding: str, dilation: Numbers) -> Any:
    """All windows of a channels-last image, and the number of its spatial axes."""
    axes = len(sizes)
    steps, rates = each(strides, axes), each(dilation, axes)
    around = pads(x.shape[1:-1], sizes, steps, padding, rates)
    return windows(padded(x, around), sizes, steps, rates), axes


def convolution(
    x: Array,
    kernel: Array,
    *,
    strides: Numbers = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Numbers = 1,
    **_hints: Any,
) -> Array:
    """The correlation of images with kernels, on one, two or three spatial axes.

    keras-1's image_shape, volume_shape and filter_shape change nothing.

    Shapes: x (batch, spatial..., in), kernel (spatial..., in, out); the result is (batch,
    positions..., out). With channels first, axis 1 of x and of the result has the channels.

    Raises:
        ValueError: an unknown padding, channels that differ, or a window larger than a `valid`
            image.
    """
    plain = _kernel(kernel, data_format)
    images = from_format(x, data_format)
    if images.shape[-1] != plain.shape[-2]:
        # a kernel that is read in another layout may be as large as a channel is long
        raise ValueError(f"{images.shape[-1]} channels do not fit a kernel for {plain.shape[-2]}")
    seen, axes = _seen(images, plain.shape[:-2], strides, padding, dilation_rate)
    return to_format(contracted(seen, plain, axes + 1), data_format)


def contracted(left: Array, right: Array, axes: int) -> Array:
    """The sum over the last axes of one and the first of the other.

    Unlike a BLAS, einsum multiplies infinities by zeros.

    Shapes: left (..., a, b), right (a, b, ...) with `axes` common axes; the result has the others,
    first those of left.

    Raises:
        ValueError: lengths differ.
    """
    if left.shape[left.ndim - axes :] != right.shape[:axes]:
        raise ValueError(f"shapes {left.shape} and {right.shape} do not fit over {axes} axes")
    first = list(range(left.ndim))
    second = [*first[left.ndim - axes :], *range(left.ndim, left.ndim + right.ndim - axes)]
    result: Array = np.einsum(
        left, first, right, second, [*first[: left.ndim - axes], *second[axes:]]
    )
    return result


def _transposed_kernel(kernel: Array, data_format: str | None) -> Array:
    """(spatial dimensions..., out, in); in keras-1, with `tf` and `th`, in precedes out."""
    plain = _kernel(kernel, data_format)
    return np.swapaxes(plain, -1, -2) if data_format in ("tf", "th") else plain


def transposed(
    x: Array,
    kernel: Array,
    output_shape: Sequence[int],
    *,
    strides: Numbers = 1,
    padding: str = "valid",
    data_format: str | None = None,
    **_hints: Any,
) -> Array:
    """The adjoint of `convolution`, from its results to images of `output_shape`.

    Raises:
        ValueError: a convolution does not turn `output_shape` into the shape of x.
    """
    plain, images = _transposed_kernel(kernel, data_format), from_format(x, data_format)
    *sizes, outside, _ = plain.shape
    first = data_format in CHANNELS_FIRST
    lengths = tuple(output_shape)[2:] if first else tuple(output_shape)[1:-1]
    steps = each(strides, len(sizes))
    around = pads(lengths, sizes, steps, padding, (1,) * len(sizes))
    whole = [n + before + behind for n, (before, behind) in zip(lengths, around, strict=True)]
    positions = tuple((n - k) // s + 1 for n, k, s in zip(whole, sizes, steps, strict=True))
    if positions != images.shape[1:-1] or images.shape[0] != output_shape[0]:
        raise ValueError(f"a convolution does not turn {output_shape} into {x.shape}")
    spread = np.zeros((len(images), *whole, outside), images.dtype)
    for place in combinations(*(range(k) for k in sizes)):
        ends = zip(place, positions, steps, strict=True)
        where = tuple(slice(i, i + (n - 1) * s + 1, s) for i, n, s in ends)
        spread[(slice(None), *where)] += contracted(images, plain[place].T, 1)
    cut = tuple(slice(a, a + n) for (a, _), n in zip(around, lengths, strict=True))
    return to_format(spread[(slice(None), *cut)], data_format)


def depthwise(
    x: Array,
    depthwise_kernel: Array,
    *,
    strides: Numbers = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Numbers = 1,
) -> Array:
    """Each channel by its own kernels; channel c * multiplier + m is that of c and kernel m.

    Shapes: x (batch, spatial..., in), kernel (spatial..., in, multiplier); the result is (batch,
    positions..., in * multiplier), in the data format of x.
    """
    plain = _kernel(depthwise_kernel, data_format)
    images = from_format(x, data_format)
    seen, axes = _seen(images, plain.shape[:-2], strides, padding, dilation_rate)
    inside = list(range(axes + 1, 2 * axes + 1))
    names = list(range(axes + 1))
    channel, number = 2 * axes + 1, 2 * axes + 2
    result = np.einsum(
        seen,
        [*names, *inside, channel],
        plain,
        [*inside, channel, number],
        [*names, channel, number],
    )
    return to_format(result.reshape(*result.shape[:-2], math.prod(plain.shape[-2:])), data_format)


def separable(
    x: Array,
    depthwise_kernel: Array,
    pointwise_kernel: Array,
    *,
    data_format: str | None = None,
    **moves: Any,
) -> Array:
    """A depthwise convolution, then one with a kernel of spatial size 1.

    Shapes: as `depthwise`, with a pointwise kernel (1..., in * multiplier, out); the result is
    (batch, positions..., out), in the data format of x.
    """
    deep = depthwise(x, depthwise_kernel, data_format=data_format, **moves)
    return _pointwise(deep, pointwise_kernel, data_format)


def _pointwise(deep: Array, kernel: Array, data_format: str | None) -> Array:
    plain = _kernel(kernel, data_format).reshape(-1, kernel.shape[-1])
    return to_format(contracted(from_format(deep, data_format), plain, 1), data_format)


def local(
    inputs: Array,
    kernel: Array,
    kernel_size: Sequence[int],
    *,
    strides: Sequence[int],
    output_shape: Sequence[int] | None = None,
    data_format: str | None = None,
) -> Array:
    """Each window by its own weights, its elements in the order of the axes of `inputs`.

    Shapes: inputs (batch, spatial..., in), kernel (windows, elements of a window, out); the result
    is (batch, positions..., out), in the data format of the inputs.

    Raises:
        ValueError: the kernel has other windows or another number of features.
    """
    first = data_format in CHANNELS_FIRST
    axes = len(kernel_size)
    seen = windows(from_format(inputs, data_format), kernel_size, strides, (1,) * axes)
    seen = np.moveaxis(seen, -1, axes + 1) if first else seen
    batch, *positions = seen.shape[: axes + 1]
    if output_shape is not None and tuple(output_shape) != tuple(positions):
        raise ValueError(f"output_shape is {output_shape}, but there are {positions} windows")
    features = math.prod(seen.shape[axes + 1 :])
    if kernel.shape[:2] != (math.prod(positions), features):
        raise ValueError(f"a kernel of {kernel.shape} for {positions} windows of {features}")
    flat = seen.reshape(batch, math.prod(positions), features)
    result = np.einsum("bpf,pfo->bpo", flat, kernel)
    return to_format(result.reshape(batch, *positions, kernel.shape[-1]), data_format)


def _sequences(
    inputs: Array,
    kernel: Array,
    kernel_size: Sequence[int],
    strides: Sequence[int],
    data_format: str | None = None,
    *,
    as_images: bool = False,
) -> Array:
    """`local` on (batch, steps, channels), whatever the data format (ko-2.2 line 3678).

    With `as_images` channels_first means the same as for images, and the window ends with the last
    step at the latest: a shape that fits the documents need not fit the other layout.
    """
    chosen = data_format if as_images else None
    if chosen in CHANNELS_FIRST:
        kernel_size = (min(kernel_size[0], inputs.shape[-1]),)
    return local(inputs, kernel, kernel_size, strides=strides, data_format=chosen)


def _bounded(
    function: Callable[..., Array],
    terms: Callable[[Array, str | None], int],
    image: str = "x",
    kernel: str = "kernel",
) -> Callable[..., Bounded]:
    """Value and bound of a function of an image and a kernel, given the names of both."""

    def bounded(model: Arithmetic, **arguments: Any) -> Bounded:
        x, weights = arguments.pop(image), arguments.pop(kernel)

        def product(left: Array, right: Array) -> Array:
            return function(left, right, **arguments)

        count = max(1, terms(weights, arguments.get("data_format")))
        return inner_product(product, count, model, x, weights)

    return bounded


def _summed(kernel: Array, data_format: str | None) -> int:
    return math.prod(_kernel(kernel, data_format).shape[:-1])


def _gathered(kernel: Array, data_format: str | None) -> int:
    plain = _transposed_kernel(kernel, data_format)
    return math.prod((*plain.shape[:-2], plain.shape[-1]))


def _deep(kernel: Array, data_format: str | None) -> int:
    return math.prod(_kernel(kernel, data_format).shape[:-2])


def _features(kernel: Array, _data_format: str | None) -> int:
    return int(kernel.shape[1])


def _counted(terms: Callable[[Array, str | None], int], kernel: str = "kernel") -> Any:
    def count(**arguments: Any) -> int:
        return terms(arguments[kernel], arguments.get("data_format"))

    return count


def _counted_separable(depthwise_kernel: Array, pointwise_kernel: Array, **_: Any) -> int:
    return math.prod(depthwise_kernel.shape[:-2]) * math.prod(pointwise_kernel.shape[:-1])


def bounded_separable(
    model: Arithmetic,
    x: Array,
    depthwise_kernel: Array,
    pointwise_kernel: Array,
    **others: Any,
) -> Bounded:
    """Value and bound of `separable`; infinite where a depthwise sum may overflow.

    Shapes: value and bound have the shape of `separable`.
    """
    triple = (x, depthwise_kernel, pointwise_kernel)
    sizes = [finite_magnitude(part) for part in triple]
    n = _counted_separable(depthwise_kernel, pointwise_kernel)
    factor = allowance(n + 1, model)
    bound = factor * separable(*sizes, **others) + _underflow(model, n, sizes, others)
    if model.flushes:
        bound = bound + _flushed_terms(model, sizes, others)
    deep = depthwise(sizes[0], sizes[1], **others) * (1 + factor) >= model.overflow
    every = np.ones_like(sizes[2])
    risky = _pointwise(deep.astype(np.float64), every, others.get("data_format")) > 0
    risky |= separable(*sizes, **others) * (1 + factor) >= model.overflow
    return separable(*triple, **others), np.where(risky, np.inf, bound)


def _underflow(
    model: Arithmetic, n: int, sizes: Sequence[Array], others: Mapping[str, Any]
) -> Array:
    """One underflow for every product and partial sum, times the largest factor that follows."""
    largest = max(1.0, *(float(np.max(part, initial=0)) for part in sizes))
    shape = separable(*sizes, **others).shape
    return np.full(shape, 4 * n * model.underflow * largest)


def _flushed_terms(
    model: Arithmetic, sizes: Sequence[Array], others: Mapping[str, Any]
) -> Array | float:
    """The magnitudes of the terms that have a subnormal factor."""
    total: Array | float = 0.0
    for place, part in enumerate(sizes):
        small = np.where(part < model.smallest_normal, part, 0)
        if small.any():
            changed = [*sizes]
            changed[place] = small
            total = total + separable(*changed, **others)
    return total


ORACLES: Mapping[str, Callable[..., Array]] = {
    "conv1d": convolution,
    "conv2d": convolution,
    "conv3d": convolution,
    "conv2d_transpose": transposed,
    "conv3d_transpose": transposed,
    "depthwise_conv2d": depthwise,
    "conv": convolution,
    "depthwise_conv": depthwise,
    "separable_conv": separable,
    "separable_conv1d": separable,
    "separable_conv2d": separable,
    "local_conv1d": _sequences,
    "local_conv2d": local,
}

TERMS: Mapping[str, Callable[..., int]] = {
    **dict.fromkeys(("conv1d", "conv2d", "conv3d", "conv"), _counted(_summed)),
    **dict.fromkeys(("conv2d_transpose", "conv3d_transpose"), _counted(_gathered)),
    **dict.fromkeys(("depthwise_conv2d", "depthwise_conv"), _counted(_deep, "depthwise_kernel")),
    **dict.fromkeys(("local_conv1d", "local_conv2d"), _counted(_features)),
    **dict.fromkeys(("separable_conv1d", "separable_conv2d", "separable_conv"), _counted_separable),
}
"""How many products each element of a result is the sum of."""

CONTRACTIONS: Mapping[str, Callable[..., Bounded]] = {
    **{name: _bounded(convolution, _summed) for name in ("conv1d", "conv2d", "conv3d", "conv")},
    **{name: _bounded(transposed, _gathered) for name in ("conv2d_transpose", "conv3d_transpose")},
    "depthwise_conv2d": _bounded(depthwise, _deep, kernel="depthwise_kernel"),
    "depthwise_conv": _bounded(depthwise, _deep, kernel="depthwise_kernel"),
    "local_conv1d": _bounded(_sequences, _features, image="inputs"),
    "local_conv2d": _bounded(local, _features, image="inputs"),
    "separable_conv1d": bounded_separable,
    "separable_conv2d": bounded_separable,
    "separable_conv": bounded_separable,
}
