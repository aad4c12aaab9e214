# mypy: allow-untyped-defs, allow-untyped-calls
# mypy: disable-error-code="attr-defined,arg-type,misc,has-type,assignment,no-any-return,index"
"""Errors in convolution and pooling."""

from __future__ import annotations

import numpy as np

from conformance.reference import configuration, convolution, pooling, separable_convolution
from conformance.reference.numpy_library import products as numpy_products
from conformance.reference.symbolic.graph import apply
from conformance.reference.symbolic.shapes import windows as window_shapes
from tests.engine.mutants.kit import arguments, operation, patched, replaced

SPATIAL = {
    "conv1d": 1,
    "conv2d": 2,
    "conv3d": 3,
    "conv2d_transpose": 2,
    "conv3d_transpose": 3,
    "separable_conv1d": 1,
    "separable_conv2d": 2,
    "depthwise_conv2d": 2,
}
KERNEL = {"separable_conv1d": "depthwise_kernel", "separable_conv2d": "depthwise_kernel",
          "depthwise_conv2d": "depthwise_kernel"}  # fmt: skip
POOLING = ("pool2d", "pool3d")
LOCAL = ("local_conv1d", "local_conv2d")
MODULES = {
    **dict.fromkeys(SPATIAL, convolution),
    **dict.fromkeys(KERNEL, separable_convolution),
    **dict.fromkeys(LOCAL, convolution),
    **dict.fromkeys(POOLING, pooling),
}
RARELY_SETTLED = {"separable_conv1d": {"verdict": "reported"}}
"""Most of its calls rest on the order of what the depthwise kernel gives."""
SILENT = {"verdict": "diverges"}
"""Where the documents say nothing."""


def _same_side(length, size, stride, padding, rate):
    """The odd element of `same` padding in front."""
    count, before, behind = window_shapes.margins(length, size, stride, padding, rate)
    return (count, behind, before) if padding == "same" else (count, before, behind)


def _one_more(length, size, stride, padding, rate):
    """One element of `same` padding moved from behind to the front."""
    count, before, behind = window_shapes.margins(length, size, stride, padding, rate)
    move = min(behind, 1) if padding == "same" else 0
    return count, before + move, behind - move


def _with_margins(margins):
    def make(kernel):
        def wrong(*args, **kwargs):
            right = numpy_products.margins
            numpy_products.margins = margins
            try:
                return kernel(*args, **kwargs)
            finally:
                numpy_products.margins = right

        return wrong

    return make


def _flip(name, axes):
    def change(call):
        call[name] = apply("reverse", call[name], axes=tuple(range(axes)))

    return change


def _reshaped(right):
    """The elements stay where they are, and only the shape is that of the other layout."""
    return lambda x, pattern: np.reshape(x, [x.shape[axis] for axis in pattern])


def _first_stride(call):
    call["strides"] = (call["strides"][0],) * len(call["strides"])


def _last_stride_ignored(call):
    call["strides"] = (*call["strides"][:-1], 1)


def _no_dilation(call):
    call["dilation_rate"] = (1,) * len(call["dilation_rate"]) if isinstance(
        call["dilation_rate"], (list, tuple)) else 1  # fmt: skip


def _swapped_kernel(name):
    def change(call):
        kernel = call[name]
        if kernel.shape[0] == kernel.shape[1]:
            order = (1, 0, *range(2, kernel.ndim))
            call[name] = apply("permute_dimensions", kernel, pattern=order)

    return change


