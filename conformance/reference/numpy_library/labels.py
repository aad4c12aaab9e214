"""The operations with padding and with labels on NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.reference.numpy_library.kernels import Array, kernel


@kernel
def alike(x: Array, *others: Array) -> Any:
    """x; ValueError if one of the others has another shape."""
    for other in others:
        if other.shape != x.shape:
            raise ValueError(f"shapes {x.shape} and {other.shape} must be equal")
    return x


@kernel
def pad(x: Array, widths: tuple[tuple[int, int], ...]) -> Any:
    """Zeros before and after each axis."""
    return np.pad(x, widths)


def _checked(labels: Array, classes: int) -> Array:
    """The labels; ValueError if one is not a class."""
    wrong = (labels < 0) | (labels >= classes)
    if wrong.any():
        raise ValueError(f"label {labels[wrong][0]} is no class; write one from 0 to {classes - 1}")
    return labels


@kernel
def take_class(x: Array, labels: Array, axis: int) -> Any:
    """The element at each label."""
    index = np.expand_dims(_checked(labels, x.shape[axis]), axis)
    return np.squeeze(np.take_along_axis(x, index, axis), axis)


@kernel
def place_class(upstream: Array, x: Array, labels: Array, axis: int) -> Any:
    """Zeros in the shape of x, but for the elements at the labels."""
    result = np.zeros(x.shape, upstream.dtype)
    places = np.expand_dims(labels, axis)
    np.put_along_axis(result, places, np.expand_dims(upstream, axis), axis)
    return result


@kernel
def in_top_k(predictions: Array, targets: Array, k: int) -> Any:
    """Whether fewer than k scores of the row are higher; NaN is in no top."""
    places = _checked(targets, predictions.shape[1])[:, np.newaxis]
    own = np.take_along_axis(predictions, places, axis=1)
    return ((predictions > own).sum(axis=1) < k) & ~np.isnan(own[:, 0])
