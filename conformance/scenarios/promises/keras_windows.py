"""Windows of Keras 3 that are longer than the images, and fit nowhere without padding.

No docstring says what such a call gives. It may be refused. By the formula of valid padding its
result has no elements, because no window gives any.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.scenarios.checks import has_shape
from conformance.scenarios.drawn_arrays import small
from conformance.scenarios.model import ARGS, KERAS_3
from conformance.scenarios.recorder import Book, Recorder, Result
from conformance.specs import image_rules
from conformance.specs.convention_names import ConventionName

BOOK = Book()
Dims = tuple[int, ...]
SIZES: dict[str, tuple[Dims, Dims]] = {
    "one axis": ((4,), (5,)),
    "two axes": ((3, 2), (2, 4)),
}
"""By name: the spatial dimensions of the images, and those of the window."""
DILATED: dict[str, tuple[Dims, Dims]] = {"a dilated window": ((4,), (3,))}
"""Windows that are longer with a dilation of 2."""
KERNELS = ("keras.ops.conv", "keras.ops.depthwise_conv", "keras.ops.separable_conv")
POOLS = ("keras.ops.average_pool", "keras.ops.max_pool")
VALID = {"padding": "valid", "data_format": "channels_last"}


@BOOK.scenario(
    KERNELS,
    "a kernel longer than the images: {name}",
    editions=KERAS_3,
    name=(*SIZES, *DILATED),
)
def kernels(K: Recorder, draw: st.DrawFn, name: str) -> None:
    """Kernels of one channel, with ones for the pointwise kernel of a separable convolution."""
    lengths, window = {**SIZES, **DILATED}[name]
    kernel = K.tensor("kernel", np.ones((*window, 1, 1), "float32"))
    pointwise = K.tensor("pointwise", np.ones((*(1 for _ in window), 1, 1), "float32"))
    more = (pointwise,) if K.tested.endswith("separable_conv") else ()
    _expect_nothing(K, draw, lengths, window, kernel, *more, dilation_rate=1 + (name in DILATED))


@BOOK.scenario(POOLS, "windows longer than the images: {name}", editions=KERAS_3, name=tuple(SIZES))
def pools(K: Recorder, draw: st.DrawFn, name: str) -> None:
    """Windows that lie side by side."""
    lengths, window = SIZES[name]
    _expect_nothing(K, draw, lengths, window, window, window)


@BOOK.scenario(
    "keras.ops.image.extract_patches", "patches larger than the images", editions=KERAS_3
)
def patches(K: Recorder, draw: st.DrawFn) -> None:
    """Patches that lie side by side."""
    images = K.tensor("images", small(draw, (1, 4, 4, 1)))
    result = K[K.tested](images, (5, 5), **VALID).output("values")
    _expect_shape(K, result, (1, 0, 0, 25))


def _expect_nothing(
    K: Recorder, draw: st.DrawFn, lengths: Dims, window: Dims, *arguments: Any, **how: Any
) -> None:
    """Call the function on images of one channel: the result has no elements."""
    x = K.tensor("x", small(draw, (1, *lengths, 1)))
    result = K[K.tested](x, *arguments, **VALID, **how).output("values")
    strides = window if K.tested in POOLS else 1
    places = image_rules.windows(lengths, window, strides, "valid", how.get("dilation_rate", 1))
    _expect_shape(K, result, (1, *(n or 0 for n in places), 1))


def _expect_shape(K: Recorder, result: Result, shape: Dims) -> None:
    K.expect("the shape", result, has_shape(shape), f"shape {shape}: no window fits", at=ARGS)
    K.conventions = (ConventionName.LONGER_WINDOW,)


FAMILIES = BOOK.families
