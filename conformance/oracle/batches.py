"""The results of an oracle for many versions of one of its tensors, in few calls.

A call of an oracle costs more than the arithmetic of a small tensor. So the versions are computed
together where the function allows it:

* element by element: the versions lie along a new first axis, which broadcasts with all else;
* image by image: they lie behind each other on the axis of the batch;
* channel by channel: the versions of a kernel lie on its axis of output channels.

Each element of a result is computed of the same terms as alone, a sum perhaps in another order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.oracle import activations, elementwise
from conformance.oracle.expectation import Array

Oracle = Callable[..., Array]
Place = tuple[str, int | None]
"""A parameter, and which of its tensors if it takes a list."""

ELEMENTWISE = frozenset({*elementwise.ORACLES, *activations.ORACLES, "binary_crossentropy"}) - {
    "softmax"
}
"""Functions whose tensors are broadcast, each element of the result by itself."""

_CONVOLUTIONS = ("conv1d", "conv2d", "conv3d", "conv")
_TRANSPOSED = ("conv2d_transpose", "conv3d_transpose", "conv_transpose")
_SEPARABLE = ("separable_conv1d", "separable_conv2d", "separable_conv")
_DEPTHWISE = ("depthwise_conv2d", "depthwise_conv")
_LOCAL = ("local_conv1d", "local_conv2d")
_POOLING = ("pool2d", "pool3d", "average_pool", "max_pool")
_IMAGES = (
    *("adaptive_average_pool", "adaptive_max_pool", "unfold", "fold"),
    *("space_to_depth", "depth_to_space"),
    *("temporal_padding", "spatial_2d_padding", "spatial_3d_padding"),
)

IMAGES: Mapping[str, str] = {
    **dict.fromkeys((*_CONVOLUTIONS, *_TRANSPOSED, *_SEPARABLE, *_DEPTHWISE), "x"),
    **dict.fromkeys((*_POOLING, *_IMAGES), "x"),
    **dict.fromkeys(_LOCAL, "inputs"),
}
"""Functions that compute each image by itself, and the parameter that takes the images."""

KERNELS: Mapping[tuple[str, str], int] = {
    **{(name, "kernel"): -1 for name in (*_CONVOLUTIONS, *_LOCAL)},
    **{(name, "kernel"): -2 for name in _TRANSPOSED},
    **{(name, "pointwise_kernel"): -1 for name in _SEPARABLE},
    **{(name, "depthwise_kernel"): -1 for name in _DEPTHWISE},
}
"""The kernels of functions that compute each channel of the result by itself, and their axis of
these channels in the documents' layout."""


@dataclass(frozen=True, slots=True)
class Versions:
    """A function, its arguments, and the tensor of which there are versions."""

    function: str
    oracle: Oracle
    arguments: Mapping[str, Any]
    place: Place
    shape: tuple[int, ...]
    """The shape of a result."""

    def results(self, tensors: Array) -> Array:
        """The results for the tensors along the first axis, also along a first axis."""
        name, index = self.place
        together: Array | None = None
        if index is None and len(tensors) > 1 and tensors.size and np.prod(self.shape):
            together = self._together(name, tensors)
        return self._one_by_one(tensors) if together is None else together

    def _together(self, name: str, tensors: Array) -> Array | None:
        if self.function in ELEMENTWISE:
            return self._broadcast(name, tensors)
        if IMAGES.get(self.function) == name:
            return self._as_batch(name, tensors)
        axis = KERNELS.get((self.function, name))
        if axis is not None and self.arguments.get("data_format") not in ("th", "tf"):
            return self._as_channels(name, tensors, axis)
        return None

    def _broadcast(self, name: str, tensors: Array) -> Array:
        missing = len(self.shape) - (tensors.ndim - 1)
        shape = (len(tensors), *(1,) * missing, *tensors.shape[1:])
        return self._answer(**{name: tensors.reshape(shape)})

    def _as_batch(self, name: str, tensors: Array) -> Array:
        joined = tensors.reshape(-1, *tensors.shape[2:])
        changed: dict[str, Any] = {name: joined}
        if "output_shape" in self.arguments and self.function in _TRANSPOSED:
            changed["output_shape"] = (len(joined), *self.arguments["output_shape"][1:])
        return self._answer(**changed).reshape(len(tensors), *self.shape)

    def _as_channels(self, name: str, tensors: Array, axis: int) -> Array | None:
        count, last = len(tensors), tensors.ndim - 1
        at = last + axis
        joined = np.moveaxis(tensors, 0, at + 1)
        kernel = joined.reshape(*joined.shape[:at], -1, *joined.shape[at + 2 :])
        channels = self._answer(**{name: kernel})
        grown = [i for i, n in enumerate(self.shape) if channels.shape[i] == n * count]
        if len(grown) != 1:
            return None
        place = grown[0]
        split = (*self.shape[: place + 1], count, *self.shape[place + 1 :])
        return np.moveaxis(channels.reshape(split), place + 1, 0)

    def _one_by_one(self, tensors: Array) -> Array:
        answers = [self._answer(**{self.place[0]: self._value(tensor)}) for tensor in tensors]
        return np.stack(answers) if answers else np.zeros((0, *self.shape), np.longdouble)

    def _value(self, tensor: Array) -> Any:
        name, index = self.place
        if index is None:
            return tensor
        return [tensor if i == index else t for i, t in enumerate(self.arguments[name])]

    def _answer(self, **changed: Any) -> Array:
        return np.asarray(self.oracle(**{**self.arguments, **changed}), np.longdouble)