for _name, _axes in SPATIAL.items():
    _window = "fold" if "transpose" in _name else "windows"
    _kernel = KERNEL.get(_name, "kernel")
    operation(_name, "the odd element of same padding in front", _window,
              _with_margins(_same_side), profile="default", **SILENT)  # fmt: skip
    operation(_name, "same padding one off", _window, _with_margins(_one_more), verdict="reported",
              profile="default")  # fmt: skip
    arguments(_name, "the kernel flipped", _flip(_kernel, _axes), profile="default", **SILENT)
    operation(_name, "channels first as if a reshape could do it", "permute_dimensions", _reshaped,
              verdict="reported", profile="default")  # fmt: skip
    if "transpose" not in _name:
        arguments(_name, "dilation ignored", _no_dilation, profile="default",
                  **RARELY_SETTLED.get(_name, {}))  # fmt: skip
    if _axes > 1:
        # few kernels of depthwise convolutions are square and not the same when transposed
        arguments(_name, "the kernel transposed", _swapped_kernel(_kernel), verdict="reported",
                  profile="thorough" if "depthwise" in _name else "default")  # fmt: skip


for _name in ("conv2d", "conv3d", "depthwise_conv2d", "separable_conv2d", *POOLING):
    arguments(_name, "the last stride ignored", _last_stride_ignored, verdict="reported",
              profile="default")  # fmt: skip
    arguments(_name, "the first stride for all", _first_stride, verdict="reported")


def _single_stride(call):
    call["strides"] = 1


arguments("conv1d", "strides ignored", _single_stride)
arguments("separable_conv1d", "strides ignored", _single_stride,
          profile="default", **RARELY_SETTLED["separable_conv1d"])  # fmt: skip


def _causal_behind(length, size, stride, padding, rate):
    count, before, behind = window_shapes.margins(length, size, stride, padding, rate)
    return (count, behind, before) if padding == "causal" else (count, before, behind)


operation("conv1d", "causal padding behind", "windows", _with_margins(_causal_behind),
          profile="default")  # fmt: skip


def _centred(length, size, stride, padding, rate):
    count, before, behind = window_shapes.margins(length, size, stride, padding, rate)
    if padding != "causal":
        return count, before, behind
    return count, (before + behind) // 2, before + behind - (before + behind) // 2


operation("conv1d", "causal padding on both sides", "windows", _with_margins(_centred),
          profile="default")  # fmt: skip


def _lenient(value, where, *allowed):
    other = "same" if "transpose" in where else "valid"
    return value if value in allowed else other


def _any_format(value, where):
    return value if value in configuration.LAYOUTS.values() else "channels_last"


for _name in (*SPATIAL, *POOLING):
    patched(_name, "any padding taken", (MODULES[_name], "padding_of", _lenient), aspect="error",
            verdict="reported", profile="default")  # fmt: skip
for _name in (*SPATIAL, *POOLING, *LOCAL):
    patched(_name, "any data format taken", (MODULES[_name], "data_format_of", _any_format),
            aspect="error", verdict="reported")  # fmt: skip


def _as_last(value, where):
    return "channels_last"


for _name in ("conv2d", "pool2d"):
    patched(_name, "the data format ignored", (convolution, "data_format_of", _as_last),
            (pooling, "data_format_of", _as_last), verdict="reported")  # fmt: skip


def _channels_mixed(kernel):
    """The channels of the result by multiplier first."""

    def wrong(x, y, labels):
        deep = kernel(x, y, labels=labels)
        if not labels[2].endswith("cm"):
            return deep
        return np.swapaxes(deep, -1, -2).reshape(deep.shape)

    return wrong


for _name in ("depthwise_conv2d", "separable_conv1d", "separable_conv2d"):
    operation(_name, "channels by multiplier first", "contraction", _channels_mixed,
              verdict="reported", profile="default")  # fmt: skip


def _reversed_inputs(kernel):
    """The depthwise kernels of the channels in reverse."""

    def wrong(x, y, labels):
        return kernel(x, np.flip(y, -2) if labels[1].endswith("cm") else y, labels=labels)

    return wrong


for _name in ("depthwise_conv2d", "separable_conv1d", "separable_conv2d"):
    operation(_name, "the kernels of other channels", "contraction", _reversed_inputs,
              verdict="reported", profile="default")  # fmt: skip


def _shared(kernel):
    """The weights of the first window for all."""

    def wrong(x, y, labels):
        return kernel(x, np.repeat(y[:1], len(y), 0), labels=labels)

    return wrong


def _taps_reversed(kernel):
    return lambda x, y, labels: kernel(x, np.flip(y, 1), labels=labels)


def _places_reversed(kernel):
    return lambda x, y, labels: kernel(x, np.flip(y, 0), labels=labels)


for _name in LOCAL:
    operation(_name, "the same weights everywhere", "contraction", _shared, verdict="reported")
    operation(_name, "the elements of a window in reverse", "contraction", _taps_reversed,
              verdict="reported")  # fmt: skip
    operation(_name, "the windows in reverse", "contraction", _places_reversed, verdict="reported")


def _columns_first(right):
    """The weights go by columns, not by rows."""

    def wrong(inputs, kernel, kernel_size, strides, output_shape, data_format=None):  # noqa: PLR0917
        rows, columns = output_shape
        order = np.arange(rows * columns).reshape(rows, columns).T.reshape(-1)
        parts = [apply("getitem", kernel, index=(slice(int(i), int(i) + 1),)) for i in order]
        kernel = apply("concatenate", *parts, axis=0)
        return right(inputs, kernel, kernel_size, strides, output_shape, data_format)

    return wrong


replaced("local_conv2d", "weights by columns", _columns_first, verdict="reported")


def _averaged(kernel):
    """The mean of what windows put at one place."""

    def wrong(x, shape, **how):
        count = np.maximum(kernel(np.ones_like(x), shape, **how), 1)
        return (kernel(x, shape, **how) / count).astype(x.dtype)

    return wrong


for _name in ("conv2d_transpose", "conv3d_transpose"):
    operation(_name, "a mean where windows overlap", "fold", _averaged, verdict="reported")


def _swap_channels(call):
    """The channels of the kernel as in a convolution, where they are as many."""
    kernel = call["kernel"]
    if kernel.shape[-1] == kernel.shape[-2]:
        order = (*range(kernel.ndim - 2), kernel.ndim - 1, kernel.ndim - 2)
        call["kernel"] = apply("permute_dimensions", kernel, pattern=order)


for _name in ("conv2d", "conv3d", "conv2d_transpose", "conv3d_transpose"):
    arguments(_name, "channels in and out of the kernel exchanged", _swap_channels,
              profile="default", verdict="reported")  # fmt: skip


# Pooling


def _divided(kernel):
    """By the whole size of a window."""
    return lambda x, y: (x / np.max(y, initial=1)).astype(x.dtype)


def _zero_border(kernel):
    """The border takes part in the maximum as zeros."""

    def wrong(x, **how):
        return kernel(x, **{**how, "border": 0.0})

    return wrong


for _name in POOLING:
    operation(_name, "the border counts in the mean", "divide", _divided,
              profile="default", verdict="reported")  # fmt: skip
    operation(_name, "the border is 0 for the maximum", "windows", _zero_border,
              profile="default")  # fmt: skip
    arguments(_name, "the mean as if it were the maximum",
              lambda call: call.update(pool_mode="max"), profile="default")  # fmt: skip
    arguments(_name, "same as if it were valid", lambda call: call.update(padding="valid"),
              verdict="reported")  # fmt: skip
    operation(_name, "the odd element of same padding in front", "windows",
              _with_margins(_same_side), profile="default", **SILENT)  # fmt: skip
    arguments(_name, "pool_size turned", lambda call: call.update(
        pool_size=tuple(call["pool_size"][::-1])), verdict="reported")  # fmt: skip
    operation(_name, "the gradient of the maximum to all", "max", gradient=lambda right: (
        lambda node, upstream: (apply("divide_by_count", _counted(node, upstream), node.inputs[0],
                                      axis=node.attributes["axis"]),)))  # fmt: skip


def _counted(node, upstream):
    for axis in sorted(node.attributes["axis"]):
        upstream = apply("expand_dims", upstream, axis=axis)
    return upstream
